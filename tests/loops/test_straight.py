"""Stores into parts of arrays that need no room: what overlaps, warns, and raises."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore
from jitcore import _C
from jitcore.runtime import warning_safety

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, ...]
N = 20_000
ORDER = np.array([1, 3, 2, 1, 2])
asked: list[bool] = []


@pytest.fixture(params=[True, False], ids=["sure", "not sure"], autouse=True)
def sure(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether a warning could neither raise nor run code: pytest records them."""

    def check() -> bool:
        asked.append(request.param)
        return bool(request.param)

    jitcore.reset()
    asked.clear()
    _C.set_warnings_check(check)
    yield request.param
    _C.set_warnings_check(warning_safety.Warned().passes)
    jitcore.reset()


def smoothed(a: Array, b: Array, order: Array) -> None:
    for _ in order:
        b[1:-1] = 0.25 * (a[:-2] + a[1:-1] * 2.0 + a[2:])
        a[1:-1] = 0.25 * (b[:-2] + b[1:-1] * 2.0 + b[2:])


def shifted(a: Array, b: Array, order: Array) -> None:
    for i in order:
        a[i:] = a[:-i] * 0.5 + b[i:]


def turned(a: Array, b: Array, order: Array) -> None:
    for _ in order:
        a[:] = a[::-1] * 0.5
        b[::2] = b[1::2] + a[::2]


def moved(a: Array, b: Array, order: Array) -> None:
    for i in order:
        a[i:] = a[:-i]
        b[:-i] = b[i:]
        b[:] = a


def read_before(a: Array, b: Array, order: Array) -> None:
    """CPython would repeat what reads b, should the store warn."""
    for i in order:
        first = b[i]
        b[:] = a * first


def summed_before(a: Array, b: Array, order: Array) -> None:
    for _ in order:
        total = b.sum()
        b[:] = a * total


def kept_before(a: Array, b: Array, order: Array) -> None:
    for _ in order:
        twice = b + b
        half = twice * 0.5
        a[:] = half * 0.5 + twice
        b[:] = half * 3.0 - a


def in_branches(a: Array, b: Array, order: Array) -> None:
    for i in order:
        x = b[3]
        if i % 2:
            b[1:] = a[1:] * x
        else:
            a[:-1] = b[:-1] * x


def inner(a: Array, b: Array, order: Array) -> None:
    for i in order:
        s = b[i]
        for j in order:
            b[j:] = a[j:] * s


PROGRAMS = [
    smoothed,
    shifted,
    turned,
    moved,
    read_before,
    summed_before,
    kept_before,
    in_branches,
    inner,
]


def columns(a: Array, b: Array) -> None:
    for j in range(1, a.shape[1] - 1):
        a[1:-1, j] = a[1:-1, j - 1] * 0.5 + b[:-2, j] * b[2:, j + 1]
        b[:, j] = a[:, j + 1] - a[:, j]


def blocks(a: Array, b: Array) -> None:
    for j in range(1, a.shape[1] - 2):
        a[:, j : j + 2] = a[:, j - 1 : j + 1] * 0.5
        b[1:, j : j + 2] = b[:-1, j : j + 2] + a[1:, j : j + 2]


def planes(a: Array, b: Array) -> None:
    for k in range(1, a.shape[2]):
        a[:, :, k] = a[:, :, k - 1] * 0.5 + b[:, :, k]
        b[1:, :, k] = b[:-1, :, k - 1] + a[:-1, ::-1, k]


def outcome(fn: Callable[..., None], *arrays: Array) -> tuple[list[tuple[str, int]], str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fn(*arrays)
            raised = ""
        except RuntimeWarning as error:
            raised = str(error)
    return [(str(one.message), one.lineno) for one in caught], raised


def assert_as_plain(fn: Callable[..., None], make: Callable[[], Arrays]) -> Any:
    """The arrays and the warnings are CPython's, at each of some calls."""
    jitted = jitcore.compile(fn)
    for _ in range(3):
        mine, plain = make(), make()
        assert outcome(jitted, *mine) == outcome(fn, *plain)
        for one, other in zip(mine, plain, strict=True):
            assert one.tobytes() == other.tobytes()
    assert routines(jitted)
    return jitted


def flat(scale: float = 1.0, *, n: int = N, at: int = 5) -> Arrays:
    rng = np.random.default_rng(5)
    a, b = rng.random(n), rng.random(n)
    a[at] = b[at] = scale
    return a, b, ORDER


@pytest.mark.parametrize("at", [0, 3, 7, N - 2])
@pytest.mark.parametrize("scale", [1.0, 1e308, np.inf, np.nan])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_two_arrays(fn: Callable[..., None], scale: float, at: int) -> None:
    assert_as_plain(fn, lambda: flat(scale, at=at))


def test_it_is_asked_for_large_arrays_only(sure: bool) -> None:
    jitted = assert_as_plain(smoothed, flat)
    assert asked and "rt_sure(" in jitcore.explain(jitted)(*flat()).source()
    asked.clear()
    assert_as_plain(smoothed, lambda: flat(n=500))
    assert not asked


@pytest.mark.parametrize("fn", [smoothed, moved, read_before, kept_before])
def test_arrays_that_share_memory(fn: Callable[..., None]) -> None:
    def same() -> Arrays:
        a, *_ = flat()
        return a, a, ORDER

    def beside() -> Arrays:
        a, *_ = flat()
        return a[:-1], a[1:], ORDER

    def between() -> Arrays:
        a, *_ = flat(n=2 * N)
        return a[::2], a[1::2], ORDER

    def backwards() -> Arrays:
        a, *_ = flat()
        return a, a[::-1], ORDER

    for make in (flat, same, beside, between, backwards):
        assert_as_plain(fn, make)


@pytest.mark.parametrize("scale", [1.0, 1e308])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("fn", [columns, blocks, planes])
def test_columns_and_planes(fn: Callable[..., None], order: Any, scale: float) -> None:
    def make() -> Arrays:
        rng = np.random.default_rng(6)
        shape = (40, 30, 12) if fn is planes else (400, 30)
        a, b = rng.random(shape), rng.random(shape)
        a.flat[700] = b.flat[900] = scale
        return np.array(a, order=order), np.array(b, order=order)

    assert_as_plain(fn, make)


def test_integers_need_no_question() -> None:
    def steps(a: Array, b: Array, order: Array) -> None:
        for i in order:
            a[i:] = b[:-i] * 3 + b[i:]
            b[:-i] = a[i:] - b[:-i]

    def make() -> Arrays:
        a, b, order = flat()
        return (a * 1e6).astype(np.int64), (b * 1e6).astype(np.int64), order

    assert_as_plain(steps, make)


def test_a_warning_that_raises_leaves_the_array() -> None:
    """As the machinery says itself: errors are none to be sure of."""
    _C.set_warnings_check(warning_safety.Warned().passes)
    jitted = jitcore.compile(smoothed)
    for _ in range(3):
        mine, plain = flat(1e308, at=N - 3), flat(1e308, at=N - 3)
        for fn, arrays in ((jitted, mine), (smoothed, plain)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(RuntimeWarning, match="overflow"):
                    fn(*arrays)
        for one, other in zip(mine, plain, strict=True):
            assert one.tobytes() == other.tobytes()
    assert routines(jitted)


def test_a_handler_that_raises_meanwhile() -> None:
    jitted = assert_as_plain(smoothed, flat)

    def check() -> bool:
        raise KeyboardInterrupt

    _C.set_warnings_check(check)
    mine, plain = flat(), flat()
    with pytest.raises(KeyboardInterrupt):
        jitted(*mine)
    for one, other in zip(mine, plain, strict=True):
        assert one.tobytes() == other.tobytes()
