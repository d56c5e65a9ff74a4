"""Rows → the table of docs/performance.md: a line for each kernel, its sizes side by side."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measure import Row
from benchmarks.registry import SIZES


def write(path: Path, rows: list[Row]) -> None:
    sizes = [size for size in SIZES if any(row.size == size for row in rows)]
    peers = list(rows[0].peers)
    heads = [head for size in sizes for head in (size, *peers)]
    lines = [
        f"| kernel | {' | '.join(heads)} |",
        f"| --- {'| ---: ' * len(heads)}|",
    ]
    for name in dict.fromkeys(row.kernel for row in rows):
        of_kernel = {row.size: row for row in rows if row.kernel == name}
        cells = [text for size in sizes for text in cell(of_kernel[size], peers)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    path.write_text("\n".join(lines) + "\n")


def cell(row: Row, peers: list[str]) -> list[str]:
    """`NumPy's µs / jitcore's µs = ratio`, and the ratio of each peer."""
    ratios = (row.peers[name].ratio for name in peers)
    ours = f"{number(row.eager)} / {number(row.compiled)} = {row.ratio:.2f}"
    return [ours, *("–" if r is None else f"{r:.2f}" for r in ratios)]


def number(seconds: float) -> str:
    """Microseconds with three digits or more."""
    micro = seconds * 1e6
    return f"{micro:.0f}" if micro >= 100 else f"{micro:.3g}"
