"""python -m benchmarks.starts [NAME ...]: seconds of compiling each kernel in a new process.

Run after the kernels were compiled once into the same cache folder (JITCORE_CACHE_DIR): what is
left is reading the bytecode and loading. Prints JSON: name → seconds of a graph.

python -m benchmarks.starts --rounds 5: the first compile and the second process, each the least of
so many, which other programs on the machine disturb least; and their medians over the kernels. The
compiler has passed its test and NumPy's loops have been tried before. With --processor it is the
time that processors spent on the first call and its compilers, which tells more on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import jitcore
from benchmarks.kernels import KERNELS
from benchmarks.measure import fresh
from benchmarks.registry import Kernel

TARGETS = {"first": 0.140, "second": 0.005}  # seconds of a graph


def measured(
    names: Sequence[str], folder: str = "", options: Sequence[str] = ()
) -> dict[str, float]:
    """In a process of its own, with this environment, or with another cache folder."""
    command = [sys.executable, "-m", "benchmarks.starts", *options, *names]
    env = {**os.environ, **({"JITCORE_CACHE_DIR": folder} if folder else {})}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def start(kernel: Kernel, processor: bool = False) -> float | None:
    """None: there is no graph."""
    args = fresh(kernel, kernel.arguments("small"))
    before = used()
    about = jitcore.explain(jitcore.compile(kernel.function))(*args)
    seconds = used() - before if processor else about.times["compiling"]
    return seconds / len(about.graphs) if about.graphs else None


def used() -> float:
    """Seconds of processors that this process and the compilers that it started have taken."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(found.ru_utime + found.ru_stime for found in map(resource.getrusage, whose))


def rounds(names: Sequence[str], times: int, options: Sequence[str]) -> dict[str, dict[str, float]]:
    """Of "first" and "second" → kernel → seconds."""
    least: dict[str, dict[str, float]] = {"first": {}, "second": {}}
    with tempfile.TemporaryDirectory() as folder:
        measured(names, folder, options)  # the verdicts of the tests stay
        for _ in range(times):
            for path in Path(folder).glob("*.so"):
                path.unlink()
            for which in least:
                for name, seconds in measured(names, folder, options).items():
                    least[which][name] = min(seconds, least[which].get(name, seconds))
    return least


def report(found: dict[str, dict[str, float]]) -> None:
    print(f"{'kernel':24}{'first ms':>12}{'second ms':>12}")
    for name, first in found["first"].items():
        print(f"{name:24}{first * 1e3:12.1f}{found['second'][name] * 1e3:12.1f}")
    for which, seconds in found.items():
        all_of_it = sorted(seconds.values())
        within = sum(one <= TARGETS[which] for one in all_of_it)
        print(
            f"{which}: median {statistics.median(all_of_it) * 1e3:.1f} ms, up to "
            f"{all_of_it[-1] * 1e3:.1f}; {within} of {len(all_of_it)} within "
            f"{TARGETS[which] * 1e3:.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--processor", action="store_true")
    options = parser.parse_args()
    names = options.names or [k.name for k in KERNELS.values() if k.half == "lines"]
    if options.rounds:
        report(rounds(names, options.rounds, ["--processor"] if options.processor else []))
        return
    jitcore.reset()  # imports are no compiling
    found = {name: start(KERNELS[name], options.processor) for name in names}
    print(json.dumps({name: seconds for name, seconds in found.items() if seconds is not None}))


if __name__ == "__main__":
    main()
