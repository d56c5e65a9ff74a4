"""Sums folded into the loop that makes what is summed: NumPy's bits, whatever the shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of
from codegen_values import LAYOUTS, tame, wild

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value, row_of
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

LENGTHS = (*range(2, 301), 1000, 2047, 2048, 2049, 4097, 8191, 8193, 100003)
SUMMED = "?bBhHiIlLqQfd"
FORMS = ("sum", "ndarray.sum", "mean", "ndarray.mean")
ODD = (-0.0, 0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1e308)

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]


def scattered(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    """Of all magnitudes: hardly two orders of summation give the same bits."""
    if np.dtype(dtype).kind != "f":
        return wild(dtype, shape, seed)
    rng = np.random.default_rng(seed)
    found = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
    return np.asarray(found, dtype)


def total(name: str = "sum", *words: Any, **more: Any) -> Program:
    """What is summed is made in the same loop."""

    def fn(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(OPS[name], (b.emit(OP["*"], (x, y)), *words), more)

    return fn


def alike(fn: Program, arrays: list[Array], config: Config) -> None:
    with np.errstate(all="ignore"):
        assert check(fn, arrays, config)


@pytest.mark.parametrize("dtype", "fd")
def test_lengths(dtype: str, config: Config) -> None:
    for n in LENGTHS:
        for seed in range(3):
            arrays = [scattered(dtype, (n,), seed), scattered(dtype, (n,), seed + 7)]
            alike(total(), arrays, config)


@pytest.mark.parametrize("dtype", SUMMED)
def test_types(dtype: str, config: Config) -> None:
    for n in (2, 7, 8, 9, 130, 4097):
        arrays = [scattered(dtype, (n,), 1), scattered(dtype, (n,), 2)]
        alike(total(), arrays, config)


@pytest.mark.parametrize("seed", range(150))
def test_axes(seed: int, config: Config) -> None:
    """Up to four dimensions, every order of them in memory, any axes."""
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    shape = rng.choice([1, 2, 3, 5, 8, 9, 17, 40, 130, 300], ndim)
    while np.prod(shape) > 30000:
        shape[np.argmax(shape)] //= 2
    order = rng.permutation(ndim)
    dtype = str(rng.choice(list("ddffiB?")))
    x, y = (
        scattered(dtype, tuple(shape[order]), seed + k).transpose(np.argsort(order)) for k in (0, 9)
    )
    axes = tuple(int(axis) for axis in rng.permutation(ndim)[: rng.integers(1, ndim + 1)])
    if x.size == 1 or all(x.shape[axis] == 1 for axis in axes):
        axes, x, y = (0,), np.repeat(x, 3, axis=0), np.repeat(y, 3, axis=0)
    words = {"axis": axes, "keepdims": bool(seed % 2)}
    alike(total("mean" if dtype in "fd" and seed % 3 == 0 else "sum", **words), [x, y], config)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("dtype", "fd")
def test_forms_of_call(name: str, dtype: str, config: Config) -> None:
    arrays = [scattered(dtype, (30, 41), 1), scattered(dtype, (30, 41), 2)]
    for words in ((), (None,), (0,), (-1,), ((0, 1),), (1, dtype), (1, None, None, True)):
        if len(words) < 2 or name.endswith("sum"):  # a mean may warn then
            alike(total(name, *words), arrays, config)
    for more in ({"axis": 0}, {"axis": -2, "keepdims": True}, {"keepdims": True}, {"dtype": dtype}):
        alike(total(name, **more), arrays, config)


def test_a_method_of_the_ufunc_sums_along_its_first_axis(config: Config) -> None:
    row = row_of(np.add.reduce)
    arrays = [scattered("d", (30, 41), 1), scattered("d", (30, 41), 2)]
    for words in ({}, {"axis": None}, {"axis": 1, "keepdims": True}):
        alike(lambda b, x, y, w=words: b.emit(row, (b.emit(OP["*"], (x, y)),), w), arrays, config)


@pytest.mark.parametrize("n", [2, 5, 8, 9, 100, 127, 128, 129, 1000])
def test_special_values(n: int, config: Config) -> None:
    one = np.ones(n)
    for value in ODD:
        for place in (slice(None), slice(0, 1), slice(n - 1, n), slice(n // 2, None)):
            x = scattered("d", (n,), 3)
            x[place] = value
            for axis in (None, 0):
                alike(total(axis=axis), [x, one], config)
            wide = np.broadcast_to(x[:, None], (n, 3)).copy()
            alike(total(axis=0), [wide, np.ones((n, 3))], config)


@pytest.mark.parametrize("seed", range(40))
def test_wild_values(seed: int, config: Config) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([2, 9, 33, 140], 2))
    dtype = "fd"[seed % 2]
    axis = (None, 0, 1)[seed % 3]
    alike(total(axis=axis), [wild(dtype, shape, seed), wild(dtype, shape, seed + 1)], config)


@pytest.mark.parametrize("one", LAYOUTS)
@pytest.mark.parametrize("two", ["C", *list(LAYOUTS)[1:4]])
def test_layouts_of_what_the_producer_reads(one: str, two: str, config: Config) -> None:
    x, y = (scattered("d", (37, 90), seed) for seed in (1, 2))
    x, y = LAYOUTS[one](x), LAYOUTS.get(two, lambda a: a)(y)
    if np.broadcast_shapes(x.shape, y.shape) != (37, 90):
        return
    for axis in (None, 0, 1):
        alike(total(axis=axis), [x, y], config)


def softmax(b: Builder, x: Value, most: Value) -> list[Value]:
    raised = b.emit(OPS["exp"], (b.emit(OP["-"], (x, most)),))
    return [raised, b.emit(OPS["sum"], (raised,), {"axis": -1, "keepdims": True})]


@pytest.mark.parametrize("rows", [1, 3, 50])
@pytest.mark.parametrize("columns", [2, 7, 64, 100, 3000])
def test_calls_feed_sums(rows: int, columns: int, config: Config) -> None:
    x = scattered("d", (rows, columns), 5)
    alike(softmax, [x, x.max(axis=-1, keepdims=True)], config)


def several(b: Builder, x: Value, y: Value) -> list[Value]:
    square = b.emit(OPS["square"], (b.emit(OP["-"], (x, y)),))
    sums = [b.emit(OPS["sum"], (square,), {"axis": axis}) for axis in (None, 0, 1, (0, 2), -1)]
    sums += [b.emit(OPS["mean"], (square,), {"axis": axis}) for axis in (None, (1, 2))]
    return [square, *sums, b.emit(OPS["sum"], (b.emit(OP["<"], (x, y)),))]


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 130, 9), (7, 1, 300), (1, 1, 9), (2, 3, 5000)])
def test_several_sums_in_one_loop(shape: tuple[int, ...], config: Config) -> None:
    arrays = [scattered("d", shape, 1), scattered("d", shape, 2)]
    alike(several, arrays, config)
    alike(several, [one.transpose(2, 0, 1).copy().transpose(1, 2, 0) for one in arrays], config)


def test_the_buffer_size_of_numpy_does_not_matter(config: Config) -> None:
    old = np.setbufsize(16)
    try:
        alike(several, [scattered("d", (3, 40, 50), 1), scattered("d", (3, 40, 50), 2)], config)
    finally:
        np.setbufsize(old)


@pytest.mark.parametrize(
    ("dtype", "name", "words"),
    [
        ("e", "sum", {}),
        ("D", "sum", {}),
        ("i", "mean", {}),
        ("f", "sum", {"dtype": "d"}),
        ("?", "sum", {"dtype": "?"}),
        ("d", "sum", {"initial": 1.0}),
        ("e", "max", {}),
        ("?", "max", {}),
        ("i", "prod", {"dtype": "d"}),
        ("D", "any", {}),
        ("e", "argmax", {}),
    ],
)
def test_other_reductions_stay_numpys(dtype: str, name: str, words: dict[str, Any]) -> None:
    b, _, results = build(total(name, **words), [tame(dtype, (300,), seed) for seed in (1, 2)])
    assert not groups_of(fused(b.nodes, set(results)))


def test_sums_of_one_element_and_of_none_stay_numpys(config: Config) -> None:
    for shape in ((1,), (1, 1), (0,), (0, 3)):
        x = np.full(shape, -0.0)
        b, _, results = build(total(), [x, x])
        assert not groups_of(fused(b.nodes, set(results)))
        assert check(total(), [x, x], config, groups=0)


def test_arrays_with_gaps_stay_numpys() -> None:
    x = np.ones((40, 50))[:, ::2]
    b, _, results = build(lambda b, x: [b.emit(OPS[n], (x,)) for n in ("sum", "mean")], [x])
    assert not groups_of(fused(b.nodes, set(results)))


@pytest.mark.parametrize(("flag", "value"), [("over", 1.7e308), ("invalid", np.inf)])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_flags_of_the_sum_refuse(flag: str, value: float, axis: Any, config: Config) -> None:
    x = np.full((12, 12), value)
    if flag == "invalid":
        x[6:, 6:] = -value
        x[6:, :6] = x[:6, 6:] = 1.0
        x[:6, :6] = [[value] * 6] * 6
        x[0, 11] = x[11, 0] = -value
    one = np.ones((12, 12))
    b, _, results = build(total(axis=axis), [x, one])
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    with np.errstate(all="ignore"):
        assert run(x, one) is not None
        assert run(one, one) is not None
    with np.errstate(**{"all": "ignore", flag: "warn"}):
        assert run(x, one) is None
        assert run(one, one) is not None


def test_scalar_results_leak_nothing(config: Config) -> None:
    arrays = [tame("d", (50,), 1), tame("d", (50,), 2)]
    b, _, results = build(lambda b, x, y: [total()(b, x, y), total("mean")(b, x, y)], arrays)
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    kept = [run(*arrays) for _ in range(100)]
    assert all(type(one) is np.float64 for pair in kept for one in pair)
    assert len({id(one) for pair in kept for one in pair}) == 200
    assert len({(float(a), float(b)) for a, b in kept}) == 1


FOLDED = ("prod", "max", "min", "any", "all")
METHODS = (*FOLDED, *(f"ndarray.{name}" for name in FOLDED))


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQfd")
@pytest.mark.parametrize("name", METHODS)
def test_other_folds(name: str, dtype: str, config: Config) -> None:
    if dtype == "?" and name[-3:] in ("max", "min"):
        return
    for shape in ((2,), (7,), (300,), (5000,), (4, 33), (33, 4), (3, 40, 5)):
        arrays = [scattered(dtype, shape, 1), scattered(dtype, shape, 2)]
        for axis in (None, *range(len(shape))):
            alike(total(name, axis), arrays, config)
        alike(total(name, axis=-1, keepdims=True), arrays, config)


@pytest.mark.parametrize("name", ["multiply", "maximum", "minimum"])
def test_methods_of_other_ufuncs(name: str, config: Config) -> None:
    row = row_of(getattr(np, name).reduce)
    arrays = [scattered("d", (30, 41), 1), scattered("d", (30, 41), 2)]
    for words in ({}, {"axis": None}, {"axis": 1, "keepdims": True}):
        alike(lambda b, x, y, w=words: b.emit(row, (b.emit(OP["*"], (x, y)),), w), arrays, config)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", "fd")
def test_a_zero_that_may_have_the_other_sign_is_numpys(
    name: str, dtype: str, config: Config
) -> None:
    one = np.ones(100, dtype)
    sign = 1 if name == "max" else -1
    below = (-sign * np.linspace(1, 2, 100)).astype(dtype)
    for value, taken in (
        (np.nan, True), (-np.nan, True), (sign * 0.0, False), (-sign * 0.0, True),
        (np.inf, True), (-np.inf, True), (sign * 1e-30, True), (-sign * 1e-30, True),
    ):  # fmt: skip
        for place in (0, 50, 99):
            x = below.copy()
            x[place] = value
            with np.errstate(all="ignore"):
                done = check(total(name), [x, one], config)
            assert done == taken, (value, place)


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("seed", range(12))
def test_wild_values_of_other_folds(name: str, seed: int, config: Config) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([2, 9, 33, 140], 2))
    arrays = [wild("fd"[seed % 2], shape, seed + k) for k in (0, 1)]
    with np.errstate(all="ignore"):
        check(total(name, axis=(None, 0, 1)[seed % 3]), arrays, config)


def test_comparing_and_multiplying_keep_the_flags_of_what_is_reduced(config: Config) -> None:
    """The largest of the products says nothing of one that underflowed."""
    x = np.full(64, 2.0)
    x[5] = 1e-300
    for name in ("max", "min", "any", "all"):
        b, _, results = build(total(name), [x, x])
        (group,) = groups_of(fused(b.nodes, set(results)))
        run = kernel(group, config)
        assert run is not None
        with np.errstate(all="ignore"):
            assert run(np.full(64, 2.0), np.full(64, 2.0)) is not None
        with np.errstate(all="ignore", under="raise"):
            assert run(x, x) is None
            assert run(np.full(64, 2.0), np.full(64, 2.0)) is not None


def lone(name: str, **more: Any) -> Program:
    return lambda b, x: b.emit(OPS[name], (x,), more)


@pytest.mark.parametrize("name", ["max", "min", "any", "all"])
@pytest.mark.parametrize("dtype", "fd")
def test_lanes_of_a_chunk(name: str, dtype: str, config: Config) -> None:
    """Each place of a short run, and of one that ends within a row of lanes."""
    for n in (*range(2, 70), 127, 128, 129, 2047, 2048, 2049, 2080, 4096):
        x = scattered(dtype, (n,), n)
        for value in (None, np.inf, -np.inf, np.nan, 5e-45, 0.0):
            y = x.copy()
            if value is not None:
                y[n * 7 // 11] = value
            alike(lone(name), [y], config)
            if name in ("any", "all"):
                alike(
                    lone(name), [np.where(np.arange(n) == n * 7 // 11, y, 0).astype(dtype)], config
                )


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_signs_of_zeros(name: str, axis: Any, config: Config) -> None:
    rng = np.random.default_rng(0)
    for values in (
        (0.0, -0.0),
        (-0.0,),
        (0.0,),
        (-0.0, 1.0),
        (0.0, -1.0),
        (-0.0, -1.0),
        (0.0, 1.0),
    ):
        for shape in ((4, 50), (50, 4)):
            with np.errstate(all="ignore"):
                check(lone(name, axis=axis), [rng.choice(values, shape)], config)


def test_a_nan_raises_no_flag(config: Config) -> None:
    x = np.ones(100)
    x[40] = np.nan
    for name in ("max", "min", "any", "all"):
        b, _, results = build(lone(name), [x])
        (group,) = groups_of(fused(b.nodes, set(results)))
        run = kernel(group, config)
        assert run is not None
        with np.errstate(all="raise"):
            found = run(x)
        assert found is not None and (np.isnan(found[0]) or found[0] is np.True_)


def test_a_short_reduction_is_a_kernel_of_its_own_and_a_long_one_a_call() -> None:
    for shape, axis, groups in (((100,), 0, 1), ((20_000,), 0, 0), ((200, 100), 1, 1)):
        b, _, results = build(lone("sum", axis=axis), [np.ones(shape)])
        assert len(groups_of(fused(b.nodes, set(results)))) == groups


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQfd")
def test_counts_and_truths_by_other_names(dtype: str, config: Config) -> None:
    arrays = [scattered(dtype, (30, 41), seed) * np.asarray(seed % 2, dtype) for seed in (1, 2)]
    with np.errstate(all="ignore"):
        check(total("count_nonzero"), arrays, config, groups=0)  # an int before NumPy 2.5
    for axis in (0, 1, (0, 1), -1):
        words: dict[str, Any] = {"axis": axis, "keepdims": type(axis) is tuple or axis < 0}
        alike(total("count_nonzero", **words), arrays, config)
        for row in (row_of(np.logical_or.reduce), row_of(np.logical_and.reduce)):
            fn = lambda b, x, y, r=row, w=words: b.emit(r, (b.emit(OP["*"], (x, y)),), w)  # noqa: E731
            alike(fn, arrays, config)
    x = np.arange(256, dtype=np.uint8).view(bool).reshape(2, 128)
    alike(lambda b, x: b.emit(OPS["count_nonzero"], (x,), {"axis": 1}), [x], config)


GAPS: tuple[Callable[[Array], Array], ...] = (
    lambda x: x[:, 2:4, 1:3],
    lambda x: x[1:, ::2, :-1],
    lambda x: x.T[:, 1:3],
    lambda x: x.transpose(1, 0, 2)[:3],
    lambda x: np.asfortranarray(x)[:2, 1:],
    lambda x: x[:, :, ::3],
)
EACH = ("max", "min", "any", "all", "count_nonzero")


@pytest.mark.parametrize("dtype", "?bHiqQfd")
@pytest.mark.parametrize("part", GAPS)
def test_what_any_order_gives_takes_gaps(
    part: Callable[[Array], Array], dtype: str, config: Config
) -> None:
    made = 0
    for name in (*EACH, *(("sum", "prod") if dtype in "?bHiqQ" else ())):
        for axis in (None, 0, 1, 2, (0, 2), (1, 2)):
            x = part(np.abs(scattered(dtype, (5, 6, 7), 3)))
            fn = partial(reduced, name, {} if axis is None else {"axis": axis})
            try:
                made += check(fn, [x], config)
            except AssertionError as error:
                if "result" in str(error):
                    raise
    assert made > 20


def reduced(name: str, words: dict[str, Any], b: Builder, x: Value) -> Value:
    return b.emit(OPS[name], (x,), words)


@pytest.mark.parametrize("width", (2, 3, 6, 7, 8, 12, 15, 16, 17, 31, 32, 33))
@pytest.mark.parametrize("dtype", "fdBi")
def test_short_rows_stay_in_registers(dtype: str, width: int, config: Config) -> None:
    """As a convolution has them: the rows of a small array, beside one that repeats along them."""
    x = scattered(dtype, (3, 4, 5, 2, 1), width)
    y = scattered(dtype, (4, 5, 2, width), width + 1)
    for axes in ((1, 2, 3), (0, 1, 2, 3), (0, 2)):
        for name in ("sum", "max", "min", "prod"):
            alike(total(name, axis=axes), [x, y], config)


def test_a_held_row_says_its_length(config: Config) -> None:
    x, y = np.ones((3, 4, 5, 1)), np.ones((4, 5, 8))
    b, _, results = build(total("sum", axis=(1, 2)), [x, y])
    (one,) = groups_of(fused(b.nodes, results))
    (other,) = groups_of(fused(b.nodes, results, varying=(3,)))
    (varies,) = groups_of(fused(b.nodes, results, varying=(8,)))
    assert (one.held, other.held, varies.held) == (8, 8, 0)


def test_partial_results_are_put_down(config: Config) -> None:
    """Loops that add stand around loops that go from row to row."""
    x = scattered("d", (6, 5, 7, 4), 3)
    y = scattered("d", (6, 5, 7, 4), 4)
    for axes in ((0,), (0, 2), (1,), (2,), (0, 1)):
        for order in ((0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3)):
            alike(total("sum", axis=axes), [x.transpose(order), y.transpose(order)], config)
