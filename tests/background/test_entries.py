"""JITCORE_COMPILE=background: NumPy serves, then the entry takes over. The compiler is held back by
a gate, so that nothing hangs on who is faster."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from jitcore.config import from_environment
from jitcore.toolchain.selftest import chosen

HEAD = """
import os, sys, threading, warnings
from pathlib import Path
import numpy as np
import jitcore

gate = Path({gate!r})

@jitcore.compile
def f(x):
    return np.exp(-x) * 2 + x

@jitcore.compile
def g(x):
    return (x * x - 1) * x

x = np.linspace(0, 1, 1000)
same = lambda a, b: a.tobytes() == b.tobytes()
launches = lambda fn: sum(k.launches for r in jitcore.explain(fn)(x).graphs for k in r.kernels)
"""


@pytest.fixture
def program(tmp_path: Path):
    """text of a program → what it prints. Its compiler waits for the gate."""
    by = chosen("", "", None)
    if by is None:
        pytest.skip("no C compiler")
    gate, compiler = tmp_path / "gate", tmp_path / "cc"
    command = shlex.join(by.compiler.command)
    compiler.write_text(
        f'#!/bin/sh\nwhile [ ! -e {gate} ]; do sleep 0.02; done\nexec {command} "$@"\n'
    )
    compiler.chmod(0o755)
    kept = tmp_path / "kernels"

    def run(text: str, **env: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", HEAD.format(gate=str(gate)) + text],
            capture_output=True,
            text=True,
            timeout=100,
            env={
                **os.environ,
                "JITCORE_COMPILE": "background",
                "JITCORE_CC": str(compiler),
                "JITCORE_CACHE_DIR": str(kept),
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                **env,
            },
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert not list(kept.glob(".new-*"))
        return done.stdout.split("\n")[:-1]

    return run


def test_numpy_serves_until_the_kernels_are_there(program) -> None:
    assert program("""
for _ in range(20):
    assert same(f(x), f.eager(x)) and same(g(x), g.eager(x))
print(launches(f), launches(g), jitcore.wait(0))
print("being compiled" in str(jitcore.explain(f)(x)))
hits = f.cache_info().hits
gate.touch()
print(jitcore.wait(), f.cache_info().compiles, f.cache_info().entries)
for _ in range(4):
    assert same(f(x), f.eager(x)) and same(g(x), g.eager(x))
print(f.cache_info().hits - hits, launches(f) > 0, launches(g) > 0)
print("being compiled" in str(jitcore.explain(f)(x)), threading.active_count())
""") == ["0 0 False", "True", "True 1 1", "4 True True", "False 1"]


def test_the_trial_begins_when_the_kernels_are_there(program) -> None:
    """Runs before are no trial, nor is one that is explained: eight more decide, four of them the
    kernel's."""
    assert program(
        """
for _ in range(20):
    f(x)
gate.touch()
jitcore.wait()
(region,) = jitcore.explain(f)(x).graphs
(kernel,) = region.kernels
before = kernel.launches
for _ in range(8):
    f(x)
print(before, kernel.launches)
""",
        JITCORE_KEEP_ALL="0",
    ) == ["1 5"]


def test_the_next_process_finds_them_on_disk(program) -> None:
    text = """
f(x), g(x)
gate.touch()
jitcore.wait()
f(x), g(x)
print(launches(f) > 0, launches(g) > 0)
"""
    assert program(text) == program(text) == ["True True"]


def test_a_program_may_end_before(program) -> None:
    assert program("f(x), g(x), print('done')") == ["done"]


def test_reset_while_it_compiles(program) -> None:
    assert program("""
assert same(f(x), f.eager(x))
jitcore.reset()
gate.touch()
assert same(f(x), f.eager(x)) and jitcore.wait()
assert same(f(x), f.eager(x))
print(launches(f) > 0)
""") == ["True"]


def test_both_sides_of_a_fork_go_on(program) -> None:
    assert program("""
f(x)
child = os.fork()
if child == 0:
    gate.touch()
    good = jitcore.wait() and same(f(x), f.eager(x)) and launches(f) > 0
    os._exit(0 if good else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(jitcore.wait(), same(f(x), f.eager(x)), launches(f) > 0)
""") == ["0", "True True True"]


def test_a_compiler_that_fails_is_said_and_numpy_goes_on(program, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho out of order >&2\nexit 1\n")
    broken.chmod(0o755)
    assert program(
        """
import logging
lines = []
handler = logging.Handler()
handler.emit = lambda record: lines.append(record.getMessage())
logging.getLogger("jitcore").addHandler(handler)
f(x)
print(jitcore.wait(), len(lines), "out of order" in lines[0])
for _ in range(10):
    assert same(f(x), f.eager(x))
about = jitcore.explain(f)(x)
print([r.entry.retired for r in about.graphs], "out of order" in str(about))
""",
        JITCORE_CC=str(broken),
    ) == ["True 1 True", "[True] True"]


def test_the_environment_says_when() -> None:
    assert from_environment({}).compiling == "eager"
    assert from_environment({"JITCORE_COMPILE": "background"}).compiling == "background"
    assert from_environment({"JITCORE_COMPILE": "other"}).compiling == "eager"
