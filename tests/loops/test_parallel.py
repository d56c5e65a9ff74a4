"""Rounds that are dealt out among threads leave arrays as rounds one after the other would."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.ends import ends

import jitcore
from jitcore import _C
from jitcore.loops.transform import dots
from jitcore.runtime.records import records

Array = np.ndarray[Any, Any]
N = 97
THREADS = (1, 2, 5)


@pytest.fixture(autouse=True)
def dealt_always() -> Iterator[None]:
    before = _C.threads()
    jitcore.reset()
    _C.deal_always(True)
    yield
    _C.deal_always(False)
    _C.set_threads(before)
    jitcore.reset()


def numbers(*shape: int, seed: int = 3) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def check(fn: Callable[..., Any], make: Callable[[], tuple[Any, ...]]) -> int:
    """How many launches were shared among threads."""
    want = ends(fn, make())
    compiled = jitcore.compile(fn)
    shared = 0
    for threads in THREADS:
        _C.set_threads(threads)
        for _ in range(3):
            _C.threads_again()
            before = _C.threads_state()[1]
            assert ends(compiled, make()) == want, threads
            shared += _C.threads_state()[1] - before
    record = records.find(compiled.__wrapped__.__code__)
    assert record is not None and any(region.routines for region in record.regions)
    return shared


# ---- rounds that are each other's ---------------------------------------------------------------
def elements(x: Array, out: Array) -> None:
    for i in range(len(x)):
        t = x[i] * 2.0
        out[i] = t * t - x[0]


def places(x: Array, out: Array) -> Array:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            n = 0
            a = x[i] + x[j]
            while n < 30 and a * a < 40.0:
                a = a * 1.5 + 0.25
                n += 1
            out[i, j] = n
    return out


def columns(x: Array, out: Array) -> None:
    for j in range(2, out.shape[1], 3):
        for i in range(out.shape[0]):
            out[i, j] = x[j, i] - out[i, j]


def rows(x: Array, out: Array) -> None:
    for i in range(len(out)):
        out[i, : i + 1] *= 0.5
        out[i, : i + 1] += x[i, : i + 1] * x[i, i]


def two(x: Array, out: Array, more: Array) -> None:
    for i in range(len(x)):
        out[i] = x[i] + more[0, i]
        more[1, i] = out[i] * 2.0
        more[0, i] = 1.0


def gathered(x: Array, at: Array, out: Array) -> None:
    for i in range(len(at) - 1):
        s = 0.0
        for k in range(at[i], at[i + 1]):
            s += x[k]
        out[i] = s


def products(x: Array, at: Array, out: Array) -> None:
    for i in range(len(at) - 1):
        out[i] = x[at[i] : at[i + 1]] @ x[at[i] : at[i + 1]] + x @ x[::-1]


def triangle(x: Array, out: Array) -> None:
    for i in range(len(out)):
        for j in range(len(out)):
            out[i, j] = x[i, :] @ x[:, j]
        for j in range(i):
            out[i, j] -= out[i, :j] @ x[j, :j]


def pairs(k: int) -> tuple[Array, Array]:
    return numbers(k), np.zeros(k)


def starts() -> Array:
    return np.sort(np.random.default_rng(5).integers(0, N, N))


APART = {
    elements: lambda: pairs(N),
    places: lambda: (numbers(N), np.zeros((40, N), np.int64)),
    columns: lambda: (numbers(N, N), numbers(N, N, seed=4)),
    rows: lambda: (numbers(N, N), numbers(N, N, seed=4)),
    two: lambda: (numbers(N), np.zeros(N), numbers(2, N)),
    gathered: lambda: (numbers(N), starts(), np.zeros(N)),
    products: lambda: (numbers(N), starts(), np.zeros(N)),
    triangle: lambda: (numbers(N, N), numbers(N, N, seed=4)),
}


@pytest.mark.parametrize("fn", APART, ids=lambda fn: fn.__name__)
def test_rounds_apart(fn: Callable[..., Any]) -> None:
    by_blas = fn in (products, triangle) and dots.orders() == (None, None)
    assert check(fn, APART[fn]) or by_blas


# ---- rounds that are not ------------------------------------------------------------------------
def forward(x: Array, out: Array) -> None:
    for i in range(1, len(x)):
        out[i] = out[i - 1] * 0.5 + x[i]


def backward(x: Array, out: Array) -> None:
    for i in range(len(x) - 1):
        out[i] = out[i + 1] + x[i]


def crossed(x: Array, out: Array) -> None:
    for i in range(len(out)):
        out[i, 0] = out[0, i] + 1.0


def summed(x: Array, out: Array) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return s


def last(x: Array, out: Array) -> float:
    t = 0.0
    for i in range(len(x)):
        t = x[i] * 2.0
        out[i] = t
    return t


def held(x: Array, out: Array) -> None:
    first = out[0]
    for i in range(len(out)):
        out[i, 1] = first[0] + x[i % 3]
        first[0] += 1.0


def stepped_back(x: Array, out: Array) -> None:
    for i in range(2, -len(out), -1):
        out[i] += x[i]


def turned(x: Array, out: Array) -> None:
    flat = out.T
    for i in range(len(out)):
        flat[i, 0] = out[i, 0] + 1.0


TOGETHER = {
    forward: lambda: pairs(N),
    backward: lambda: pairs(N),
    crossed: lambda: (numbers(3), numbers(N, N)),
    summed: lambda: pairs(N),
    last: lambda: pairs(N),
    held: lambda: (numbers(3), np.zeros((N, 2))),
    stepped_back: lambda: pairs(N),
    turned: lambda: (numbers(3), numbers(N, N)),
}


@pytest.mark.parametrize("fn", TOGETHER, ids=lambda fn: fn.__name__)
def test_rounds_in_order(fn: Callable[..., Any]) -> None:
    check(fn, TOGETHER[fn])


def test_one_array_in_two_places() -> None:
    def from_behind() -> tuple[Array, Array]:
        both = numbers(N)
        return both[:-1], both[1:]

    def from_ahead() -> tuple[Array, Array]:
        both = numbers(N)
        return both[1:], both[:-1]

    def itself() -> tuple[Array, Array]:
        both = numbers(N)
        return both, both

    for make in (from_behind, from_ahead, itself):
        jitcore.reset()
        assert not check(elements, make)


def test_gaps_between_elements() -> None:
    def make() -> tuple[Array, Array]:
        return numbers(N), np.zeros((N, 2))[:, 1]

    check(elements, make)


# ---- rounds that leave --------------------------------------------------------------------------
def divided(x: Array, out: Array) -> None:
    for i in range(len(x)):
        out[i] = 1 // int(x[i])


def grown(x: Array, out: Array) -> None:
    for i in range(len(x)):
        n = int(x[i])
        out[i] = float(n * n * n * n)


def until(x: Array, out: Array) -> str:
    for i in range(len(x)):
        if x[i] < 0.0:
            break
        out[i] = x[i]
    else:
        return "all"
    return "some"


def returned(x: Array, out: Array) -> int:
    for i in range(len(x)):
        out[i] = 1.0
        if x[i] < 0.0:
            return i
    return -1


@pytest.mark.parametrize("at", [0, 1, 40, N - 1])
def test_a_round_that_raises(at: int) -> None:
    def make() -> tuple[Array, Array]:
        x = np.full(N, 3.0)
        x[at] = 0.0
        return x, np.zeros(N)

    check(divided, make)


@pytest.mark.parametrize("size", [1, 30, N - 1])
def test_a_round_beyond_the_array(size: int) -> None:
    check(elements, lambda: (numbers(N), np.zeros(size)))
    check(rows, lambda: (numbers(N, size), numbers(N, N)))


@pytest.mark.parametrize("at", [0, 3, 60, N - 1])
def test_a_round_that_warns(at: int) -> None:
    def make() -> tuple[Array, Array]:
        x = numbers(N)
        x[at] = 1e200
        return x, np.zeros(N)

    check(elements, make)


@pytest.mark.parametrize("at", [0, 50, N - 1])
def test_an_int_of_many_digits(at: int) -> None:
    def make() -> tuple[Array, Array]:
        x = np.full(N, 7.0)
        x[at] = 1e15
        return x, np.zeros(N)

    check(grown, make)


@pytest.mark.parametrize("fn", [until, returned])
@pytest.mark.parametrize("at", [0, 50, N - 1, N])
def test_a_round_that_ends_the_loop(fn: Callable[..., Any], at: int) -> None:
    def make() -> tuple[Array, Array]:
        x = np.full(N, 7.0)
        x[at:] = -1.0
        return x, np.zeros(N)

    check(fn, make)


def slow(x: Array, out: Array) -> None:
    for i in range(len(out)):
        a = x[i % 8]
        for _ in range(20_000):
            a = a * 0.5 + 0.25
        out[i] = a


class Alarm(Exception):
    pass


@pytest.mark.parametrize("threads", THREADS)
def test_a_signal_finds_the_rounds_before(threads: int) -> None:
    def ring(*_: object) -> None:
        raise Alarm

    compiled = jitcore.compile(slow)
    x = numbers(8)
    whole = np.zeros(20_000)
    _C.set_threads(threads)
    compiled(x, whole[:50])  # compiled
    compiled(x, whole)
    out = np.zeros(20_000)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        began = time.monotonic()
        with pytest.raises(Alarm):
            compiled(x, out)
            time.sleep(10.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 9.0
    done = int(np.count_nonzero(out))
    assert (out[:done] == whole[:done]).all() and not out[done:].any()


def test_a_loop_that_is_always_left_is_not_dealt_out() -> None:
    """One piece after another is left: after a few launches nobody tries again."""
    _C.deal_always(False)
    x = np.full(400_000, 3.0)
    x[-1] = 0.0
    compiled = jitcore.compile(divided)
    for _ in range(8):
        with pytest.raises(ZeroDivisionError):
            compiled(x, np.zeros(len(x)))
    before = _C.threads_state()[1]
    with pytest.raises(ZeroDivisionError):
        compiled(x, np.zeros(len(x)))
    assert _C.threads_state()[1] == before
