"""What ran before and after it was compiled → bars on the page, of means that were measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from jitcore.host.units import counted, seconds
from jitcore.report.run import Compared, Function

MOST_COMPARED = 8  # of a function
BOTH = """<p class="quiet">Measured in this run: whole calls that ended before the function was
compiled, and those that began after it was compiled last, with all that they called and whatever
they were given; and graphs that took turns with NumPy's own calls, to find out which is faster.
Of short calls, from the 65th on, one in 32 is measured and stands for the others;
from the 4097th on, one in 128.</p>"""
NEITHER = (
    "not measured: no whole call ended before it was compiled, and no graph of it was tried "
    "against NumPy's calls"
)


def before_and_after(functions: Iterable[Function]) -> Iterator[str]:
    yield BOTH
    for one in functions:
        if not one.graphs and not one.compared:
            continue
        place = f'<span class="place">{escape(one.file)}:{one.line}</span>'
        yield f"<h3>{escape(one.name)} {place}</h3>"
        if not one.compared:
            yield f'<p class="quiet">{NEITHER}</p>'
        for both in one.compared[:MOST_COMPARED]:
            yield f"<p>{escape(both.what)}: {times(both)}</p>{bars(both, 'before')}"


def times(both: Compared) -> str:
    if not both.after or not both.before:
        return "too short to compare"
    if both.before >= both.after:
        return f"{both.before / both.after:.3g} times as fast"
    return f"{both.after / both.before:.3g} times as long"


def bars(both: Compared, before: str) -> str:
    most = max(both.before, both.after) or 1.0
    rows = "".join(
        f'<tr><td class="what">{words}, {counted(count, "time")}</td><td class="number">'
        f'{seconds(mean)}</td><td class="share both"><i class="{kind}" '
        f'style="width:{100 * mean / most:.1f}%"></i></td></tr>'
        for words, count, mean, kind in (
            (before, both.before_times, both.before, "call"),
            ("compiled", both.after_times, both.after, "kernel"),
        )
    )
    return f'<table class="bars">{rows}</table>'
