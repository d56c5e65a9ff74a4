"""`in` over a few numbers or characters is part of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore


def vowels(text: str) -> int:
    count = 0
    for one in text:
        if one in "aeiou":
            count += 1
        if one not in "xyz":
            count += 100
    return count


def marked(n: int, k: int) -> int:
    count = 0
    for i in range(n):
        if i % 12 in (0, 2, 4, 5, 7, 9, 11):
            count += 1
        if i not in (k, k + 3, 7.0, True):
            count += 1000
        if i % 5 in {1, 2}:
            count += 10**6
    return count


def floats(x: Any) -> Any:
    found = []
    for value in x:
        found.append(value in (0.5, 1, 2.0, -0.0))
    return found


def in_a_set(x: Any) -> int:
    count = 0
    for value in x:
        if value in {0.5, 0.1, 3}:
            count += 1
    return count


def constants(x: Any, limit: float) -> int:
    """A nan is identical to itself."""
    odd = float("nan")
    count = 0
    for value in x.tolist():
        if value in (odd, limit):
            count += 1
        if value in (value, 3.0):
            count += 10
    return count


X = np.array([0.5, 1.0, 3.0, 0.0, np.nan, 2.0, -0.0, 7.5] * 3)
CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (vowels, [("hello wide world" * 9,), ("",), ("xyz\u0101" * 5,)]),
    (marked, [(100, 9), (3, 0), (60, -4)]),
    (floats, [(X,), (X[:2],)]),
    (in_a_set, [(X,), (np.float32([0.1, 0.5, 3.0] * 4),), (np.arange(12, dtype=np.uint8),)]),
    (constants, [(X, 7.5), (X[:4], 0.5)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_same_as_cpython(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    fn = jitcore.compile(function)
    for args in calls * 3:
        assert repr(fn(*args)) == repr(function(*args))


@pytest.mark.parametrize("function", [vowels, marked])
def test_is_one_graph(function: Callable[..., Any]) -> None:
    args = ("hello wide world" * 9,) if function is vowels else (100, 9)
    fn = jitcore.compile(function)
    fn(*args)
    about = jitcore.explain(fn)(*args)
    assert not about.breaks
    (graph,) = about.graphs
    assert graph.routines
