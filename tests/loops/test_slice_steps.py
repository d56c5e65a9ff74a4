"""Slices whose step only run time knows, and arrays with one axis that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore


def sieve(limit: int) -> Any:
    prime = np.ones(limit, dtype=bool)
    prime[:2] = False
    p = 2
    while p * p < limit:
        if prime[p]:
            prime[p * p :: p] = False
        p += 1
    return np.flatnonzero(prime)


def sums(x: Any, n: int) -> Any:
    found = np.zeros(n)
    for k in range(n):
        found[k] = x[k :: k + 1].sum() + (x[: 2 * n : k + 1] * x[: 2 * n : k + 1]).sum()
    return found


def grids(a: Any, n: int) -> Any:
    for k in range(1, n):
        a[k::k, :: k + 1] += 0.5
        a[1 :: k + 2] = a[0, : a.shape[1]] * k
        a[:, 3::k] -= a[:1, 3::k]
    return a


def steps_of(x: Any, steps: Any) -> float:
    total = 0.0
    for step in steps:
        total += x[1::step].sum()
    return total


X = np.sin(np.arange(61.0))
CASES: list[tuple[Callable[..., Any], Callable[[], list[tuple[Any, ...]]]]] = [
    (sieve, lambda: [(n,) for n in (2, 3, 10, 100, 5000)]),
    (sums, lambda: [(X, 9), (X, 1), (X[::2], 9)]),
    (grids, lambda: [(np.arange(70.0).reshape(7, 10), 5), (np.ones((4, 9)), 3)]),
    (steps_of, lambda: [(X, np.array([1, 2, 5, 70, 3, 1, 2])), (X, [3, 1, 4] * 3)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_same_as_numpy(
    function: Callable[..., Any], calls: Callable[[], list[tuple[Any, ...]]]
) -> None:
    fn = jitcore.compile(function)
    for _ in range(3):
        for ours, theirs in zip(calls(), calls(), strict=True):
            assert np.array_equal(fn(*ours), function(*theirs))
    about = jitcore.explain(fn)(*calls()[0])
    assert not about.breaks
    assert any(graph.routines for graph in about.graphs)


def test_steps_that_are_not_upwards_are_numpys() -> None:
    fn = jitcore.compile(steps_of)
    for steps in ([2, 1, -1, 3], [1, 2, -7], [2**40, 1]):
        assert fn(X, np.array(steps)) == steps_of(X, np.array(steps))
        assert fn(X, steps) == steps_of(X, steps)
    for _ in range(3):
        with pytest.raises(ValueError, match="slice step cannot be zero"):
            fn(X, [1, 2, 0, 3])


def unused(x: Any, n: int) -> int:
    for k in range(n):
        x[:: k - 3]
    return n


def test_a_step_of_zero_raises_where_nobody_reads_the_part() -> None:
    fn = jitcore.compile(unused)
    for _ in range(3):
        assert fn(X, 3) == 3
        with pytest.raises(ValueError, match="slice step cannot be zero"):
            fn(X, 4)


def pulls(mass: Any, place: Any, rounds: int) -> Any:
    total = np.zeros((mass.shape[0], mass.shape[0]))
    for _ in range(rounds):
        far = place - place.T
        pull = mass * mass.T * far
        place = place + pull.sum(axis=1, keepdims=True) * 1e-3
        total = total + pull
    return total, place


@pytest.mark.parametrize("n", [1, 5, 40])
def test_columns_and_rows_give_c_order(n: int) -> None:
    fn = jitcore.compile(pulls)
    mass, place = np.arange(1.0, n + 1).reshape(n, 1), np.cos(np.arange(n)).reshape(n, 1)
    for rounds in (0, 1, 7):
        for got, wanted in zip(fn(mass, place, rounds), pulls(mass, place, rounds), strict=True):
            assert got.flags.c_contiguous == wanted.flags.c_contiguous
            assert got.strides == wanted.strides
            assert np.array_equal(got, wanted)
