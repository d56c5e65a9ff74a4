"""The break report: once per place with counts, colours on a terminal only."""

from __future__ import annotations

import io

import numpy as np
import pytest

import jitcore
from jitcore import pipeline
from jitcore.report import console

X = np.linspace(-1.0, 2.0, 64)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def looped(x):
    for k in range(40):
        x = np.sqrt(x * x + k)
        print(end="")
    return x


@pytest.fixture(autouse=True)
def after_a_run(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    jitcore.reset()
    compiled = jitcore.compile(looped)
    for _ in range(3):
        compiled(X)
    yield
    jitcore.reset()


def report(out: io.StringIO) -> list[str]:
    console.print_report(out)
    return out.getvalue().splitlines()


def test_plain_where_nobody_reads_colours() -> None:
    lines = report(io.StringIO())
    assert not any("\x1b" in line for line in lines)
    places = [line for line in lines if line.startswith("J")]
    assert len(places) == len(set(places)) and any(line.startswith("J204 ") for line in places)


def test_colours_on_a_terminal_say_the_same(monkeypatch) -> None:
    plain, coloured = report(io.StringIO()), report(Terminal())
    assert any("\x1b[" in line for line in coloured)
    strip = dict.fromkeys((console.BOLD, console.DIM, console.RED, console.PLAIN), "")
    for code, nothing in strip.items():
        coloured = [line.replace(code, nothing) for line in coloured]
    assert coloured == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert report(Terminal()) == plain


def test_a_place_counts_how_often_the_graph_broke_there() -> None:
    lines = report(io.StringIO())
    (place,) = [line for line in lines if line.startswith("J204 ")]
    count = int(place.rpartition("(")[2].split()[0])
    ran = [r for r in pipeline.records.find(looped.__code__).regions if r.entry is not None]
    assert count == sum(r.entry.hits for r in ran if any(b.code == "J204" for b in r.breaks))
    assert count > 40
    line = looped.__code__.co_firstlineno + 3
    assert f"{__file__}:{line} in looped" in place
    assert lines[lines.index(place) + 1].strip() == 'print(end="")'


def test_the_first_line_sums_up() -> None:
    record = pipeline.records.find(looped.__code__)
    entries = [r.entry for r in record.regions if r.entry is not None]
    misses = sum(point.misses for point in record.points.values())
    first = report(io.StringIO())[0]
    assert first.startswith(f"jitcore: 1 function seen, {len(entries)} graph")
    assert f" {sum(entry.hits for entry in entries)} hits, {misses} miss" in first
    assert misses > 0 and "ms compiling" in first


def test_a_stream_that_is_gone_is_left_alone(monkeypatch) -> None:
    closed = io.StringIO()
    closed.close()
    console.print_report(closed)
    monkeypatch.setattr("sys.stderr", None)
    console.print_report()


def test_nothing_compiled_is_one_line() -> None:
    jitcore.reset()
    (line,) = report(io.StringIO())
    assert line.startswith("jitcore: 0 functions seen, 0 graphs in use")


def test_too_many_kinds_of_input_are_said_once():
    def scaled(x):
        return x * 2 + 1

    compiled = jitcore.compile(scaled, dynamic=False)
    for n in range(1, 14):
        assert compiled(np.ones(n)).tobytes() == scaled(np.ones(n)).tobytes()
    assert compiled.cache_info().entries == 8
    limits = [line for line in report(io.StringIO()) if line.startswith("J903")]
    assert len(limits) == 1
    assert "scaled: " in limits[0] and "8 versions (1 time)" in limits[0]
    explanation = jitcore.explain(compiled)(np.ones(3))
    assert [stop.code for stop in explanation.breaks] == ["J903"]
