"""Rows → the table on the console, its sums, and the JSON file."""

from __future__ import annotations

import json
import math
import platform
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import jitcore
from benchmarks.bandwidth import Bandwidth
from benchmarks.measure import Launch, Row
from benchmarks.registry import SIZES
from jitcore import __version__

FLOOR = 0.95
FIRST = 1.0  # seconds of compiling that a first call may take


@dataclass(frozen=True)
class Machine:
    """What was measured besides the rows. starts: seconds of a graph in a second process"""

    bandwidth: Bandwidth | None
    launch: Launch
    starts: dict[str, float]


def heading(peers: Iterable[str]) -> str:
    titles = (
        f"{'kernel':<24} {'size':<6} {'elements':>9} {'NumPy us':>11} {'jitcore us':>11} "
        f"{'ratio':>7} {'GB/s':>6} {'bits':>5} {'graphs':>7} {'breaks':>6} {'cold ms':>8} "
        f"{'warm ms':>8} {'first ms':>9}"
    )
    return titles + "".join(f" {name:>8}" for name in peers)


def line(row: Row) -> str:
    """One row; `graphs` says how many of them are left to CPython since."""
    graphs = f"{row.graphs}" + (f" (-{row.retired})" if row.retired else "")
    cells = (
        f"{row.kernel:<24} {row.size:<6} {row.elements:>9} {row.eager * 1e6:>11.2f} "
        f"{row.compiled * 1e6:>11.2f} {row.ratio:>7.2f} "
        f"{row.bytes / row.compiled / 1e9:>6.1f} {'NO' if row.difference else 'same':>5} "
        f"{graphs:>7} {len(row.breaks):>6} {row.cold * 1e3:>8.1f} {row.warm * 1e3:>8.1f} "
        f"{row.first * 1e3:>9.1f}"
    )
    ratios = (peer.ratio for peer in row.peers.values())
    return cells + "".join(f" {'-' if r is None else f'{r:.2f}':>8}" for r in ratios)


def geometric_mean(ratios: Iterable[float]) -> float:
    logarithms = [math.log(r) for r in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


def sums(rows: list[Row]) -> list[str]:
    """Geometric means per size, kernels below the floor, kernels with other bits."""
    lines = []
    for size in (s for s in SIZES if any(row.size == s for row in rows)):
        of_size = [row for row in rows if row.size == size]
        lines.append(f"geometric mean of {len(of_size)} kernels, {size}: {means(of_size)}")
        public = [row for row in of_size if row.npbench]
        if public and len(public) < len(of_size):
            lines.append(f"  of these {len(public)} of npbench, {size}: {means(public)}")
    slow = sorted((row for row in rows if row.ratio < FLOOR), key=lambda row: row.ratio)
    names = ", ".join(f"{row.kernel} {row.size} {row.ratio:.2f}" for row in slow)
    lines.append(f"below {FLOOR}: {names or 'none'}")
    lines += loop_lines([row for row in rows if row.half == "loops"])
    wrong = [f"{row.kernel} {row.size}: {row.difference}" for row in rows if row.difference]
    lines += ["other bits:", *wrong] if wrong else ["bits: the same everywhere"]
    return lines


def loop_lines(rows: list[Row]) -> list[str]:
    """What is asked of loops besides: one graph each, a short first call, a print that is free."""
    if not rows:
        return []
    whole = {row.kernel for row in rows if row.graphs == 1 and not row.breaks}
    idle = {row.kernel for row in rows if row.graphs == 0 and nothing_to_compile(row)}
    slowest = {row.kernel: row for row in sorted(rows, key=lambda row: row.cold)}.values()
    within = sum(row.cold <= FIRST for row in slowest)
    lines = [
        f"loops that are one graph without a break: {len(whole)} of {len(slowest)}"
        f" (in {len(idle)} others there is nothing to compile)",
        f"compiling all of a kernel, first, at its slowest size: "
        f"{spread([row.cold for row in slowest])}, {within} of {len(slowest)} within "
        f"{FIRST * 1e3:.0f} ms",
        f"a first call as a whole, {rows[0].size}: "
        f"{spread([row.first for row in rows if row.size == rows[0].size])}",
    ]
    seconds = {(row.kernel, row.size): row.compiled for row in rows}
    for size in SIZES[1:]:  # a small one does little but print
        if ("scalar_loop_print", size) in seconds and ("scalar_loop", size) in seconds:
            kept = seconds["scalar_loop", size] / seconds["scalar_loop_print", size]
            lines.append(f"a loop that prints ten times, {size}: {kept:.0%} of the speed without")
    return lines


def nothing_to_compile(row: Row) -> bool:
    return all(stop.startswith("J910") for stop in row.breaks)


def compile_line(rows: list[Row], starts: dict[str, float]) -> str:
    """Seconds of a graph: the first time, again in this process, and in a second process."""
    first = {row.kernel: row for row in reversed(rows) if row.graphs}
    times = {
        "first": [row.cold / row.graphs for row in first.values()],
        "again": [row.warm / row.graphs for row in first.values()],
        "in a second process": list(starts.values()),
    }
    texts = [f"{name} {spread(found)}" for name, found in times.items() if found]
    return f"compiling a graph: {', '.join(texts) or 'there is none'}"


def spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.0f} ms (up to {max(seconds) * 1e3:.0f})"


def means(rows: list[Row]) -> str:
    """jitcore's, and each peer's over the kernels that it can run."""
    texts = [f"jitcore {geometric_mean(row.ratio for row in rows):.2f}"]
    for name in rows[0].peers:
        ran = [row for row in rows if row.peers[name].ratio is not None]
        same = sum(not row.peers[name].note for row in ran)
        mean = geometric_mean(row.peers[name].ratio or math.nan for row in ran)
        ours = geometric_mean(row.ratio for row in ran)
        every = geometric_mean(row.peers[name].ratio or 1.0 for row in rows)
        texts.append(
            f"{name} {mean:.2f} on the {len(ran)} that it runs, {same} with NumPy's bits "
            f"(jitcore on these: {ours:.2f}); {every:.2f} on all, where what it cannot run is 1"
        )
    return "\n    ".join(texts)


def bandwidth_line(found: Bandwidth | None) -> str:
    if found is None:
        return "bandwidth: not measured, there is no C compiler"
    return f"one thread: copy {found.copy / 1e9:.1f} GB/s, triad {found.triad / 1e9:.1f} GB/s"


def launch_line(found: Launch) -> str:
    return (
        f"ten elements: np.add {found.add * 1e9:.0f} ns, seven operations compiled "
        f"{found.compiled * 1e9:.0f} ns ({found.compiled / found.add:.2f} of one np.add), "
        f"eager {found.eager * 1e9:.0f} ns"
    )


def write(path: Path, rows: list[Row], machine: Machine) -> None:
    document: dict[str, Any] = {
        "jitcore": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "threads": jitcore.get_num_threads(),
        **asdict(machine),
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(document, indent=1) + "\n")
