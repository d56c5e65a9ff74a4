"""Loops that end in several places, and functions that return from within them, are one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore

X = np.arange(40.0)
A = np.arange(60.0).reshape(6, 10)
N = 2**62


def is_prime(n: int) -> bool:
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def first(x: Any, wanted: float) -> int:
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def place(a: Any, wanted: float) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == wanted:
                return i * 100 + j
            if a[i, j] < 0:
                return None
    return -1.5


def four_ends(n: int, low: int, high: int) -> float:
    total = 0
    for value in range(n):
        if value > high:
            break
        if total > 500:
            return total * 2
        if (value + 1) % low == 0:
            return -total
        total += value
    else:
        total = -1
    return total + 5


def pair(a: Any, wanted: float) -> Any:
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] == wanted:
                return i, j
            if a[i, j] == 2 * wanted + 1:
                return a
    return a * 2.0


def power_above(base: int, limit: int) -> int:
    """Beyond 64 bits CPython goes on from the very round."""
    found = 1
    while True:
        if found > limit:
            return found
        if found == 0:
            return -1
        found *= base


def three_ways(n: int, limit: int) -> int:
    """An inner loop with three ends."""
    total = 0
    for k in range(5):
        i = 0
        while i < n:
            if i > limit:
                break
            if i == 37 + k:
                return total
            if total > 10**6:
                return -total
            total += i * k
            i += 1
        total += 1
    return total * 3


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (is_prime, [(n,) for n in (-3, 0, 1, 2, 3, 4, 9, 97, 1009, 10**6)]),
    (first, [(X, 7.0), (X, 0.0), (X, 39.0), (X, 0.5)]),
    (place, [(A, 0.0), (A, 35.0), (A, 0.25), (A - 30.0, 0.25)]),
    (four_ends, [(90, 99, 99), (90, 99, 5), (90, 7, 99), (9, 99, 99), (0, 1, 1)]),
    (pair, [(A, 7.0), (A, 35.0), (A, -0.5), (A, 0.25)]),
    (power_above, [(3, 1000), (3, 0), (0, 5), (7, 10**15)]),
    (three_ways, [(40, 5), (40, 20), (40, 10**9), (10**4, 10**9), (0, 1)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_is_one_graph(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    fn = jitcore.compile(function)
    for args in calls * 3:
        assert repr(fn(*args)) == repr(function(*args))
    about = jitcore.explain(fn)(*calls[1])
    assert len(about.graphs) == 1
    assert not about.breaks
    assert fn._hits > 0  # type: ignore[attr-defined]


def large_after(x: Any, limit: float) -> Any:
    """What follows is for kernels: the other end is CPython's."""
    total = 0.0
    for i in range(20):
        if x[i] > limit:
            return x
        total += x[i]
    return np.sqrt(x * x + total) - 1.0


def test_where_a_way_has_work_for_kernels_the_others_are_cpythons() -> None:
    x = np.arange(200_000.0)
    fn = jitcore.compile(large_after)
    for limit in (1e9, 3.0, 1e9):
        assert np.array_equal(fn(x, limit), large_after(x, limit))
    assert fn(x, 3.0) is x
    (graph,) = [one for one in jitcore.explain(fn)(x, 1e9).graphs if one.kernels]
    assert graph.routines


def test_numbers_beyond_64_bits_are_cpythons() -> None:
    fn = jitcore.compile(power_above)
    for limit in (N, 2**70, 10**30) * 3:
        assert fn(7, limit) == power_above(7, limit)


def raises(x: Any, wanted: float) -> int:
    for i in range(len(x) + 1):
        if x[i] == wanted:
            return i
        if x[i] > 1e300:
            raise ValueError(i)
    return -1


def test_errors_come_from_their_own_lines() -> None:
    fn = jitcore.compile(raises)
    for _ in range(3):
        assert fn(X, 30.0) == 30
        with pytest.raises(IndexError) as ours:
            fn(X, 0.5)
        with pytest.raises(IndexError) as theirs:
            raises(X, 0.5)
        assert ours.value.args == theirs.value.args
        assert ours.traceback[-1].lineno == theirs.traceback[-1].lineno
        with pytest.raises(ValueError, match="0"):
            fn(X + 1e301, 0.5)


def test_python_numbers_ask_for_no_error_state() -> None:
    """Whatever NumPy's is, Python's numbers are what they are: one entry serves all."""
    fn = jitcore.compile(is_prime)
    assert fn(97)
    with np.errstate(all="raise"):
        assert fn(89)
    about = jitcore.explain(fn)(97)
    (graph,) = about.graphs
    assert not any("errstate" in text for text in graph.guards)
    assert about.graphs[0].entry.hits >= 3
