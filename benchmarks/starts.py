"""python -m benchmarks.starts NAME ...: seconds of compiling each kernel in a new process.

Run after the kernels were compiled once into the same cache folder (JITCORE_CACHE_DIR): what is
left is reading the bytecode, trying NumPy's loops, and loading. Prints JSON: name → seconds of a
graph.
"""

from __future__ import annotations

import json
import subprocess
import sys

import jitcore
from benchmarks.kernels import KERNELS
from benchmarks.measure import fresh
from benchmarks.registry import Kernel


def measured(names: list[str]) -> dict[str, float]:
    """In a process of its own, with this environment."""
    command = [sys.executable, "-m", "benchmarks.starts", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def start(kernel: Kernel) -> float | None:
    """None: there is no graph."""
    args = fresh(kernel, kernel.arguments("small"))
    about = jitcore.explain(jitcore.compile(kernel.function))(*args)
    return about.times["compiling"] / len(about.graphs) if about.graphs else None


def main() -> None:
    found = {name: start(KERNELS[name]) for name in sys.argv[1:]}
    print(json.dumps({name: seconds for name, seconds in found.items() if seconds is not None}))


if __name__ == "__main__":
    main()
