"""The report on the console: once per place, the costliest first, with carets."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest

import jitcore
from jitcore import pipeline
from jitcore.report import console
from jitcore.report.measured import costs, run
from jitcore.report.meter_snapshot import MeterRow, reading
from jitcore.report.run import Spot
from jitcore.report.versions import versions
from jitcore.runtime.records import records

X = np.linspace(-1.0, 2.0, 64)
ANSI = re.compile("\x1b\\[[0-9;]*m")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def looped(x):
    for k in range(40):
        x = np.sqrt(x * x + k)
        print(end="")
    return x


@pytest.fixture(autouse=True)
def after_a_run(monkeypatch, measured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    compiled = jitcore.compile(looped)
    for _ in range(3):
        compiled(X)


def report(out: io.StringIO) -> list[str]:
    console.print_report(out)
    return out.getvalue().splitlines()


def test_plain_where_nobody_reads_colours() -> None:
    lines = report(io.StringIO())
    assert not any("\x1b" in line or "━" in line for line in lines)
    places = [line for line in lines if line.startswith("J")]
    assert len(places) == len(set(places)) and any(line.startswith("J204 ") for line in places)


def test_colours_on_a_terminal_say_the_same(monkeypatch) -> None:
    here = run()
    plain, coloured, without = io.StringIO(), Terminal(), Terminal()
    console.print_report(plain, here)
    console.print_report(coloured, here)
    monkeypatch.setenv("NO_COLOR", "1")
    console.print_report(without, here)
    assert "\x1b[1;31mJ204\x1b[0m \x1b[36m" in coloured.getvalue()
    assert "\x1b" not in without.getvalue()
    bare = ANSI.sub("", coloured.getvalue())
    assert [one.rstrip() for one in bare.splitlines()] == without.getvalue().splitlines()
    no_bars = [line.replace("━", "").rstrip() for line in without.getvalue().splitlines()]
    assert no_bars == plain.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 200])
def test_lines_fit_the_terminal(monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    for line in report(Terminal()):
        long_word = max((len(word) for word in line.split()), default=0)
        is_place = line.startswith("J")  # places are never cut: they are for copying
        assert len(line) <= width or is_place or "    " in line or long_word > width - 8, line


def test_a_terminal_that_takes_ascii_only() -> None:
    class Narrow(Terminal):
        encoding = "ascii"

        def write(self, text: str) -> int:
            text.encode("ascii")
            return super().write(text)

    assert report(Narrow())


def test_the_expression_has_carets() -> None:
    lines = report(io.StringIO())
    (at,) = [k for k, line in enumerate(lines) if line.strip() == 'print(end="")']
    assert lines[at + 1].strip() == "^" * len('print(end="")')
    assert lines[at].index("print") == lines[at + 1].index("^")


@pytest.mark.parametrize(
    ("text", "col", "end_col", "marked"),
    [
        ("    y = f(x) + 1", 8, 12, "f(x)"),
        ("    y = np.größe(x) + 1", 8, 19, "np.größe(x)"),
        ("    漢 = f(x)", 8, 12, "f(x)"),
        ("    " + "a + " * 60 + "f(x)", 244, 248, "f(x)"),
        ("    f(" + "a, " * 60 + "b)", 4, 188, None),
    ],
)
def test_carets_stand_under_what_broke(text, col, end_col, marked) -> None:
    spot = Spot("a.py", 3, 3, col, end_col, "f", text)
    source, carets = (console.plain(line) for line in console.pointed(spot, 80))
    assert len(source) <= 80 and console.columns(carets) <= 80
    first = carets.index("^")
    shift = console.columns(source) - len(source)  # wide characters before it
    under = source[first - shift : first - shift + carets.count("^")]
    assert under == (marked or source.strip())


def test_a_place_of_several_lines_is_marked_to_its_end() -> None:
    spot = Spot("a.py", 3, 5, 8, 2, "f", "    y = f(")
    source, carets = (console.plain(line) for line in console.pointed(spot, 80))
    assert source.strip() == "y = f(" and carets.count("^") == len("f(")


def test_a_place_without_source_has_no_carets() -> None:
    assert [*console.pointed(Spot("<string>", 3, 3, 8, 9, "f", ""), 80)] == []


def test_a_place_counts_how_often_the_graph_broke_there() -> None:
    (stop,) = [one for one in run().stops if one.code == "J204"]
    ran = [r for r in records.find(looped.__code__).regions if r.entry is not None]
    assert stop.times == sum(r.entry.hits for r in ran if any(b.code == "J204" for b in r.breaks))
    assert stop.times > 40 and 0 < stop.seconds < 60
    assert stop.spot.line == looped.__code__.co_firstlineno + 3


def test_the_costliest_place_comes_first() -> None:
    @jitcore.compile
    def slow(x):
        y = np.sqrt(x * x + 1.0)
        sum(range(3_000_000))
        z = np.exp(y - 1.0) * y
        print(end="")
        return z * 2.0 - y

    for _ in range(3):
        slow(X)
    stops = run().stops
    costs = [one.seconds or 0.0 for one in stops]
    assert costs == sorted(costs, reverse=True)
    first, second = (one for one in stops if one.spot.function.endswith("slow"))
    assert "range(3_000_000)" in first.spot.text and "print" in second.spot.text


def test_breaks_one_after_the_other_have_each_its_own_time() -> None:
    """Between them is nothing to compile."""

    @jitcore.compile
    def chain(x):
        y = np.sqrt(x * x + 1.0)
        print(end="")
        sum(range(3_000_000))
        print(end="")
        return y

    for _ in range(3):
        chain(X)
    found = [one for one in run().stops if one.spot.function.endswith("chain")]
    assert "range(3_000_000)" in found[0].spot.text  # the first is the one that took longest


def test_calls_that_led_there_are_told() -> None:
    def inner(x):
        return np.frombuffer(open(__file__, "rb").read(8), dtype=np.uint8) + x

    @jitcore.compile
    def outer(x):
        y = np.sqrt(x * x + 1.0) - x
        return inner(y[:8]) * 2.0

    for _ in range(3):
        outer(X)
    lines = report(io.StringIO())
    (stop,) = [one for one in run().stops if one.via]
    at = next(k for k, line in enumerate(lines) if line.endswith(stop.reason[-30:])) - 1
    assert [spot.text.strip() for spot in stop.via] == ["return inner(y[:8]) * 2.0"]
    below = lines[at : at + 8]
    (call,) = [k for k, line in enumerate(below) if "called from" in line]
    source = next(k for k in range(call, 8) if below[k].strip() == stop.via[0].text.strip())
    assert below[source + 1].strip() == "^" * len("inner(y[:8])")
    assert below[source].index("inner") == below[source + 1].index("^")


def test_the_first_lines_sum_up() -> None:
    record = records.find(looped.__code__)
    entries = [r.entry for r in record.regions if r.entry is not None]
    misses = sum(point.misses for point in record.points.values())
    lines = report(io.StringIO())
    del lines[: lines.index("jitcore: 1 function seen, 1 with a graph in use")]  # whose it is
    assert lines[2].startswith(f"  {len(entries)} graph")
    assert f" {sum(entry.hits for entry in entries)} hits, {misses} miss" in lines[3]
    assert misses > 0 and lines[3].endswith("s compiling")


def test_without_measuring_counts_are_told() -> None:
    here = replace(run(), measured=False)
    out = io.StringIO()
    console.print_report(out, here)
    assert "JITCORE_REPORT=1" in out.getvalue() and "compiled functions took" not in out.getvalue()


def test_a_stream_that_is_gone_is_left_alone(monkeypatch) -> None:
    closed = io.StringIO()
    closed.close()
    console.print_report(closed)
    monkeypatch.setattr("sys.stderr", None)
    console.print_report()


def test_nothing_compiled_is_a_few_lines() -> None:
    jitcore.reset()
    lines = report(io.StringIO())
    assert "jitcore: 0 functions seen, nothing was compiled" in lines
    assert not any(line.startswith("J") for line in lines)


def test_time_where_nothing_is_compiled_is_not_that_of_compiled_functions() -> None:
    here, out = run(), io.StringIO()
    console.print_report(out, replace(here, totals=replace(here.totals, graphs=0, compiled=0)))
    text = out.getvalue()
    assert "nothing was compiled" in text and "functions that jitcore watched took" in text
    assert "compiled functions" not in text


SHOWS = """
def shows(x):
    y = np.sqrt(x * x + 1.0)
"""


def test_a_report_is_a_screen(tmp_path) -> None:
    text = SHOWS + "".join(f"    print(y, file=sink)  # {k}\n    y = y * 2\n" for k in range(30))
    file = tmp_path / "shows.py"
    file.write_text(text)
    names = {"np": np, "sink": io.StringIO()}
    exec(compile(text, str(file), "exec"), names)
    compiled = jitcore.compile(names["shows"])
    for _ in range(3):
        compiled(X)
    lines = report(io.StringIO())
    assert len(lines) <= console.SCREEN
    (last,) = (line for line in lines if line.startswith("... and "))
    left = int(last.split()[2])
    everything = io.StringIO()
    console.print_report(everything, None, None)
    places = [one for one in everything.getvalue().splitlines() if one.startswith("J")]
    shown = [one for one in lines if one.startswith("J")]
    assert len(shown) > 3 and left > 20 and len(shown) + left == len(places)


def test_recompiles_of_a_place_are_one_line() -> None:
    @jitcore.compile(dynamic=False)
    def parts(x, ends):
        return x * 2 + sum(x[:k].sum() for k in ends)

    for k in range(2, 6):
        parts(X, [*range(k, k + 7)])
    (text,) = (line for line in versions(run().recompiled) if "in test_recompiles" in line)
    assert text.endswith("parts: 3 times, for ends[0..6]: another entry")


def test_the_time_at_a_point_is_counted_once() -> None:
    """However many kinds of input were tried there, none of which pays."""
    known = records.find(looped.__code__)
    region = next(one for one in known.regions if one.breaks)
    record = pipeline.Record(known.config)
    record.points[region.offset] = point = known.points[region.offset]
    record.regions += [replace(region, entry=None) for _ in range(8)]
    second = {id(point): MeterRow(0, None, 1, 1.0)}
    found = replace(reading([known]), points=second, entries={}, codes={})
    (stop,) = costs([record], found)
    assert (stop.times, stop.seconds) == (1, 1.0)


def test_too_many_kinds_of_input_are_said_once():
    def scaled(x):
        return x * 2 + 1

    compiled = jitcore.compile(scaled, dynamic=False)
    for n in range(1, 14):
        assert compiled(np.ones(n)).tobytes() == scaled(np.ones(n)).tobytes()
    assert compiled.cache_info().entries == 8
    limits = [one for one in run().stops if one.code == "J903"]
    assert len(limits) == 1
    assert "scaled" in limits[0].spot.function and limits[0].reason.endswith(
        "8 versions, for different sizes under dynamic=False"
    )
    assert limits[0].hint.startswith("leave dynamic=False out")
    explanation = jitcore.explain(compiled)(np.ones(3))
    assert [stop.code for stop in explanation.breaks] == ["J903"]
