"""What the memory of this machine gives, and how much its caches hold: STREAM's copy and add, made
by NumPy, on as many threads as jitcore uses.

J. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995.
Bytes are counted as STREAM counts them: a store is its own bytes only. Measured when a roofline is
first shown: some 0.1 s, and 100 MB that are given back. Others may have the memory at that moment:
where a kernel reaches more, it is measured again, a few times, and the best counts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import pairwise
from threading import Thread

import numpy as np

ELEMENTS = 4_000_000  # of float64: each array alone is about an L3 cache of 32 MiB
ROUNDS = 4
MOST = 4  # measurements of a process, for each number of threads
measured: dict[int, list[float | None]] = {}


def bandwidth(threads: int, reached: float = 0.0) -> float | None:
    """Bytes per second, the best so far. `reached`: by kernels, out of memory. None: there is no
    room for the arrays, or for the threads."""
    found = measured.setdefault(threads, [])
    while not found or (len(found) < MOST and (best(found) or reached) < reached):
        found.append(measure(threads))
    return best(found)


def best(found: list[float | None]) -> float | None:
    return max((one for one in found if one is not None), default=None)


def measure(threads: int) -> float | None:
    """The best of the rounds."""
    try:
        a, b, c = (np.ones(ELEMENTS) for _ in range(3))
    except MemoryError:
        return None
    ends = [ELEMENTS * k // threads for k in range(threads + 1)]
    parts = [slice(*pair) for pair in pairwise(ends)]

    def copy(part: slice) -> None:
        np.copyto(a[part], b[part])

    def add(part: slice) -> None:
        np.add(b[part], c[part], out=a[part])

    rounds = [(2, copy), (3, add)] * ROUNDS
    try:
        return max(count * a.nbytes / seconds(loop, parts) for count, loop in rounds)
    except RuntimeError:  # of a thread that cannot start
        return None


def seconds(loop: Callable[[slice], None], parts: list[slice]) -> float:
    """All parts at once."""
    others = [Thread(target=loop, args=(part,), daemon=True) for part in parts[1:]]
    start = time.perf_counter()
    begun: list[Thread] = []
    try:
        for one in others:
            one.start()
            begun.append(one)
        loop(parts[0])
    finally:
        for one in begun:
            one.join()
    return time.perf_counter() - start


def caches() -> int:
    """Bytes of the largest; 0 where the system does not say."""
    found = [size(f"SC_LEVEL{level}_CACHE_SIZE") for level in (2, 3, 4)]
    return max(found)


def size(name: str) -> int:
    try:
        return max(os.sysconf(name), 0)
    except (OSError, ValueError):
        return 0
