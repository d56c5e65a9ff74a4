"""What fails inside jitcore does not reach the program, unless asked for; then it says where."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.verifying import Bench

import jitcore
from jitcore import pipeline
from jitcore.auto import prepare
from jitcore.cli import replay
from jitcore.config import environment
from jitcore.ir.op import Op
from jitcore.plan import assemble, segments
from jitcore.runtime import points
from jitcore.toolchain import cache
from jitcore.toolchain.subprocesses import CompileError
from jitcore.verify.bug_report import parse

STAGES: dict[str, tuple[Any, str]] = {
    "decode": (pipeline, "decode"),
    "capture": (pipeline, "capture"),
    "fuse": (segments, "run"),
    "guards": (assemble, "compile_guards"),
    "codegen": (segments, "compiled"),
    "compiler": (cache, "build"),
    "load": (cache, "dlopen"),
    "splice": (points, "splice"),
}


class Injected(Exception):
    """No code of ours expects it."""


def fails(*_: Any, **__: Any) -> Any:
    raise Injected("a cause\nof two lines")


def function(x: Any) -> Any:
    return np.sqrt(x * 5.515625) + 1.0


@pytest.mark.parametrize("stage", STAGES)
def test_the_program_goes_on(
    stage: str, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(*STAGES[stage], fails)
    f = bench.compiled(function, verify=False, cache_dir=tmp_path)
    x = np.arange(40.0)
    for _ in range(3):
        assert f(x).tobytes() == function(x).tobytes()
    (text,) = bench.told  # once
    assert f"{__file__}:" in text and "in function" in text
    assert "Injected: a cause" in text and "Traceback" in text
    (file,) = bench.files()
    assert f"bug report: {file}" in text
    report = parse(file.read_text())
    assert report.words("about")["kind"] == "error"
    assert any(line.endswith("Injected: a cause") for line in report.sections["traceback"])
    assert report.sections["source"][0].startswith("def function")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("asked", ["strict", "fullgraph"])
def test_strict_it_is_raised(
    stage: str, asked: str, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(*STAGES[stage], fails)
    options: dict[str, Any] = {asked: True}
    with pytest.raises(jitcore.InternalError) as caught:
        bench.compiled(function, verify=False, cache_dir=tmp_path, **options)(np.arange(40.0))
    text = str(caught.value)
    assert text.startswith("J906") and "Injected: a cause" in text
    assert f"{__file__}:" in text
    assert "hint: " in text and "bug report: " in text
    assert isinstance(caught.value.__cause__, Injected)


def test_the_caret_is_where_capture_was(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Op, "infer", fails)
    with pytest.raises(jitcore.InternalError) as caught:
        bench.compiled(function, verify=False, strict=True)(np.arange(40.0))
    assert "    return np.sqrt(x * 5.515625) + 1.0\n" in str(caught.value)
    line = "    return np.sqrt(x * 5.515625) + 1.0"
    assert f"\n{' ' * line.index('x *')}{'^' * len('x * 5.515625')}\n" in str(caught.value)


def test_code_that_arrives(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """JITCORE=1: the first look at a function."""
    monkeypatch.setattr(prepare, "decode", fails)
    prepare.prepare(function.__code__)
    (text,) = bench.told
    assert f"{__file__}:{function.__code__.co_firstlineno} in function runs in CPython" in text
    strict = replace(environment(), strict=True)
    monkeypatch.setattr(prepare, "environment", lambda: strict)
    with pytest.raises(Injected):
        prepare.prepare(function.__code__)


def test_a_compiler_that_refuses_is_an_error_only_when_strict(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuses(*_: Any) -> None:
        raise CompileError("no room")

    monkeypatch.setattr(cache, "build", refuses)
    f = bench.compiled(function, verify=False, cache_dir=tmp_path)
    x = np.arange(40.0)
    assert f(x).tobytes() == function(x).tobytes()
    assert not bench.files()
    strict = replace(environment(), strict=True)
    monkeypatch.setattr(cache, "environment", lambda: strict)
    cache.loaded.cache_clear()
    with pytest.raises(jitcore.InternalError, match="a kernel cannot be compiled: no room"):
        bench.compiled(function, verify=False, cache_dir=tmp_path, strict=True)(x)


def test_users_own_errors_are_no_report(bench: Bench) -> None:
    f = bench.compiled(function)
    with pytest.raises(TypeError):
        f(object())
    assert not bench.files() and not bench.told
    assert logging.getLogger("jitcore").handlers


def test_the_function_of_a_report_is_executed_when_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(pipeline, "capture", fails)
        bench.compiled(function, verify=False)(np.arange(40.0))
        (file,) = bench.files()
        assert replay.main([str(file)]) == replay.UNKNOWN
        assert "with --execute the function itself is run" in capsys.readouterr().out
        assert replay.main([str(file), "--execute"]) == replay.STILL
        assert "Injected: a cause" in capsys.readouterr().out
    assert replay.main([str(file), "--execute"]) == replay.GONE


def test_a_report_runs_nothing_of_the_programs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """inspect.getsource asks all modules for their files."""
    module = ModuleType("lazily")
    asked: list[str] = []
    vars(module)["__getattr__"] = asked.append
    monkeypatch.setitem(sys.modules, "lazily", module)
    monkeypatch.setattr(pipeline, "capture", fails)
    bench.compiled(function, verify=False)(np.arange(40.0))
    (file,) = bench.files()
    source = parse(file.read_text()).sections["source"]
    assert source == ("def function(x: Any) -> Any:", "    return np.sqrt(x * 5.515625) + 1.0")
    assert not asked
