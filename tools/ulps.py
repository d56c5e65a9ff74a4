"""numerics="fast": how far its functions are from the true values, and how fast its kernels are.

    python tools/ulps.py                      the worst errors, in units in the last place
    python tools/ulps.py --sums               of sums, in roundings of the sum of magnitudes
    python tools/ulps.py --speed              kernels of benchmarks/, exact and fast in turns
    NPY_DISABLE_CPU_FEATURES="AVX512_SKX …"   as on a processor without these instructions

The reference is NumPy's function of np.longdouble, which has 11 bits more than a double on x86-64.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

import numpy as np

import benchmarks.kernels  # noqa: F401
import jitcore
from benchmarks.registry import KERNELS
from jitcore.kernels.fast_math import FUNCTIONS
from jitcore.toolchain.compiler import machine

Array = np.ndarray[Any, Any]

ENDS = (-np.inf, np.inf)
# Ufunc → the range of its argument; None stands for all numbers. Of two arguments, of both.
RANGES: Mapping[str, tuple[float, float]] = {
    "exp": (-745.0, 709.7),
    "exp2": (-1074.0, 1023.9),
    "expm1": (-750.0, 709.7),
    **dict.fromkeys(("log", "log2", "log10"), (0.0, np.inf)),
    "log1p": (-1.0, np.inf),
    **dict.fromkeys(("sin", "cos", "tan", "arctan", "tanh", "arcsinh", "cbrt"), ENDS),
    **dict.fromkeys(("arcsin", "arccos", "arctanh"), (-1.0, 1.0)),
    **dict.fromkeys(("sinh", "cosh"), (-710.0, 710.0)),
    "arccosh": (1.0, np.inf),
    "power": (0.0, np.inf),
    **dict.fromkeys(("arctan2", "hypot"), ENDS),
}
TIMED = (
    "damped_radius damped_radius_f32 gelu gelu_f32 black_scholes black_scholes_f32 "
    "haversine haversine_f32 softmax softmax_f32"
)


def arguments(name: str, dtype: str, count: int, seed: int) -> list[Array]:
    """Of every magnitude in the range, and evenly between its ends or -20 and 20."""
    rng = np.random.default_rng(seed)
    low, high = RANGES[name]
    limits = np.finfo(dtype)
    found = []
    for _ in range(FUNCTIONS[name].operands):
        wide = np.ldexp(rng.uniform(1, 2, count), rng.integers(limits.minexp, limits.maxexp, count))
        near = np.ldexp(rng.uniform(1, 2, count), rng.integers(-40, 12, count))
        signed = np.concatenate([wide, near]) * rng.choice([-1.0, 1.0], 2 * count)
        even = rng.uniform(max(low, -20.0), min(high, 20.0), count)
        ends = rng.uniform(max(low, -1e3), min(high, 1e3), count)
        one = np.concatenate([signed, even, ends])
        one = np.where((one >= low) & (one <= high), one, even[0])
        found.append(one.astype(dtype))
    return found


def function(name: str) -> Callable[..., Any]:
    """The ufunc as a function of two calls, so that a kernel is made of it."""
    ufunc = getattr(np, name)
    if ufunc.nin == 2:
        return lambda x, y: np.positive(ufunc(x, y))
    return lambda x: np.positive(ufunc(x))


def worst(name: str, dtype: str, count: int = 50_000, seed: int = 1) -> float:
    """The largest error of the fast function, in units in the last place of the true value."""
    jitcore.reset()  # functions of one code would share a limit
    args = arguments(name, dtype, count, seed)
    fast = jitcore.compile(function(name), numerics="fast")
    with np.errstate(all="ignore"):
        for _ in range(3):
            got = fast(*args)
        true = getattr(np, name)(*(arg.astype(np.longdouble) for arg in args))
        rounded = true.astype(dtype)
        counted = np.isfinite(rounded) & np.isfinite(got)
        assert np.array_equal(np.isnan(got), np.isnan(rounded)), name
        error = np.abs(got.astype(np.longdouble) - true)[counted]
        return float((error / np.spacing(np.abs(rounded[counted]))).max())


def errors(count: int) -> Iterator[str]:
    yield f"{machine(widest=True) or 'this machine'}: largest error of each function, in ulp"
    yield f"{'':10} {'float64':>8} {'float32':>8}"
    for name in FUNCTIONS:
        found = [max(worst(name, dtype, count, seed) for seed in range(3)) for dtype in "df"]
        yield f"{name:10} {found[0]:8.2f} {found[1]:8.2f}"


LENGTHS = (100, 1_000, 10_000, 100_000, 1_000_000)


def terms(dtype: str, n: int, seed: int) -> Iterator[Array]:
    """Of one sign, where errors add up; of both; of many magnitudes."""
    rng = np.random.default_rng([seed, n])
    yield np.full(n, rng.uniform(1, 2)).astype(dtype)
    yield rng.uniform(0, 1, n).astype(dtype)
    yield rng.normal(size=n).astype(dtype)
    yield (np.ldexp(rng.uniform(1, 2, n), rng.integers(-20, 20, n))).astype(dtype)


def worst_sum(dtype: str, n: int, fast: bool, seeds: int) -> float:
    """The largest error of `(2 * x).sum()` as a multiple of u times the sum of magnitudes."""
    jitcore.reset()
    run = jitcore.compile(lambda x: (x * 2.0).sum(), numerics="fast" if fast else "exact")
    unit = float(np.finfo(dtype).eps) / 2
    found = 0.0
    for seed in range(seeds):
        for x in terms(dtype, n, seed):
            for _ in range(10):  # the first ones try what pays
                got = float(run(x))
            values = (2 * x.astype(float)).tolist()
            error = abs(math.fsum([*values, -got]))
            found = max(found, error / (unit * math.fsum(map(abs, values))))
    return found


def sums(seeds: int) -> Iterator[str]:
    yield "largest error of a sum of n values, in u times the sum of their magnitudes"
    yield f"{'n':>9} {'bound':>7} {'float64':>8} {'exact':>7} {'float32':>8} {'exact':>7}"
    for n in LENGTHS:
        found = [worst_sum(dtype, n, fast, seeds) for dtype in "df" for fast in (True, False)]
        text = "{:8.2f} {:7.2f} {:8.2f} {:7.2f}".format(*found)
        yield f"{n:9} {48 + math.log2(n):7.1f} {text}"


def in_turns(name: str, turns: int) -> str:
    kernel = KERNELS[name]
    args = kernel.arguments("large")
    exact, fast = (jitcore.compile(kernel.function, numerics=n) for n in ("exact", "fast"))
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(-12, turns):  # the first ones compile, and try what pays
        for function, found in zip((exact, fast), seconds, strict=True):
            start = time.perf_counter()
            function(*args)
            if turn >= 0:
                found.append(time.perf_counter() - start)
    ratio = median(a / b for a, b in zip(*seconds, strict=True))
    times = " ".join(f"{1e3 * median(found):9.3f}" for found in seconds)
    return f"{name:20} {times} {ratio:7.2f}"


def speeds(turns: int) -> Iterator[str]:
    yield f"{'large':20} {'exact ms':>9} {'fast ms':>9} {'ratio':>7}"
    yield from (in_turns(name, turns) for name in TIMED.split())


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--sums", action="store_true")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--count", type=int, default=50_000, help="of arguments of each kind")
    parser.add_argument("--turns", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args(words)
    jitcore.set_num_threads(chosen.threads)
    made = speeds(chosen.turns) if chosen.speed else errors(chosen.count)
    for line in sums(chosen.seeds) if chosen.sums else made:
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
