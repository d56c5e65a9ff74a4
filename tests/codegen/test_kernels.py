"""Fused groups against NumPy, bit for bit: every row that is taken, types, layouts, sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, check, groups_of
from codegen_values import DTYPES, LAYOUTS, SIZES, misaligned, tame, wild

from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Op, Unsupported, Value
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns


def chain(b: Builder, x: Value, y: Value) -> Value:
    """sqrt(x*x + y*y) * exp(-x) + y"""
    squares = b.emit(OP["+"], (b.emit(OP["*"], (x, x)), b.emit(OP["*"], (y, y))))
    fall = b.emit(OPS["exp"], (b.emit(OP["neg"], (x,)),))
    return b.emit(OP["+"], (b.emit(OP["*"], (b.emit(OPS["sqrt"], (squares,)), fall)), y))


def taken(row: Op, b: Builder, args: tuple[Value, ...]) -> list[Value]:
    """The row on these operands twice, so that it can be a group; [] if NumPy has no such loop."""
    try:
        made = [b.emit(row, args) for _ in range(2)]
    except Unsupported:
        return []
    return [v for one in made for v in (one if isinstance(one, tuple) else (one,))]


@pytest.mark.parametrize("name", ["add", "exp", "less", "divide", "power", "maximum", "isnan"])
def test_the_rows_that_matter_are_taken(name: str) -> None:
    x = np.ones(5)
    row = OPS[name]
    b, _, results = build(lambda b, *vs: taken(row, b, vs), [x] * row.ufunc.nin)
    assert groups_of(fused(b.nodes, set(results)))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", "fd")
def test_sizes(size: int, dtype: str, config: Config) -> None:
    assert check(chain, [tame(dtype, (size,), 1), tame(dtype, (size,), 2)], config)


@pytest.mark.parametrize("one", LAYOUTS)
@pytest.mark.parametrize("two", LAYOUTS)
def test_layouts(one: str, two: str, config: Config) -> None:
    x, y = LAYOUTS[one](tame("d", (70, 90), 1)), LAYOUTS[two](tame("d", (70, 90), 2))
    whole = np.broadcast_shapes(x.shape, y.shape) == (70, 90)
    backward = "backward" in (one, two) or "upside down" in (one, two)
    assert check(chain, [x, y], config, groups=int(whole and not backward))


def test_three_dimensions(config: Config) -> None:
    a = tame("d", (5, 6, 7), 1)
    for x in (a, a.transpose(2, 0, 1), a.transpose(1, 0, 2)[::2], a[:, None, :, 0], a[..., ::-1]):
        for y in (x, x.copy(), x[..., :1], np.ascontiguousarray(x)):
            assert check(chain, [x, y], config, groups=0)


def test_empty_arrays_stay_numpys(config: Config) -> None:
    x = np.empty((3, 0))
    assert check(chain, [x, x], config, groups=0)


def test_zero_d_results_stay_numpys(config: Config) -> None:
    x = np.asarray(2.0)
    assert check(chain, [x, x], config, groups=0)


def mixed(b: Builder, x: Value, y: Value) -> list[Value]:
    return [b.emit(OP["*"], (x, b.emit(OP["+"], (x, y)))), b.emit(OPS["exp"], (y,))]


@pytest.mark.parametrize("one", "?bBhHiIlLqQfd")
def test_mixed_types_are_cast(one: str, config: Config) -> None:
    for two in "?bBhHiIlLqQfd":
        arrays = [tame(one, (300,), 1), tame(two, (300,), 2)]
        assert check(mixed, arrays, config, groups=0), two


def test_odd_bytes_of_bools(config: Config) -> None:
    """A bool array may hold any byte: NumPy takes all but 0 for true."""
    x = np.arange(256, dtype=np.uint8).view(bool)
    y = np.arange(256, dtype=np.uint8)[::-1].copy().view(bool)
    names = "logical_and logical_or logical_xor equal less bitwise_and bitwise_xor add multiply"

    def fn(b: Builder, x: Value, y: Value) -> list[Value]:
        made = [b.emit(OPS[name], (x, y)) for name in names.split()]
        alone = [b.emit(OPS[name], (x,)) for name in ("logical_not", "floor", "ceil", "trunc")]
        return [*made, *alone, b.emit(OPS["add"], (x, 1.5))]

    assert check(fn, [x, y], config)


SCALARS = [True, 3, -1, 0, 2.5, -0.0, 1e-3, 1e300, np.nan, np.inf, 2**40, 2**60 + 2**36 + 1]
SCALARS += [np.float64(1.5), np.float32(0.1), np.int8(-3), np.uint64(7), np.bool_(True)]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: f"{type(s).__name__} {s}")
@pytest.mark.parametrize("constant", [True, False])
def test_scalars(scalar: Any, constant: bool, config: Config) -> None:
    """Known when the kernel is made, or given at each launch."""
    for dtype in "bHlfdD":
        x = tame(dtype, (100,), 1)

        def fn(b: Builder, x: Value, s: Any) -> list[Value]:
            names = ("add", "multiply", "less_equal", "minimum")
            return [b.emit(OPS[name], (x, s)) for name in names] + [b.emit(OPS["add"], (s, x))]

        with np.errstate(all="ignore"):
            try:
                if constant:
                    check(lambda b, x: fn(b, x, scalar), [x], config, groups=0)
                else:
                    check(fn, [x, scalar], config, groups=0)
            except (Unsupported, OverflowError):
                continue


def test_a_scalar_operand_is_fused(config: Config) -> None:
    x = tame("f", (100,), 1)

    def fn(b: Builder, x: Value, s: Value) -> Value:
        return b.emit(OP["*"], (b.emit(OP["+"], (x, s)), s))

    for scalar in (2, 2.5, True, np.float32(3), np.float64(3)):
        assert check(fn, [x, scalar], config)


def test_integer_division_and_shifts(config: Config) -> None:
    names = ["floor_divide", "remainder", "fmod", "left_shift", "right_shift", "gcd", "minimum"]
    for dtype in "bBhHiIlL":
        x, y = wild(dtype, (700,), 1), wild(dtype, (700,), 2)
        with np.errstate(all="ignore"):
            assert check(lambda b, x, y: [b.emit(OPS[n], (x, y)) for n in names], [x, y], config)


@pytest.mark.parametrize("shape", [(1,), (32, 1), (1, 8)])
def test_repeated_bools_are_compared_by_numpy(shape: tuple[int, ...], config: Config) -> None:
    """By their bytes: True, if made of 51, is less than True."""
    x = np.arange(256, dtype=np.uint8).reshape(32, 8).view(bool)
    one = np.full(shape, 51, np.uint8).view(bool)
    names = "less equal not_equal logical_xor bitwise_xor logical_and add"

    def fn(b: Builder, x: Value, one: Value) -> list[Value]:
        return [b.emit(OPS[name], (x, one)) for name in names.split()]

    assert check(fn, [x, one], config)


def test_python_numbers_beside_float16_are_numpys() -> None:
    b, _, results = build(lambda b, x, k: taken(OPS["add"], b, (x, k)), [np.ones(9, "e"), 2.5])
    assert not groups_of(fused(b.nodes, set(results)))


@pytest.mark.parametrize("scale", [1, -1])
def test_results_that_a_call_writes_with_gaps(scale: int, config: Config) -> None:
    """Two results of different layouts: the loop follows one, the other is copied to."""
    x, y = tame("d", (30, 40), 1), np.asfortranarray(tame("d", (30, 40), 2)) * scale

    def fn(b: Builder, x: Value, y: Value) -> list[Value]:
        return [b.emit(OPS["exp"], (x,)), b.emit(OPS["exp"], (y,)), b.emit(OP["+"], (x, y))]

    assert check(fn, [x, y], config)


def test_misaligned_and_swapped_arrays_are_numpys() -> None:
    for x in (misaligned(np.ones(9)), np.ones(9).astype(">f8")):
        b, _, results = build(chain, [x, x])
        (first, *_) = fused(b.nodes, set(results))
        assert first is b.nodes[0]


# ---- where, astype, clip ------------------------------------------------------------------------


def selected(b: Builder, c: Value, x: Any, y: Any) -> list[Value]:
    first = b.emit(OPS["where"], (c, x, y))
    return [first, b.emit(OPS["where"], (b.emit(OPS["logical_not"], (c,)), first, y))]


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQfdFD")
@pytest.mark.parametrize("condition", "?ldD")
def test_where(dtype: str, condition: str, config: Config) -> None:
    c, x, y = wild(condition, (300,), 1), wild(dtype, (300,), 2), wild(dtype, (300,), 3)
    groups = int(condition != "D")  # complex numbers are not cast
    assert check(selected, [c, x, y], config, groups=groups)
    assert check(selected, [c, x, y[:1]], config, groups=groups)
    assert check(selected, [c, tame("d", (300,), 1), y], config, groups=0)
    assert check(lambda b, c, x: selected(b, c, x, 1), [c, x], config, groups=0)


def test_where_keeps_the_flags_of_both_sides(config: Config) -> None:
    """NumPy divides everywhere, so it warns even where the quotient is not selected."""

    def fn(b: Builder, x: Value) -> Value:
        return b.emit(OPS["where"], (b.emit(OP[">"], (x, 0.0)), b.emit(OP["/"], (1.0, x)), 0.0))

    x = tame("d", (200,), 1)
    assert check(fn, [x], config)
    x[77] = 0.0
    assert not check(fn, [x], config)


def cast_to(targets: str) -> Callable[..., list[Value]]:
    return lambda b, x: [b.emit(OPS["ndarray.astype"], (x, np.dtype(to))) for to in targets]


@pytest.mark.parametrize("source", DTYPES)
def test_astype(source: str, config: Config) -> None:
    complex_too = "FD"
    every = complex_too if source in complex_too else "?bBhHiIlLqQfdFD"
    exact = every if source not in "efd" else "?fdFD"
    for layout in ("C", "spread", "transposed"):
        x, y = (LAYOUTS[layout](make(source, (20, 30), 1)) for make in (tame, wild))
        with np.errstate(all="ignore"):
            assert check(cast_to(every), [x], config, groups=int(source != "e"))
            assert check(cast_to(exact), [y], config, groups=int(source != "e"))


@pytest.mark.parametrize("source", "fd")
@pytest.mark.parametrize("target", "bBhHiIlL")
def test_floats_outside_the_integers_are_numpys(source: str, target: str, config: Config) -> None:
    def fn(b: Builder, x: Value) -> list[Value]:
        return [b.emit(OPS["ndarray.astype"], (x, np.dtype(target))), b.emit(OP["+"], (x, x))]

    limits = np.iinfo(target)
    bits = 8 * np.dtype(target).itemsize - (limits.min < 0)
    for value in (float("nan"), float("inf"), 2.0**bits, -(2.0**bits) * 2, -(2.0**70)):
        x = np.zeros(100, source)
        x[33] = value
        with np.errstate(all="ignore"):
            assert not check(fn, [x], config), value
    one = np.dtype(source).type
    for value in (one(limits.min), np.nextafter(one(2.0**bits), one(0)), one(-0.75), one(1.5)):
        x = np.zeros(100, source)
        x[33] = value
        assert check(fn, [x], config), value


@pytest.mark.parametrize("target", "il")
def test_what_is_cast_keeps_its_flags(target: str, config: Config) -> None:
    """The integer is compared with a number, so that nobody needs to know it."""

    def fn(b: Builder, x: Value) -> Value:
        whole = b.emit(OPS["ndarray.astype"], (b.emit(OP["*"], (x, x)), np.dtype(target)))
        return b.emit(OP["!="], (b.emit(OP["&"], (whole, 0)), 0))

    b, _, results = build(fn, [np.ones(100)])
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    for value, taken in ((2.0, True), (1e-200, False), (1e200, False), (np.nan, False)):
        x = np.ones(100)
        x[33] = value
        with np.errstate(all="raise"):
            assert (run(x) is not None) == taken, value


def test_odd_bytes_of_bools_are_cast_and_selected(config: Config) -> None:
    x = np.arange(256, dtype=np.uint8).view(bool)

    def fn(b: Builder, x: Value) -> list[Value]:
        made = [b.emit(OPS["ndarray.astype"], (x, np.dtype(to))) for to in "bBhld"]
        return [*made, b.emit(OPS["where"], (x, x, True)), b.emit(OPS["where"], (x, x, 5))]

    assert check(fn, [x], config)


@pytest.mark.parametrize("dtype", "bBhilLfd")
def test_clip(dtype: str, config: Config) -> None:
    def fn(b: Builder, x: Value) -> list[Value]:
        first = b.emit(OPS["clip"], (x, 1, 5))
        return [first, b.emit(OP["+"], (b.emit(OPS["ndarray.clip"], (x, 2, 3)), first))]

    with np.errstate(all="ignore"):
        assert check(fn, [wild(dtype, (500,), 1)], config, groups=0)
        assert check(fn, [tame(dtype, (20, 30), 1).T], config, groups=0)
