"""A Run → one HTML page that needs nothing but itself: no network, no other file.

What it shows is bounded, so that the page is: the longest spans of the timeline, the calls that are
wide enough to be seen, the costliest functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from jitcore.host.units import binary, counted, seconds, share
from jitcore.report.annotated import WORDS
from jitcore.report.before_after import bars, before_and_after
from jitcore.report.console import summed, taken
from jitcore.report.processes import whose
from jitcore.report.roofline import NOT_ASKED, moves, position
from jitcore.report.run import KINDS, Compared, Compiled, Function, Line, Run, Spot, Step, Stop
from jitcore.report.timeline import flame, timeline
from jitcore.report.versions import versions

MOST_FUNCTIONS = 60
MOST_LINES = 3500
MOST_STOPS = 200
MOST_GRAPHS = 300
HERE = Path(__file__)
LINKS = {
    **{"breaks": "Breaks", "timeline": "Timeline", "flame": "Calls", "both": "Before and after"},
    **{"source": "Source", "graphs": "Graphs"},
}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>jitcore: {title}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
{body}
<script>
{script}</script>
</body>
</html>
"""


def text(run: Run) -> str:
    return PAGE.format(
        title=escape(run.command),
        style=HERE.with_suffix(".css").read_text(encoding="utf-8"),
        script=HERE.with_suffix(".js").read_text(encoding="utf-8"),
        body="\n".join(body(run)),
    )


def body(run: Run) -> Iterator[str]:
    yield f"<h1>jitcore: a run</h1><p><code>{escape(whose(run.process, run.command))}</code><br>"
    yield f'<span class="quiet">{escape(run.versions)}</span></p>'
    yield from summary(run)
    yield section("breaks", "Where CPython goes on, and why", breaks(run))
    if run.measured:
        yield section("timeline", "Timeline of compiled calls and frames", timeline(run))
        yield section("flame", "Who called whom", flame(run))
    if run.measured:
        known = run.functions[:MOST_FUNCTIONS]
        yield section("both", "Before and after", before_and_after(known))
    yield section("source", "Source", functions(run))
    yield section("graphs", "Graphs", graphs(run))
    if run.recompiled:
        yield section("again", "Compiled again", again(run))
    if run.verified:
        yield section("verify", "Verify mode", (f"<p>{escape(text)}</p>" for text in run.verified))
    if run.notes:
        yield section("notes", "Notes", (f"<p>{escape(note)}</p>" for note in run.notes))


def section(name: str, title: str, parts: Iterable[str]) -> str:
    return f'<section id="{name}"><h2>{title}</h2>\n' + "\n".join(parts) + "\n</section>"


# ---- the summary --------------------------------------------------------------------------------


def summary(run: Run) -> Iterator[str]:
    t, total = run.totals, sum(run.totals.seconds)
    yield f'<nav>{"".join(map(link, LINKS))}</nav><div class="cards">'
    if run.measured:
        spent, of = taken(run)
        yield card(spent, f"in compiled functions, {of}")
        yield card(seconds(t.breaks), f"in CPython after breaks: {share(t.breaks, total)}")
    yield card(str(t.graphs), f"graphs with {counted(t.kernels, 'kernel')}")
    yield card(str(t.places), "places that break")
    yield card(str(t.hits), f"hits; {counted(t.misses, 'miss', 'misses')}")
    yield "</div>"
    if run.measured and total:
        yield bar(run.totals.seconds, total)
        yield key(run.totals.seconds, total)
    yield from (f'<p class="quiet">{escape(line)}</p>' for line in summed(t, run.measured))


def link(name: str) -> str:
    return f'<a href="#{name}">{LINKS[name]}</a>'


def card(number: str, words: str) -> str:
    return f"<div><b>{number}</b>{escape(words)}</div>"


def bar(parts: Sequence[float], total: float) -> str:
    cells = (
        f'<i class="{kind}" style="width:{100 * part / total:.2f}%" title="{told(kind, part)}"></i>'
        for kind, part in zip(KINDS, parts, strict=True)
        if part > 0
    )
    return f'<div class="bar">{"".join(cells)}</div>'


def told(kind: str, part: float) -> str:
    return f"{WORDS[kind]}: {seconds(part)}"


def key(parts: Sequence[float], total: float) -> str:
    cells = (
        f'<span><i class="{kind}"></i>{told(kind, part)} ({share(part, total)})</span>'
        for kind, part in zip(KINDS, parts, strict=True)
        if part > 0
    )
    return f'<div class="key">{"".join(cells)}</div>'


# ---- breaks -------------------------------------------------------------------------------------


def breaks(run: Run) -> Iterator[str]:
    if not run.stops:
        yield "<p>Nowhere: each graph is whole.</p>"
    total = sum(run.totals.seconds)
    for stop in run.stops[:MOST_STOPS]:
        yield one_break(stop, total)
    if len(run.stops) > MOST_STOPS:
        yield f"<p>and {len(run.stops) - MOST_STOPS} more, which cost less.</p>"


def one_break(stop: Stop, total: float) -> str:
    cost = ""
    if stop.seconds is not None:
        cost = f"{seconds(stop.seconds)} ({share(stop.seconds, total)}), "
    via = "".join(
        f'<div class="quiet">called from <span class="place">{escape(str(spot))}</span></div>'
        f"<pre>{marked(spot)}</pre>"
        for spot in reversed(stop.via)
    )
    return (
        f'<div class="stop"><span class="cost">{cost}{counted(stop.times, "time")}</span>'
        f'<span class="code">{escape(stop.code)}</span> '
        f'<span class="place">{escape(str(stop.spot))}</span>'
        f"<div>{escape(stop.reason)}</div><pre>{marked(stop.spot)}</pre>{via}"
        f'<div class="quiet">hint: {escape(stop.hint)}</div></div>'
    )


def marked(spot: Spot) -> str:
    if spot.col is None:
        return escape(spot.text.strip())
    end = spot.end_col if spot.end_line == spot.line else None
    last = len(spot.text) if end is None else end
    before, within, after = spot.text[: spot.col], spot.text[spot.col : last], spot.text[last:]
    return f"{escape(before.lstrip())}<mark>{escape(within)}</mark>{escape(after)}"


# ---- source -------------------------------------------------------------------------------------


def functions(run: Run) -> Iterator[str]:
    lines = 0
    total = sum(run.totals.seconds)
    for k, one in enumerate(run.functions[:MOST_FUNCTIONS]):
        lines += len(one.lines)
        if lines > MOST_LINES and k:
            break
        yield one_function(one, total, k < 3)


def one_function(one: Function, total: float, opened: bool) -> str:
    spent = sum(one.seconds)
    head = f"<b>{escape(one.name)}</b> {escape(one.file)}:{one.line or '?'}: "
    head += f"{counted(one.graphs, 'graph')}, {counted(one.frames, 'frame')}"
    head += f", {seconds(spent)} ({share(spent, total)})" if spent else ""
    most = max((line.seconds or 0.0 for line in one.lines), default=0.0)
    rows = "\n".join(source_row(line, most) for line in one.lines)
    strip = bar(one.seconds, spent) if spent else ""
    return (
        f"<details{' open' if opened else ''}><summary>{head}</summary>{strip}"
        f'<div class="scroll"><table class="source">{rows}</table></div></details>'
    )


def source_row(line: Line, most: float) -> str:
    kind = line.kinds[0] if line.kinds else ""
    spent = seconds(line.seconds) if line.seconds else ""
    width = 100 * (line.seconds or 0.0) / most if most else 0.0
    return (
        f'<tr><td class="side {kind}"></td><td class="number quiet">{line.number}</td>'
        f'<td class="number">{spent}</td>'
        f'<td class="share"><i class="{kind}" style="width:{width:.1f}%"></i></td>'
        f'<td>{escape(line.text)}</td><td class="note">{escape(line.note)}</td></tr>'
    )


# ---- graphs -------------------------------------------------------------------------------------


def graphs(run: Run) -> Iterator[str]:
    if not run.compiled:
        yield "<p>None.</p>"
    for one in sorted(run.compiled, key=lambda one: -spent_in(one))[:MOST_GRAPHS]:
        yield one_graph(one)


def spent_in(one: Compiled) -> float:
    return (one.entering or 0.0) + sum(step.seconds or 0.0 for step in one.steps)


def one_graph(one: Compiled) -> str:
    rows = "\n".join(step_row(step, one) for step in one.steps)
    lefts = "".join(
        f"<li>{escape(left.why)}: <span class='place'>{escape(str(left.spot))}</span>, "
        f"{counted(left.times, 'time')}, {seconds(left.seconds or 0.0)} until the next region</li>"
        for left in one.lefts
    )
    return (
        f"<details><summary><b>{escape(one.function)}</b> line {one.spot.line}, of "
        f"{escape(one.inputs) or 'constants'}: {counted(one.hits, 'run')}, "
        f"{seconds(spent_in(one))}, {escape(one.state)}</summary>"
        f"<p>{counted(one.nodes, 'node')}; memory moved: {escape(moves(one))}; guards, entering "
        f"and leaving {seconds(one.entering or 0.0)}; compiled in {seconds(one.compiling)}"
        f"{failures(one)}</p>{faster(one)}"
        f"<table><tr><th>step</th><th>lines</th><th class='number'>runs</th>"
        f"<th class='number'>time</th><th class='number'>moved in a run</th>"
        f"<th class='number'>GB/s</th><th class='number'>op/byte</th></tr>{rows}</table>"
        f"<ul>{lefts}</ul></details>"
    )


def failures(one: Compiled) -> str:
    failed = f"; a step failed {counted(one.failures, 'time')}" if one.failures else ""
    if one.stays:
        spent = seconds(one.staying or 0.0)
        failed += f"; in CPython {counted(one.stays, 'time')}, {spent} until the next region"
    return failed


def faster(one: Compiled) -> str:
    """Before and after, where both ran."""
    if one.baseline is None or one.mean is None:
        return ""
    return bars(
        Compared("", one.tried, one.baseline, one.runs, one.mean), "NumPy's calls, when tried"
    )


def step_row(step: Step, graph: Compiled) -> str:
    lines = ", ".join(dict.fromkeys(str(spot.line) for spot in step.spots))
    spent = seconds(step.seconds) if step.seconds is not None else ""
    cells = "".join(f'<td class="number">{text}</td>' for text in (step.times, spent))
    return (
        f"<tr><td>{WORDS[step.kind]}: <code>{escape(step.name)}</code></td><td>{lines}</td>"
        f"{cells}{moved_cells(step, graph)}</tr>"
    )


def moved_cells(step: Step, graph: Compiled) -> str:
    at = position(step, graph, NOT_ASKED)
    if at.moved is None:
        return f'<td class="quiet" colspan="3">not counted: {escape(at.why)}</td>'
    reached, balance = at.bytes_per_second, at.intensity
    texts = (
        binary(at.moved),
        "" if reached is None else f"{reached / 1e9:.3g}",
        "" if balance is None else f"{balance:.2g}",
    )
    return "".join(f'<td class="number">{text}</td>' for text in texts)


def again(run: Run) -> Iterator[str]:
    yield "<ul>"
    for text in versions(run.recompiled):
        yield f"<li>{escape(text)}</li>"
    yield "</ul>"
