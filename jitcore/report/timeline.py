"""A Run → its timeline, an SVG, and its tree of calls, boxes whose widths are times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from jitcore.host.units import counted, seconds, share
from jitcore.report.run import KINDS, Call, Run, Span

MOST_SPANS = 1500
MOST_BOXES = 1500
MOST_ROWS = 24
ROW = 18
WIDTH = 1200
NARROWEST = 0.0007  # of the whole
TINTS = ("#e9c46a", "#f4a261", "#8ecae6", "#a8dadc", "#b7e4c7", "#cdb4db", "#ffc8dd", "#d5bdaf")


def tint(name: str) -> str:
    """The same for the same name, in every report."""
    return TINTS[sum(name.encode()) % len(TINTS)]


# ---- the timeline -------------------------------------------------------------------------------


def timeline(run: Run) -> Iterator[str]:
    """A band of rows for each thread; deeper calls are lower."""
    shown = sorted(run.spans, key=lambda one: -one.seconds)[:MOST_SPANS]
    if not shown:
        yield "<p>Nothing ran.</p>"
        return
    first = min(one.began for one in shown)
    length = max(one.began + one.seconds for one in shown) - first or 1.0
    threads = list(dict.fromkeys(one.thread for one in sorted(shown, key=lambda s: s.began)))
    at = 0
    parts = []
    for k, thread in enumerate(threads):
        mine = [one for one in shown if one.thread == thread]
        parts.append(f'<text x="4" y="{at + 13}">thread {k + 1}</text>')
        parts += [
            bar_of(one, first, length, at + ROW) for one in sorted(mine, key=lambda s: s.depth)
        ]
        at += ROW * (2 + min(max(one.depth for one in mine), MOST_ROWS))
    yield f'<p class="quiet">{seconds(length)} from left to right; {left_out(run, len(shown))}'
    yield "boxes of the compiler are violet</p>"
    yield f'<svg viewBox="0 0 {WIDTH} {at + 4}">' + "".join(parts) + "</svg>"


def left_out(run: Run, shown: int) -> str:
    missing = run.left_out + len(run.spans) - shown
    return f"{missing} shorter ones are left out; " if missing else ""


def bar_of(one: Span, first: float, length: float, top: int) -> str:
    x = WIDTH * (one.began - first) / length
    width = max(WIDTH * one.seconds / length, 0.4)
    row = min(max(one.depth - 1, 0) + one.compiling, MOST_ROWS)
    fill = 'class="compiling"' if one.compiling else f'fill="{tint(one.name)}"'
    name = ("compiling for " if one.compiling else "") + one.name
    label = ""
    if width > 7 * len(one.name) + 6 and not one.compiling:
        label = f'<text x="{x + 3:.1f}" y="{top + ROW * row + 13}">{escape(one.name)}</text>'
    return (
        f'<rect x="{x:.1f}" y="{top + ROW * row}" width="{width:.1f}" height="{ROW - 1}" {fill}>'
        f"<title>{escape(name)}: {seconds(one.seconds)}</title></rect>{label}"
    )


# ---- who called whom ----------------------------------------------------------------------------


def flame(run: Run) -> Iterator[str]:
    below = children(run.calls)
    roots = [k for k, call in enumerate(run.calls) if call.caller < 0]
    top = [child for root in roots for child in below[root]]
    total = sum(inclusive(run.calls[k]) for k in top)
    if not total:
        yield "<p>Nothing ran.</p>"
        return
    boxes: list[str] = []
    deepest = 0
    todo = beside(top, 0.0, 0, run.calls, total)
    while todo and len(boxes) < MOST_BOXES:
        k, x, depth = todo.pop(0)
        width = inclusive(run.calls[k]) / total
        if width >= NARROWEST:
            deepest = max(deepest, depth)
            boxes.append(box(run.calls[k], x, width, depth, total))
            todo += beside(below[k], x, depth + 1, run.calls, total)
    yield '<p class="quiet">callers above, what they call below; the strip in a box is what it does'
    yield "itself. A click widens a box, a double click shows all again.</p>"
    yield (
        f'<div class="flame" style="height:{21 * (deepest + 1) + 4}px">' + "".join(boxes) + "</div>"
    )


def beside(
    those: Sequence[int], x: float, depth: int, calls: Sequence[Call], total: float
) -> list[tuple[int, float, int]]:
    """Calls, each with where its box begins, the longest first."""
    placed = []
    for k in sorted(those, key=lambda one: -inclusive(calls[one])):
        placed.append((k, x, depth))
        x += inclusive(calls[k]) / total
    return placed


def children(calls: Sequence[Call]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in calls]
    for k, call in enumerate(calls):
        if call.caller >= 0:
            below[call.caller].append(k)
    return below


def inclusive(call: Call) -> float:
    return max(call.seconds, sum(call.own))


def box(call: Call, x: float, width: float, depth: int, total: float) -> str:
    own = "; ".join(
        f"{kind} {seconds(part)}" for kind, part in zip(KINDS, call.own, strict=True) if part > 0
    )
    told = f"{call.name} {call.file}:{call.line}: {seconds(inclusive(call))} "
    told += f"({share(inclusive(call), total)}), {counted(call.times, 'call')}; "
    told += f"itself: {own or 'nothing'}"
    return (
        f'<div class="box" data-x="{x:.5f}" data-w="{width:.5f}" title="{escape(told)}" style="'
        f"top:{21 * depth}px;left:{100 * x:.3f}%;width:{100 * width:.3f}%;"
        f'background:{strip(call)}">{escape(call.name)}</div>'
    )


def strip(call: Call) -> str:
    """The box's own time at its lower edge, over the function's tint."""
    whole = inclusive(call) or 1.0
    at, stops = 0.0, []
    for kind, part in zip(KINDS, call.own, strict=True):
        if part > 0:
            end = min(at + 100 * part / whole, 100.0)
            stops.append(f"var(--{kind}) {at:.1f}% {end:.1f}%")
            at = end
    stops.append(f"transparent {at:.1f}%")
    return f"linear-gradient(90deg,{','.join(stops)}) 0 100%/100% 5px no-repeat {tint(call.name)}"
