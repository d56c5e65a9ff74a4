"""Large arrays that kernels change in place: all of it, or nothing. Larger ones are not written
before all of it is known to be right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_numpy, groups_of
from codegen_values import tame

from jitcore import _C
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Node, Value, type_of
from jitcore.ir.ops.array import GETITEM, MASKED_STORE, SETITEM
from jitcore.kernels.kernel import kernel
from jitcore.kernels.store_rules import STORE
from jitcore.passes.window import fused
from jitcore.plan.masked_baseline import selecting

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]


def store(b: Builder, value: Value, target: Value) -> Value:
    out = Value(target.type)
    b.nodes.append(Node(STORE, (value, target), {}, (out,)))
    return out


def updated(b: Builder, x: Value, y: Value) -> Value:
    """y = y * x + x"""
    return store(b, b.emit(OP["+"], (b.emit(OP["*"], (y, x)), x)), y)


def replaced(b: Builder, x: Value, y: Value) -> Value:
    """y = x * x + x"""
    return store(b, b.emit(OP["+"], (b.emit(OP["*"], (x, x)), x)), y)


def chosen(b: Builder, x: Value, y: Value) -> Value:
    """y[x > 1] = y * x"""
    mask = b.emit(OP[">"], (x, 1.0))
    return store(b, b.emit(OPS["where"], (mask, b.emit(OP["*"], (y, x)), y)), y)


PROGRAMS: dict[Program, Callable[[Array, Array], Array]] = {
    updated: lambda x, y: y * x + x,
    replaced: lambda x, y: x * x + x,
    chosen: lambda x, y: np.where(x > 1.0, y * x, y),
}
LAYOUTS: dict[str, Callable[[], Array]] = {
    "flat": lambda: tame("d", (50_021,), 1),
    "singles": lambda: tame("f", (300, 400), 1),
    "with gaps": lambda: tame("d", (300, 500), 1)[:, 3:403:2],
    "rows": lambda: tame("d", (300, 500), 1)[::2, 3:403],
    "backwards": lambda: tame("d", (300, 200), 1)[::-1, ::-1],
    "three axes": lambda: tame("d", (20, 30, 100), 1).transpose(2, 0, 1),
    "Fortran": lambda: np.asfortranarray(tame("d", (300, 200), 1)),
    "few long rows": lambda: tame("d", (2, 80_001), 1)[:, :80_000],
    "complex": lambda: tame("D", (200, 201), 1),
    "large": lambda: tame("d", (600_021,), 1),
    "large with gaps": lambda: tame("d", (850, 1301), 1)[:, 1::2],
    "large rows": lambda: tame("d", (1000, 1100), 1)[::-1][::2, 3:1099],
    "few long large rows": lambda: tame("d", (3, 200_001), 1)[:, :200_000],
    "large complex": lambda: tame("D", (600, 501), 1),
}


def compiled(fn: Program, config: Config, *arrays: Any) -> Callable[..., Any]:
    """Takes the program's own arguments."""
    b, inputs, results = build(fn, arrays)
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(replace(group, alone=False), config)
    assert run is not None and group.written
    order = [inputs.index(value) for value in group.inputs]
    return lambda *given: run(*(given[place] for place in order))


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = _C.threads()
    _C.set_threads(request.param)
    _C.threads_again()
    yield request.param
    _C.set_threads(before)
    _C.threads_again()


def plain(array: Array) -> Array:
    return np.ascontiguousarray(array)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fn", PROGRAMS)
def test_all_or_nothing(fn: Program, layout: str, threads: int, config: Config) -> None:
    x, y = LAYOUTS[layout](), LAYOUTS[layout]()
    assert y.nbytes > _C.MOST_CACHED if "large" in layout else y.nbytes >= _C.WORTH_ASKING
    run = compiled(fn, config, x, y)
    want = plain(PROGRAMS[fn](x, y))
    with np.errstate(all="raise"):
        assert run(x, y) is not None
    assert_same(plain(y), want, "target")
    for place in 0, x.size // 2, x.size - 1:
        x, y = LAYOUTS[layout](), LAYOUTS[layout]()
        at = np.unravel_index(place, x.shape)
        x[at] = y[at] = np.finfo(x.dtype).max
        before = plain(y).copy()
        with np.errstate(all="raise"):
            assert run(x, y) is None
        assert_same(plain(y), before, "target")
        with np.errstate(all="ignore"):
            want = plain(PROGRAMS[fn](x, y))
            assert run(x, y) is not None
        assert_same(plain(y), want, "target")


def test_gaps_are_left_alone(config: Config) -> None:
    whole = tame("d", (300, 500), 1)
    y = whole[:, 3:403:2]
    outside = np.ones(whole.shape, bool)
    outside[:, 3:403:2] = False
    before = whole[outside]
    run = compiled(updated, config, y.copy(), y)
    with np.errstate(all="raise"):
        assert run(y.copy(), y) is not None
    assert (whole[outside] == before).all()


def test_what_does_not_change_is_not_written(config: Config) -> None:
    """Nor is it where the very same bytes would be: -0.0 and NaNs are others."""
    x = np.zeros(600_000)
    for kind in (0.0, -0.0, np.nan):
        y = np.full(600_000, kind)
        run = compiled(chosen, config, x, y)
        with np.errstate(all="raise"):
            assert run(x, y) is not None
        assert_same(y, np.full(600_000, kind), "target")
    y = np.full(600_000, -0.0)
    run = compiled(updated, config, x, y)
    assert run(x, y) is not None
    assert_same(y, np.full(600_000, 0.0), "target")


# ---- what a kernel must beat ----------------------------------------------------------------


def masked(b: Builder, x: Value, y: Value) -> Node:
    """x[y > 1] = (x + 1) * x, and y read by others"""
    mask = b.emit(OP[">"], (y, 1.0))
    made = b.emit(OP["*"], (b.emit(OP["+"], (x, 1.0)), x))
    return Node(MASKED_STORE, (x, mask, made), {}, ())


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_rivals_compute_what_is_selected(share: float) -> None:
    x, y = tame("d", (1000,), 1), np.where(np.arange(1000) < 1000 * share, 2.0, 0.5)
    b = Builder()
    inputs = [b.input(type_of(one)) for one in (x, y)]
    store = masked(b, *inputs)
    before, last = selecting(b.nodes, store, set(inputs) | {store.args[1]})
    assert last.op is SETITEM and [node.op for node in before].count(GETITEM) == 1
    env = by_numpy(before, dict(zip(inputs, (x, y), strict=True)))
    assert env[last.args[2]].shape == (round(1000 * share),)
    want = np.where(y > 1, (x + 1) * x, x)
    x[env[last.args[1]]] = env[last.args[2]]
    assert_same(x, want, "result")


def test_rivals_compute_all_of_what_others_read() -> None:
    x = tame("d", (1000,), 1)
    b = Builder()
    inputs = [b.input(type_of(one)) for one in (x, x)]
    store = masked(b, *inputs)
    added = b.nodes[1].outputs[0]
    before, last = selecting(b.nodes, store, {*inputs, store.args[2]})
    assert (*before,) == (*b.nodes,) and last is store
    before, last = selecting(b.nodes, store, {*inputs, store.args[1], added})
    assert last.op is SETITEM and [n.op.name for n in before].count("getitem") == 2
    env = by_numpy(before, dict(zip(inputs, (x, x), strict=True)))
    assert env[added].shape == (1000,)
