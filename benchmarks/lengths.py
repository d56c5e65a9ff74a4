"""Many sizes, few compiles: each kernel called with as many sizes, and an entry for all of them
beside one for a single size.

    python -m benchmarks.lengths [--count 1000] [--only NAMES]  compiles, and calls without an entry
    python -m benchmarks.lengths --speed medium                 one size's entry ÷ all sizes' entry

Bits are compared at every size. The ratio of speeds is a median over rounds in turns; above 1 the
entry for all sizes is faster.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import jitcore
from benchmarks.bits import difference
from benchmarks.kernels import KERNELS
from benchmarks.registry import SIZES, Kernel

LEAST, MOST = 40, 6000
ROUNDS = 60
SECONDS = 1.0
MORE = 1.1  # times as long as the entry for one size: a kernel that is named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="sizes of each kernel")
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--speed", choices=SIZES)
    options = parser.parse_args()
    chosen = [k for k in KERNELS.values() if k.half == "lines"]
    chosen = [k for k in chosen if not options.only or k.name in options.only]
    if options.speed:
        speeds(chosen, options.speed)
    else:
        compiles(chosen, options.count)


def compiles(chosen: list[Kernel], count: int) -> None:
    few = 0
    for kernel in chosen:
        sizes = np.random.default_rng(5).choice(np.arange(LEAST, MOST), count, replace=False)
        compiled: Any = jitcore.compile(kernel.function)
        for n in sizes:
            same(kernel, compiled, int(n))
        info = compiled.cache_info()
        few += info.compiles <= 3
        left = f"{info.misses} of {count} calls without an entry"
        print(f"{kernel.name:24} {info.compiles:3} compiles, {left}", flush=True)
    print(f"{few} of {len(chosen)} with three compiles or fewer")


def same(kernel: Kernel, compiled: Callable[..., Any], n: int) -> None:
    ours, theirs = (kernel.inputs(n, np.random.default_rng(n)) for _ in range(2))
    found = difference(kernel.function(*theirs), compiled(*ours)) or difference(theirs, ours)
    assert not found, f"{kernel.name} at {n}: {found}"


def speeds(chosen: list[Kernel], size: str) -> None:
    ratios: dict[str, float] = {}
    for kernel in chosen:
        n = kernel.counts[size][0]
        one = jitcore.compile(kernel.function, dynamic=False)
        every: Any = jitcore.compile(kernel.function)
        for other in (int(n * 1.3) + 3, int(n * 1.15) + 2):
            every(*kernel.inputs(other, np.random.default_rng(1)))
        args = kernel.inputs(n, np.random.default_rng(1))
        pairs = [*turns(one, every, args)]
        ratio = ratios[kernel.name] = statistics.median(a / b for a, b in pairs)
        both = (statistics.median(times) * 1e6 for times in zip(*pairs, strict=True))
        text = " / ".join(f"{one:.2f}" for one in both)
        print(f"{kernel.name:24} {text} us = {ratio:.2f}{served(every)}", flush=True)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    slower = {name: 1 / ratio for name, ratio in ratios.items() if ratio < 1 / MORE}
    print(
        f"geometric mean {mean:.2f}; {len(slower)} of {len(ratios)} take over {MORE} times as long"
    )
    for name, times in sorted(slower.items(), key=lambda item: -item[1]):
        print(f"  {name:22} {times:.2f}")


def served(every: Any) -> str:
    """Was it an entry for all sizes that was measured?"""
    busiest = max(every.cache_info().details, key=lambda one: one.hits, default=None)
    return "" if busiest is not None and busiest.dynamic else ", by an entry for one size"


def turns(
    one: Callable[..., Any], every: Callable[..., Any], args: Any
) -> Iterator[tuple[float, float]]:
    """Seconds of a call of each."""
    for _ in range(12):  # trials are over
        one(*args)
        every(*args)
    repeat = max(1, int(2e-4 / max(timed(one, args, 1), 1e-7)))
    started = time.perf_counter()
    for k in range(ROUNDS):
        if k % 2:
            first = timed(one, args, repeat)
            yield first, timed(every, args, repeat)
        else:
            second = timed(every, args, repeat)
            yield timed(one, args, repeat), second
        if time.perf_counter() - started > SECONDS:
            return


def timed(fn: Callable[..., Any], args: Any, repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        fn(*args)
    return (time.perf_counter() - start) / repeat


if __name__ == "__main__":
    main()
