"""Loops that are done in another order, or in other places: the bits, warnings and errors of one
round after the other, for arrays apart, overlapping, turned and full of odd numbers; and a mark in
the C text of those, and only those, that are."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from column_rounds import (
    SQUARES,
    columns,
    decomposed,
    divided,
    from_a_column,
    in_two_parts,
    orthonormal,
    rows_that_grow,
    updated,
)  # fmt: skip
from column_rounds import handed_on as handed_to_columns
from numpy.lib.stride_tricks import as_strided
from recurrences import KEPT, NOTHING_KEPT
from support.routines import routines
from trailing_rows import (
    OTHERS,
    TRAILING,
    against,
    from_the_last,
    handed_on,
    nearest_way,
    nine_points,
    rows_apart,
)  # fmt: skip

import jitcore
from jitcore.loops.transform import dots

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Fn = Callable[..., Any]
Pair = tuple[Array, Array]
Shape = tuple[int, ...]
SHAPE, SIZE = (37, 41), 53


def outcome(fn: Fn, *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            said = [repr(fn(*args))]
        except (ArithmeticError, IndexError, ValueError) as error:
            said = [repr(error)]
    return said + [f"{one.lineno}: {one.message}" for one in caught]


@dataclass(frozen=True, eq=False)
class Loops:
    """`mark`: in the C text of `marked`, and not in that of `unmarked`. `more`: arguments."""

    mark: Sequence[str]
    marked: Sequence[Fn]
    unmarked: Sequence[Fn]
    shape: Shape
    makers: Sequence[Maker]
    programs: Sequence[Fn] = ()  # besides those
    dtypes: str = "fd"
    more: tuple[int, ...] = ()
    least: float = 0.0  # of what arrays hold; the largest is 1 more

    def every(self) -> Iterator[tuple[Fn, Maker, str]]:
        programs = dict.fromkeys((*self.marked, *self.unmarked, *self.programs))
        return itertools.product(programs, self.makers, self.dtypes)


Maker = Callable[[Loops, str], Pair]


# ---- two arrays ---------------------------------------------------------------------------------


def numbers(of: Loops, dtype: str, shape: Shape | None = None) -> Array:
    rng = np.random.default_rng(5)
    return (rng.random(of.shape if shape is None else shape) + of.least).astype(dtype)


def apart(of: Loops, dtype: str) -> Pair:
    return numbers(of, dtype), numbers(of, dtype)[::-1].copy()


def huge(of: Loops, dtype: str) -> Pair:
    a, b = apart(of, dtype)
    a.flat[a.size // 4], b.flat[a.size // 10] = [np.finfo(dtype).max] * 2
    a.flat[a.size * 4 // 5] = b.flat[a.size // 2] = -0.9 * np.finfo(dtype).max
    return a, b


def not_finite(of: Loops, dtype: str) -> Pair:
    a, b = apart(of, dtype)
    a[3], a.flat[a.size // 4], b.flat[a.size // 2] = np.inf, np.nan, -np.inf
    return a, b


def same(of: Loops, dtype: str) -> Pair:
    a = numbers(of, dtype)
    return a, a


def below(of: Loops, dtype: str) -> Pair:
    both = numbers(of, dtype, (of.shape[0] + 1, *of.shape[1:]))
    return both[:-1], both[1:]


def shifted(of: Loops, dtype: str) -> Pair:
    both = numbers(of, dtype, (of.shape[0] + 1, of.shape[1] + 2))
    return both[:-1, 1:-1], both[1:, 2:]


def against_itself(of: Loops, dtype: str) -> Pair:
    a = numbers(of, dtype)
    return a, a[::-1]


def turned(of: Loops, dtype: str) -> Pair:
    a, b = apart(of, dtype)
    return a[::-1, ::-1], np.asfortranarray(b)


def transposed(of: Loops, dtype: str) -> Pair:
    a, b = apart(of, dtype)
    return a.T, np.asfortranarray(b)


def with_gaps(of: Loops, dtype: str) -> Pair:
    both = numbers(of, dtype, (*of.shape[:-1], 2 * of.shape[-1]))
    return both[..., ::2], both[..., 1::2]


def repeated(of: Loops, dtype: str) -> Pair:
    """Rows that are one row."""
    a = numbers(of, dtype, of.shape[1:])
    return as_strided(a, of.shape, (0, a.itemsize)), a[:1] + np.zeros(of.shape)


def overlapping(of: Loops, dtype: str) -> Pair:
    """Elements of the first are in several of its rows."""
    a = numbers(of, dtype, (of.shape[0] * of.shape[1],))
    return as_strided(a, of.shape, (20 * a.itemsize, a.itemsize)), numbers(of, dtype)


def overlapping_too(of: Loops, dtype: str) -> Pair:
    return overlapping(of, dtype)[::-1]


# ---- the table ----------------------------------------------------------------------------------


LATEST = Loops(
    ("__builtin_expect(t", ", 1) ? t"), KEPT, NOTHING_KEPT, (200,),
    (apart, huge, same, below, against_itself, with_gaps), more=(200,),
)  # fmt: skip
WAVES = Loops(
    ("undo",), TRAILING, OTHERS, SHAPE,
    (apart, huge, not_finite, same, below, turned, with_gaps, repeated),
)  # fmt: skip
AHEAD = Loops(
    ("world->ahead(",),
    (columns, decomposed, rows_that_grow, orthonormal), (), (SIZE, SIZE),
    (overlapping, overlapping_too, apart, same, shifted, transposed, with_gaps, not_finite, huge),
    SQUARES, "d", (SIZE,), -0.5,
)  # fmt: skip
SIDE_BY_SIDE = Loops(
    ("goto alone",), (updated, in_two_parts, handed_to_columns, from_a_column, divided), (),
    (SIZE, SIZE), (), more=(SIZE,),
)  # fmt: skip
TABLE = (LATEST, WAVES, AHEAD, SIDE_BY_SIDE)
CASES = [(loops, *case) for loops in TABLE for case in loops.every()]
MARKS = [
    (loops, fn, there)
    for loops in TABLE
    for fns, there in ((loops.marked, True), (loops.unmarked, False))
    for fn in fns
]


def case_name(value: Any) -> str | None:
    return value.mark[0] if isinstance(value, Loops) else getattr(value, "__name__", None)


def as_compared(loops: Loops, array: Array) -> bytes:
    """In a sum of products any NaN is NaN."""
    return (np.where(np.isnan(array), np.nan, array) if loops is AHEAD else array).tobytes()


@pytest.mark.parametrize(("loops", "fn", "make", "dtype"), CASES, ids=case_name)
def test_bits(loops: Loops, fn: Fn, make: Maker, dtype: str) -> None:
    jitted = jitcore.compile(fn)
    for _ in range(3):
        mine, plain = make(loops, dtype), make(loops, dtype)
        assert outcome(jitted, *mine, *loops.more) == outcome(fn, *plain, *loops.more)
        for one, other in zip(mine, plain, strict=True):
            assert as_compared(loops, one) == as_compared(loops, other)
    assert routines(jitted)


@pytest.mark.parametrize(("loops", "fn", "there"), MARKS, ids=case_name)
def test_marks(loops: Loops, fn: Fn, there: bool) -> None:
    jitted = jitcore.compile(fn)
    outcome(jitted, *apart(loops, "d"), *loops.more)
    text = "".join(one.source for one in routines(jitted))
    if loops is not AHEAD or dots.orders() != (None, None):
        assert all(mark in text for mark in loops.mark) == there


# ---- more of each -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [(2, 2), (3, 9), (9, 3), (2, 40), (18, 10), (19, 9), (0, 5), (33, 8)]
)
@pytest.mark.parametrize("fn", [nine_points, nearest_way, from_the_last, handed_on])
def test_shapes(fn: Callable[..., Any], shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(6)
    jitted = jitcore.compile(fn)
    for _ in range(2):
        a, b = rng.random(shape), rng.random(shape)
        mine, plain = (a.copy(), b.copy()), (a.copy(), b.copy())
        assert outcome(jitted, *mine) == outcome(fn, *plain)
        assert mine[0].tobytes() == plain[0].tobytes()


@pytest.mark.parametrize("kind", ["raise", "ignore", "warn"])
@pytest.mark.parametrize("fn", [nine_points, against, rows_apart])
def test_flags(fn: Callable[..., Any], kind: Any) -> None:
    """Also underflow, and what stands when it raises."""
    mine, plain = huge(WAVES, "d"), huge(WAVES, "d")
    mine[0][5:9] = plain[0][5:9] = 1e-300
    mine[0][25] *= 1e-310
    plain[0][25] *= 1e-310
    jitted = jitcore.compile(fn)
    with np.errstate(all=kind):
        assert outcome(jitted, *mine) == outcome(fn, *plain)
    assert mine[0].tobytes() == plain[0].tobytes()


def test_read_as_a_vector() -> None:
    """By other means than indices."""

    def sweeps(x: Array) -> float:
        s = 0.0
        for _ in range(20):
            s = x @ x
            for j in range(1, 40):
                x[j] = x[j - 1] * 0.5 + x[j] * 0.25 + s * 1e-4
        return s

    mine, plain = numbers(WAVES, "d")[0], numbers(WAVES, "d")[0]
    jitted = jitcore.compile(sweeps)
    for _ in range(3):
        assert jitted(mine) == sweeps(plain)
        assert mine.tobytes() == plain.tobytes()


def test_bytes_below_an_array() -> None:
    def rows(a: Array, below: bytearray) -> None:
        for i in range(1, 37):
            for j in range(1, 37):
                a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j] + below[328 * i + 8 * j - 297]

    mine, plain = (bytearray(numbers(WAVES, "d").tobytes()) for _ in range(2))
    jitted = jitcore.compile(rows)
    for _ in range(3):
        jitted(np.frombuffer(mine).reshape(SHAPE), mine)
        rows(np.frombuffer(plain).reshape(SHAPE), plain)
        assert mine == plain


def test_long_doubles(caplog: pytest.LogCaptureFixture) -> None:
    """They have no form in C."""

    def handed_on(x: Any) -> None:
        for j in range(1, len(x)):
            x[j] = x[j - 1]

    x = np.arange(40, dtype="g")
    jitcore.compile(handed_on)(x)
    assert not x.any()
    assert not caplog.records  # internal errors are logged


def scaled(a: Array, p: float, q: float, n: int) -> None:
    for j in range(n):
        a[:, j] = p / q * a[:, j]


@pytest.mark.parametrize("q", [2.0, 0.0])
def test_a_division_of_pythons(q: float) -> None:
    jitted = jitcore.compile(scaled)
    with np.errstate(all="ignore"):
        for fn in (jitted, jitted, scaled):
            a = numbers(AHEAD, "d")
            if q:
                fn(a, 1.0, q, SIZE)
            else:
                with pytest.raises(ZeroDivisionError):
                    fn(a, 1.0, q, SIZE)
            np.testing.assert_array_equal(a, numbers(AHEAD, "d") / (q or 1.0))
    assert any("goto alone" in one.source for one in routines(jitted))
