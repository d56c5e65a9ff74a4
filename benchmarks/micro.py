"""One fused kernel against NumPy: f(x, y) = sqrt(x*x + y*y) * exp(-x) + y.

    python benchmarks/micro.py [sizes...]

Both run in turns within one process; printed are medians and their ratio. The kernel is called
directly, so guards and frames are not in its time.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.config import environment
from jitcore.ir import BY_OPERATOR, OPS, Builder, Value, type_of
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernel
from jitcore.passes.window import fused

Array = np.ndarray[Any, Any]
SIZES = (10, 1_000, 1_000_000, 10_000_000)
SECONDS = 1.0  # for each size


def eager(x: Array, y: Array) -> Array:
    result: Array = np.sqrt(x * x + y * y) * np.exp(-x) + y
    return result


def traced(x: Array, y: Array) -> FusionGroup:
    """The same as a group."""
    b = Builder()
    vx, vy = b.input(type_of(x)), b.input(type_of(y))

    def op(sign: str, *args: Value) -> Value:
        made: Value = b.emit(BY_OPERATOR.get(sign) or OPS[sign], args)
        return made

    root = op("sqrt", op("+", op("*", vx, vx), op("*", vy, vy)))
    result = op("+", op("*", root, op("exp", op("neg", vx))), vy)
    (group,) = fused(b.nodes, {result})
    assert isinstance(group, FusionGroup)
    return group


def seconds(fn: Callable[..., Any], args: tuple[Any, ...], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        fn(*args)
    return (time.perf_counter() - start) / times


def measure(size: int) -> tuple[float, float]:
    """Median seconds of NumPy and of the kernel."""
    rng = np.random.default_rng(0)
    args = rng.random(size), rng.random(size)
    run = kernel(traced(*args), environment())
    if run is None:
        raise SystemExit("no kernel: is there a C compiler?")
    got = run(*args)
    assert got is not None and got[0].tobytes() == eager(*args).tobytes()
    times = max(1, int(20_000 / size))
    plain: list[float] = []
    fused: list[float] = []
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until or len(plain) < 5:
        plain.append(seconds(eager, args, times))
        fused.append(seconds(run, args, times))
    return statistics.median(plain), statistics.median(fused)


def main() -> None:
    print(f"{'elements':>10} {'NumPy':>12} {'kernel':>12} {'ratio':>7}")
    for size in map(int, sys.argv[1:] or SIZES):
        plain, fused = measure(size)
        print(f"{size:>10} {plain * 1e6:>9.2f} us {fused * 1e6:>9.2f} us {plain / fused:>7.2f}")


if __name__ == "__main__":
    main()
