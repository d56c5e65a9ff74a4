"""JITCORE_PERF=1: kernels are named after functions and lines; without it they are shared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jitcore.toolchain.c_source import CSource, c_source
from jitcore.toolchain.symbol_names import label_of, symbol_of

PROGRAM = """
import numpy as np, jitcore

class Model:
    @jitcore.compile
    def norm(self, x, y):
        return np.sqrt(x * x + y * y) * 2

@jitcore.compile
def other(x, y):
    return np.sqrt(x * x + y * y) * 2

@jitcore.compile
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 2
    return s

@jitcore.compile
def chain(u):
    a = u[1:-1, 1:-1] + u[:-2, 1:-1]
    return a[1:-1] * 2 + a[:-2]

x, u = np.linspace(0.0, 1.0, 4000), np.linspace(0.0, 1.0, 120000).reshape(300, 400)
print([made.tobytes().hex()[:64] for made in (Model().norm(x, x), other(x, x), chain(u))])
print(total(x).hex())
"""


def run(folder: Path, perf: str, *before: str) -> str:
    program = folder.parent / "program.py"
    program.write_text(PROGRAM)
    env = {**os.environ, "JITCORE_CACHE_DIR": str(folder), "JITCORE_PERF": perf}
    env["PYTHONPATH"] = str(Path(label_of.__code__.co_filename).parents[2])
    words = [*before, sys.executable, str(program)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of kernels with names, and of those without."""
    made = tmp_path_factory.mktemp("perf") / "kernels"
    assert run(made, "") == run(made, "1")
    return made


def symbols(folder: Path) -> list[str]:
    """Those that the libraries export, one in each."""
    found = [set(re.findall(rb"\0(jitcore_\w+)\0", p.read_bytes())) for p in folder.glob("*.so")]
    return [min(names, key=len).decode() for names in found]


@pytest.mark.by_turns
def test_names_say_function_line_and_operations(folder: Path) -> None:
    named = {name[:-9] for name in symbols(folder) if not name.startswith("jitcore_kernel_")}
    assert named == {
        "jitcore_Model_norm_7_multiply_multiply_add_sqrt_multiply",
        "jitcore_other_11_multiply_multiply_add_sqrt_multiply",
        "jitcore_total_17_loops",
        "jitcore_chain_22_add_multiply_add",
    }


@pytest.mark.by_turns
def test_without_them_the_same_loop_of_two_functions_is_one_kernel(folder: Path) -> None:
    assert sum(name.startswith("jitcore_kernel_") for name in symbols(folder)) == 3


def test_labels() -> None:
    assert label_of("f.<locals>.<lambda>", 3, "add") == "f_lambda__3_add"
    assert label_of("schön", None, "a" * 200) == "sch_n_0_" + "a" * 72
    assert symbol_of(c_source("int f;\n", "f_3_add"), "0123456789abcdef.so") == (
        "jitcore_f_3_add_01234567"
    )
    assert (
        symbol_of(CSource("int f;\n"), "0123456789abcdef012.so")
        == "jitcore_kernel_0123456789abcdef"
    )
    assert c_source("int f;\n") == CSource("int f;\n")


@pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")
@pytest.mark.by_turns
@pytest.mark.parametrize("name", ["jitcore_Model_norm_7", "jitcore_total_17", "jitcore_chain_22"])
def test_a_debugger_stops_in_a_kernel_by_its_name(folder: Path, name: str) -> None:
    (symbol,) = [one for one in symbols(folder) if one.startswith(f"{name}_")]
    settings = ["set breakpoint pending on", "set debuginfod enabled off"]
    commands = [*settings, f"break {symbol}", "run", "bt 2"]
    words = [word for command in commands for word in ("-ex", command)]
    told = run(folder, "1", "gdb", "-q", "-nx", "-batch", *words, "--args")
    if "ptrace" in told:
        pytest.skip("no program may be debugged here")
    assert re.search(rf"Breakpoint 1, 0x\w+ in {symbol} \(\)", told)
    assert re.search(rf"^#0 .* in {symbol} \(\)", told, re.M)
    assert re.search(r"^#1 .*(/csrc/|csrc/|_C\.cpython)", told, re.M)
