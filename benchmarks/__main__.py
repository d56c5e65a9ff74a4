"""python -m benchmarks [--half lines loops] [--only NAME ...] [--sizes small medium large]
[--seconds 2] [--peers]"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jitcore
from benchmarks import bandwidth, page, plot, starts, table
from benchmarks.kernels import KERNELS
from benchmarks.measure import Row, launch, measure
from benchmarks.peers import installed
from benchmarks.registry import HALVES, SIZES, Kernel

OUTPUT = Path("bench-output")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="kernels or themes, by a part of it")
    parser.add_argument(
        "--half", nargs="+", choices=HALVES, default=[], help="lines; both with --only"
    )
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--seconds", type=float, default=2.0, help="for each kernel")
    parser.add_argument("--peers", action="store_true", help="also time the peers installed here")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the folder to write to")
    return parser.parse_args()


def chosen(words: Sequence[str] = (), halves: Sequence[str] = ()) -> list[Kernel]:
    """Kernels whose name contains one of the words, or whose theme it is; without words the
    lines, unless a half is named."""
    halves = halves or (HALVES if words else ("lines",))
    return [
        kernel
        for kernel in KERNELS.values()
        if kernel.half in halves
        and (not words or any(w in kernel.name or w == kernel.theme for w in words))
    ]


def main() -> None:
    options = arguments()
    kernels = chosen(options.only, options.half)
    if not kernels:
        raise SystemExit(f"no kernel matches; there are {', '.join(KERNELS)}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JITCORE_CACHE_DIR"] = folder  # read at the first compile: all start cold
        run(options, kernels, Path(folder))


def run(options: argparse.Namespace, kernels: list[Kernel], folder: Path) -> None:
    stream = bandwidth.bandwidth(folder)
    first_compile()
    ten = launch(KERNELS["chain7"], options.seconds / len(SIZES))
    print(table.launch_line(ten))
    peers = installed() if options.peers else {}
    print(table.heading(peers))
    rows: list[Row] = []
    for kernel in kernels:
        for size in options.sizes:
            rows.append(measure(kernel, size, options.seconds / len(options.sizes), peers))
            print(table.line(rows[-1]), flush=True)
    stream = bandwidth.better(stream, bandwidth.bandwidth(folder))
    print(table.bandwidth_line(stream))
    machine = table.Machine(stream, ten, starts.measured([k.name for k in kernels]))
    print(*table.sums(rows), table.compile_line(rows, machine.starts), sep="\n")
    keep(options.output, rows, machine)


def keep(folder: Path, rows: list[Row], machine: table.Machine) -> None:
    """benchmarks.json, .md, and .png where matplotlib is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    table.write(folder / "benchmarks.json", rows, machine)
    page.write(folder / "benchmarks.md", rows)
    if plot.available():
        plot.draw(folder / "benchmarks.png", rows, machine.bandwidth)
    print(f"written: {', '.join(map(str, sorted(folder.glob('benchmarks.*'))))}")


def first_compile() -> None:
    """The compiler's self-test and the imports are paid once a process, not by a kernel."""

    @jitcore.compile
    def any_chain(x: Any) -> Any:
        return x * 1.25 - x

    any_chain(np.ones(8))


if __name__ == "__main__":
    main()
