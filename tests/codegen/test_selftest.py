"""Compilers that are wrong on purpose are found out, and those that are left out are said."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jitcore.config import from_environment
from jitcore.toolchain import cache_dir, selftest
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain.compiler import Compiler
from jitcore.toolchain.subprocesses import CompileError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    cache_dir.usable.cache_clear()
    cache_dir.SAID.clear()
    return tmp_path / "kept"


def script(path: Path, text: str) -> str:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


# ---- the tests ----------------------------------------------------------------------------------


def test_the_compiler_here_passes(compiler: Compiler, place: Path) -> None:
    flags = selftest.proven_flags(compiler, place)
    assert flags in toolchain.MACHINES[toolchain.machine()]
    assert len(list(place.glob("*.note"))) == 1


def test_the_tests_of_both_sides_are_the_same() -> None:
    text = (Path(selftest.__file__).parent.parent / "runtime_c" / "selftest.c").read_text()
    table = text.partition("volatile tests[] = {\n#if PART == 0\n")[2].partition("#endif")[0]
    named = [part.replace("\n", " ").strip(" ,").split(",") for part in table.split("#else")]
    assert list(map(len, named)) == list(map(len, selftest.PARTS))


@pytest.mark.parametrize(
    ("flag", "wrong"),
    [
        ("-ffinite-math-only", "x < y"),
        ("-freciprocal-math", "y / 3"),
        ("-funsafe-math-optimizations", "x"),
        ("-DRT_DROP", "not read"),
        ("-DRT_FLUSH", "x * y"),
    ],
)
def test_wrong_bits_and_flags_are_found(compiler: Compiler, flag: str, wrong: str) -> None:
    spoiled = {
        "-DRT_DROP": ("v = expression;", "v = x;"),
        "-DRT_FLUSH": ("mul_d, f64, f64, x * y", "mul_d, f64, f64, 1e-300 * x * y * 1e300"),
    }
    texts = tuple(text.replace(*spoiled.get(flag, ("", ""))) for text in selftest.sources())
    bad = Compiler(compiler.path, (*compiler.extra, flag), f"{compiler.identity} {flag}")
    assert wrong in selftest.tried(bad, (), texts)


def test_numpy_says_which_flags_are_raised() -> None:
    test = next(t for t in selftest.TESTS if t.name == "x / y" and t.dtype == "d")
    one, two = np.array([1.0]), np.array([0.0])
    assert selftest.by_numpy(test, one, two)[1] == selftest.FLAGS["divide"]
    assert selftest.by_numpy(test, two, two)[1] == selftest.FLAGS["invalid"]
    assert selftest.by_numpy(test, one, one)[1] == 0


# ---- the verdict --------------------------------------------------------------------------------


def test_the_verdict_is_kept(
    compiler: Compiler, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(selftest, "tried", lambda *a: asked.append(a) or "")
    flags = toolchain.MACHINES[toolchain.machine()][0]
    assert selftest.verdict(compiler, flags, place) == ""
    assert selftest.verdict(compiler, flags, place) == ""
    assert len(asked) == 1
    assert selftest.verdict(compiler, (*flags, "-DOTHER"), place) == ""
    assert selftest.verdict(replace(compiler, identity="other"), flags, place) == ""
    assert len(asked) == 3


def test_a_compiler_that_fails_its_test_is_not_used(
    compiler: Compiler,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = replace(compiler, identity="another")
    monkeypatch.setattr(selftest, "compilers", lambda *a: iter([compiler, other]))
    monkeypatch.setattr(selftest, "tried", lambda c, *a: "x + y (float64)" if c is compiler else "")
    with caplog.at_level(logging.INFO, "jitcore.kernels"):
        found = selftest.chosen("", "", place)
        assert found is not None and found.compiler is other
        selftest.chosen.cache_clear()
        assert selftest.chosen("", "", place) is not None
    (record,) = caplog.records
    assert "gets x + y (float64) wrong" in record.getMessage()
    assert any("gets x + y (float64) wrong" in text for text in cache_dir.said())


def test_flags_in_turn(compiler: Compiler, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tried(_: Compiler, flags: tuple[str, ...], texts: tuple[str, ...]) -> str:
        if flags == ("-a",):
            raise CompileError("unknown option -a")
        return "x / y" if flags == ("-b",) else ""

    monkeypatch.setattr(selftest, "tried", tried)
    for sets, found in (((("-a",), ("-b",), ("-c",)), ("-c",)), ((("-c",), ("-b",)), ("-c",))):
        monkeypatch.setitem(selftest.MACHINES, selftest.machine_here(), sets)
        selftest.proven_flags.cache_clear()
        assert selftest.proven_flags(compiler, place) == found
    monkeypatch.setitem(selftest.MACHINES, selftest.machine_here(), (("-b",), ("-a",)))
    selftest.proven_flags.cache_clear()
    with pytest.raises(CompileError, match="gets x / y wrong"):
        selftest.proven_flags(compiler, place)
    selftest.proven_flags.cache_clear()


# ---- which compiler -----------------------------------------------------------------------------


def test_compilers_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cc", "gcc", "clang", "mine"):
        script(tmp_path / name, f"exit 1 # {name}\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "zig_path", lambda: None)

    def names(named: str, hinted: str = "") -> list[str]:
        return [Path(one.path).name for one in toolchain.compilers(named, hinted)]

    assert names("") == ["cc", "gcc", "clang"]
    assert names("", "mine -O1") == ["mine", "cc", "gcc", "clang"]
    assert names("", "no-such") == ["cc", "gcc", "clang"]
    assert names("mine", "gcc") == ["mine"]
    assert names("no-such", "gcc") == []
    (tmp_path / "cc").unlink()
    (tmp_path / "cc").symlink_to(tmp_path / "gcc")
    assert names("") == ["cc", "clang"]


def test_the_wheel_of_zig_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "site" / "ziglang"
    wheel.mkdir(parents=True)
    (wheel / "__init__.py").touch()
    script(wheel / "zig", "exit 1\n")
    monkeypatch.syspath_prepend(str(wheel.parent))
    monkeypatch.delitem(sys.modules, "ziglang", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (only,) = toolchain.compilers("")
    assert only.command == (str(wheel / "zig"), "cc")
    script(tmp_path / "cc", "exit 2 # not the same\n")
    assert [Path(one.path).name for one in toolchain.compilers("")] == ["cc", "zig"]
    assert [Path(one.path).name for one in toolchain.compilers("cc")] == ["cc"]


def test_the_environment_names_compilers() -> None:
    config = from_environment({"JITCORE_CC": "tcc", "CC": "gcc -m64"})
    assert (config.compiler, config.hinted) == ("tcc", "gcc -m64")


def test_the_parts_are_compiled_side_by_side(tmp_path: Path, place: Path) -> None:
    """Each waits until the other has begun."""
    both = script(
        tmp_path / "both",
        f"""
        case "$*" in *"-S "*) ;; *) exec cc "$@";; esac
        touch {tmp_path}/begun.$$
        tries=0
        until [ $(ls {tmp_path}/begun.* | wc -l) = {len(selftest.PARTS)} ]; do
            sleep 0.02; tries=$((tries + 1)); [ $tries -lt 1000 ] || exit 3
        done
        exec cc "$@"
        """,
    )
    (by,) = toolchain.compilers(both)
    assert selftest.tried(by, toolchain.MACHINES[toolchain.machine()][0], selftest.sources()) == ""
