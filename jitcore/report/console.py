"""All breaks of a run → a report on the console: once per place, with counts.

Coloured on a terminal (unless NO_COLOR is set), plain otherwise.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from jitcore import pipeline
from jitcore.config import environment
from jitcore.fallback.breaks import Break
from jitcore.report.explain import counted
from jitcore.runtime.records import Record, Region
from jitcore.verify.findings import findings

BOLD, DIM, RED, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


def print_report(out: TextIO | None = None) -> None:
    """The report of everything compiled so far, on `out` (standard error, if there is one)."""
    out = sys.stderr if out is None else out
    if out is None or out.closed:
        return
    colours = out.isatty() and "NO_COLOR" not in os.environ
    for line in report_lines(pipeline.records.all(), colours):
        print(line, file=out)


def report_lines(records: Sequence[Record], colours: bool) -> list[str]:
    regions = [region for record in records for region in record.regions]
    misses = sum(point.misses for record in records for point in record.points.values())
    counts = break_counts(records)
    lines = [paint("jitcore: " + summary(regions, counts, misses), BOLD, colours)]
    for stop, count in counts.most_common():
        times = f"({counted(count, 'time')})"
        lines.append(f"{paint(stop.code, RED, colours)} {stop.where}: {stop.reason} {times}")
        source = linecache.getline(stop.filename, stop.lineno or 0).strip()
        if source:
            lines.append(f"    {source}")
        lines.append(paint(f"    hint: {stop.hint}", DIM, colours))
    return [*lines, *(findings.summary() if environment().verify else ())]


def break_counts(records: Iterable[Record]) -> Counter[Break]:
    """A region that ran left through its break as often as it ran."""
    counts: Counter[Break] = Counter()
    for region in (region for record in records for region in record.regions):
        for stop in region.breaks:
            counts[stop] += max(region.entry.hits, 1) if region.entry is not None else 1
    for stop in (stop for record in records for stop in record.breaks if stop not in counts):
        counts[stop] = 1
    return counts


def summary(regions: list[Region], counts: Counter[Break], misses: int) -> str:
    entries = [region for region in regions if region.entry is not None]
    functions = {(region.function.filename, region.function.lineno) for region in regions}
    return (
        f"{counted(len(functions), 'function')} seen, {counted(len(entries), 'graph')} in use, "
        f"{counted(sum(len(r.kernels) for r in entries), 'kernel')}, "
        f"{counted(sum(r.entry.hits for r in entries), 'hit')}, "
        f"{counted(misses, 'miss', 'misses')}, "
        f"{counted(len(counts), 'place')} where a graph breaks, "
        f"{sum(r.seconds for r in regions) * 1e3:.0f} ms compiling"
    )


def paint(text: str, colour: str, colours: bool) -> str:
    return f"{colour}{text}{PLAIN}" if colours else text
