"""Stores into what the right side reads in part: a row and a column are copied first."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from codegen_harness import assert_same
from codegen_values import tame, wild

import jitcore

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": lambda a: a.copy(),
    "F": lambda a: a.copy(order="F"),
    "backward": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "wide": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
}


def paths(a: Array) -> None:
    for k in range(a.shape[0]):
        a[:] = np.minimum(a, np.add.outer(a[:, k], a[k]))


def eliminated(a: Array) -> None:
    for k in range(a.shape[0]):
        a[...] = a - np.multiply.outer(a[:, k], a[k, :])


def columns(a: Array) -> None:
    for k in range(a.shape[0]):
        a += a[:, k : k + 1] * 2 + a[k]


def constants(a: Array) -> None:
    a[1:] = a[1:] * 3 + a[2] - np.subtract.outer(a[1:, 0], a[0])


def views_of_views(a: Array) -> None:
    for k in range(a.shape[0]):
        a[:] = a[:, k][:, None] + a[k][None] * a


def read_after(a: Array) -> list[Any]:
    found = []
    for k in range(a.shape[0]):
        row = a[k]
        b = row + 1
        a[:] = a - row * 2 + b
        found.append((row, b, row.copy(), row - 1))
    return found


def apart(a: Array) -> None:
    for k in range(a.shape[0]):
        a[1:, 1:] = a[1:, 1:] + np.add.outer(a[1:, 0], a[0, 1:]) * k


PROGRAMS = [paths, eliminated, columns, constants, views_of_views, read_after, apart]


def run(fn: Any, array: Array, state: str) -> tuple[Any, list[Any]]:
    with warnings.catch_warnings(record=True) as found, np.errstate(all=state):
        warnings.simplefilter("always")
        try:
            result = fn(array)
        except FloatingPointError as error:
            result = str(error)
    return result, [(one.category, str(one.message), one.lineno) for one in found]


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", "?bHiQfdD")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_numpy(fn: Any, dtype: str, layout: str) -> None:
    fast = jitcore.compile(fn)
    for size in (20, 33):
        for make in (tame, wild):
            for state in ("ignore", "warn", "raise"):
                want, got = (LAYOUTS[layout](make(dtype, (size, size), 3)) for _ in range(2))
                try:
                    told = run(fn, want, state)
                except (TypeError, ValueError):  # a subtraction of bools
                    with pytest.raises((TypeError, ValueError)):
                        run(fast, got, state)
                    continue
                made = run(fast, got, state)
                assert made[1] == told[1], (state, make.__name__, size)
                assert_same(got, want, f"{state} {make.__name__} {size}")
                compare(made[0], told[0])


def compare(made: Any, told: Any) -> None:
    if isinstance(told, list):
        for a, b in zip(made, told, strict=True):
            for one, two in zip(a, b, strict=True):
                assert_same(one, two, "results")
    else:
        assert made == told


@pytest.mark.parametrize("fn", [paths, constants, apart])
def test_a_kernel_stores(fn: Any) -> None:
    a = np.arange(900).reshape(30, 30) % 17
    told = str(jitcore.explain(fn)(a.copy()))
    assert "_store)" in told, told


def test_other_arrays_at_the_same_place() -> None:
    """Which arrays overlap is known when the code runs."""

    def fn(a: Array, row: Array) -> None:
        for k in range(3):
            a[:] = np.minimum(a, np.add.outer(a[:, k], row)) + 1

    fast = jitcore.compile(fn)
    for overlapping in (False, True, True, False):
        want, got = (np.arange(400.0).reshape(20, 20) for _ in range(2))
        fn(want, want[5] if overlapping else np.ones(20))
        fast(got, got[5] if overlapping else np.ones(20))
        assert np.array_equal(got, want)
