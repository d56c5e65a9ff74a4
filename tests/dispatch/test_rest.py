"""A compiled function whose loops have next to no rounds is called as it is, until one is long."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records

USUAL = dataclasses.replace(environment(), keep_all=False)
POOR = 64  # runs in a row, of csrc/plan/entry.c
LONG = 200_000  # rounds


def total(n: int) -> int:
    s = 0
    for i in range(n):
        s += i
    return s


def stored(n: int, into: Any) -> int:
    """Its loop needs a frame, since it changes something."""
    for i in range(n):
        into[0] = i
    return n


def test_without_a_frame() -> None:
    fn: Any = attach(total, USUAL)
    for n in (0, 1):
        for _ in range(2 * POOR):
            assert fn(n) == total(n)
    hits = fn._hits
    assert hits < 3 * POOR
    assert fn(LONG) == total(LONG)  # as it is, but it was a long one
    for _ in range(3):
        assert fn(LONG) == total(LONG)
    assert fn._hits == hits + 3


def test_longer_loops_do_not_rest() -> None:
    fn: Any = attach(total, USUAL)
    for _ in range(4 * POOR):
        assert fn(50) == total(50)
    assert fn._hits >= 4 * POOR - 3


def test_with_a_frame() -> None:
    into = np.zeros(1)
    fn: Any = attach(stored, USUAL)
    for _ in range(40 * POOR):
        assert fn(1, into) == 1
    hits = launches(fn)
    assert hits < 10 * POOR
    for _ in range(4):
        assert fn(LONG, into) == LONG
    assert launches(fn) > hits


def launches(fn: Any) -> int:
    record = records.find(fn.__wrapped__.__code__)
    assert record is not None
    return sum(one.launches for region in record.regions for one in region.routines)


def caught(x: float, rounds: int) -> float:
    """Each exception leaves the loop; the sum is an int first, so there are several entries."""
    total: Any = 0
    for _ in range(rounds):
        for j in range(6):
            try:
                total += x / (j % 3)
            except ZeroDivisionError:
                total += 1
    return total


def test_several_entries_that_do_not_pay() -> None:
    """The points that have them are not asked any more, for a while."""
    fn: Any = attach(caught, USUAL)
    record = records.find(caught.__code__)
    assert record is not None
    rested = set()
    for _ in range(20 * POOR):
        assert fn(5.5, 10) == caught(5.5, 10)
        points = record.points.items()
        rested |= {offset for offset, one in points if len(one.entries) > 1 and one.penalty > 0}
    assert rested


def test_long_loops_outweigh_short_ones() -> None:
    """Nine of no use between two of use: it does not rest."""
    into = np.zeros(1)
    fn: Any = attach(stored, USUAL)
    for _ in range(4 * POOR):
        for n in (*(1,) * 9, LONG // 100):
            assert fn(n, into) == n
    assert launches(fn) > 30 * POOR
