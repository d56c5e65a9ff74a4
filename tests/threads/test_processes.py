"""Forks, threads of the program, and the end of the process, with workers there."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.toolchain.compiler import find

pytestmark = pytest.mark.skipif(find("") is None, reason="no C compiler")

ROOT = Path(jitcore.__file__).parent.parent
X = np.random.default_rng(3).random(400_000)

START = """
import os, sys, threading
import numpy as np
import jitcore
from jitcore import _C

def plain(x):
    return np.exp(x) * x + 1.0

f = jitcore.compile(plain)
x = np.random.default_rng(3).random(400_000)
want = plain(x)
jitcore.set_num_threads(4)

def right():
    _C.threads_again()
    return f(x).tobytes() == want.tobytes()

assert right() and right()
assert _C.threads_state()[0] == 3
"""


def run(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", START + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_a_child_has_workers_of_its_own() -> None:
    run("""
        for _ in range(10):  # warnings are errors: CPython sees no threads
            assert right()
            child = os.fork()
            if child == 0:
                ok = _C.threads_state()[0] == 0 and right() and right()
                os._exit(0 if ok and _C.threads_state()[0] == 3 else 1)
            assert right()
            assert os.waitpid(child, 0)[1] == 0
            assert _C.threads_state()[0] == 3
        """)


def test_a_fork_while_others_launch() -> None:
    run("""
        import warnings
        warnings.simplefilter("ignore")
        stop = []
        def work():
            while not stop:
                f(x)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(30):
            child = os.fork()
            if child == 0:
                before = _C.threads_state()[1]
                ok = right() and right()
                os._exit(0 if ok and _C.threads_state()[1] > before else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.append(1)
        for thread in threads:
            thread.join()
        assert right()
        """)


LOADS = {
    "lazily": "LazyModule('slow').value",
    "under JITCORE=1": "global_mode.loaded('slow').value",
}


@pytest.mark.parametrize("way", LOADS)
def test_a_fork_while_a_module_is_loaded(way: str, tmp_path: Path) -> None:
    """A module that asks for the lock of `logging`, which a fork takes, too."""
    (tmp_path / "slow.py").write_text(
        "import time; time.sleep(0.5); import logging; logging.getLogger('slow'); value = 3"
    )
    run(f"""
        import sys, time, warnings
        from jitcore.auto import global_mode
        from jitcore.host.lazy_import import LazyModule
        warnings.simplefilter("ignore")
        sys.path.insert(0, {str(tmp_path)!r})
        def value():
            return {LOADS[way]}
        loads = threading.Thread(target=value)
        loads.start()
        while "slow" not in sys.modules:
            time.sleep(0.001)
        child = os.fork()
        if child == 0:
            os._exit(value() != 3)
        assert os.waitpid(child, 0)[1] == 0
        loads.join()
        """)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        START
        + textwrap.dedent(f"""
        import multiprocessing

        def child(k):
            return right()

        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                assert all(pool.map(child, range(8)))
            assert right()
        """)
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_process_ends_while_workers_work() -> None:
    run("""
        def work():
            while True:
                f(x)
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        while _C.threads_state()[1] < 30:
            pass
        """)


def test_an_exit_in_a_hurry() -> None:
    run("os._exit(0 if right() else 1)")


def test_signals_are_the_programs() -> None:
    run("""
        import signal
        seen = []
        signal.signal(signal.SIGALRM, lambda *args: seen.append(threading.current_thread()))
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        for _ in range(100):
            assert right()
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert seen and set(seen) == {threading.main_thread()}
        """)


def test_no_more_threads_to_be_had() -> None:
    run("""
        import ctypes, resource
        memcmp, address = ctypes.CDLL(None).memcmp, ctypes.c_void_p

        def right_without_memory():
            _C.threads_again()
            found = f(x)  # in a buffer of the pool
            return memcmp(address(found.ctypes.data), address(want.ctypes.data), x.nbytes) == 0

        assert right_without_memory()
        jitcore.set_num_threads(100)
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (12 << 20), hard))
        assert right_without_memory()
        assert 3 <= _C.threads_state()[0] < 60
        assert right_without_memory()
        """)


def test_threads_of_the_program() -> None:
    """One of them gets the workers, or none does; nobody waits for another."""
    jitcore.set_num_threads(7)
    plain = [lambda x: np.exp(x) * x + 1.0, lambda x: x * x - x / 3.0, lambda x: np.sin(x) + x]
    fast = [jitcore.compile(fn) for fn in plain]
    want = [fn(X) for fn in plain]
    for fn in fast:
        fn(X)
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(40):
            if fast[k % 3](X).tobytes() != want[k % 3].tobytes():
                wrong.append(k)

    before = _C.threads_state()[1]
    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert before < _C.threads_state()[1] <= before + 240


def test_warnings_are_those_of_one_thread() -> None:
    def halves(x: Any) -> Any:
        return 1.0 / x + x

    fast = jitcore.compile(halves)
    x = X + 1.0
    fast(x)
    x[[5, 399_999]] = 0.0
    seen = []
    for count in (1, 2, 7):
        jitcore.set_num_threads(count)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = fast(x)
        assert np.isinf(result).sum() == 2
        seen.append([(w.category, str(w.message), w.lineno) for w in found])
    assert len(seen[0]) == 1 and seen == [seen[0]] * 3
