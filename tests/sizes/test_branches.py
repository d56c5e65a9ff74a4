"""Branches on lengths: one entry where they come out alike, one for each remainder where that
decides, and never one that another remainder goes through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.sizes import Function, agree, data, hits, regions

pytestmark = pytest.mark.by_turns

SIZES = (40, 31, 50, 61, 64, 200, 33, 101, 130, 7, 333, 2, 100, 3, 1, 0)


def by_truth(x: Any) -> Any:
    if len(x) % 2:
        return x * 2.0 + 1.0
    return x * 3.0 - 1.0


def by_value(x: Any) -> Any:
    return x * 2.0 + 1.0 if len(x) % 2 == 1 else x * 3.0 - 1.0


def by_mask(x: Any) -> Any:
    if not x.size & 1:
        return x * 2.0 + 1.0
    return x * 3.0 - 1.0


def picked(x: Any) -> Any:
    return (x * 2.0 + 1.0, x * 3.0 + 1.0)[x.shape[0] % 2] * 2.0


def of_computed(x: Any) -> Any:
    y = x[1:] * 2.0
    if len(y) % 2:
        y = y[1:]
    return y * 3.0 + 1.0


def trimmed(x: Any) -> Any:
    n = len(x)
    if n % 2:
        n -= 1
    return (x[:n] * 2.0 + 1.0).reshape(-1, 2) * 3.0


@pytest.mark.parametrize("fn", [by_truth, by_value, by_mask, picked, of_computed, trimmed])
def test_an_entry_for_each_remainder(fn: Function) -> None:
    agree(fn, [(data(n),) for n in SIZES if n > 2])
    assert len(regions(fn)) <= 4 and hits(fn) >= 9
    assert any(" % 2 == 1" in guard for one in regions(fn) for guard in one.guards)
    agree(fn, [(data(n),) for n in SIZES])


def three_ways(x: Any) -> Any:
    left = len(x) % 3
    if left == 0:
        return x * 2.0 + 1.0
    if left == 1:
        return x * 3.0 + 1.0
    return x * 4.0 + 1.0


def padded(x: Any) -> Any:
    missing = -len(x) % 4
    if missing:
        x = np.concatenate([x, np.zeros(missing)])
    return x.reshape(-1, 4) * 2.0 + 1.0


def rounds(x: Any) -> Any:
    y = x * 1.5
    for k in range(len(x) % 3):
        y = y * 2.0 + k
    return y + 1.0


@pytest.mark.parametrize("fn", [three_ways, padded, rounds])
def test_more_remainders(fn: Function) -> None:
    agree(fn, [(data(n),) for n in (*range(30, 48), *SIZES)])
    assert len(regions(fn)) <= 9 and hits(fn) >= 15


def half(x: Any) -> Any:
    return x * 2.0 + 1.0 if len(x) // 2 > 8 else x * 3.0 + 1.0


def quarters(x: Any) -> Any:
    if len(x) // 4 == 12:
        return x * 2.0 + 1.0
    return x * 3.0 + 1.0


def by_float(x: Any) -> Any:
    return x * 2.0 + 1.0 if len(x) // 2 > 49.5 else x * 3.0 + 1.0


def between(x: Any) -> Any:
    return x * 2.0 + 1.0 if 30 < min(len(x), 400) % 50 <= 40 else x * 3.0 + 1.0


def shares(x: Any) -> Any:
    n = len(x)
    return x * 2.0 + 1.0 if n // 3 < n - n // 2 - n // 7 else x * 3.0 + 1.0


@pytest.mark.parametrize("fn", [half, quarters, by_float, between, shares])
def test_where_another_arm_begins(fn: Function) -> None:
    """At each size: none is a corner of them all."""
    agree(fn, [(data(n),) for n in (60, 70, *range(25, 60), 98, 99, 100, 101, *SIZES)])


def area(x: Any) -> Any:
    return x * 2.0 + 1.0 if x.size > 1000 else x * 3.0 + 1.0


def areas(x: Any) -> Any:
    rows, columns = x.shape
    if rows * columns <= 50 * columns:
        return x * 2.0 + 1.0
    return x * 3.0 + 1.0 if 2 * rows * columns - 7 != 3993 else x * 4.0 + 1.0


@pytest.mark.parametrize("fn", [area, areas])
def test_products(fn: Function) -> None:
    shapes = (
        (40, 50),
        (31, 60),
        (12, 19),
        (50, 33),
        (10, 100),
        (100, 10),
        (20, 100),
        (51, 2),
        (7, 9),
    )
    agree(fn, [(data(*shape),) for shape in shapes])
    assert hits(fn) >= (5 if fn is area else 0)


def test_a_number_beside_the_length_is_no_constant() -> None:
    """The branch is CPython's, as it is where the length is a constant."""

    def fn(x: Any, k: int) -> Any:
        y = x * 2.0 + 1.0
        if len(x) % 5 > k:
            return y * 2.0 + 1.0
        return y * 3.0 + 1.0

    agree(fn, [(data(n), k) for n in (40, 43, 44, 51, 54) for k in (0, 2, 3, 9)])
    assert not any("k ==" in guard for one in regions(fn) for guard in one.guards)


def test_many_remainders() -> None:
    def fn(x: Any) -> Any:
        if len(x) % 64:
            raise ValueError(f"{len(x)} is no multiple of 64")
        return x * 2.0 + 1.0

    agree(fn, [(data(n),) for n in (64, 128, 640, 192, 6400)])
    assert len(regions(fn)) == 2 and hits(fn) == 4
    agree(fn, [(data(n),) for n in (65, 63, 127, 128)])
