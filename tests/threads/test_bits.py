"""A loop in parts gives the bits of one thread, flags and refusals included, however it is cut."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same, build, by_numpy, groups_of

import jitcore
from jitcore import _C
from jitcore.config import Config
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.kernel import kernel, loop_nest
from jitcore.kernels.parallel_split import NOWHERE, cut
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

COUNTS = (1, 2, 3, 7)
ROUNDS = 5  # who takes which part is a matter of luck
RNG = np.random.default_rng(5)
FLAT = RNG.normal(size=50_021)
SHORT = FLAT[:8192].copy()
TABLE = RNG.normal(size=(97, 331))
CUBE = RNG.normal(size=(7, 31, 130))


def plus(b: Builder, x: Value, y: Any) -> Value:
    return b.emit(OP["*"], (b.emit(OP["+"], (x, y)), x))


def called(b: Builder, x: Value, y: Any) -> Value:
    return b.emit(OP["+"], (b.emit(OPS["exp"], (x,)), y))


def two(b: Builder, x: Value, y: Any) -> tuple[Value, Value]:
    total = b.emit(OP["+"], (x, y))
    return b.emit(OP["*"], (total, x)), b.emit(OPS["sin"], (total,))


def reduced(name: str, axis: int | None) -> Callable[..., Any]:
    def fn(b: Builder, x: Value, y: Any) -> Value:
        return b.emit(OPS[name], (b.emit(OP["*"], (x, y)),), {"axis": axis})

    return fn


def compared(b: Builder, x: Value, y: Any) -> tuple[Value, Value]:
    total = b.emit(OP["+"], (x, y))
    return b.emit(OPS["sum"], (total,), {"axis": -1}), b.emit(OPS["max"], (total,), {"axis": -1})


def kept_and_summed(b: Builder, x: Value, y: Any) -> tuple[Value, Value]:
    product = b.emit(OPS["exp"], (b.emit(OP["*"], (x, y)),))
    return product, b.emit(OPS["sum"], (product,), {"keepdims": True})


def of_all(b: Builder, x: Value, y: Any) -> tuple[Value, ...]:
    total = b.emit(OP["+"], (x, y))
    names = ("sum", "max", "min", "mean", "any")
    return (total, *(b.emit(OPS[name], (total,)) for name in names))


def raised(b: Builder, x: Value, y: Any) -> tuple[Value, Value, Value]:
    e = b.emit(OPS["exp"], (b.emit(OP["-"], (x, y)),))
    return e, b.emit(OPS["sum"], (e,), {"axis": -1}), b.emit(OPS["hypot"], (e, y))


OCTETS = FLAT[:48_000].reshape(-1, 8)
PLANES = OCTETS.reshape(3, -1, 8)

ROWS: dict[str, tuple[Callable[..., Any], Any, Any, int | None]] = {
    # what it is: function, operands, the nest's axis that is cut (None: nowhere)
    "flat": (plus, FLAT, FLAT[::-1].copy(), 0),
    "the least": (plus, SHORT, 2.5, 0),
    "calls": (called, FLAT, FLAT, 0),
    "two results": (two, FLAT, 0.25, 0),
    "float32": (called, FLAT.astype("f4"), np.float32(3), 0),
    "bytes": (plus, (FLAT * 50).astype("i1"), (FLAT * 9).astype("i1"), 0),
    "complex": (plus, FLAT + 1j, FLAT - 2j, 0),
    "one strided operand": (called, np.repeat(FLAT, 3)[::3], FLAT, 0),
    "backwards": (plus, FLAT[::-1], FLAT, 0),
    "rows with gaps": (plus, np.repeat(TABLE, 2, 0)[::2, :300], TABLE[:, 31:], 0),
    "columns": (plus, np.asfortranarray(TABLE), np.asfortranarray(TABLE), 0),
    "one transposed": (called, TABLE, np.asfortranarray(TABLE), 0),
    "a row for all": (called, TABLE, TABLE[0], 0),
    "a column for all": (plus, TABLE, TABLE[:, :1], 0),
    "few long rows": (called, FLAT[:48_000].reshape(3, -1), FLAT[:16_000], 1),
    "three axes": (plus, CUBE, CUBE[:, 3:4], 1),
    "sums of rows": (reduced("sum", -1), TABLE, TABLE, 0),
    "sums of columns": (reduced("sum", 0), FLAT[:48_000].reshape(24, 2000), 3.0, 1),
    "sums of outer axes": (reduced("sum", 0), CUBE.repeat(3, 0).repeat(9, 2), 3.0, 1),
    "means of the middle": (reduced("mean", 1), CUBE.repeat(9, 2), 0.1, 0),
    "largest of rows": (reduced("max", -1), TABLE, TABLE, 0),
    "several folds": (compared, TABLE, TABLE, 0),
    "products of ints": (reduced("prod", 1), (TABLE * 9).astype("i4"), 3, 0),
    "the sum of all": (reduced("sum", None), FLAT, FLAT, 0),
    "of a table": (reduced("sum", None), TABLE, 1.5, 0),
    "its mean": (reduced("mean", None), FLAT, 0.1, 0),
    "float32 sum": (reduced("sum", None), FLAT.astype("f4"), np.float32(3), 0),
    "the largest": (reduced("max", None), FLAT, FLAT, 0),
    "the least float32": (reduced("min", None), FLAT.astype("f4"), np.float32(-2), 0),
    "a sum of bytes": (reduced("sum", None), (FLAT * 50).astype("i1"), 3, 0),
    "a product of ints": (reduced("prod", None), (FLAT * 9).astype("i4") | 1, 1, 0),
    "any": (reduced("any", None), np.arange(50_000) == 33_333, True, 0),
    "all": (reduced("all", None), np.arange(50_000) != 33_333, True, 0),
    "what is summed, too": (kept_and_summed, FLAT, FLAT, 0),
    "several of all": (of_all, FLAT, FLAT[::-1].copy(), 0),
    "short rows": (raised, OCTETS, OCTETS.max(-1, keepdims=True), 0),
    "planes of short rows": (raised, PLANES[:, :1990], PLANES[:, :1990, :1], 0),
    "places of rows": (reduced("argmax", -1), TABLE, TABLE, 0),
    "places of columns": (reduced("argmin", 0), FLAT[:48_000].reshape(24, 2000), 3.0, 1),
    "the place of the largest": (reduced("argmax", None), FLAT, FLAT, None),
    "a product of floats": (reduced("prod", None), FLAT / 9 + 1, 1.0, None),
    "a table with gaps": (reduced("sum", None), TABLE[:, :300], TABLE[:, 31:], None),
}


@dataclass(frozen=True)
class Made:
    run: _C.Kernel
    operands: list[Any]
    want: list[Any]  # NumPy's results
    axis: int  # of the nest that is cut; -1: none


def made(fn: Callable[..., Any], arrays: list[Any], config: Config) -> Made:
    b, inputs, results = build(fn, arrays)
    (group,) = groups_of(fused(b.nodes, set(results)))
    run = kernel(group, config)
    assert run is not None
    env = dict(zip(inputs, arrays, strict=True))
    known = by_numpy(b.nodes, env)
    place = cut(group.program, loop_nest(group))
    return Made(
        run,
        [env[value] for value in group.inputs],
        [known.get(value) for value in group.outputs],  # a largest so far is nobody's
        -1 if place == NOWHERE else place[0],
    )


@pytest.mark.parametrize("name", ROWS)
def test_bits(name: str, config: Config) -> None:
    fn, x, y, axis = ROWS[name]
    one = made(fn, [x, y], config)
    assert one.axis == (-1 if axis is None else axis)
    for count in COUNTS:
        _C.set_threads(count)
        _C.threads_again()
        before = _C.threads_state()[1]
        for _ in range(ROUNDS):
            got = one.run(*one.operands)
            assert got is not None
            for k, (result, want) in enumerate(zip(got, one.want, strict=True)):
                if want is not None:
                    assert_same(result, want, f"{name}, result {k}, {count} threads")
        shared = _C.threads_state()[1] - before
        assert (shared > 0) == (count > 1 and axis is not None)


def by_parts(run: _C.Kernel, *operands: Any) -> Any:
    """The results with 7 threads, or None; both must come out whoever takes the part."""
    _C.set_threads(7)
    _C.threads_again()
    before = _C.threads_state()[1]
    found = [run(*operands) for _ in range(ROUNDS)]
    assert _C.threads_state()[1] > before
    assert len({one is None for one in found}) == 1
    return found[-1]


PLACES = [0, 1, 63, 64, 8191, 20_000, 25_024, 40_000, 50_019, 50_020]


@pytest.mark.parametrize("place", PLACES)
def test_a_flag_of_any_part_refuses(place: int, config: Config) -> None:
    def halves(b: Builder, x: Value, y: Any) -> Value:
        return b.emit(OP["+"], (b.emit(OP["/"], (x, y)), x))

    x, y = np.abs(FLAT) + 1.0, np.abs(FLAT) + 1.0
    run = made(halves, [x, y], config).run
    assert by_parts(run, x, y) is not None
    y[place] = 0.0
    assert by_parts(run, x, y) is None
    with np.errstate(divide="ignore"):
        (got,) = by_parts(run, x, y)
        assert_same(got, x / y + x, "ignored")
    y[place] = 1.0
    assert by_parts(run, x, y) is not None


@pytest.mark.parametrize("place", PLACES)
def test_a_flag_of_numpys_loop_refuses(place: int, config: Config) -> None:
    x = np.abs(FLAT)
    run = made(called, [x, x], config).run
    assert by_parts(run, x, x) is not None
    x[place] = 1e9
    assert by_parts(run, x, x) is None


@pytest.mark.parametrize("place", PLACES)
def test_a_doubt_in_any_part_refuses(place: int, config: Config) -> None:
    def whole(b: Builder, x: Value) -> Value:
        return b.emit(OP["+"], (b.emit(OPS["ndarray.astype"], (x, np.dtype("i4"))), 1))

    x = FLAT.copy()
    run = made(whole, [x], config).run
    assert by_parts(run, x) is not None
    x[place] = 2.0**31
    with np.errstate(all="ignore"):
        assert by_parts(run, x) is None


def test_integer_powers_stay_numpys() -> None:
    """Their loop sets an exception in the thread that it runs in: a worker would lose it."""

    def power(b: Builder, x: Value, y: Value) -> Value:
        return b.emit(OP["+"], (b.emit(OP["**"], (x, y)), x))

    x = np.full(20_000, 3)
    b, _, results = build(power, [x, x])
    assert groups_of(fused(b.nodes, set(results))) == []


UPWARD = 0x800  # FE_UPWARD of <fenv.h>


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86's number")
def test_the_rounding_mode_goes_along(config: Config) -> None:
    libm = ctypes.CDLL(None)
    run = made(plus, [FLAT, FLAT], config).run
    _C.set_threads(7)
    (nearest,) = run(FLAT, FLAT) or (None,)
    try:
        assert libm.fesetround(UPWARD) == 0
        want = (FLAT + FLAT) * FLAT
        found = [run(FLAT, FLAT) for _ in range(ROUNDS)]
    finally:
        libm.fesetround(0)
    for got in found:
        assert got is not None
        assert_same(got[0], want, "upward")
    assert got[0].tobytes() != nearest.tobytes()


SIZES = [8192, 8193, 9999, 16_384, 16_391, 24_001, 31_337, 40_000, 65_536, 65_543, 100_003]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("char", "fd")
def test_sums_of_every_length(size: int, char: str, config: Config) -> None:
    """Values of every magnitude: another order would show."""
    rng = np.random.default_rng(size)
    x = (rng.normal(size=size) * 10.0 ** rng.integers(-8, 8, size)).astype(char)
    one = made(reduced("sum", None), [x, np.dtype(char).type(1)], config)
    for count in (*COUNTS, 16, 100):
        _C.set_threads(count)
        for _ in range(3):
            (got,) = one.run(*one.operands) or (None,)
            assert_same(got, one.want[0], f"{count} threads")


def test_a_flag_of_joining_refuses(config: Config) -> None:
    x = np.zeros(50_000)
    one = made(reduced("sum", None), [x, 1.0], config)
    assert by_parts(one.run, *one.operands) is not None
    x[[100, 49_900]] = 1.5e308  # each part is finite
    assert by_parts(one.run, *one.operands) is None
    x[:] = 0.0
    x[100], x[49_900] = np.inf, -np.inf
    assert by_parts(one.run, *one.operands) is None


def test_a_doubt_of_the_end_refuses(config: Config) -> None:
    """Which zero is the largest, NumPy's vector code decides."""
    x = np.full(50_000, -1.0)
    one = made(reduced("max", None), [x, 1.0], config)
    assert by_parts(one.run, *one.operands) is not None
    x[40_000] = 0.0
    assert by_parts(one.run, *one.operands) is None


@pytest.mark.parametrize("char", "fd")
def test_fast_sums_do_not_depend_on_threads(char: str) -> None:
    """Vector functions and those for the elements that are left over differ in the last bits."""

    def summed(x: Any) -> Any:
        return np.exp(x).sum() + (x * 2.0 + 1.0).sum()

    x = FLAT.astype(char)
    fast = jitcore.compile(summed, numerics="fast")
    found = set()
    for count in (1, *COUNTS, *COUNTS):
        jitcore.set_num_threads(count)
        _C.threads_again()
        found.add(fast(x).tobytes())
    assert len(found) == 1
