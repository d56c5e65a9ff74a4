"""Rows that trail one another: the bits, warnings and errors of rows one after the other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def nine_points(a: Array, b: Array) -> None:
    n, m = a.shape
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                x = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                x += a[i, j - 1] + a[i, j] + a[i, j + 1]
                a[i, j] = (x + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0


def nearest_way(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = abs(b[i, 0] - b[0, j]) + min(a[i - 1, j], a[i, j - 1], a[i - 1, j - 1])


def sums_of_areas(a: Array, b: Array) -> None:
    for i in range(a.shape[0] - 1):
        for j in range(a.shape[1] - 1):
            a[i + 1, j + 1] = b[i, j] + a[i, j + 1] + a[i + 1, j] - a[i, j]


def from_the_last(a: Array, b: Array) -> None:
    for i in range(a.shape[0] - 2, -1, -1):
        for j in range(a.shape[1] - 2, -1, -1):
            a[i, j] = (a[i + 1, j] + a[i, j + 1]) * 0.5 + b[i, j]


def against(a: Array, b: Array) -> None:
    """A row needs what the one before writes last."""
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1] - 4):
            a[i, j] = (a[i - 1, j + 4] + a[i, j - 1]) * 0.5 + b[i, j + 1]


def handed_on(a: Array, b: Array) -> None:
    """Errors that later columns and rows take over."""
    rows, columns = a.shape
    for i in range(rows):
        for j in range(columns):
            old = a[i, j]
            new = 1.0 if old >= 0.5 else 0.0
            a[i, j] = new
            error = old - new
            if j + 1 < columns:
                a[i, j + 1] += error * 7 / 16
            if i + 1 < rows:
                if j > 0:
                    a[i + 1, j - 1] += error * 3 / 16
                a[i + 1, j] += error * 5 / 16


def columns_first(a: Array, b: Array) -> None:
    for j in range(1, a.shape[1]):
        for i in range(2, a.shape[0]):
            a[i, j] = a[i - 2, j] * 0.5 + a[i - 1, j - 1] * b[i, j]


def one_row_again(a: Array, b: Array) -> None:
    x = a.reshape(-1)
    for _ in range(6):
        for j in range(1, 70):
            x[j] = (x[j - 1] + x[j] + x[j + 2]) / 3.0


def two_tables(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + b[i - 1, j]
            b[i, j] = b[i, j - 1] * 0.25 + a[i - 1, j]


def around(a: Array, b: Array) -> None:
    """Index -1 is the last one."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j] * 0.25 + b[i, j]


def around_of_others(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j] * 0.25 + b[i - 5, j - 9]


def too_far(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0] + 1):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j]


def too_far_at_last(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            x = a[i, j - 1] * 0.5
            if i * j > 500:
                x += a[i, j + 1]
            a[i, j] = x


def whole_numbers(a: Array, b: Array) -> None:
    """A division that Python refuses, in the middle."""
    n = 0
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            n = 7 // (700 - i * j) if i * j > 650 else 1
            a[i, j] = a[i, j - 1] * 0.5 + n


def rows_apart(a: Array, b: Array) -> None:
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.75 + np.exp(-b[i, j])


def filtered(a: Array, b: Array) -> None:
    for i in range(a.shape[0]):
        a[i, 0] = b[i, 0]
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.75 + b[i, j] * 0.25


def first_column_first(a: Array, b: Array) -> Any:
    for i in range(1, a.shape[0]):
        a[i, 0] = a[i - 1, 0] * 0.5 + 1.0
        for j in range(1, a.shape[1] - 2):
            a[i, j] = (a[i, j - 1] + a[i - 1, j] + a[i - 1, j + 2]) / 3.0
    return i, j


def from_a_far_column(a: Array, b: Array) -> None:
    """A row begins with what the one before has in its sixth column."""
    for i in range(1, a.shape[0]):
        w = a[i - 1, 6] * 0.5
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + w


def carried_on(a: Array, b: Array) -> Any:
    n = 0
    for i in range(a.shape[0]):
        x, y, n = b[i, 0], 0.5, 0
        for j in range(a.shape[1]):
            x, y = y, x * y * 0.5 + b[i, j] / 3.0
            if x > y:
                n += 1
            a[i, j] = x
        b[i, 1] = y
    return x, y, n, i, j


def summed_up(a: Array, b: Array) -> None:
    z = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        s = a[i, 0]
        for j in range(1, a.shape[1]):
            s = np.sqrt(s * s + a[i, j])
        z[i] = s
        a[i, 0] = s + z[i]
    b[: a.shape[0], 0] = z


def from_row_to_row(a: Array, b: Array) -> Any:
    s = 0.25
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = s * s * 0.5 + a[i, j] / 2.0
        a[i, 0] = s
    return s


def ends_first(a: Array, b: Array) -> None:
    """What the tail of a row writes, the next one reads at once."""
    for i in range(1, a.shape[0]):
        s = a[i - 1, 3]
        for j in range(4, a.shape[1]):
            s = s * s * 0.5 + a[i, j] / 2.0
        a[i, 3] = s


def last_column_last(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1] - 1):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j + 1]
        a[i, -1] = a[i, 1]


def last_row_too(a: Array, b: Array) -> None:
    """A row that stays: each row reads it, and the last one is it."""
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[3, j]


def growing(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, i + 1):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j]


def left_early(a: Array, b: Array) -> None:
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j]
            if a[i, j] > 0.9:
                break


def unread(a: Array, b: Array) -> None:
    """Nobody reads them; they warn, or fail, all the same."""
    for i in range(1, a.shape[0]):
        _ = 1.0 / (b[i, 5] - b[30, 5])
        for j in range(1, a.shape[1]):
            _ = 2.0 / (b[i, j] - b[20, 20])
            _ = b[i, j + i // 35]
            a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j]


def read_by_few(a: Array, b: Array) -> Any:
    """A C compiler would divide where that is read."""
    x = 0.0
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            x = 1.0 / (b[i, j] - b[20, 20])
            y = a[i, j - 1] * 0.5 + a[i - 1, j]
            if y > 0.9:
                y -= x
            a[i, j] = y
    return x


def flags_cleared(a: Array, b: Array) -> None:
    """NumPy's own loop for fmax clears those that others have raised."""
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            x = 1.0 / (b[i, j] - b[20, 20])
            a[i, j] = np.fmax(a[i, j - 1] * 0.5 + a[i - 1, j], 0.25) + x


TRAILING = [
    nine_points,
    nearest_way,
    sums_of_areas,
    from_the_last,
    against,
    handed_on,
    columns_first,
    one_row_again,
    two_tables,
    around,
    around_of_others,
    too_far,
    too_far_at_last,
    whole_numbers,
    rows_apart,
    filtered,
    first_column_first,
    from_a_far_column,
    carried_on,
    summed_up,
    unread,
    read_by_few,
    flags_cleared,
]
OTHERS = [from_row_to_row, ends_first, last_column_last, last_row_too, growing, left_early]
SHAPE = (37, 41)


def outcome(fn: Callable[..., Any], a: Array, b: Array) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            said = [repr(fn(a, b))]
        except (IndexError, ZeroDivisionError, FloatingPointError) as error:
            said = [repr(error)]
    return said + [f"{one.lineno}: {one.message}" for one in caught]


def apart(dtype: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(5)
    return rng.random(SHAPE).astype(dtype), rng.random(SHAPE).astype(dtype)


def huge(dtype: str) -> tuple[Array, Array]:
    a, b = apart(dtype)
    a[20, 7] = a[30, 2] = b[19, 30] = np.finfo(dtype).max
    return a, b


def not_finite(dtype: str) -> tuple[Array, Array]:
    a, b = apart(dtype)
    a[3], a[9, 9], b[17, 5] = np.inf, np.nan, -np.inf
    return a, b


def same(dtype: str) -> tuple[Array, Array]:
    a, _ = apart(dtype)
    return a, a


def below(dtype: str) -> tuple[Array, Array]:
    a = np.random.default_rng(5).random((SHAPE[0] + 1, SHAPE[1])).astype(dtype)
    return a[:-1], a[1:]


def turned(dtype: str) -> tuple[Array, Array]:
    a, b = apart(dtype)
    return a[::-1, ::-1], np.asfortranarray(b)


def columns_of_one(dtype: str) -> tuple[Array, Array]:
    a = np.random.default_rng(5).random((SHAPE[0], 2 * SHAPE[1])).astype(dtype)
    return a[:, ::2], a[:, 1::2]


def repeated(dtype: str) -> tuple[Array, Array]:
    """Rows that are one row."""
    a = np.random.default_rng(5).random(SHAPE[1]).astype(dtype)
    return np.lib.stride_tricks.as_strided(a, SHAPE, (0, a.itemsize)), a[:1] + np.zeros(SHAPE)


MAKERS = [apart, huge, not_finite, same, below, turned, columns_of_one, repeated]


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("fn", TRAILING + OTHERS)
def test_rows(fn: Callable[..., Any], make: Callable[..., Any], dtype: str) -> None:
    jitted = jitcore.compile(fn)
    for _ in range(3):
        mine, plain = make(dtype), make(dtype)
        assert outcome(jitted, *mine) == outcome(fn, *plain)
        for one, other in zip(mine, plain, strict=True):
            assert one.tobytes() == other.tobytes()
    assert routines(jitted)


@pytest.mark.parametrize("fn", TRAILING + OTHERS)
def test_which_trail(fn: Callable[..., Any]) -> None:
    jitted = jitcore.compile(fn)
    outcome(jitted, *apart("d"))
    text = "".join(one.source for one in routines(jitted))
    assert ("undo" in text) == (fn in TRAILING)


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
    mine, plain = huge("d"), huge("d")
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

    mine, plain = apart("d")[0][0], apart("d")[0][0]
    jitted = jitcore.compile(sweeps)
    for _ in range(3):
        assert jitted(mine) == sweeps(plain)
        assert mine.tobytes() == plain.tobytes()


def test_bytes_below_an_array() -> None:
    def rows(a: Array, below: bytearray) -> None:
        for i in range(1, 37):
            for j in range(1, 37):
                a[i, j] = a[i, j - 1] * 0.5 + a[i - 1, j] + below[328 * i + 8 * j - 297]

    mine, plain = (bytearray(apart("d")[0].tobytes()) for _ in range(2))
    jitted = jitcore.compile(rows)
    for _ in range(3):
        jitted(np.frombuffer(mine).reshape(SHAPE), mine)
        rows(np.frombuffer(plain).reshape(SHAPE), plain)
        assert mine == plain
