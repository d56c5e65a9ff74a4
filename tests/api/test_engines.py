"""Scripts whose own functions go to other processes, by multiprocessing and by what others have
made of it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

HEAD = """\
import sys
import numpy as np
import jitcore

@jitcore.compile
def scaled(x, k=2.0):
    return float((np.sqrt(x * x + 1.0) * k).sum())

class Model:
    w = 3.0
    @jitcore.compile
    def run(self, x):
        return float((x * self.w).sum())

def caller(x):
    return scaled(x) + 1.0

@jitcore.compile
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)

def add(x):
    return x + 5.0

added = jitcore.compile(add)
x = np.arange(5.0)

def expected():
    return [scaled.eager(x), scaled.eager(x) + 1.0, Model.run.eager(Model(), x), 120, 6.0]

def given():
    return [(scaled, x), (caller, x), (Model().run, x), (factorial, 5), (added, 1.0)]

def closure(k):
    @jitcore.compile
    def inner(n):
        return k if n == 0 else inner(n - 1)
    return inner

def call(pair):
    return pair[0](pair[1])
"""

MULTIPROCESSING = """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        assert pool.map(call, given()) == expected()
"""

EXECUTOR = """
from concurrent.futures import ProcessPoolExecutor
if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        assert list(pool.map(call, given())) == expected()
        assert pool.submit(scaled, x, 3.0).result() == scaled.eager(x, 3.0)
"""

JOBLIB = """
from joblib import Parallel, delayed
parallel = Parallel(n_jobs=2)
assert parallel(delayed(fn)(arg) for fn, arg in given()) == expected()
assert parallel(delayed(closure(k))(2) for k in range(3)) == [0, 1, 2]
"""

DASK = """
from dask.base import tokenize
from dask.distributed import Client
if __name__ == "__main__":
    first = tokenize(scaled)
    assert first == tokenize(scaled) and tokenize(closure(1)) == tokenize(closure(1))
    different = [closure(1), closure(2), scaled, jitcore.compile(scaled, numerics="fast")]
    assert len({*map(tokenize, different)}) == 4
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        assert client.gather([client.submit(*pair) for pair in given()]) == expected()
        assert client.submit(closure(7), 2).result() == 7
        assert client.submit(scaled, x).result() == scaled.eager(x)

        @jitcore.compile
        def scaled(x):
            return float(x.sum())

        assert tokenize(scaled) != first
        assert client.submit(scaled, x).result() == 10.0
        assert client.submit(caller, x).result() == 11.0
"""

CLOUDPICKLE = """
import subprocess
import cloudpickle
data = cloudpickle.dumps((call, given(), closure(4)))
read = "import pickle, sys; call, given, four = pickle.load(sys.stdin.buffer); "
read += "print([*map(call, given)], four(3), type(given[0][0]).__name__)"
done = subprocess.run([sys.executable, "-c", read], input=data, capture_output=True, check=True)
assert done.stdout.decode().split() == f"{expected()} 4 Compiled".split(), done.stdout
"""

DILL = CLOUDPICKLE.replace("cloudpickle", "dill").replace("import pickle, sys", "import dill, sys")
DILL = DILL.replace("pickle.load(", "dill.load(")
DILL = DILL.replace("import dill\n", 'import dill\ndill.settings["recurse"] = True\n', 1)


def go(tmp_path: Path, program: str, *arguments: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(HEAD + textwrap.dedent(program))
    env = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    env["JITCORE_CACHE_DIR"] = os.environ["JITCORE_CACHE_DIR"]
    env["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, tmp_path: Path) -> None:
    go(tmp_path, MULTIPROCESSING, method)


def test_process_pool_executor(tmp_path: Path) -> None:
    go(tmp_path, EXECUTOR)


@pytest.mark.parametrize(
    ("engine", "program"),
    [
        ("joblib", JOBLIB),
        ("distributed", DASK),
        ("cloudpickle", CLOUDPICKLE),
        ("dill", DILL),
    ],
)
def test_others(engine: str, program: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    go(tmp_path, program)
