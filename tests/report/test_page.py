"""The HTML page: bounded, whole by itself, and without an error in a real browser."""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.cli import report
from jitcore.report import json_file, page
from jitcore.report.measured import in_places, run
from jitcore.report.run import Call, Compared, Function, Line, Run, Span, Spot, Stop

X = np.linspace(-1.0, 2.0, 4096)
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
VOID = {"meta", "link", "br", "rect", "img", "hr", "input"}


def scaled(x):
    return np.exp(-x) * 2.0 - x


@jitcore.compile
def stepwise(x):
    y = np.sqrt(x * x + 1.0)
    print(end="<&>")
    for k in range(4):
        y = scaled(y) + k
    return np.linalg.norm(y[:9].reshape(3, 3) + 1.0) + y


@pytest.fixture
def example(measured, capsys) -> Run:
    compiled = jitcore.compile(stepwise.__wrapped__)
    for _ in range(3):
        compiled(X)
    return run()


class Checker(html.parser.HTMLParser):
    """Tags that close what is open; nothing that is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            fetched = name in ("src", "href", "xlink:href") and not re.match("#|data:,", value)
            assert not fetched, (tag, name, value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(text: str) -> str:
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    return " ".join(" ".join(checker.words).split())


def test_a_page_says_what_the_run_was(example) -> None:
    text = page.text(example)
    words = read(text)
    (stop,) = [one for one in example.stops if one.code == "J204"]
    assert "@import" not in text and "url(" not in text
    for said in (stop.reason, stop.hint, 'print(end="<&>")', "stepwise", "scaled"):
        assert said in words, said
    assert "<mark>print(end=&quot;&lt;&amp;&gt;&quot;)</mark>" in text
    for kind in ("kernel", "cpython", "compiling"):
        assert f'class="{kind}"' in text


def test_a_run_that_was_not_measured_has_no_times(example) -> None:
    bare = replace(example, measured=False, calls=(), spans=())
    words = read(page.text(bare))
    assert "Timeline of" not in words and "output is written" in words


def test_nothing_compiled_is_a_page_too(measured) -> None:
    assert "Nowhere: each graph is whole." in read(page.text(run()))


def large() -> Run:
    """As a program that runs for hours leaves behind."""
    nothing = run()
    spot = Spot("a.py", 3, 3, 4, 40, "f", "    " + "x + " * 20)
    lines = tuple(
        Line(k, "    y = x * 2.0 + 1.0" * 3, ("kernel",), "kernel 1", 0.1) for k in range(900)
    )
    own = (0.1,) * 6
    both = Compared("a call", 7, 0.2, 900, 0.1)
    return replace(
        nothing,
        measured=True,
        stops=tuple(
            Stop("J204", "output " * 9, "hint " * 9, spot, (spot,), k, 1.0) for k in range(4000)
        ),
        functions=tuple(
            Function(f"f{k}", "a.py", k, 3, 9, own, lines, (both,)) for k in range(500)
        ),
        calls=(
            Call(-1, "", "", 0, 0, 0.0, own),
            *(Call(k // 3, f"f{k}", "a.py", k, 9, 9.0, own) for k in range(20000)),
        ),
        spans=tuple(Span(f"f{k % 50}", k % 8, k % 30, False, k * 0.1, 0.05) for k in range(4096)),
    )


def test_the_page_of_a_large_run_stays_small(measured) -> None:
    text = page.text(large())
    assert len(text.encode()) < 2_000_000
    assert "more, which cost less" in read(text)


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
@pytest.mark.by_turns
def test_a_browser_finds_no_error(example, tmp_path) -> None:
    for name, shown in (("page", example), ("large", large())):
        done = browsed(page.text(shown), name, tmp_path)
        assert 'class="box"' in done.stdout and "</html>" in done.stdout
        assert 'id="both"' in done.stdout
        assert ('class="bars"' in done.stdout) == (name == "large")
        told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert told == []


@pytest.mark.by_turns
def test_an_error_would_be_found(tmp_path) -> None:
    if BROWSER is None:
        pytest.skip("no browser is installed")
    done = browsed("<!doctype html><script>undefined.x</script>", "broken", tmp_path)
    assert any("CONSOLE" in line for line in done.stderr.splitlines())


def browsed(text: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / f"{name}.html"
    file.write_text(text, encoding="utf-8")
    options = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0"),
        *(f"--user-data-dir={folder / name}", "--dump-dom", file.as_uri()),
    )
    return subprocess.run(
        (str(BROWSER), *options), capture_output=True, text=True, timeout=120, check=False
    )


# ---- files --------------------------------------------------------------------------------------


def test_callers_are_said_by_their_places() -> None:
    """The meter numbers them as they come, and tells of each before those that it calls."""
    found = {n: Call(up, "f", "", 1, 1, 0.0, ()) for n, up in ((4, -1), (9, 4), (2, -1), (3, 2))}
    assert [call.caller for call in in_places(found)] == [-1, 0, -1, 2]


def test_json_is_read_as_it_was_written(example) -> None:
    assert json_file.read(json_file.text(example)) == example


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 0}', '{"format": 1}', "null"])
def test_what_is_no_report_is_said(text) -> None:
    with pytest.raises(ValueError):
        json_file.read(text)


SCRIPT = "<script>alert(1)</script>"


def leaves(found: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all that is no list and no object."""
    if not isinstance(found, dict | list):
        yield way
        return
    for key, one in found.items() if isinstance(found, dict) else enumerate(found):
        yield from leaves(one, (*way, key))


def put(found: Any, way: tuple[Any, ...], leaf: Any) -> str:
    """The JSON with another leaf there."""
    *to, last = way
    place = reduce(getitem, to, found)
    was, place[last] = place[last], leaf
    text = json.dumps(found)
    place[last] = was
    return text


def test_a_page_of_a_foreign_report_runs_no_script(example) -> None:
    """A script in the place of any leaf is refused, or shown as text."""
    scripts = page.text(example).count("<script")
    found = json.loads(json_file.text(replace(example, spans=example.spans[:2])))
    shown = 0
    kinds = {re.sub(r"\d+", "*", str(way)): way for way in leaves(found)}
    for way in kinds.values():
        try:
            made = json_file.read(put(found, way, SCRIPT))
        except ValueError:
            continue
        shown += 1
        text = page.text(made)
        assert text.count("<script") == scripts, way
        read(text)
    assert len(kinds) > 60 and shown > 15


@pytest.mark.parametrize(
    ("way", "leaf", "said"),
    [
        (("functions", 0, "line"), "7", "str in place of int"),
        (("functions", 0, "lines", 0, "kinds"), ["kernel"] * 2 + ["x"], "'x' in place of one of"),
        (("functions", 0, "lines", 0, "number"), True, "bool in place of int"),
        (("functions", 0, "lines"), "text", "str in place of list"),
        (("totals", "hits"), 1.5, "float in place of int"),
        (("totals", "hits"), 2**70, "a number of 71 bits"),
        (("elapsed",), float("inf"), "a number that is inf"),
        (("elapsed",), None, "NoneType in place of float"),
        (("measured",), 1, "int in place of bool"),
        (("calls", 0, "caller"), 9**9, "stands before its caller"),
    ],
)
def test_leaves_of_a_foreign_report_have_their_types(example, way, leaf, said) -> None:
    found = json.loads(json_file.text(example))
    with pytest.raises(ValueError, match=f"not a report of jitcore's: .*{said}"):
        json_file.read(put(found, way, leaf))


def test_the_name_says_what_is_written(example, tmp_path) -> None:
    jitcore.report(tmp_path / "a.json")
    jitcore.report(str(tmp_path / "a.HTML"))
    assert json_file.read((tmp_path / "a.json").read_text()).totals.places == example.totals.places
    assert (tmp_path / "a.HTML").read_text().startswith("<!doctype html>")
    with pytest.raises(ValueError, match=r"\.json or \.html"):
        jitcore.report(tmp_path / "a.txt")


def test_a_report_in_a_file_is_read_again(example, tmp_path, capsys) -> None:
    file, made = tmp_path / "a.json", tmp_path / "b.html"
    file.write_text(json_file.text(example))
    assert report.main([str(file)]) == 0
    assert "J204" in capsys.readouterr().out
    assert report.main([str(file), str(made)]) == 0 and made.stat().st_size > 5000
    assert report.main([str(tmp_path / "none.json")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("jitcore: ") and "none.json" in said and os.sep in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "JSON, but no report of jitcore's, as JITCORE_REPORT=json:FILE writes it"),
        ("[1, 2]", "JSON, but no report of jitcore's"),
        ('{"format": 99}', "a report of format 99; this jitcore reads"),
        ('{"format": 5}', "not a report of jitcore's: it has no 'process'"),
        ("text", "not JSON: "),
        ("[" * 100_000, "not JSON: "),
    ],
)
def test_a_file_that_is_no_report_is_said_to_be_none(text, said, tmp_path, capsys) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text)
    assert report.main([str(file)]) == 1
    seen = capsys.readouterr()
    assert seen.err.startswith(f"jitcore: {file}: {said}") and not seen.out
