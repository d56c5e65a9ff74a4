"""Loops that change nothing run on the arguments of a call alone; left, they are CPython's
from the call on."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.runtime.records import records

Array = np.ndarray[Any, Any]


def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def norm(x: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        s += x[i] * x[i]
    return np.sqrt(s) / n


def named(a: int, *, times: int = 3, step: float = 0.5) -> tuple[float, int]:
    total = 0.0
    for k in range(times):
        total += a * step + k
    return total, times


def filled(x: Array, n: int) -> int:
    for i in range(n):
        x[i] = i
    return n


def grown(n: int) -> list[int]:
    found = []
    for i in range(n):
        found.append(i * i)
    return found


def sorted_each(x: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        s += np.sort(x * i)[0]
    return s


calls = 0


def counted(n: int) -> int:
    global calls
    s = 0
    for i in range(n):
        s += i
    calls = calls + 1
    return s


def needs_frame(fn: Any) -> list[bool]:
    record = records.find(fn.__wrapped__.__code__)
    assert record is not None
    return [r.entry.needs_frame for r in record.regions if r.routines and r.entry is not None]


ALONE = [
    (gcd, (1071, 462)),
    (norm, (np.linspace(1.0, 2.0, 40), 40)),
    (named, (3,)),
    (counted, (30,)),
]
WITH_FRAME = [
    (filled, (np.zeros(40), 40)),
    (grown, (40,)),
    (sorted_each, (np.linspace(1.0, 2.0, 40), 40)),
]


@pytest.mark.parametrize(("fn", "args"), ALONE, ids=lambda x: getattr(x, "__name__", ""))
def test_no_frame(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    compiled = jitcore.compile(fn)
    compiled(*args)
    before = compiled.cache_info().hits
    for _ in range(20):
        assert repr(compiled(*args)) == repr(fn(*args))
    assert needs_frame(compiled) == [False]
    assert compiled.cache_info().hits >= before + 20


@pytest.mark.parametrize(("fn", "args"), WITH_FRAME, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_changed_needs_one(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    compiled = jitcore.compile(fn)
    for _ in range(3):
        assert repr(compiled(*args)) == repr(fn(*args))
    assert all(needs_frame(compiled))


def test_effects_happen_once() -> None:
    compiled = jitcore.compile(counted)
    compiled(5)
    before = calls
    for n in 4, 1, 0, 3, 7, 8:
        compiled(n)
    with pytest.raises(TypeError):
        compiled("x")
    assert calls == before + 6


def test_arguments_by_name() -> None:
    compiled = jitcore.compile(named)
    for _ in range(4):
        assert compiled(2, step=0.25) == named(2, step=0.25)
        assert compiled(a=2, times=5) == named(a=2, times=5)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        compiled()


def test_an_exception_has_its_own_traceback() -> None:
    compiled = jitcore.compile(norm)
    x = np.linspace(1.0, 2.0, 40)
    compiled(x, 40)
    for fn in compiled, norm:
        with pytest.raises(IndexError) as raised:
            fn(x, 41)
        lines = traceback.extract_tb(raised.value.__traceback__)
        assert [line.name for line in lines][-1] == "norm"
        assert lines[-1].line == "s += x[i] * x[i]"
        assert str(raised.value) == "index 40 is out of bounds for axis 0 with size 40"


def test_a_loop_that_is_always_left_asks_for_a_frame_at_once() -> None:
    compiled = jitcore.compile(gcd)
    compiled(1071, 462)
    for _ in range(12):
        assert compiled(3**80, 3**40) == 3**40
    for _ in range(3):
        assert compiled(1071, 462) == 21


def test_big_ints_and_other_types() -> None:
    compiled = jitcore.compile(gcd)
    for a, b in ((1071, 462), (2**62, 2**63), (-(2**63), -1), (0, 0), (True, 2), (7.5, 2.5)):
        assert repr(compiled(a, b)) == repr(gcd(a, b))
        assert repr(compiled(a, b)) == repr(gcd(a, b))


def test_a_signal_ends_it() -> None:
    def spin(n: int) -> int:
        s = 0
        for i in range(n):
            s += i & 3
        return s

    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    compiled = jitcore.compile(spin)
    compiled(100)
    before = signal.signal(signal.SIGALRM, ring)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Alarm):
            compiled(10**12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 60.0


def test_references_stay_as_they_are() -> None:
    compiled = jitcore.compile(norm)
    x = np.linspace(1.0, 2.0, 40)
    compiled(x, 40)
    before = sys.getrefcount(x)
    for n in [40, 41] * 200:
        try:
            compiled(x, n)
        except IndexError:
            continue
    assert sys.getrefcount(x) == before
