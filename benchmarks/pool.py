"""What the pool of large results saves: a fused kernel with fresh pages, with the pool, and NumPy.

    python benchmarks/pool.py [megabytes...]

Blocks of calls take turns within one process; each result dies before the next call. Printed are
medians of a call and ratios to NumPy (below 1 is faster). Whole compiled calls, guards included.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import jitcore
from jitcore import _C

Array = np.ndarray[Any, Any]
MEGABYTE = 1 << 20
LIMIT = 256 * MEGABYTE
SIZES = (1, 8, 80)  # megabytes of one float64 result
CALLS = 5  # in a row; the first of them is not timed
SECONDS = 4.0  # for each row


def short(x: Array, y: Array) -> Any:
    return x + y - 1.0


def chain(x: Array, y: Array) -> Any:
    return x * y + x - y * 0.5


def curve(x: Array, y: Array) -> Any:
    return np.sqrt(x * x + y * y) / (1.0 + x) + y


def several(x: Array, y: Array) -> Any:
    """Four results, all alive at once."""
    return x + y * 2.0, x - y * 2.0, x * y + 1.0, x * 0.5 + y


def block(fn: Callable[..., Any], x: Array, y: Array, limit: int) -> list[float]:
    """Seconds of each call."""
    _C.pool_limit(limit)
    found = []
    for _ in range(CALLS):
        start = time.perf_counter()
        result = fn(x, y)
        found.append(time.perf_counter() - start)
        del result
    return found[1:]


def measure(fn: Callable[..., Any], megabytes: float) -> list[float]:
    """Median seconds of NumPy, of the kernel on fresh pages, and of the kernel with the pool."""
    rng = np.random.default_rng(0)
    size = int(megabytes * MEGABYTE) // 8
    x, y = rng.random(size), rng.random(size)
    fast = jitcore.compile(fn)
    for _ in range(20):
        fast(x, y)
    ways = ((fn, 0), (fast, 0), (fast, LIMIT))
    times: list[list[float]] = [[] for _ in ways]
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for found, (way, limit) in zip(times, ways, strict=True):
            found += block(way, x, y, limit)
    return [statistics.median(found) for found in times]


def main() -> None:
    sizes = [float(word) for word in sys.argv[1:]] or list(SIZES)
    print("                MB  NumPy ms  fresh ms   pool ms   fresh    pool   pool/fresh")
    for fn in (short, chain, curve, several):
        for megabytes in sizes:
            eager, fresh, pool = measure(fn, megabytes)
            seconds = " ".join(f"{way * 1e3:9.3f}" for way in (eager, fresh, pool))
            ratios = f"{fresh / eager:7.3f} {pool / eager:7.3f} {pool / fresh:12.3f}"
            print(f"{fn.__name__:10} {megabytes:7g} {seconds} {ratios}", flush=True)


if __name__ == "__main__":
    main()
