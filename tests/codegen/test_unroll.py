"""Reductions over short axes, element by element: NumPy's order, NumPy's bits."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, check, groups_of
from codegen_values import DTYPES, LAYOUTS, wild

import jitcore
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.ir.ops.array import METHODS
from jitcore.kernels import kernel as kernel_module
from jitcore.kernels.short_axis_rows import LONGEST, UNROLLED
from jitcore.passes.unroll_short_axes import MOST_NODES, origins
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]
SHORT = (2, 3, 4, 7, 8, 9, 15, 16)
FOLDS = ("sum", "mean", "prod", "std", "var", "argmin", "argmax", "any", "all")


def over(name: str, axis: int, keepdims: bool = False, **words: Any) -> Program:
    """Of the elements as they are, and of what is made of them."""

    def fn(b: Builder, x: Value) -> list[Value]:
        more = {"axis": axis, **words} | ({"keepdims": True} if keepdims else {})
        product = b.emit(OP["*"], (x, x)) if x.type.dtype.kind != "b" else x
        return [b.emit(METHODS[name], (one,), more) for one in (x, product)]

    return fn


def unrolled_in(fn: Program, arrays: list[Any]) -> int:
    b, _, results = build(fn, arrays)
    steps = fused(b.nodes, set(results))
    return sum(node.op is UNROLLED for group in groups_of(steps) for node in group.nodes)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("extent", SHORT)
def test_extents(name: str, extent: int, config: Config) -> None:
    for shape, axis in ((70, extent), -1), ((extent, 70), 0), ((5, extent, 13), 1):
        for keepdims in False, True:
            fn = over(name, axis, keepdims)
            array = wild("d", shape, extent)
            assert unrolled_in(fn, [array]) or name in ("std", "var"), shape
            with np.errstate(all="ignore"):
                assert check(fn, [array], config), shape


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_types(name: str, dtype: str, config: Config) -> None:
    for extent in 3, 9:
        for shape, axis in ((70, extent), 1), ((extent, 70), 0):
            with np.errstate(all="ignore"):
                assert check(over(name, axis), [wild(dtype, shape, extent)], config, groups=0)


@pytest.mark.parametrize("name", ["sum", "mean", "argmin"])
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("vector", "zero-d")])
def test_layouts(name: str, layout: str, config: Config) -> None:
    """Where the array has gaps, NumPy sums it."""
    for extent, axis, dtype in itertools.product((3, 12), (0, 1), "dfi"):
        array = LAYOUTS[layout](wild(dtype, (extent, 65) if axis == 0 else (65, extent), 3))
        with np.errstate(all="ignore"):
            assert check(over(name, axis), [array], config, groups=0)


@pytest.mark.parametrize("shape", [(1, 3), (2, 3), (3, 1, 4), (1, 1, 2), (4, 2, 1), (2, 3, 2, 3)])
def test_few_rows(shape: tuple[int, ...], config: Config) -> None:
    for axis, name in itertools.product(range(len(shape)), ("sum", "mean", "argmax", "var")):
        for dtype in "dh":
            with np.errstate(all="ignore"):
                assert check(over(name, axis), [wild(dtype, shape, axis)], config, groups=0)


def test_words(config: Config) -> None:
    x = wild("f", (40, 3), 1)
    for words in ({"dtype": np.float64}, {"dtype": np.float32}):
        with np.errstate(all="ignore"):
            assert check(over("sum", 1, **words), [x], config, groups=0)
    for ddof in 0, 1, 0.5:
        with np.errstate(all="ignore"):
            assert check(over("var", 1, ddof=ddof), [x], config, groups=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_and_extremes(dtype: str, config: Config) -> None:
    """Of floats the largest may be a zero of either sign: those are loops."""

    def fn(b: Builder, x: Value) -> list[Value]:
        zero = b.emit(OP["*"], (x, x)) if x.type.dtype.kind not in "bc" else x
        counts = [b.emit(OPS["count_nonzero"], (one,), {"axis": -1}) for one in (x, zero)]
        return [*counts, *(b.emit(METHODS[name], (zero,), {"axis": 1}) for name in ("max", "min"))]

    for extent in 3, 9:
        with np.errstate(all="ignore"):
            check(fn, [wild(dtype, (70, extent), 2)], config, groups=0)


def distances(b: Builder, x: Value, c: Value) -> Value:
    """Between all points and all others: the axis of the sum is repeated in both."""
    away = b.emit(OP["-"], (b.emit(OPS["expand_dims"], (x, 1)), c))
    return b.emit(OPS["sum"], (b.emit(OP["**"], (away, 2)),), {"axis": -1})


def nearest(b: Builder, x: Value, c: Value) -> Value:
    return b.emit(OPS["argmin"], (distances(b, x, c),), {"axis": 1})


@pytest.mark.parametrize("dtype", "dfi")
def test_nearest_points(dtype: str, config: Config) -> None:
    for points, centres, dim in (100, 8, 2), (7, 2, 3), (1, 3, 2), (65, 5, 4), (30, 16, 5):
        arrays = [wild(dtype, (points, dim), 1), wild(dtype, (centres, dim), 2)]
        with np.errstate(all="ignore"):
            assert check(nearest, arrays, config), (points, centres, dim)
            assert check(distances, arrays, config), (points, centres, dim)


def test_nearest_points_are_one_kernel() -> None:
    b, _, results = build(nearest, [wild("d", (100, 2), 1), wild("d", (8, 2), 2)])
    ((group,), others) = (groups_of(fused(b.nodes, set(results))), b.nodes)
    assert group.outputs == tuple(results) and group.shape == (100,)
    assert len(group.nodes) <= MOST_NODES and len(others) == 5


def normalized(b: Builder, x: Value) -> list[Value]:
    """Reductions of what reductions go into, with their axes kept."""
    words = {"axis": -1, "keepdims": True}
    away = b.emit(OP["-"], (x, b.emit(OPS["mean"], (x,), words)))
    spread = b.emit(OPS["sqrt"], (b.emit(OPS["mean"], (b.emit(OP["*"], (away, away)),), words),))
    score = b.emit(OP["/"], (away, spread))
    return [score, b.emit(OPS["sum"], (b.emit(OP["+"], (score, 1)),), {"axis": -1})]


def shared(b: Builder, x: Value) -> list[Value]:
    """What is reduced is wanted as it is."""
    twice = b.emit(OP["+"], (x, x))
    return [twice, *(b.emit(OPS[name], (twice,), {"axis": 1}) for name in ("sum", "argmax"))]


def called(b: Builder, x: Value) -> Value:
    """NumPy's functions go through whole rows."""
    waves = b.emit(OPS["sin"], (x,))
    return b.emit(OPS["sum"], (b.emit(OP["*"], (waves, waves)),), {"axis": 1})


def weighted(b: Builder, x: Value) -> Value:
    """What is computed of a vector as long as the axis has no elements that are arrays."""
    weights = b.emit(OP["*"], (b.emit(OPS["mean"], (x,), {"axis": 0}), 2))
    return b.emit(OPS["sum"], (b.emit(OP["*"], (x, weights)),), {"axis": 1})


def chosen(b: Builder, x: Value) -> Value:
    sign = b.emit(OP["<"], (x, 0.5))
    made = b.emit(OPS["where"], (sign, b.emit(METHODS["astype"], (x, np.float32)), np.float32(2)))
    return b.emit(OPS["sum"], (made,), {"axis": 0})


@pytest.mark.parametrize("fn", [normalized, shared, called, weighted, chosen])
def test_programs(fn: Program, config: Config) -> None:
    for shape in (80, 3), (80, 9), (3, 80), (2, 2), (80, 1):
        with np.errstate(all="ignore"):
            assert check(fn, [wild("d", shape, 5)], config, groups=0)


def test_long_axes_are_loops() -> None:
    assert unrolled_in(over("sum", -1), [wild("d", (40, LONGEST + 1), 1)]) == 0
    assert unrolled_in(over("sum", -1), [wild("d", (40, 1), 1)]) == 0
    assert unrolled_in(over("sum", 0), [wild("d", (4,), 1)]) == 0


def test_numpy_reduces_where_a_kernel_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    found, seen = kernel_module.libraries, []

    def without_unrolled(sources: Any, *more: Any) -> Any:
        made = [*found(sources, *more)]
        seen.append(len(made))
        return [None] * len(made) if len(seen) == 1 else made

    monkeypatch.setattr(kernel_module, "libraries", without_unrolled)

    @jitcore.compile
    def spread(x: Array) -> Array:
        return ((x - 1.0) ** 2).sum(axis=1)

    x = wild("i", (40, 3), 1) * 1.0
    for _ in range(4):
        assert_same(spread(x), spread.__wrapped__(x), "result")
    assert len(seen) > 1


def test_flags_and_overflow_are_numpys() -> None:
    @jitcore.compile
    def squares(x: Array) -> Array:
        return (x * x).sum(axis=1)

    x = np.ones((50, 3))
    assert_same(squares(x), np.full(50, 3.0), "result")
    x[40, 2] = 1e200
    for _ in range(3):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="multiply"):
            squares(x)
        with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
            assert squares(x)[40] == np.inf


def test_origins_are_the_reductions() -> None:
    b, _, results = build(nearest, [wild("d", (100, 2), 1), wild("d", (8, 2), 2)])
    (group,) = groups_of(fused(b.nodes, set(results)))
    assert results[0] in origins(group.nodes)
    (step,) = groups_of(fused(b.nodes, set(results), calls=results))[:1]
    assert results[0] not in origins(step.nodes)


def between_rows(x: Array) -> Array:
    x[1:, 0] = np.ptp(x[:-1], axis=-1) + 1
    return x


def weighted(x: Array) -> Any:
    return np.average(x, axis=-1, weights=np.arange(1, 4)) * 2


@pytest.mark.parametrize("fn", [between_rows, weighted])
@pytest.mark.parametrize("dtype", ["l", "d"])
def test_what_no_kernel_can_make_of_a_decomposed_call_is_a_call(fn: Program, dtype: str) -> None:
    """The steps of a decomposition are new values: they are made once, however often the rest
    is."""
    x = (np.arange(30).reshape(10, 3) ** 2).astype(dtype)
    compiled = jitcore.compile(fn)
    compiled.warmup(x.copy())
    for _ in range(3):
        assert_same(compiled(x.copy()), fn(x.copy()), dtype)
