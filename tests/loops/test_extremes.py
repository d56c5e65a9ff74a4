"""The largest, or the least, of what rounds compute of whole numbers: a stretch of them at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore

Array = np.ndarray[Any, Any]
STRETCH = "best"


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    """What it gives, or raises, what it warns of, and its arguments afterwards."""
    args = tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = fn(*args)
            found: Any = type(made), repr(made)
        except Exception as error:
            found = type(error), str(error)
    told = [(one.category, str(one.message), one.lineno) for one in heard]
    return found, told, [arg.tobytes() for arg in args if isinstance(arg, np.ndarray)]


def same(fn: Callable[..., Any], *args: Any, whole: bool = True) -> None:
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(compiled, *args) == outcome(fn, *args)
    if whole:
        (graph, *_) = jitcore.explain(compiled)(*args).graphs
        assert graph is not None and any(STRETCH in text for text in sources(compiled, *args))


def sources(compiled: Any, *args: Any) -> list[str]:
    made = jitcore.explain(compiled)(*args)
    return [made.source(k) for k in range(len(made.graphs))]


def split(a: Array, i: int, j: int) -> Any:
    best = a[i, j]
    for k in range(i + 1, j):
        best = max(best, a[i, k] + a[k + 1, j])
    return best


def cheapest(a: Array, i: int, j: int) -> Any:
    best = a[0, 0]
    for k in range(i, j):
        cost = a[i, k] - a[k, j]
        if cost < best:
            best = cost
    return best


def backwards(a: Array, i: int, j: int) -> Any:
    best = a[j, i]
    for k in range(j, i, -2):
        best = min(a[k, k] + 3, best)
    return best


def at_least(a: Array, i: int, j: int) -> Any:
    best = a[i, i]
    for k in range(i, j):
        e = a[k, i] - a[i, k] + a[k, 0]
        best = e if e >= best else best
    return best


def beyond(a: Array, i: int, j: int) -> Any:
    best = a[0, 0]
    for k in range(i, j):
        best = max(best, a[k - 3, 2] + a[2, k])
    return best


PROGRAMS = (split, cheapest, backwards, at_least, beyond)


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_bits(fn: Callable[..., Any], dtype: str) -> None:
    rng = np.random.default_rng(len(fn.__name__))
    for order in "CF":
        a = np.array(rng.integers(-50, 50, (40, 40)), dtype, order=order)
        for i, j in ((0, 39), (3, 20), (5, 5), (7, 16), (30, 2)):
            same(fn, a, i, j, whole=(i, j) == (0, 39))


@pytest.mark.parametrize("fn", PROGRAMS)
def test_beyond_the_ends(fn: Callable[..., Any]) -> None:
    a = np.random.default_rng(1).integers(-50, 50, (30, 33), dtype=np.int32)
    for i, j in ((0, 30), (0, 33), (0, 60), (-4, 29), (-30, 20), (2, 31)):
        same(fn, a, i, j, whole=False)


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_what_overflows_warns(fn: Callable[..., Any], dtype: str) -> None:
    limits = np.iinfo(dtype)
    for place in (1, 11, 20, 37):
        a = np.ones((40, 40), dtype)
        a[:, place] = limits.max
        a[place] = limits.max if place % 2 else limits.min
        same(fn, a, 0, 39, whole=False)


def test_a_long_stretch_in_pieces() -> None:
    def largest(x: Array, y: Array) -> Any:
        best = x[0]
        for k in range(x.shape[0]):
            best = max(best, x[k] + y[k])
        return best

    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 1000, (2, 20_000), dtype=np.int32)
    same(largest, x, y)
    same(largest, x[::3], y[::-2][: x[::3].size], whole=False)
    x[17_003] = np.iinfo("i4").max
    same(largest, x, y, whole=False)


def test_rows_of_a_table() -> None:
    """Each stretch reads what the rounds around it have stored."""

    def fold(n: int, seeds: Array) -> Any:
        table = np.zeros((n, n), np.int32)
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                best = max(table[i, j - 1], table[i + 1, j])
                for k in range(i + 1, j):
                    best = max(best, table[i, k] + table[k + 1, j])
                table[i, j] = best + seeds[(i + j) % seeds.shape[0]]
        return table

    same(fold, 33, np.arange(7, dtype=np.int32) % 3)


def test_others_go_one_by_one() -> None:
    """Floats have two zeros, and numbers without an order; narrow ints are as fast."""

    def largest(x: Array) -> Any:
        best = x[0]
        for k in range(x.shape[0]):
            best = max(best, x[k])
        return best

    rng = np.random.default_rng(3)
    for x in (rng.normal(size=50), rng.integers(0, 9, 50).astype("i2"), rng.random(50) > 0.5):
        compiled = jitcore.compile(largest)
        assert outcome(compiled, x) == outcome(largest, x)
        assert not any(STRETCH in text for text in sources(compiled, x))


def test_where_another_number_is_carried() -> None:
    def places(x: Array) -> Any:
        best, at = x[0], 0
        for k in range(x.shape[0]):
            if x[k] > best:
                best, at = x[k], k
        return best, at

    x = np.random.default_rng(4).integers(0, 1 << 30, 100, dtype=np.int32)
    same(places, x, whole=False)


def choice_within(a: Array, b: Array, c: Array) -> Any:
    best = a[0]
    for k in range(len(a)):
        w = a[k] if a[k] > best else b[k]
        best = max(best, w + c[k])
    return best


def two_choices(a: Array, b: Array, c: Array) -> Any:
    best = a[0]
    for k in range(len(a)):
        best = max(best, max(a[k], best) + c[k] - b[k])
    return best


def least_of_differences(a: Array, b: Array, c: Array) -> Any:
    best = a[0]
    for k in range(len(a)):
        best = min(best, min(a[k], best) - b[k])
    return best


@pytest.mark.parametrize("fn", [choice_within, two_choices, least_of_differences])
def test_another_choice_in_the_round(fn: Callable[..., Any]) -> None:
    a, b, c = np.random.default_rng(4).integers(0, 1000, (3, 500))
    same(fn, a, b, c, whole=False)
