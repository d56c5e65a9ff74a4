"""A Run → text: the summary, then the places where CPython went on, the costliest first.

On a terminal: as wide as it is, with bars, and with colours unless NO_COLOR or TERM says otherwise.
Else plain text, which is the same words.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from jitcore.host.units import counted, seconds, share
from jitcore.report.measured import run as measured
from jitcore.report.processes import whose
from jitcore.report.run import KINDS, Run, Spot, Stop, Totals
from jitcore.report.versions import versions

WIDE = 100  # of text that is read elsewhere
NARROW = 40
SCREEN = 60  # lines
MOST_AGAIN = 8  # of them, for recompiles
MORE = "JITCORE_REPORT=html:FILE, json:FILE or explain has all of them"
MEASURED = (
    64  # of short calls after so many, some stand for the others: FIRST_CALLS of csrc/frame/call.c
)
Part = tuple[str, str]  # style, text
Lines = list[list[Part]]
NAMES = {
    "kernel": "kernels",
    "loop": "loops in C",
    "call": "NumPy's calls in graphs",
    "cpython": "CPython",
    "entry": "guards, entering and leaving",
    "compiling": "compiling",
}
ANSI = {"title": "1", "code": "1;31", "place": "36", "mark": "31", "quiet": "2"}


def print_report(
    out: TextIO | None = None, run: Run | None = None, most: int | None = SCREEN
) -> None:
    """Of everything so far, on `out` (standard error, if there is one), in about so many lines;
    None: all of it."""
    out = sys.stderr if out is None else out
    if out is not None and not out.closed:
        in_one_piece(shown(out, run, most), out)


def in_one_piece(text: str, out: TextIO) -> None:
    """Other processes write there, too: what goes through a buffer is cut where that is full."""
    if out is not sys.__stderr__:
        out.write(text)
        return
    out.flush()
    rest = memoryview(text.encode(out.encoding, "backslashreplace"))
    while rest:
        rest = rest[os.write(out.fileno(), rest) :]


def shown(out: TextIO, run: Run | None = None, most: int | None = SCREEN) -> str:
    """As `out` takes it."""
    terminal = out.isatty()
    width = max(shutil.get_terminal_size((WIDE, 24)).columns, NARROW) if terminal else WIDE
    lines = report(measured() if run is None else run, width, terminal, most)
    shows = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    form = ansi if terminal and shows else plain
    return "".join(as_it_can(form(line), out) + "\n" for line in lines)


def as_it_can(text: str, out: TextIO) -> str:
    """Streams of a C locale take ASCII only."""
    encoding = getattr(out, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def plain(line: Sequence[Part]) -> str:
    return "".join(text for _, text in line).rstrip()


def ansi(line: Sequence[Part]) -> str:
    return "".join(
        f"\x1b[{ANSI[style]}m{text}\x1b[0m" if style and text else text for style, text in line
    )


# ---- the report ---------------------------------------------------------------------------------


def report(run: Run, width: int, bars: bool = False, most: int | None = None) -> Lines:
    """In about `most` lines: the costliest places; one place and all that stands around them, in
    any case."""
    lines = wrapped(f"jitcore, {whose(run.process, run.command)}", width, 0, "quiet")
    lines += summary(run, width, bars)
    if run.stops:
        lines.append([])
        lines += wrapped(heading(run), width, 0, "title")
    end: Lines = [[("", text)] for text in run.verified]
    for note in run.notes:
        end += wrapped(f"note: {note}", width, 0, "quiet")
    made = (wrapped(text, width, 0, "quiet") for text in versions(run.recompiled))
    again, less = fitting(made, None if most is None else MOST_AGAIN)
    room = None if most is None else most - len(lines) - len(again) - len(end) - 1
    places, fewer = fitting((place(stop, run, width) for stop in run.stops), room)
    if fewer:
        places += wrapped(f"... and {counted(fewer, 'place')} more: {MORE}", width, 0, "quiet")
    if less:
        text = f"... and {counted(less, 'place')} more that were compiled again: {MORE}"
        again += wrapped(text, width, 0, "quiet")
    return [*lines, *places, *again, *end]


def fitting(parts: Iterable[Iterable[list[Part]]], room: int | None) -> tuple[Lines, int]:
    """The first that fit, one at least, and how many are left out."""
    lines: Lines = []
    left = 0
    for part in map(list, parts):
        if left or (room is not None and lines and len(lines) + len(part) > room):
            left += 1
        else:
            lines += part
    return lines, left


def heading(run: Run) -> str:
    places = counted(run.totals.places, "place")
    if not run.measured:
        return f"{places} where CPython goes on; what they cost is measured with JITCORE_REPORT=1:"
    return f"{places} where CPython goes on, the costliest first:"


def summary(run: Run, width: int, bars: bool) -> Iterator[list[Part]]:
    for k, text in enumerate(summed(run.totals, run.measured)):
        yield from wrapped(text, width, 2 if k else 0, "" if k else "title")
    if not run.measured:
        return
    total = sum(run.totals.seconds)
    these = "compiled functions" if run.totals.graphs else "functions that jitcore watched"
    yield from wrapped(f"{these} took {' '.join(taken(run))}:", width, 2, "")
    for kind, spent in sorted(zip(KINDS, run.totals.seconds, strict=True), key=lambda x: -x[1]):
        if spent:
            yield row(NAMES[kind], spent, total, width if bars else 0)
    if run.totals.breaks:
        name = "CPython after the breaks"
        yield row(name, run.totals.breaks, total, width if bars else 0)


def taken(run: Run) -> tuple[str, str]:
    """A thread's time is no more than the clock's: what exceeds it is the samples' error. That of
    several threads may be, and is never set against the clock's."""
    total, clock = sum(run.totals.seconds), seconds(run.elapsed)
    if len(run.threads) < 2:
        return seconds(min(total, run.elapsed)), f"of {clock}"
    words = f"on {len(run.threads)} threads together, waiting for each other included"
    return seconds(total), f"{words}, in {clock} by the clock"


def row(name: str, spent: float, total: float, width: int) -> list[Part]:
    """With a bar, where there is room for one."""
    text = f"    {name:<29}{seconds(spent):>9}{share(spent, total):>6}  "
    room = min(30, max(width - len(text) - 1, 0))
    return [("", text), ("place", "━" * round(room * spent / total) if total else "")]


def summed(t: Totals, is_measured: bool) -> Iterator[str]:
    skipped = f", {t.skipped} without" if t.skipped else ""
    used = f"{t.compiled} with a graph in use{skipped}" if t.graphs else "nothing was compiled"
    yield f"jitcore: {counted(t.functions, 'function')} seen, {used}"
    if is_measured:
        yield (
            f"{counted(t.seen, 'frame')} seen, {t.frames} of functions with region points, "
            f"{max(t.seen - t.frames, 0)} skipped"
        )
    retired = f" ({t.retired} retired: NumPy's own calls were faster)" if t.retired else ""
    yield (
        f"{counted(t.graphs, 'graph')}{retired}, {counted(t.nodes, 'node')}, "
        f"{counted(t.kernels, 'kernel')}, {counted(t.places, 'break')}"
    )
    yield (
        f"{counted(t.hits, 'hit')}, {counted(t.misses, 'miss', 'misses')}, "
        f"{counted(t.recompiles, 'recompile')}, {seconds(t.compiling)} compiling"
    )


def place(stop: Stop, run: Run, width: int) -> Iterator[list[Part]]:
    total = sum(run.totals.seconds)
    times = counted(stop.times, "time")
    if stop.seconds is not None:  # of short calls, one of many is measured
        about = "about " if stop.times > MEASURED else ""
        times = f"{seconds(stop.seconds)} ({share(stop.seconds, total)}), {about}{times}"
    yield [("code", stop.code), ("", " "), ("place", str(stop.spot)), ("", f"  {times}")]
    yield from wrapped(stop.reason, width, 5, "")
    yield from pointed(stop.spot, width)
    for spot in reversed(stop.via):
        text = f"called from {spot}"
        yield from wrapped(text, width, 5, "quiet")
        yield from pointed(spot, width)
    yield from wrapped(f"hint: {stop.hint}", width, 5, "quiet")


def pointed(spot: Spot, width: int) -> Iterator[list[Part]]:
    """The source line, without what it is indented by, and carets under the expression. Of a long
    line, the part around it."""
    text = spot.text.expandtabs(1)
    shift = len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return
    first = max((spot.col or 0) - shift, 0) if spot.col is not None else None
    last = len(text)
    if first is not None and spot.end_line == spot.line and spot.end_col is not None:
        last = min(spot.end_col - shift, last)
    room = width - 8
    if len(text) > room:
        start = min(max((first or 0) - 8, 0), len(text) - room)
        last = min(last - start, room)
        first = None if first is None else first - start
        more = len(text) > start + room
        text = "…" * (start > 0) + text[start + (start > 0) : start + room - more] + "…" * more
    yield [("", f"        {text}")]
    if first is not None and last > first:
        yield [("mark", " " * (8 + columns(text[:first])) + "^" * columns(text[first:last]))]


def columns(text: str) -> int:
    """That it takes on a terminal: East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def wrapped(text: str, width: int, indent: int, style: str) -> Lines:
    """Paths are not broken."""
    lines = textwrap.wrap(
        text,
        width - indent,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [[("", " " * indent), (style, line)] for line in lines]
