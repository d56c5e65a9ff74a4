"""Logs by topic: what each says and when, and that nothing is worked out for one that is off."""

from __future__ import annotations

import io
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import jitcore
from jitcore import config, logs
from jitcore.ir.graph import Graph
from jitcore.runtime import points
from jitcore.toolchain import cache

X = np.linspace(-1.0, 2.0, 64)
PROGRAM = """
import numpy as np, jitcore
@jitcore.compile
def f(x):
    y = np.sqrt(x * x + 1.0)
    print("half way", y[:0])
    return y * 2
print(f(np.ones(8)).sum())
"""


def half(x):
    y = np.sqrt(x * x + 1.0)
    print("half way", y[:0])
    return y * 2 + np.exp(y)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The loggers as they were, whatever a test sets."""
    topics = [logging.getLogger(f"jitcore.{name}") for name in logs.TOPICS]
    before = [(one, one.level) for one in (logs.top, *topics)], [*logs.top.handlers]
    yield
    levels, logs.top.handlers[:] = before
    for one, level in levels:
        one.setLevel(level)
    jitcore.reset()


def said(caplog: pytest.LogCaptureFixture, topic: str, level: str = "INFO") -> str:
    """What a first call says of a topic, when only that one is on."""
    jitcore.reset()
    caplog.clear()
    with caplog.at_level(level, f"jitcore.{topic}"):
        jitcore.compile(half)(X)
    assert {record.name for record in caplog.records} == {f"jitcore.{topic}"}
    return "\n".join(record.getMessage() for record in caplog.records)


def test_the_graph_is_told_as_text(caplog) -> None:
    text = said(caplog, "graph")
    line = half.__code__.co_firstlineno
    assert f"{__file__}:{line} in half, offset " in text
    assert text.count("graph half(%0: f8[64])") == 2
    assert f"sqrt(%2)    # {__file__}:{line + 1} in half" in text


def test_guards_are_told_in_words(caplog) -> None:
    lines = said(caplog, "guards").splitlines()
    assert "  x is an array f8[64]" in lines and "  np is numpy" in lines


def test_a_break_is_told_with_place_reason_and_hint(caplog) -> None:
    text = said(caplog, "breaks")
    line = half.__code__.co_firstlineno + 2
    assert text.startswith(f"J204 {__file__}:{line} in half: output is written: print() of ")


def test_code_is_told_beside_the_users_lines(caplog) -> None:
    text = said(caplog, "code")
    lines = text.splitlines()
    at = next(k for k, one in enumerate(lines) if one.endswith("    y = np.sqrt(x * x + 1.0)"))
    assert lines[at].split()[0] == str(half.__code__.co_firstlineno + 1)
    assert lines[at + 1].split() == ["--", "region", "point,", "entries:", "0"]
    assert "LOAD_GLOBAL" in lines[at + 2] and lines[at + 2].endswith("np")
    assert any("-- region point, entries: 1" in one for one in lines)


def test_kernels_are_told_with_their_time_and_on_request_their_text(
    caplog, monkeypatch, tmp_path: Path
) -> None:
    own = config.from_environment({**os.environ, "JITCORE_CACHE_DIR": str(tmp_path)})
    monkeypatch.setattr("jitcore.api.environment", lambda: own)
    text = said(caplog, "kernels")
    assert "multiply_add_sqrt: a kernel of " in text and "#define" not in text
    assert " compiled in " in text and text.count(" ms") == 2
    text = said(caplog, "kernels", "DEBUG")
    assert "int jitcore_kernel(" in text and " compiled in " not in text


def test_the_cache_is_told_where_it_is_asked(caplog, monkeypatch, tmp_path: Path) -> None:
    own = config.from_environment({**os.environ, "JITCORE_CACHE_DIR": str(tmp_path)})
    monkeypatch.setattr("jitcore.api.environment", lambda: own)
    first = said(caplog, "cache").splitlines()
    assert first and all(line.startswith(f"not on disk: {tmp_path}") for line in first)
    assert set(said(caplog, "cache", "DEBUG").splitlines()) != set(first)
    assert "in memory: a kernel of " in said(caplog, "cache", "DEBUG")
    cache.loaded.cache_clear()
    again = said(caplog, "cache").splitlines()
    assert [line.removeprefix("not ") for line in first] == [
        line.removeprefix("found ") for line in again
    ]
    with caplog.at_level("INFO", "jitcore.cache"):
        cache.remove_oldest(tmp_path, 0, set())
    assert f"removed, as it was not used for longest: {tmp_path}" in caplog.text


def test_a_topic_that_is_off_formats_nothing(caplog, monkeypatch) -> None:
    def fails(*args: object) -> str:
        raise AssertionError("text for nobody")

    monkeypatch.setattr(Graph, "__str__", fails)
    monkeypatch.setattr(points, "listing", fails)
    monkeypatch.setattr("jitcore.fallback.breaks.Break.__str__", fails)
    jitcore.reset()
    assert jitcore.compile(half)(X).tobytes() == half(X).tobytes()
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("", {}),
        ("graph", {"graph": logging.INFO}),
        (" graph , +kernels,", {"graph": logging.INFO, "kernels": logging.DEBUG}),
        ("all,-code", {**dict.fromkeys(logs.TOPICS, logging.INFO), "code": logging.CRITICAL}),
        ("graph,graphs", {}),
        ("++graph", {}),
        ("+", {}),
    ],
)
def test_words(text: str, levels: dict[str, int]) -> None:
    assert logs.levels_in(text) == levels
    wrong = config.not_understood({"JITCORE_LOGS": text})
    assert bool(wrong) is (text != "" and not levels)
    assert all("graph" in each and "+topic" in each for each in wrong.values())


def test_the_programs_own_handlers_come_first(capsys) -> None:
    logs.listen({"breaks": logging.INFO})
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    jitcore.compile(half)(X)
    alone = capsys.readouterr().err
    logs.breaks.logger.addHandler(handler)
    try:
        jitcore.reset()
        jitcore.compile(half)(X)
    finally:
        logs.breaks.logger.removeHandler(handler)
    assert "J204" in out.getvalue() and capsys.readouterr().err == ""
    assert alone in ("", "jitcore.breaks: " + out.getvalue())  # "": pytest's handlers are there


def run(text: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "JITCORE_LOGS": text}
    words = [sys.executable, "-c", program]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=300, check=True)


def test_a_program_says_what_the_environment_asks_for() -> None:
    told = run("breaks,graph")
    assert told.stdout.startswith("half way []\n")
    assert "jitcore.breaks: J204 <string>:6 in f: output is written" in told.stderr
    assert "jitcore.graph: <string>:3 in f, offset 2:\ngraph f(%0: f8[8]) {" in told.stderr
    assert "jitcore.guards" not in told.stderr


@pytest.mark.by_turns
def test_a_program_whose_standard_error_is_gone() -> None:
    assert run("all", "import sys\nsys.stderr.close()" + PROGRAM).stdout.startswith("half way []\n")
    assert run("all", "import sys\nsys.stderr = None" + PROGRAM).stdout.startswith("half way []\n")


@pytest.mark.by_turns
def test_a_word_that_is_not_understood_is_told_once() -> None:
    told = run("graph,speed")
    assert told.stderr.count("JITCORE_LOGS='graph,speed' is not understood") == 1
    assert "jitcore.graph" not in told.stderr


def test_a_storm_of_recompiles_is_told_to_who_listens(caplog) -> None:
    def scaled(x):
        y = x * 2 + 1
        print(end="")
        return y * y - 1

    compiled = jitcore.compile(scaled, dynamic=False)
    with caplog.at_level("INFO", "jitcore.recompiles"):
        for n in range(2, 20):
            assert compiled(np.ones(n)).tobytes() == scaled(np.ones(n)).tobytes()
    texts = [record.getMessage() for record in caplog.records]
    (text,) = (one for one in texts if "no further versions" in one)
    line = scaled.__code__.co_firstlineno
    assert f"{__file__}:{line} in " in text and "scaled: no further versions will be" in text
    assert (
        "8 versions, for different sizes under dynamic=False. Hint: leave dynamic=False out" in text
    )
    last = next(one for one in texts[texts.index(text) :] if one is not text)
    assert "x.shape[0]: 9 → 10: runs in CPython" in last


MANY_KINDS = """
import numpy as np, jitcore
@jitcore.compile
def scaled(x, word):
    y = x * 2 + len(word)
    return y * y - 1
@jitcore.compile
def parts(x, ends):
    return x * 2 + sum(x[:k].sum() for k in ends)
for k in range(2, 20):
    scaled(np.ones(k), "GATTACA" * k)
    scaled(np.ones((2,) * (k % 12 + 1)), str(k))
    parts(np.ones(99), [*range(k, k + 7)])
"""


def test_nothing_is_written_by_default_of_many_kinds_of_inputs() -> None:
    told = run("", MANY_KINDS)
    assert (told.stdout, told.stderr) == ("", "")
    told = run("recompiles", MANY_KINDS)
    assert "no further versions will be compiled" in told.stderr
    assert "GATTACAGATTACAGATTAC…" in told.stderr and "GATTACA" * 3 not in told.stderr
    assert re.search(r"ends\[2\]: .*; and \d more: another entry", told.stderr), told.stderr


def test_each_time_that_a_place_is_compiled_again_is_told_to_who_listens(caplog) -> None:
    compiled = jitcore.compile(lambda x: x * 2 + 1, dynamic=False)
    with caplog.at_level("INFO", "jitcore.recompiles"):
        for n in range(2, 5):
            compiled(np.ones(n))
    texts = [record.getMessage() for record in caplog.records]
    assert [text.rpartition("x.shape[0]: ")[2] for text in texts] == [
        "2 → 3: another entry",
        "3 → 4: another entry",
    ]
