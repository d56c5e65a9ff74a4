"""Parts that write into the program's arrays: the same bytes, and nothing where NumPy warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.toolchain.compiler import find

pytestmark = pytest.mark.skipif(find("") is None, reason="no C compiler")

RNG = np.random.default_rng(12)
X, Y = RNG.random((200, 300)), RNG.random((200, 300))


def inner(a: Any, b: Any) -> None:
    a[1:-1] = np.exp(a[1:-1]) * b[1:-1] + 1.0


def in_place(a: Any, b: Any) -> None:
    a += b * 2.0


def shifted(a: Any, b: Any) -> None:
    a[:, 1:] = a[:, 1:] * b[:, :-1] - 0.5


def overlapping(a: Any, b: Any) -> None:
    a[1:] = a[:-1] * b[1:] + 0.25


@pytest.mark.parametrize("shape", [(60_000,), (200, 300)])
@pytest.mark.parametrize("fn", [inner, in_place, shifted, overlapping])
def test_stores(fn: Callable[..., Any], shape: tuple[int, ...]) -> None:
    if fn is shifted and len(shape) == 1:
        pytest.skip("needs two axes")
    x, y = X.reshape(shape), Y.reshape(shape)
    want = x.copy()
    fn(want, y)
    fast = jitcore.compile(fn)
    for count in (1, 2, 3, 7, 7):
        _C.set_threads(count)
        _C.threads_again()
        got = x.copy()
        fast(got, y)
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("place", [1, 20_000, 59_998])
def test_an_overflow_warns_once_and_stores_as_numpy(place: int) -> None:
    x, y = X.ravel().copy(), Y.ravel()
    fast = jitcore.compile(inner)
    _C.set_threads(7)
    fast(x.copy(), y)
    x[place] = 1e5
    want = x.copy()
    with np.errstate(over="ignore"):
        inner(want, y)
    for _ in range(3):
        _C.threads_again()
        got = x.copy()
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            fast(got, y)
        assert [str(w.message) for w in found] == ["overflow encountered in exp"]
        assert got.tobytes() == want.tobytes()
