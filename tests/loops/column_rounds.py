"""Loops whose rounds each have a column, or a product of vectors, of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def columns(a: Array, b: Array, n: int) -> None:
    """b's column is written after it was read."""
    for i in range(n):
        for j in range(n):
            b[i, j] = 0.5 * (b[i, j] + a[i + 1 :, i] @ b[i + 1 :, j])


def columns_before(a: Array, b: Array, n: int) -> None:
    """And here before: the next round's is not yet what it will be."""
    for i in range(n):
        for j in range(n):
            b[n - 1, j] = a[i, j] * 0.5
            b[0, j] = a[i, :] @ b[:, j]


def next_column(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n - 1):
            b[i, j + 1] = a[:, i] @ b[:, j] * 0.01


def one_column(a: Array, b: Array, n: int) -> None:
    """At one place, which some rounds read."""
    for i in range(n):
        for j in range(n):
            b[1, i] = a[:, i] @ b[:, j] * 0.01


def beside(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[i, 0] += a[:, j] @ b[:, j] * 0.01


def decomposed(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / (a[j, j] + n)
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


def rows_that_grow(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / (b[j, j] + n)
        a[i, i] = np.sqrt(abs(a[i, i] - a[i, :i] @ a[i, :i]))


def written_ahead(a: Array, b: Array, n: int) -> None:
    """Within what has grown, not behind it."""
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, :j] @ a[j, :j]
            a[i, i] = b[i, j] * 0.01


def orthonormal(a: Array, b: Array, n: int) -> None:
    for k in range(n):
        b[:, k] = a[:, k] * 0.1
        for j in range(k + 1, n):
            b[k, j] = b[:, k] @ a[:, j]
            a[:, j] -= b[k, j] * 0.01


def from_below(a: Array, b: Array, n: int) -> None:
    """Negative indices first."""
    for i in range(n):
        for j in range(-n, n):
            b[i, j] = a[i, :] @ a[:, j]


def growing_from_below(a: Array, b: Array, n: int) -> None:
    for j in range(-n, n):
        b[0, j] = a[1, :j] @ a[:j, 0] if a[1, :j].shape[0] == a[:j, 0].shape[0] else 0.0


def too_far(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n + 3):
            b[i, 0] = a[i, :] @ a[:, j] * 0.01


def by_twos(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(0, n, 2):
            b[i, j] = a[i, ::2] @ a[::2, j]
            b[i, j] += a[i, ::-1] @ a[:, j]


def until(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            x = a[i, :] @ a[:, j]
            if x > 40.0:
                break
            b[i, j] = x


def with_a_call(a: Array, b: Array, n: int) -> None:
    for i in range(3):
        for j in range(n):
            b[i, j] = a[i, :] @ a[:, j] + np.linalg.norm(b[i, :3])


def updated(a: Array, b: Array, n: int) -> None:
    for k in range(n):
        for j in range(k + 1, n):
            b[k, j] = b[:, k] @ a[:, j] * 0.01
            a[:, j] -= b[k, j] * b[:, k]


def in_two_parts(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:i, j] += 0.5 * a[i, j] * a[i, :i]
            b[i, j] += 0.5 * (a[i, j] * a[i, i] + a[i, :i] @ a[:i, j])


def read_again(a: Array, b: Array, n: int) -> None:
    """Of a column that was just written."""
    for i in range(n):
        for j in range(n):
            b[:, j] = a[:, j] * 0.5
            b[0, j] = b[i, j] + 1.0


def handed_on(a: Array, b: Array, n: int) -> None:
    for i in range(1, n):
        for j in range(n):
            b[0, j] = a[i, j] - 0.5
            b[i:, j] = b[0, j] * a[i:, j] - b[i:, i]


def stored_twice(a: Array, b: Array, n: int) -> None:
    for i in range(1, n):
        for j in range(n):
            b[0, j] = a[i, j] - 0.5
            b[:, j] = b[0, j] * a[:, j]
            b[i, j] = a[0, j]


def from_the_last(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(1, n):
            a[:, j] = a[:, j - 1] * 0.5 + b[:, i]


def from_a_column(a: Array, b: Array, n: int) -> None:
    """Which some round writes."""
    for i in range(n):
        for j in range(n):
            a[:, j] = a[:, i] * 0.5 + b[:, j]


def at_one_number(a: Array, b: Array, n: int) -> None:
    for j in range(n):
        b[0, 0] = a[0, j]
        b[1:, j] = b[0, 0] * a[1:, j]


def divided(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:, j] = a[i, j] / a[j, 20] * a[:, j]


def columns_too_far(a: Array, b: Array, n: int) -> None:
    for j in range(-n, n + 3):
        b[:, j] = 0.5 * a[:, j] + b[:, 1]


def of_other_lengths(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:i, j] = 0.5 * a[:1, j] + a[i : i + i, j]


def rows_and_columns(a: Array, b: Array, n: int) -> None:
    """A later round's row is a part of this one's column."""
    for i in range(3):
        for j in range(n):
            b[:, j] = a[:, j] * 0.5
            b[j, i] = a[0, j]


def from_the_left_end(a: Array, b: Array, n: int) -> None:
    for j in range(-n, -1):
        b[:, j] = 0.5 * a[:, j] + a[:, 1]
        a[0, j] = 3.0


SQUARES = (
    columns, columns_before, next_column, one_column, beside, decomposed, rows_that_grow,
    written_ahead, orthonormal, from_below, growing_from_below, too_far, by_twos, until,
    with_a_call, updated, in_two_parts, read_again, handed_on, stored_twice, from_the_last,
    from_a_column, at_one_number, divided, columns_too_far, of_other_lengths, rows_and_columns,
    from_the_left_end,
)  # fmt: skip
