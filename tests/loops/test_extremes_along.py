"""The largest and the least of parts of arrays along some axes, in loops that run in C."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def pooled(x: Array, n: int) -> Array:
    out = np.zeros((x.shape[0], n, x.shape[2]), x.dtype)
    for i in range(n):
        out[:, i] = np.max(x[:, i : i + 3, :], axis=1)
    return out


def squares(x: Array, n: int) -> Array:
    out = np.zeros((x.shape[0], n, x.shape[3]), x.dtype)
    for i in range(n):
        out[:, i] = x[:, i : i + 2, i + 1 : i + 4, :].min(axis=(1, 2))
    return out


def rows(x: Array, n: int) -> Array:
    out = np.zeros((n, x.shape[0]), x.dtype)
    for i in range(n):
        out[i] = (x[:, i : i + 4] + x[:, i : i + 4]).max(axis=-1)
    return out


def columns(x: Array, n: int) -> Array:
    out = np.zeros((n, x.shape[1]), x.dtype)
    for i in range(n):
        out[i] = np.amin(x[i : 2 * i + 1 : 2], axis=0)
    return out


def nothing(x: Array, n: int) -> Array:
    out = np.zeros((n, x.shape[1]), x.dtype)
    for i in range(n):
        out[i] = np.max(x[: n // 2 - i], axis=0)
    return out


PROGRAMS = ((pooled, (3, 24, 5)), (squares, (2, 24, 24, 3)), (rows, (6, 30)), (columns, (40, 7)))


def outcome(fn: Callable[..., Any], *args: Any) -> Any:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = fn(*args)
            found: Any = made.dtype, made.shape, np.where(made != made, 0, made).tobytes()
        except Exception as error:
            found = type(error), str(error)
    return found, [(one.category, str(one.message), one.lineno) for one in heard]


def same(fn: Callable[..., Any], x: Array, n: int) -> None:
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(compiled, x, n) == outcome(fn, x, n)


@pytest.mark.parametrize(("fn", "shape"), PROGRAMS)
@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f4", "f8"])
def test_bits(fn: Callable[..., Any], shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(len(shape))
    x = (rng.normal(size=shape) * 40).astype(dtype)
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert outcome(compiled, x, 19) == outcome(fn, x, 19)
    (one,) = routines(compiled)
    assert one.launches == 3
    same(fn, np.ascontiguousarray(x.T).T, 19)
    same(fn, x[..., ::-1], 19)


@pytest.mark.parametrize(("fn", "shape"), PROGRAMS)
@pytest.mark.parametrize("odd", [np.nan, -0.0, np.inf, -np.inf])
def test_odd_numbers(fn: Callable[..., Any], shape: tuple[int, ...], odd: float) -> None:
    rng = np.random.default_rng(7)
    for base in (np.zeros(shape), rng.normal(size=shape), np.full(shape, -1.0)):
        x = base.copy()
        x[rng.random(shape) < 0.1] = odd
        same(fn, x, 19)
        same(fn, x.astype("f4"), 19)


def test_of_nothing() -> None:
    same(nothing, np.random.default_rng(1).random((20, 4)), 12)
