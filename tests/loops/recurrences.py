"""Loops that read what they have just stored."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def onward(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        a[j] = (a[j] + a[j - 1]) * 0.5 + b[j - 1]


def from_the_end(a: Array, b: Array, n: int) -> None:
    for j in range(0, n):
        a[j] = (a[j] + a[j - 1]) * 0.5 + b[j]


def backward(a: Array, b: Array, n: int) -> None:
    for j in range(n - 2, -1, -1):
        a[j] = a[j] * 0.25 + a[j + 1] * b[j + 1]


def ahead(a: Array, b: Array, n: int) -> None:
    for j in range(n - 1):
        a[j + 1] = a[j] * 0.5 + b[j]


def ahead_of_the_end(a: Array, b: Array, n: int) -> None:
    for j in range(-3, n - 1):
        a[j + 1] = a[j] * 0.5 + b[j]


def two_by_two(a: Array, b: Array, n: int) -> None:
    for j in range(2, n, 2):
        a[j] = a[j - 2] * 0.5 + a[j - 1] * b[j]


def at_one_place(a: Array, b: Array, n: int) -> None:
    for i in range(3):
        for j in range(n):
            a[i] += a[j] * b[j] * 0.125


def while_it_goes(a: Array, b: Array, n: int) -> None:
    j = 1
    while j < n:
        a[j] = a[j - 1] * 0.5 + b[j]
        j += 1


def on_two_ways(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        x = a[j - 1] + 1.0
        if b[j] > 0.5:
            x = x * 0.5 + a[j - 1]
            if x > 0.75:
                a[j] = x


def in_between(a: Array, b: Array, n: int) -> None:
    """The other array may be the same one: with two stores nothing is kept."""
    for j in range(1, n):
        x = a[j - 1]
        b[j - 1] = x * 2.0
        a[j] = a[j - 1] * 0.25 + b[j]


def called(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        a[j] = a[j - 1] * 0.5 + np.linalg.norm(b[j - 1 : j + 1])


def of_rows(a: Array, b: Array, n: int) -> None:
    rows = a.reshape(4, -1)
    for i in range(1, 4):
        row = rows[i]
        for j in range(1, row.shape[0]):
            row[j] = row[j - 1] * 0.5 + rows[i - 1, j]


def shown(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        if j % 40 == 0:
            str(a[j - 1])
        a[j] = a[j - 1] * 0.5 + b[j]


def too_far(a: Array, b: Array, n: int) -> None:
    for j in range(1, n + 5):
        a[j] = a[j - 1] * 0.5 + b[j - 5]


def made_anew(a: Array, b: Array, n: int) -> None:
    """In each round, and at the same place."""
    for j in range(n - 2):
        x = b[j : j + 3] * 0.5
        x[0] += a[j]
        a[j + 1] = x.sum()


def carried(a: Array, b: Array, n: int) -> None:
    x = b[:3] * 1.0
    for i in range(n // 2):
        for j in range(i % 3):
            x = x * 0.5 + j
            x[0] += a[i]
        a[i] = x.sum()


NOTHING_KEPT = (in_between, made_anew, carried)
KEPT = (
    onward, from_the_end, backward, ahead, ahead_of_the_end, two_by_two, at_one_place,
    while_it_goes, on_two_ways, called, of_rows, shown, too_far,
)  # fmt: skip
