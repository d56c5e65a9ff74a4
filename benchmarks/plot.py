"""Rows → a picture: speed-up bars, and the large sizes under the roof of the memory."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bandwidth import Bandwidth
from benchmarks.measure import Row
from benchmarks.registry import SIZES

COLOURS = dict(zip(SIZES, ("#9ecae1", "#4292c6", "#08306b"), strict=True))


def available() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def draw(path: Path, rows: list[Row], roof: Bandwidth | None) -> None:
    """The picture as a file; `available` must hold."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    names = list(dict.fromkeys(row.kernel for row in rows))
    height = max(5.0, 1.5 + 0.26 * len(names))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(15, height))
    bars(left, rows, names)
    roofline(right, [row for row in rows if row.size == SIZES[-1]], roof)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def bars(axes: Any, rows: list[Row], names: list[str]) -> None:
    sizes = [size for size in SIZES if any(row.size == size for row in rows)]
    thick = 0.8 / len(sizes)
    for k, size in enumerate(sizes):
        found = {row.kernel: row.ratio for row in rows if row.size == size}
        at = [names.index(name) + (k - (len(sizes) - 1) / 2) * thick for name in found]
        axes.barh(
            at, [r - 1.0 for r in found.values()], thick, 1.0, color=COLOURS[size], label=size
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xlabel("times as fast as eager NumPy")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


def roofline(axes: Any, rows: list[Row], roof: Bandwidth | None) -> None:
    """S. Williams, A. Waterman, D. Patterson, "Roofline", 2009: operations a second over
    operations for each byte that must move; the roof is the best measured bandwidth."""
    rows = [row for row in rows if row.operations]
    if not rows:
        axes.set_visible(False)
        return
    x = np.array([row.operations / row.bytes for row in rows])
    for name, colour in (("eager", "#bbbbbb"), ("compiled", COLOURS["large"])):
        y = [row.operations / getattr(row, name) / 1e9 for row in rows]
        label = "NumPy" if name == "eager" else "jitcore"
        axes.scatter(x, y, s=18, color=colour, label=label, zorder=2)
    for row, at in zip(rows, x, strict=True):
        top = row.operations / row.compiled / 1e9
        axes.annotate(row.kernel, (at, top), (3, 3), textcoords="offset points", fontsize=6)
    if roof is not None:
        ends = np.array([x.min() / 1.5, x.max() * 1.5])
        label = f"memory: {roof.best / 1e9:.1f} GB/s, one thread"
        axes.plot(ends, ends * roof.best / 1e9, color="#cb181d", label=label, zorder=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations for each byte that must move")
    axes.set_ylabel("10⁹ operations a second")
    axes.legend(loc="upper left")
