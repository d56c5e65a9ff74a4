"""Operations of NumPy's on arrays that die together, by what malloc's heap may keep.

    python benchmarks/heap.py MEGABYTES KIB     the processor's µs and page faults of a step

Each size is a process: glibc's figures only rise.
"""

from __future__ import annotations

import resource
import statistics
import sys
from typing import Any

import numpy as np

from jitcore import _C

ROUNDS, WARM = 7, 20


def step(u: Any, v: Any) -> Any:
    a, b = u * 2, v + 1
    c = a * b
    d = np.maximum(a, c)
    e = d - b
    return np.where(e > 1, e, c) + u


def use() -> tuple[float, int]:
    """The processor's seconds, and page faults, so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, used.ru_minflt


def measure(size: int) -> tuple[float, float]:
    x, y = np.ones(size << 7), np.ones(size << 7)
    for _ in range(WARM):
        step(x, y)
    calls = max(5, (1 << 16) // size)
    rounds = []
    for _ in range(ROUNDS):
        seconds, faults = use()
        for _ in range(calls):
            step(x, y)
        now = use()
        rounds.append(((now[0] - seconds) / calls, (now[1] - faults) / calls))
    return statistics.median(r[0] for r in rounds), statistics.median(r[1] for r in rounds)


if __name__ == "__main__":
    _C.heap_keep(int(sys.argv[1]) << 20, 60)
    took, faulted = measure(int(sys.argv[2]))
    print(f"{took * 1e6:.0f} µs, {faulted:.0f} page faults")
