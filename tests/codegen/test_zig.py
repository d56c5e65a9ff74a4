"""`JITCORE_TEST_ZIG=1 pytest tests/codegen/test_zig.py`: a machine without a compiler, and the
wheel of the extra `jitcore[compiler]`, which pip fetches (some 100 MB)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    os.environ.get("JITCORE_TEST_ZIG", "") in ("", "0"), reason="JITCORE_TEST_ZIG is not set"
)

PROGRAM = """
import numpy as np
import jitcore
from jitcore.toolchain.selftest import chosen
from jitcore.config import environment

@jitcore.compile
def f(x, y):
    return np.sqrt(x * x + y * y) * np.exp(-x) + np.where(x < y, x, y)

x, y = np.linspace(-3, 3, 100_003), np.linspace(2, -2, 100_003)
assert f(x, y).tobytes() == f.eager(x, y).tobytes()
with np.errstate(divide="raise"):
    try:
        f(x / x.dtype.type(1), 1 / np.zeros(1))
    except FloatingPointError as error:
        print(error)
about = jitcore.explain(f)(x, y)
print(sum(len(graph.kernels) for graph in about.graphs) > 0, about.notes)
by = chosen("", "", environment().cache_dir)
print(by.compiler.command[0].rpartition("/")[2], by.flags[0])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target: Path = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(target), "ziglang"]
    subprocess.run(command, check=True, timeout=280)
    return target


def without_compiler(command: list[str], wheel: Path, kept: Path) -> str:
    env = {
        "HOME": str(kept),
        "PATH": str(kept / "nothing"),
        "JITCORE_CACHE_DIR": str(kept / "kernels"),
        "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(wheel)]),
    }
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=env, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_program(wheel: Path, tmp_path: Path) -> None:
    said = without_compiler(["-c", PROGRAM], wheel, tmp_path)
    assert said.split("\n")[1:3] == ["True ()", "zig -mavx2"] or "True ()\nzig" in said
    assert not [path for path in tmp_path.iterdir() if path.name not in ("kernels", ".cache")]


def test_the_kernels(wheel: Path, tmp_path: Path) -> None:
    """Also folds, which clang would make in another order if it were asked for vectors."""
    names = ("test_random_graphs.py", "test_folds.py")
    tests = [str(Path(__file__).parent / name) for name in names]
    without_compiler(["-m", "pytest", "-q", *tests], wheel, tmp_path)


def test_without_the_wheel_numpy_does_the_work(tmp_path: Path) -> None:
    text = PROGRAM.partition("about = ")[0] + "print(len(jitcore.explain(f)(x, y).notes))"
    assert without_compiler(["-c", text], tmp_path, tmp_path).split()[-1] == "1"
