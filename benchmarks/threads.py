"""What a second thread saves: NumPy, one thread and all of them, in turns within one process.

    python -m benchmarks.threads [--seconds 1] [--sizes medium large] [--only NAMES]
    python -m benchmarks.threads --lengths            where threads begin to pay

Ratios are medians over the rounds: NumPy ÷ one thread, NumPy ÷ all threads, one ÷ all; above 1 the
second is faster. The last column is the share of the processors that was idle meanwhile: on a busy
machine there is nothing to gain.
"""

from __future__ import annotations

import argparse
import statistics
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import jitcore
from benchmarks.bits import difference
from benchmarks.kernels import KERNELS
from benchmarks.registry import Args
from benchmarks.timing import in_turns
from jitcore import _C

WARM_UP = 12  # calls: the trial of an entry takes eight
CHOSEN = (
    "triad chain7 damped_radius rescale_and_clip black_scholes haversine sobel_magnitude srgb_gamma"
    " rgb_to_ycbcr composite_u8 gelu weighted_statistics root_mean_square_error jacobi_step"
    " sir_step vadv_level"
).split()
ALL = jitcore.get_num_threads()
LENGTHS = (8192, 16_384, 32_768, 65_536, 131_072, 1_048_576)

LONE: dict[str, Callable[..., Any]] = {
    "x*y + 1": lambda x, y: x * y + 1.0,
    "sqrt(x*x + y*y)*0.5 + x": lambda x, y: np.sqrt(x * x + y * y) * 0.5 + x,
    "exp(-x)*y": lambda x, y: np.exp(-x) * y,
    "sin(x) + y": lambda x, y: np.sin(x) + y,
    "(x*y).sum()": lambda x, y: (x * y).sum(),
    "exp(x)": lambda x, y: np.exp(x),
}


def busy() -> tuple[int, int]:
    """Ticks that processors were idle, and all ticks, since the machine started."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    return ticks[3], sum(ticks[:8])


def limited(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        _C.set_threads(count)
        return function(*args)

    return call


def anew(function: Any) -> Callable[..., Any]:
    """The same function, of which nothing has been compiled."""
    return types.FunctionType(function.__code__.replace(), function.__globals__)


def measure(
    label: str, function: Callable[..., Any], args: Args, writes: tuple[int, ...], seconds: float
) -> None:
    fast = jitcore.compile(function)
    _C.set_threads(ALL)
    _C.threads_again()
    for _ in range(WARM_UP):
        fast(*(np.copy(a) if k in writes else a for k, a in enumerate(args)))
    ways = {"numpy": function, "one": limited(fast, 1), "all": limited(fast, ALL)}
    if not writes:
        wrong = difference(fast(*args), function(*args))
        assert not wrong, (label, wrong)
    before = busy()
    readings = in_turns(ways, args, writes, seconds)
    after = busy()
    micro = {name: statistics.median(found) * 1e6 for name, found in readings.items()}
    idle = (after[0] - before[0]) / max(1, after[1] - before[1])
    ratios = " ".join(
        f"{statistics.median(a / b for a, b in zip(readings[x], readings[y], strict=True)):8.2f}"
        for x, y in (("numpy", "one"), ("numpy", "all"), ("one", "all"))
    )
    times = " ".join(f"{micro[name]:10.1f}" for name in ways)
    print(f"{label:34} {times} {ratios} {idle:6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=CHOSEN)
    parser.add_argument("--sizes", nargs="*", default=("medium", "large"))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--lengths", action="store_true")
    asked = parser.parse_args()
    print(f"{ALL} threads, microseconds")
    print(f"{'':34} {'numpy':>10} {'one':>10} {'all':>10}    np/one   np/all  one/all   idle")
    if asked.lengths:
        for length in LENGTHS:
            rng = np.random.default_rng(0)
            x, y = rng.random(length), rng.random(length)
            for name, function in LONE.items():
                measure(f"{length} {name}", anew(function), (x, y), (), asked.seconds)
        return
    for size in asked.sizes:
        for name in asked.only:
            kernel = KERNELS[name]
            args = kernel.arguments(size)
            measure(f"{name} {size}", kernel.function, args, kernel.writes, asked.seconds)


if __name__ == "__main__":
    main()
