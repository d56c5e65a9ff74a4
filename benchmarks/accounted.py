"""How much of a call's time `jitcore.explain` gives to something.

    python -m benchmarks.accounted [--only NAME ...] [--half lines loops] [--sizes small medium]
                                   [--seconds 600]

Each program is compiled, called a few times, and explained a few times: `.accounted` of the best,
since others may have had the processor in between. Programs that there is no time for are counted.
"""

from __future__ import annotations

import argparse
import statistics
import time

import jitcore
from benchmarks.__main__ import chosen
from benchmarks.measure import fresh
from benchmarks.registry import HALVES, SIZES, Kernel

WARM_UP, TIMES = 3, 3


def accounted(kernel: Kernel, size: str) -> float:
    args = kernel.arguments(size)
    function = jitcore.compile(kernel.function)
    for _ in range(WARM_UP):
        function(*fresh(kernel, args))
    explained = jitcore.explain(function)
    found: list[float] = [explained(*fresh(kernel, args)).accounted for _ in range(TIMES)]
    return max(found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accounted", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="kernels or themes")
    parser.add_argument("--half", nargs="+", choices=HALVES, default=[])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["medium"])
    parser.add_argument("--seconds", type=float, default=600.0)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    found: list[float] = []
    left, until = 0, time.monotonic() + options.seconds
    for kernel in chosen(options.only, options.half):
        for size in options.sizes:
            if time.monotonic() > until:
                left += 1
                continue
            found.append(accounted(kernel, size))
            print(f"{kernel.name} {size:20} {found[-1]:6.3f}", flush=True)
    print(f"median of {len(found)}: {statistics.median(found):.3f}; least: {min(found):.3f}")
    if left:
        print(f"{left} were left out: there was no time")


if __name__ == "__main__":
    main()
