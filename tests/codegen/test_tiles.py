"""Short rows: NumPy's loops are called for several of them at once, with NumPy's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of
from codegen_values import wild

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import Builder, Value
from jitcore.ir.ops import OPS
from jitcore.kernels.kernel import kernel, source_of
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]
WIDTHS = (2, 3, 7, 8, 31, 64, 65, 100, 255, 256, 257)


def is_tiled(fn: Program, *arrays: Any) -> bool:
    b, _, results = build(fn, arrays)
    return any(
        "char tile_" in source_of(group) for group in groups_of(fused(b.nodes, set(results)))
    )


def raised(b: Builder, x: Value, m: Value) -> Value:
    return b.emit(OPS["exp"], (b.emit(OP["-"], (x, m)),))


def whole(b: Builder, x: Value, m: Value) -> Value:
    return raised(b, x, m)


def by_rows(b: Builder, x: Value, m: Value) -> list[Value]:
    """The second operand stands still along a row, so rows are called one by one."""
    far = b.emit(OPS["hypot"], (x, m))
    return [far, b.emit(OPS["sin"], (b.emit(OP["*"], (far, x)),))]


def folded(b: Builder, x: Value, m: Value) -> list[Value]:
    e = raised(b, x, m)
    found = [e]
    for name in ("sum", "mean", "max", "min", "prod", "any"):
        found += [b.emit(OPS[name], (e,), {"axis": axis}) for axis in (-1, 0)]
    return [*found, b.emit(OPS["sum"], (e,), {"axis": -1, "keepdims": True})]


def folded_whole(b: Builder, x: Value, m: Value) -> list[Value]:
    e = raised(b, x, m)
    return [e, *(b.emit(OPS[name], (e,)) for name in ("sum", "max", "argmax"))]


def mixed(b: Builder, x: Value, m: Value) -> list[Value]:
    e = raised(b, x, m)
    chosen = b.emit(OPS["where"], (b.emit(OP[">"], (x, m)), e, b.emit(OPS["tanh"], (x,))))
    return [b.emit(OPS["log1p"], (chosen,)), b.emit(OPS["argmin"], (chosen,), {"axis": 0})]


def searched(b: Builder, x: Value, m: Value) -> list[Value]:
    e = raised(b, x, m)
    found = [b.emit(OPS[name], (e,), {"axis": -1}) for name in ("argmax", "argmin", "std")]
    return [e, *found, b.emit(OPS["argmax"], (e,), {"axis": -1, "keepdims": True})]


PROGRAMS = (whole, by_rows, folded, folded_whole, mixed, searched)


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", "fd")
def test_widths(fn: Program, dtype: str, config: Config) -> None:
    for width in WIDTHS:
        for rows in (2, 40, 300):
            x = np.clip(wild(dtype, (rows, width), rows), -9, 9)
            with np.errstate(all="ignore"):
                check(fn, [x, x.max(axis=-1, keepdims=True)], config)
                check(fn, [x, x[0].copy()], config)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_more_axes_and_other_layouts(fn: Program, config: Config) -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(5, 40, 24))
    rows = base.max(axis=-1, keepdims=True)
    for x in (base, base[::2, 1:], base[..., ::2], base[..., 3:], base[:, ::-1], base[..., 5:12]):
        m = rows[: x.shape[0], : x.shape[1]]
        with np.errstate(all="ignore"):
            check(fn, [x, m], config)
            check(fn, [np.asfortranarray(x), m], config)
            check(fn, [x.transpose(1, 0, 2), m.transpose(1, 0, 2)], config)


def test_which_loops_are_tiled() -> None:
    for shape, expected in (((300, 8), True), ((300, 256), True), ((300, 257), False)):
        assert is_tiled(whole, np.ones(shape), np.ones((shape[0], 1))) == expected
    x, m = np.ones((300, 8)), np.ones((300, 1))
    assert is_tiled(folded, x, m) and is_tiled(by_rows, x, m)
    assert not is_tiled(lambda b, x, m: b.emit(OP["*"], (b.emit(OP["-"], (x, m)), m)), x, m)
    assert not is_tiled(whole, x, x)


def several(b: Builder, x: Value, m: Value) -> Value:
    """More buffers than a wide row leaves room for."""
    made = [b.emit(OPS[name], (b.emit(OP["-"], (x, m)),)) for name in ("exp", "sin", "cos", "tanh")]
    made += [b.emit(OPS[name], (b.emit(OP["*"], (x, m)),)) for name in ("log", "sqrt", "arctan")]
    while len(made) > 1:
        made = [b.emit(OPS["arctan2"], (made[0], made[1])), *made[2:]]
    return made[0]


@pytest.mark.parametrize("width", [2, 64, 200, 256])
def test_little_room(width: int, config: Config) -> None:
    x = np.random.default_rng(1).uniform(0.1, 2, (70, width))
    with np.errstate(all="ignore"):
        check(several, [x, x.max(axis=-1, keepdims=True)], config)


def test_flags_of_a_row_refuse(config: Config) -> None:
    x, m = np.ones((300, 8)), np.ones((300, 1))
    b, _, results = build(folded, [x, m])
    groups = groups_of(fused(b.nodes, set(results)))
    run = kernel(groups[0], config)
    assert run is not None
    bad = x.copy()
    bad[250, 3] = 1000.0
    with np.errstate(over="warn"):
        assert run(x, m) is not None
        assert run(bad, m) is None
    with np.errstate(all="ignore"):
        assert run(bad, m) is not None
