"""Loops that run in C: left for signals and other threads, gone on with, given up where it does not
pay."""

from __future__ import annotations

import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from support.routines import routines

import jitcore
from jitcore.attach import attach
from jitcore.config import environment


def collatz(limit: int) -> int:
    longest = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


def spin(n: int, x: np.ndarray) -> int:
    s = 0
    for i in range(n):
        s += i % 5
        x[i % 8] += 1.0
    return s


def whole(rounds: int) -> int:
    """What spin returns after so many rounds."""
    return rounds // 5 * 10 + sum(range(rounds % 5))


def test_a_loop_runs_in_c() -> None:
    fn = jitcore.compile(collatz)
    assert [fn(300), fn(300)] == [collatz(300)] * 2
    (one,) = routines(fn)
    assert one.launches == 2 and one.exits == 0


class Interrupted(Exception):
    pass


def test_a_signal_is_handled_within_a_long_loop() -> None:
    """At a whole round: the array and the number are as CPython would have left them."""
    seen: list[tuple[int, int]] = []

    def handler(*_: object) -> None:
        frame = sys._getframe(1)
        seen.append((frame.f_locals["i"], frame.f_locals["s"]))
        raise Interrupted

    fn = jitcore.compile(spin)
    fn(10, np.zeros(8))
    old = signal.signal(signal.SIGALRM, handler)
    x = np.arange(8.0)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Interrupted):
            fn(10**12, x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    ((i, s),) = seen
    assert i > 10**5
    done = i + (s == whole(i + 1))  # the signal comes before a round, or after its first statement
    assert s in (whole(i), whole(i + 1))
    counts = x - np.arange(8.0)
    assert sum(counts) in (done - 1, done)


def test_another_thread_runs_meanwhile() -> None:
    fn = jitcore.compile(spin)
    fn(10, np.zeros(8))
    stop, ticks = threading.Event(), []

    def tick() -> None:
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    x = np.arange(8.0)
    before = len(ticks)
    found = fn(20_000_000, x)
    during = len(ticks) - before
    stop.set()
    other.join()
    assert during >= 2
    assert found == whole(20_000_000)
    assert (x - np.arange(8.0) == 2_500_000.0).all()


def test_a_loop_that_was_left_goes_on_in_c() -> None:
    """After an exit in mid-flight the next round is compiled code again, with CPython's own
    iterator."""

    def every(n: int, x: np.ndarray) -> float:
        s = 0.0
        for i in range(n):
            s += x[i % 8]
            if i % 1000 == 999:
                print(i, s)
        return s

    fn = jitcore.compile(every)
    x = np.arange(8.0)
    assert fn(5000, x) == fn(5000, x) == every(5000, x)
    found = [one for one in routines(fn) if one.launches]
    assert sum(one.exits for one in found) >= 5
    assert sum(one.launches for one in found) >= 6


def test_a_shared_iterator_is_left_to_cpython() -> None:
    """What has a name might be asked for its next item."""

    def shared(n: int) -> tuple[int, int]:
        it = iter(range(n))
        s = 0
        for i in it:
            s += i
            if s > 50:
                break
        return s, next(it)

    def given(it: Iterator[int]) -> tuple[int, int]:
        s = 0
        for i in it:
            s += i
            if s > 50:
                break
        return s, next(it, -1)

    fn = jitcore.compile(shared)
    assert [fn(100), fn(100)] == [shared(100)] * 2
    also = jitcore.compile(given)
    for n in (100, 8, 100):
        assert also(iter(range(n))) == given(iter(range(n)))


def test_a_loop_that_is_left_each_round_is_given_up() -> None:
    def left(n: int) -> int:
        s = 0
        for i in range(n):
            if i >= 0:
                s += len(str(i))
            else:
                s -= 1
        return s

    fn = jitcore.compile(left)
    assert fn(3000) == left(3000)
    launches = sum(one.launches for one in routines(fn))
    assert fn(3000) == left(3000)
    assert sum(one.launches for one in routines(fn)) - launches < 200


def test_a_global_that_a_handler_changes_is_seen() -> None:
    space: dict[str, object] = {"np": np}
    source = """
STOP = False
def wait(n):
    k = 0
    while not STOP and k < n:
        k += 1
    return k
"""
    exec(source, space)
    fn = jitcore.compile(space["wait"])
    fn(10)

    def handler(*_: object) -> None:
        space["STOP"] = True

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert fn(10**13) < 10**13
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_references_stay_balanced() -> None:
    fn = jitcore.compile(spin)
    x = np.arange(8.0)
    fn(100, x)
    before = sys.getrefcount(x)
    for n in (0, 1, 5, 100, 1000):
        fn(n, x)
        with pytest.raises(IndexError):
            fn(n + 9, x[:5])
    assert sys.getrefcount(x) == before


def test_the_report_counts_loops() -> None:
    fn = jitcore.compile(collatz)
    fn(50)
    text = str(jitcore.explain(fn)(50))
    assert "2 loops" in text
    assert "jitcore_kernel" in jitcore.explain(fn)(50).source()


def test_no_compiler_leaves_loops_to_cpython(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = jitcore.compile(collatz, backend="numpy")
    assert fn(50) == collatz(50)
    assert not routines(fn)


def count_down(n: int, into: np.ndarray) -> int:
    """Changes something, so that its loop needs a frame."""
    steps = 0
    while n:
        n, steps = n - 1, steps + 1
        into[0] = n
    return steps


USUAL = dataclasses.replace(environment(), keep_all=False)


def test_loops_of_few_rounds_are_left_to_cpython_and_a_long_one_is_not() -> None:
    fn = attach(count_down, USUAL)
    into = np.zeros(1)
    for _ in range(5000):
        assert fn(2, into) == 2
    launches = sum(one.launches for one in routines(fn))
    assert launches < 1500
    for _ in range(3):
        assert fn(200_000, into) == 200_000
    rounds = sum(one.launches for one in routines(fn)) - launches
    assert 1 <= rounds < 200


def test_short_loops_of_numpy_numbers_stay_compiled() -> None:
    def total(x: np.ndarray) -> float:
        s = 0.0
        for v in x:
            s += v * v - s
        return s

    fn = attach(total, USUAL)
    x = np.arange(12.0)
    for _ in range(300):
        assert fn(x) == total(x)
    assert sum(one.launches for one in routines(fn)) >= 300
