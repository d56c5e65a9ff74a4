"""Contenders and arguments → seconds of each, taken in turns within one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.registry import Args

BATCH = 100e-6  # seconds that a reading shall take at least
MOST_CALLS = 100  # in one reading
FEWEST_ROUNDS = 9  # the median of fewer is a matter of luck on a shared machine


class Calls:
    """Arguments of the calls of one reading: the same for all of them, unless calls write."""

    def __init__(self, args: Args, writes: tuple[int, ...], count: int) -> None:
        self.saved = {k: args[k].copy() for k in writes}
        self.sets = [self.fresh(args) for _ in range(count)]

    def fresh(self, args: Args) -> Args:
        return tuple(self.saved[k].copy() if k in self.saved else a for k, a in enumerate(args))

    def restore(self) -> None:
        for args in self.sets:
            for k, value in self.saved.items():
                np.copyto(args[k], value)

    def seconds(self, function: Callable[..., Any]) -> float:
        """Of one call, on average over the reading."""
        self.restore()
        start = time.perf_counter()
        for args in self.sets:
            function(*args)
        return (time.perf_counter() - start) / len(self.sets)


def in_turns(
    contenders: dict[str, Callable[..., Any]],
    args: Args,
    writes: tuple[int, ...],
    budget: float,
) -> dict[str, list[float]]:
    """Readings of each contender, as many of one as of another; who goes first changes."""
    fastest = min(Calls(args, writes, 1).seconds(fn) for fn in contenders.values())
    calls = Calls(args, writes, max(1, min(MOST_CALLS, round(BATCH / fastest))))
    readings: dict[str, list[float]] = {name: [] for name in contenders}
    until = time.perf_counter() + budget
    names = list(contenders)
    while time.perf_counter() < until or len(readings[names[0]]) < FEWEST_ROUNDS:
        for name in names:
            readings[name].append(calls.seconds(contenders[name]))
        names.reverse()
    return readings
