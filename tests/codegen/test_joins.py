"""Arrays that are joined: loops write their parts, in every form, type and layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_kernels, by_numpy, check, groups_of
from codegen_values import DTYPES, LAYOUTS, SIZES, wild

import jitcore
from jitcore import _C
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.ir.ops.array import GETITEM
from jitcore.kernels import kernel as kernel_module
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]


def of_both(name: str, *more: Any, **words: Any) -> Program:
    """What two arrays become, and one as it is, joined."""

    def fn(b: Builder, x: Value, y: Value) -> Value:
        parts = [b.emit(OPS["where"], (b.emit(OP["=="], (x, y)), x, y)), b.emit(OP["<"], (x, y)), y]
        return b.emit(OPS[name], (parts, *more), words)

    return fn


FORMS: dict[str, tuple[Program, int]] = {
    "stack": (of_both("stack"), 1),
    "stack, last": (of_both("stack", -1), 1),
    "stack, middle": (of_both("stack", axis=1), 2),
    "concatenate": (of_both("concatenate"), 1),
    "concatenate, last": (of_both("concatenate", axis=-1), 1),
    "concatenate, by position": (of_both("concatenate", 1), 2),
    "hstack": (of_both("hstack"), 1),
    "vstack": (of_both("vstack"), 1),
    "dstack": (of_both("dstack"), 1),
    "column_stack": (of_both("column_stack"), 1),
    "array": (of_both("array"), 1),
}
SHAPES = ((1,), (7,), (300,), (1, 5), (5, 1), (3, 70), (2, 3, 4), (1, 1, 1), (2, 1, 3, 2))


def is_joined_by_kernels(fn: Program, arrays: list[Any]) -> bool:
    b, _, results = build(fn, arrays)
    steps = fused(b.nodes, set(results))
    return len(groups_of(steps)) == len(steps)


@pytest.mark.parametrize("form", FORMS)
def test_shapes(form: str, config: Config) -> None:
    fn, least = FORMS[form]
    for k, shape in enumerate(SHAPES):
        if len(shape) < least:
            continue
        arrays = [wild("d", shape, k), wild("d", shape, k + 1)]
        assert is_joined_by_kernels(fn, arrays), shape
        assert check(fn, arrays, config), shape


@pytest.mark.parametrize("form", ["stack, last", "concatenate", "array"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_types(form: str, dtype: str, config: Config) -> None:
    """Each beside another one, to whose common type both are cast."""
    fn, _ = FORMS[form]
    for other in DTYPES:
        with np.errstate(all="ignore"):
            assert check(fn, [wild(dtype, (3, 65), 1), wild(other, (3, 65), 2)], config, groups=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layout", ["C", "F", "spread", "rows", "backward", "upside down", "row"])
def test_layouts(form: str, layout: str, config: Config) -> None:
    """NumPy lays the whole out as its parts are."""
    fn, _ = FORMS[form]
    for dtype in "dfi":
        arrays = [
            LAYOUTS[layout](wild(dtype, (6, 65), 3)),
            LAYOUTS[layout](wild(dtype, (6, 65), 4)),
        ]
        assert check(fn, arrays, config)


@pytest.mark.parametrize("size", SIZES)
def test_lengths(size: int, config: Config) -> None:
    arrays = [wild("d", (size,), 1), wild("d", (size,), 2)]
    for form in "stack", "stack, last", "hstack", "column_stack":
        assert check(FORMS[form][0], arrays, config)


def test_functions_of_numpy_write_parts(config: Config) -> None:
    """A call writes into a buffer, or into the part, where that has no gaps."""

    def fn(b: Builder, x: Value) -> list[Value]:
        parts = [b.emit(OPS[name], (x,)) for name in ("sin", "exp", "tanh")]
        return [b.emit(OPS[name], (parts,), {"axis": 1}) for name in ("stack", "concatenate")]

    with np.errstate(all="ignore"):
        for shape in (5, 7), (3, 700), (700, 3):
            assert check(fn, [wild("d", shape, 8)], config)


def pieces(b: Builder, x: Value, y: Value) -> Value:
    """Of other lengths each: one loop for each length, and one result."""
    head = b.emit(GETITEM, (x, slice(None, 3)))
    parts = [b.emit(OP["*"], (head, 2)), b.emit(OP["+"], (x, y)), head, b.emit(OP["-"], (y, x))]
    return b.emit(OPS["concatenate"], (parts,))


def test_several_loops_make_one_array(config: Config) -> None:
    arrays = [wild("i", (40,), 1), wild("i", (40,), 2)]
    b, _, results = build(pieces, arrays)
    groups = groups_of(fused(b.nodes, set(results)))
    assert len(groups) == 2
    assert [len(group.outputs) for group in groups] == [1, 1]
    assert groups[1].taken[-1] == (results[0], groups[0].outputs[0])
    assert check(pieces, arrays, config)


def test_parts_that_are_wanted_elsewhere(config: Config) -> None:
    def fn(b: Builder, x: Value, y: Value) -> list[Value]:
        total = b.emit(OP["+"], (x, y))
        both = b.emit(OPS["stack"], ([total, b.emit(OP["*"], (x, y))],))
        turned = b.emit(OPS["transpose"], (both,))
        return [total, both, turned, b.emit(OPS["tanh"], (both,)), b.emit(OPS["sum"], (total,))]

    assert check(fn, [wild("h", (12,), 1), wild("h", (12,), 2)], config)


def test_a_whole_is_part_of_another(config: Config) -> None:
    def fn(b: Builder, x: Value, y: Value) -> Value:
        rows = [b.emit(OPS["stack"], ([b.emit(OP[k], (x, y)), x],)) for k in "+-"]
        return b.emit(OPS["concatenate"], (rows,), {"axis": 1})

    assert check(fn, [wild("q", (12,), 1), wild("q", (12,), 2)], config)


def test_numpy_joins_what_no_loop_makes(config: Config) -> None:
    def fn(b: Builder, x: Value, y: Value) -> Value:
        few = b.emit(OP["+"], (b.emit(GETITEM, (x, slice(None, 2))), 1))
        return b.emit(OPS["concatenate"], ([few, x, y],))

    def empty(b: Builder, x: Value, y: Value) -> Value:
        none = b.emit(OP["+"], (b.emit(GETITEM, (x, slice(0, 0))), 1))
        return b.emit(OPS["concatenate"], ([none, b.emit(OP["+"], (x, y))],))

    arrays = [wild("d", (12,), 1), wild("d", (12,), 2)]
    assert not is_joined_by_kernels(fn, arrays)
    assert check(fn, arrays, config, groups=0)
    assert check(empty, arrays, config, groups=0)


def test_more_results_than_a_launch_has(config: Config) -> None:
    """Each kernel has as many operands as it may; then the next one takes the array over."""

    def fn(b: Builder, *given: Value) -> Value:
        return b.emit(
            OPS["stack"], ([b.emit(OP["+"], (x, y)) for x, y in itertools.pairwise(given)],)
        )

    assert check(fn, [wild("i", (9,), k) for k in range(40)], config)


def test_numpy_joins_where_a_kernel_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    found = kernel_module.libraries
    seen: list[bool] = []

    def without_last(sources: Any, *more: Any) -> Any:
        made = [*found(sources, *more)]
        seen.append(len(made) > 1)
        return [*made[:-1], None] if seen[-1] else made

    monkeypatch.setattr(kernel_module, "libraries", without_last)

    @jitcore.compile
    def joined(x: Array, y: Array) -> Array:
        return np.concatenate([x[:3] * 2, x + y, y[1:] * x[1:]])

    x, y = wild("i", (40,), 1), wild("i", (40,), 2)
    for _ in range(4):
        assert_same(joined(x, y), joined.__wrapped__(x, y), "result")
    assert any(seen)


def rotated(p: Array, angle: Array) -> Array:
    x, y = p[:, 0], p[:, 1]
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def halves(x: Array, c: Array) -> Array:
    half = x.shape[-1] // 2
    return np.concatenate([x[..., :half] * c, x[..., half:] + c], axis=-1)


def test_programs_give_new_arrays() -> None:
    """The result is nobody else's, call by call, and what warns is NumPy's to do."""
    p, angle = wild("d", (2000, 2), 1), np.linspace(0, 3, 2000)
    c = wild("d", (1000,), 2)
    for fn, args in (rotated, (p, angle)), (halves, (p.T, c)):
        compiled = jitcore.compile(fn)
        with np.errstate(all="ignore"):
            results = [compiled(*args) for _ in range(5)]
            want = fn(*args)
        assert len({one.ctypes.data for one in results}) == 5
        for one in results:
            assert_same(one, want, fn.__name__)
            assert one.base is None and one.flags.owndata and one.flags.writeable
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            compiled(args[0] * np.inf, args[1] * 0)


def test_a_refusal_leaves_nothing_behind(config: Config) -> None:
    arrays = [np.full(40, 1e308), np.full(40, 1e308)]
    b, inputs, results = build(pieces, arrays)
    env = dict(zip(inputs, arrays, strict=True))
    steps = fused(b.nodes, set(results))
    with np.errstate(all="raise"):
        assert by_kernels(steps, env, config) is None
    with np.errstate(all="ignore"):
        found = by_kernels(steps, env, config)
        assert found is not None
        assert_same(found[results[0]], by_numpy(b.nodes, env)[results[0]], "result")


def test_construction_refuses_targets_outside() -> None:
    array, part = ("a", 12, (6,), (8,)), ("a", 12, (3,), (8,))
    base: dict[str, Any] = {
        "address": 1, "name": "k", "inputs": (part,), "reads": ((0, 0),), "outputs": (array,),
        "dim": (3,), "step": (8, 8, 8), "loops": (), "flag_mask": 0, "source": "", "library": None,
    }  # fmt: skip
    _C.Kernel(**base, targets=((0, 0), (0, 24)))
    for targets in (0,), ((0,),), ((1, 0),), ((-1, 0),), ((0, -8),), ((0, 48),), ((0, 0),) * 64:
        with pytest.raises((ValueError, TypeError)):
            _C.Kernel(**base, targets=targets)
