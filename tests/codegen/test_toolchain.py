"""The compiler: found or not, flags that keep to IEEE rounding, the environment."""

from __future__ import annotations

import inspect
import logging
import platform
import re
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from codegen_harness import build, groups_of
from toolchain_cases import X, graph, group

from jitcore.config import (
    ALLOWED,
    FREE,
    Config,
    default_cache_dir,
    from_environment,
    not_understood,
)
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.kernel import kernel, kernels_to_come, load_all, source_of
from jitcore.passes.window import fused
from jitcore.toolchain import compiler as toolchain
from jitcore.toolchain import selftest
from jitcore.toolchain.subprocesses import CompileError

# ---- rounding -----------------------------------------------------------------------------------


def test_fused_multiply_add_is_seen() -> None:
    for line in (
        "\tvfmadd213pd\t%ymm0, %ymm1, %ymm2",
        "  vfnmsub132sd x",
        "\tfmla\tv0.2d",
        "\tfmadd d0",
    ):
        assert toolchain.fused(f"a:\n{line}\n") is not None
    assert toolchain.fused("\tvaddpd\t%ymm0\n\tvmulpd\t%ymm1\n\tfmul\td0, d1\n") is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="flags of x86")
def test_a_compiler_that_fuses_is_refused(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    flags = ("-mfma", "-mavx2", "-ffp-contract=fast")
    with pytest.raises(CompileError, match="emits vf"):
        toolchain.assembly(compiler, flags, {tmp_path / "probe.s": toolchain.PROBE})


def test_the_proven_flags_do_not_fuse(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    flags = selftest.proven_flags(compiler, None)
    (text,) = toolchain.assembly(compiler, flags, {tmp_path / "probe.s": toolchain.PROBE})
    assert toolchain.fused(text) is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86 instructions")
def test_runs_between_calls_are_vector_code(compiler: toolchain.Compiler, tmp_path: Path) -> None:
    def fn(b: Builder, x: Value) -> Value:
        return b.emit(
            OP["*"], (b.emit(OPS["sqrt"], (b.emit(OP["+"], (x, 1.0)),)), b.emit(OPS["exp"], (x,)))
        )

    b, _, results = build(fn, [X])
    (one,) = groups_of(fused(b.nodes, set(results)))
    flags = selftest.proven_flags(compiler, None)
    (text,) = toolchain.assembly(compiler, flags, {tmp_path / "one.s": source_of(one)})
    assert "sqrtpd" in text


# ---- no compiler --------------------------------------------------------------------------------


def test_without_a_compiler_there_is_no_kernel(
    fresh: Config, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(fresh, compiler="no-such-compiler")
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), config) is None
        b, _, results = build(lambda b, x: b.emit(OP["-"], (graph(b, x), x)), [X])
        assert kernel(groups_of(fused(b.nodes, set(results)))[0], config) is None
    (record,) = caplog.records
    assert "no C compiler" in record.getMessage()


def test_a_compiler_that_fails_is_said_once(
    fresh: Config, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho out of order >&2\nexit 1\n")
    broken.chmod(0o755)
    with caplog.at_level(logging.WARNING, "jitcore"):
        assert kernel(group(), replace(fresh, compiler=str(broken))) is None
    (record,) = caplog.records
    assert "out of order" in record.getMessage()


def test_flags_in_cc_are_kept(compiler: toolchain.Compiler) -> None:
    (found,) = toolchain.compilers(f"{compiler.path} -DX=1")
    assert found.command == (compiler.path, "-DX=1")


# ---- the environment ----------------------------------------------------------------------------


def test_the_environment_is_read() -> None:
    config = from_environment(
        {
            "JITCORE": "0",
            "JITCORE_REPORT": "1",
            "JITCORE_CACHE_DIR": "/x",
            "JITCORE_CC": "tcc",
            "CC": "gcc",
        }
    )
    assert not config.enabled and config.report
    assert config.compiler == "tcc" and config.hinted == "gcc"
    assert config.cache_dir == Path("/x")
    assert from_environment({"JITCORE": "1"}).everywhere
    assert from_environment({}) == from_environment({"JITCORE": ""})


@pytest.mark.parametrize(
    ("name", "wrong", "right", "allowed"),
    [
        ("JITCORE", "off", "0", "0 (off) or 1"),
        ("JITCORE_COMPILE", "foo", "background", "eager or background"),
        ("JITCORE_COMPILE", "Eager", "eager", "eager or background"),
        ("JITCORE_NUM_THREADS", "abc", " 4", "a number from 1 on"),
        ("JITCORE_NUM_THREADS", "0", "4,2", "a number from 1 on"),
        ("JITCORE_POOL_MB", "1GB", "64", "a number of megabytes"),
        ("JITCORE_POOL_MB", "-1", "0", "a number of megabytes"),
    ],
)
def test_a_wrong_value_is_told_of(name: str, wrong: str, right: str, allowed: str) -> None:
    assert not_understood({name: right}) == not_understood({name: ""}) == not_understood({}) == {}
    (text,) = not_understood({name: wrong, "OMP_NUM_THREADS": "?", "CC": "?"}).values()
    assert f"{name}={wrong!r}" in text and allowed in text
    assert from_environment({name: wrong}) == from_environment({})


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("JITCORE_REPROT", "JITCORE_REPORT"),
        ("JITCORE_CACHEDIR", "JITCORE_CACHE_DIR"),
        ("JITCORE_VERFY", "JITCORE_VERIFY"),
    ],
)
def test_a_misspelt_name_is_told_of(name: str, near: str) -> None:
    assert not_understood({name: ""}) == {}
    (text,) = not_understood({name: "1", "JITCORE_BUILD_STRICT": "1"}).values()
    assert text == f"{name} is no variable of jitcore's, and left out: did you mean {near}?"


def test_every_variable_is_known() -> None:
    asked = re.findall(r'"(JITCORE\w*)"', inspect.getsource(from_environment))
    assert {*asked} == {*ALLOWED, *FREE}


def test_the_cache_follows_xdg() -> None:
    assert default_cache_dir({"XDG_CACHE_HOME": "/c"}) == Path("/c/jitcore")
    assert default_cache_dir({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache" / "jitcore"


def test_an_alarm_of_the_program_is_no_failure_of_the_compiler():
    def handler(*_: object) -> None:
        raise TimeoutError("the program's own")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeoutError, match="the program's own"):
            toolchain.run(("sleep", "5"), "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_kernel_without_code_refuses_until_it_is_loaded(fresh: Config, compiler: object) -> None:
    one = group()
    to_come = kernels_to_come([one])
    empty = to_come[one]
    assert empty(X) is None and (empty.launches, empty.refusals) == (0, 1)
    assert load_all(to_come, fresh)
    made = kernel(one, fresh)
    assert made is not None
    assert np.array_equal(empty(X), made(X))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has its code"):
        empty.load(1, None)
    with pytest.raises(ValueError, match="no code at address 0"):
        kernels_to_come([one])[one].load(0, None)
    assert not load_all(kernels_to_come([one]), replace(fresh, compiler="no-such"))
