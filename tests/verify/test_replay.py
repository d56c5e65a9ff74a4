"""What verify mode writes can be read, replayed and shrunk; nothing of it is executed."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.verifying import Bench

from jitcore import pristine
from jitcore.cli import replay
from jitcore.ir.errstate import combined
from jitcore.ir.interp import interpret
from jitcore.ir.parse import ParseError
from jitcore.ir.parse import parse as graph_of
from jitcore.toolchain import cache
from jitcore.user import backends
from jitcore.verify.bug_report import NotAReport, parse
from jitcore.verify.case import case_of
from jitcore.verify.deep_equal import Comparison
from jitcore.verify.value_codec import NotAnInput, given, input_line, packed, parsed

OWN = pristine.own(np)  # what the parser looks names up in

RIGHT, WRONG = "0x1.8c00000000000p+1", "0x1.8c00000000001p+1"  # 3.09375


def chain(x: Any, y: Any) -> Any:
    a = np.abs(x - y) + 2.0
    b = np.sqrt(a) * 3.09375
    c = np.maximum(b, y) - a
    return c.sum(axis=1), np.exp(-a)


@pytest.fixture
def wrong_file(bench: Bench, tmp_path: Path) -> Path:
    bench.wrong[RIGHT] = WRONG
    f = bench.compiled(chain, cache_dir=tmp_path)
    f(np.arange(60.0).reshape(12, 5), np.ones(5))
    (file,) = bench.files()
    return file


def test_the_file_has_what_a_maintainer_needs(wrong_file: Path) -> None:
    report = parse(wrong_file.read_text())
    assert report.words("about")["function"] == "chain"
    assert {"python", "numpy", "compiler", "processor"} <= report.words("versions").keys()
    for name in ("found", "source", "bytecode", "guards", "segments", "graph", "inputs"):
        assert report.sections[name], name
    assert parse(str(report)) == report


def test_replay_says_whether_it_still_happens(wrong_file: Path, bench: Bench, capsys: Any) -> None:
    assert replay.main([str(wrong_file)]) == replay.STILL
    assert "it still happens" in capsys.readouterr().out
    bench.wrong.clear()  # mended
    cache.loaded.cache_clear()
    assert replay.main([str(wrong_file)]) == replay.GONE


def test_an_entry_for_many_sizes(bench: Bench, tmp_path: Path, capsys: Any) -> None:
    """Its graph has the types of the sizes that it was made with."""
    bench.wrong[RIGHT] = WRONG
    f = bench.compiled(chain, cache_dir=tmp_path, dynamic=True)
    f(np.arange(60.0).reshape(12, 5), np.ones(5))
    (file,) = bench.files()
    assert replay.main([str(file)]) == replay.UNKNOWN
    said = capsys.readouterr().out
    assert "it is of an entry for many sizes" in said and "with --execute" in said
    assert replay.main([str(file), "--execute"]) == replay.STILL


def test_a_backend_that_is_not_here(wrong_file: Path, bench: Bench, capsys: Any) -> None:
    """Another one was asked, which may be right where it is wrong."""
    text = wrong_file.read_text()
    assert "  | backend: c\n" in text
    wrong_file.write_text(text.replace("  | backend: c\n", "  | backend: theirs\n"))
    assert replay.main([str(wrong_file)]) == replay.STILL
    assert "it still happens, with backend c:" in capsys.readouterr().out
    bench.wrong.clear()
    cache.loaded.cache_clear()
    for more in ([], ["--execute"]):
        assert replay.main([str(wrong_file), *more]) == replay.UNKNOWN
        said = capsys.readouterr().out
        assert "its backend 'theirs' is not installed here, which has c, numpy" in said
        assert said.rstrip().endswith("With backend 'c' compiled code and CPython agree")


def test_a_backend_that_is_here_is_asked(
    wrong_file: Path, bench: Bench, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def theirs(graph: Any, inputs: Any) -> Any:
        return lambda *args: tuple(one + 1.0 for one in interpret(graph, *args))

    monkeypatch.setitem(backends._registered, "theirs", theirs)
    bench.wrong.clear()
    cache.loaded.cache_clear()
    text = wrong_file.read_text().replace("  | backend: c\n", "  | backend: theirs\n")
    wrong_file.write_text(text)
    assert replay.main([str(wrong_file)]) == replay.STILL
    assert "it still happens:" in capsys.readouterr().out


def test_minify(wrong_file: Path, capsys: Any) -> None:
    assert replay.main([str(wrong_file), "--minify"]) == replay.STILL
    small = wrong_file.with_name(f"{wrong_file.stem}-small.txt")
    before = case_of(parse(wrong_file.read_text()))
    after = case_of(parse(small.read_text()))
    assert [node.op.name for node in after.graph.body.nodes] == ["multiply"]
    assert len(before.graph.body.nodes) > 5
    assert max(x.size for x in after.inputs) < 60
    assert replay.main([str(small)]) == replay.STILL


def running(x: Any, out: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 3.09375
        if s > 1e9:
            s = s - 1.0
        out[i] = s
    return s


def test_a_loop(bench: Bench, tmp_path: Path, capsys: Any) -> None:
    bench.wrong[RIGHT] = WRONG
    bench.compiled(running, cache_dir=tmp_path)(np.arange(1.0, 30.0), np.zeros(29))
    (file,) = bench.files()
    assert replay.main([str(file)]) == replay.STILL
    told = capsys.readouterr().out
    assert "result 0" in told and "input 1, as it is afterwards" in told
    bench.wrong.clear()
    cache.loaded.cache_clear()
    assert replay.main([str(file)]) == replay.GONE


@pytest.mark.parametrize(
    "value",
    [
        *(3, -(1 << 70), True, -0.0, float("inf"), 2 - 1j, np.float32(0.1), np.int8(-3)),
        *(np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4).T, np.zeros((0, 3))),
        *(np.arange(10)[::-2], np.array(1.5), np.array([True, False]), np.arange(3, dtype=">i4")),
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ],
    ids=str,
)
def test_inputs_come_back(value: Any) -> None:
    number, found = parsed(input_line(4, None, "x[0]", value, "all"))
    assert number == 4
    assert not Comparison().differs(found, value) or isinstance(value, np.ndarray)
    if isinstance(value, np.ndarray):
        assert found.tobytes() == value.tobytes() and found.strides == value.strides


@pytest.mark.parametrize(
    "value",
    [
        *(
            [],
            (),
            [1, -(1 << 70)],
            [0.5, -0.0, float("inf")],
            (True, False),
            [2 - 1j],
            (np.float32(0.1),),
        ),
        *("a\n = text:é\ud800", "", b"\0=\n", bytearray(b"abc")),
    ],
    ids=repr,
)
def test_lists_and_texts_come_back(value: Any) -> None:
    line = input_line(4, None, "x[0]", value, "small")
    number, found = parsed(line)
    assert number == 4 and len(line.splitlines()) == 1
    assert type(found) is type(value) and not Comparison().differs(found, value)
    assert [*map(type, found)] == [*map(type, value)]


def test_what_is_not_in_the_file_is_made_up() -> None:
    for value in (np.ones(2), [1.0] * 3, (2,) * 4000):
        one = given(input_line(0, None, "xs", value, "none"))
        assert one.source == "xs" and one.made_up and len(one.value) == len(value)
        assert type(one.value[0]) is type(value[0])
        assert not given(input_line(0, None, "xs", value, "all")).made_up
    for value in ([1, 2.0], ["a"], [[1]], [None], "text"):
        with pytest.raises(NotAnInput):
            parsed(input_line(0, None, "xs", value, "none"))


@pytest.mark.parametrize(
    "text",
    [
        "items:pyf8 99999999999999 random:1",
        "items:pyf8 3 eJxj",
        "items:pyi8 2 0x1",
        "items:object 2 0x1",
        "items:",
        "text:[1]",
        "text:",
        "bytes:zz",
    ],
)
def test_items_that_are_none(text: str) -> None:
    cls = {"i": "list", "t": "str", "b": "bytes"}[text[0]]
    with pytest.raises((ValueError, zlib.error)):
        parsed(f"%0 object<builtins.{cls}> xs = {text}")


def test_large_arrays_are_not_in_it_unless_asked_for() -> None:
    large = np.arange(10_000.0)
    assert "zlib" not in input_line(0, None, "x", large, "small")
    assert "zlib" in input_line(0, None, "x", large, "all")
    assert "zlib" not in input_line(0, None, "x", np.ones(2), "none")
    _, found = parsed(input_line(0, None, "x", large, "small"))
    assert found.shape == large.shape


@pytest.mark.parametrize(
    "call",
    [
        "add(%0, np.fromfile('/etc/passwd'))",
        "add(%0, np.memmap('x', 'u1', 'w+'))",
        "add(%0, np.load('x'))",
        "add(%0, np.lib)",
        "add(%0, np.float64.mro())",
        "system('true')",
    ],
)
def test_text_of_a_graph_calls_nothing(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fromfile", "memmap", "load"):
        monkeypatch.setattr(OWN, name, lambda *_: pytest.fail("it was called"))
    with pytest.raises(ParseError):
        graph_of(f"graph f(%0: f8[3]) {{\n  %1: f8[3] = {call}\n  return %1\n}}")


@pytest.mark.parametrize("text", ["", "hello", "jitcore bug report, version 1\n\nloose"])
def test_other_files(text: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "x.txt"
    file.write_text(text)
    assert replay.main([str(file)]) == replay.UNKNOWN
    if text:
        with pytest.raises(NotAReport):
            parse(text + "\n\nloose")


def file_of(tmp_path: Path, graph: str, *inputs: str) -> str:
    """One node, under NumPy's own error state."""
    state = combined(0, {"divide": "warn", "over": "warn", "invalid": "warn"})
    lines = ["jitcore bug report, version 1", "", "[about]", f"  | errstate: {state}"]
    lines += ["[segments]", f"  | window 1 {state}", "[graph]"]
    lines += [f"  | {line}" for line in graph.splitlines()]
    lines += ["[inputs]", *(f"  | {line}" for line in inputs)]
    file = tmp_path / "report.txt"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


SQRT = "graph f(%0: f8[3]) {\n  %1: f8[3] = sqrt(%0)\n  return %1\n}"
MINUS = f"%0 f8[3] x = zlib:{packed(np.array([1.0, -1.0, 2.0]))}"


def test_nothing_is_said_where_nothing_was_compared(tmp_path: Path, capsys: Any) -> None:
    """NumPy warns of the root of -1: compiled code leaves that to it."""
    assert replay.main([file_of(tmp_path, SQRT, MINUS)]) == replay.UNKNOWN
    said = capsys.readouterr().out
    assert "cannot be replayed: compiled code left this to CPython here" in said
    plain = MINUS.partition("zlib:")[0] + f"zlib:{packed(np.ones(3))}"
    assert replay.main([file_of(tmp_path, SQRT, plain)]) == replay.GONE


@pytest.mark.parametrize(
    ("graph", "inputs", "why"),
    [
        (
            SQRT.replace("f8[3]", "f8[100000]"),
            (MINUS,),
            "input 0 is f8[3], where its graph has f8[100000]",
        ),
        (SQRT, (MINUS.replace("f8[3]", "f8[3]!"),), "input 0 is f8[3]!, where its graph has f8[3]"),
        (SQRT, (), "input 0 is not in it"),
        (SQRT.replace("%1: f8[3]", "%1: f8[9]"), (MINUS,), "its graph is not well formed: sqrt"),
        (SQRT.replace("sqrt(%0)", "sqrt(%0, 'x', [])"), (MINUS,), "its graph is not well formed"),
        (SQRT.replace("sqrt(%0)", "cond()"), (MINUS,), "its graph is not well formed"),
    ],
)
def test_a_file_is_not_taken_at_its_word(
    graph: str, inputs: tuple[str, ...], why: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    """What is compiled for one array must not run on another: it would read past its end."""
    monkeypatch.setattr(replay, "differences", lambda _: pytest.fail("it was run"))
    assert replay.main([file_of(tmp_path, graph, *inputs)]) == replay.UNKNOWN
    assert f"cannot be replayed: {why}" in capsys.readouterr().out
