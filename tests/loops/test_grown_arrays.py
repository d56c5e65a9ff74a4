"""An array of a list that a loop has filled is part of the graph; so is a power of a number above
zero."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore


def falling(height: float, dt: float, steps: int) -> Any:
    path = []
    speed = 0.0
    for _ in range(steps):
        path.append(height)
        speed -= 9.81 * dt
        height += speed * dt
        if height < 0.0:
            break
    return np.array(path)


def narrow(x: Any) -> Any:
    found = []
    for value in x:
        if value > 0.25:
            found.append(value)
    return np.asarray(found, dtype=np.float32)


def mixed(n: int) -> Any:
    found = [0]
    for k in range(n):
        found.append(k * 2**40)
        if k > 3:
            found.append(True)
    return np.array(found)


def letters(text: str) -> Any:
    found = []
    for one in text:
        if one != "b":
            found.append(one)
    return np.array(found)


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (falling, [(3.0, 0.01, 500), (3.0, 0.01, 20), (3.0, 0.01, 0)]),
    (narrow, [(np.sin(np.arange(30.0)),), (np.zeros(30),)]),
    (mixed, [(0,), (3,), (9,)]),
    (letters, [("abcabd" * 3,), ("",)]),
]


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_same_as_cpython(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    fn = jitcore.compile(function)
    for args in calls * 3:
        got, wanted = fn(*args), function(*args)
        assert got.dtype == wanted.dtype
        assert got.flags.owndata
        assert got.tolist() == wanted.tolist()
    assert fn(*calls[0]) is not fn(*calls[0])
    assert not jitcore.explain(fn)(*calls[0]).breaks


def test_is_one_graph() -> None:
    fn = jitcore.compile(falling)
    fn(3.0, 0.01, 100)
    (graph,) = jitcore.explain(fn)(3.0, 0.01, 100).graphs
    assert graph.routines


def test_warnings_are_cpythons() -> None:
    fn = jitcore.compile(narrow)
    x = np.full(9, 1e300)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            got = fn(x)
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            wanted = narrow(x)
        assert got.tolist() == wanted.tolist()
        assert [(str(w.message), w.lineno) for w in ours] == [
            (str(w.message), w.lineno) for w in theirs
        ]


def rates(alpha: float, x: Any) -> Any:
    decay = 2.0**-alpha
    return np.sqrt(x * decay + 3 ** (alpha * 0.5)) + x


def test_powers_of_numbers_above_zero() -> None:
    fn = jitcore.compile(rates)
    x = np.arange(30_000.0)
    for alpha in (0.25, -3.5, 0.0, 700.0):
        assert np.array_equal(fn(alpha, x), rates(alpha, x))
    with pytest.raises(OverflowError):
        fn(-2000.0, x)
    about = jitcore.explain(fn)(0.25, x)
    assert len(about.graphs) == 1
    assert not about.breaks


def roots(n: int) -> float:
    total = 0.0
    for k in range(n):
        total += (k * 0.5) ** 0.5
    return total


def test_roots_of_zero_stay_in_the_loop() -> None:
    fn = jitcore.compile(roots)
    for n in (0, 1, 50):
        assert fn(n) == roots(n)
    assert len(jitcore.explain(fn)(50).graphs) == 1
