"""Loops whose rows may trail one another, and others."""

from __future__ import annotations

from typing import Any

import numpy as np

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


TRAILING = (
    nine_points, nearest_way, sums_of_areas, from_the_last, against, handed_on, columns_first,
    one_row_again, two_tables, around, around_of_others, too_far, too_far_at_last, whole_numbers,
    rows_apart, filtered, first_column_first, from_a_far_column, carried_on, summed_up, unread,
    read_by_few, flags_cleared,
)  # fmt: skip
OTHERS = (
    from_row_to_row, ends_first, last_column_last, last_row_too, growing, left_early,
)  # fmt: skip
