"""Loops over arrays, enumerate() and zip(), in C: left and gone on with, in CPython's iterators."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore


def over_array(x: np.ndarray) -> float:
    s = 0.0
    for v in x:
        s += v
        if s % 50 < 1:
            print(s)
    return s


def over_reversed(x: np.ndarray) -> float:
    s = 0.0
    for v in reversed(x):
        s += v
        if s % 50 < 1:
            print(s)
    return s


def over_enumerate(x: np.ndarray) -> float:
    s = 0.0
    for k, v in enumerate(x, 3):
        s += v
        if k % 100 == 99:
            print(k, s)
    return s


def over_zip(x: np.ndarray) -> float:
    s = 0.0
    for v, w, k in zip(x, reversed(x), range(2000, 0, -1), strict=False):
        s += v * w
        if k % 100 == 99:
            print(k, s)
    return s


def over_both(x: np.ndarray) -> float:
    s = 0.0
    for k, (v, (j, w)) in enumerate(zip(x, enumerate(x), strict=False)):
        s += v * w - j
        if k % 100 == 99:
            print(k, s)
    return s


def over_list(x: np.ndarray) -> float:
    s = 0.0
    xs = KEPT[len(x)]
    for k, v in enumerate(xs):
        s += v
        xs[k] = s
        if k % 100 == 99:
            print(k, s)
            xs[k] = 0.5
    return s


def over_text(x: np.ndarray) -> int:
    s = 0
    for c, b in zip(TEXT, DATA, strict=False):
        s += ord(c) * b
        if c == "z":
            print(c, b, s)
    return s


KEPT = {1000: [0.5] * 1000}
TEXT = "abcdefghijklmnopqrstuvwxyz" * 40
DATA = bytes(range(250)) * 4
LOOPS = (over_array, over_reversed, over_enumerate, over_zip, over_both, over_list, over_text)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_was_left_goes_on_in_c(loop: Callable[..., float]) -> None:
    """After an exit in mid-flight the next round is compiled code again."""
    fn = jitcore.compile(loop)
    x = np.arange(1000.0)
    found = []
    for one in (fn, fn, loop):
        KEPT[1000] = [0.5] * 1000
        found.append(one(x))
    assert found == found[:1] * 3
    launches = [one.launches for one in routines(fn)]
    assert sum(launches) > 10
    fn(x)
    again = [one.launches for one in routines(fn)]
    assert sum(again) - sum(launches) > 5


def test_a_signal_comes_between_two_items() -> None:
    seen: list[tuple[int, float, float]] = []

    def handler(_: int, frame: Any) -> None:
        if frame.f_code.co_name == "wait":
            space = frame.f_locals
            seen.append((space["k"], space["v"], space["s"]))

    def wait(x: np.ndarray) -> tuple[float, int]:
        s = 0.0
        for k, (v, w) in enumerate(zip(x, reversed(x), strict=False)):
            s = s + v + w
            if s < k + v:
                break
        return s, k

    fn = jitcore.compile(wait)
    x = np.arange(30_000_000.0)
    fn(x[:1000])
    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        found = fn(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    n = len(x)
    assert found == (n * (n - 1.0), n - 1)
    assert seen
    for k, v, total in seen:
        assert k == int(v) and total in (k * (n - 1.0), (k + 1) * (n - 1.0))


def test_an_iterator_that_others_hold_is_left_to_cpython() -> None:
    kept: list[Any] = []

    def shared(x: np.ndarray, stop: int) -> float:
        s = 0.0
        for k, v in kept[-1]:
            s += v
            if k == stop:
                print(next(kept[-1]))
        return s

    fn = jitcore.compile(shared)
    x = np.arange(100.0)
    for stop in (20, 50, 200):
        found = []
        for one in (shared, fn, fn):
            kept.append(enumerate(x))
            found.append(one(x, stop))
        assert found == found[:1] * 3


def test_nothing_is_held_after_a_loop() -> None:
    fn = jitcore.compile(over_both)
    x = np.arange(300.0)
    fn(x)
    before = sys.getrefcount(x)
    for _ in range(20):
        fn(x)
    assert sys.getrefcount(x) == before


def test_one_text_for_all_lengths() -> None:
    fn = jitcore.compile(over_both)
    for n in (300, 400):
        x = np.arange(float(n))
        assert fn(x) == over_both(x)
    texts = {one.source for one in routines(fn) if one.launches}
    assert len(texts) < sum(1 for one in routines(fn) if one.launches)
