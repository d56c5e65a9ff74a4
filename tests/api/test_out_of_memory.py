"""An allocation fails, whichever it is: the result is right, or it is a MemoryError. Nothing else
is said, and the next call finds all as it was.

In a process of its own. CPython itself then reports a SystemError in some places, NumPy in others;
these are logged. CPython 3.12 and 3.13 drop one reference too many to a code object where
MAKE_FUNCTION finds no memory (plain `lambda: 1` does), so the program holds on to all of them.
CPython's own allocations fail by `_testcapi`, those that our C asks the C library for (buffers,
parts, threads) by a library that is preloaded, failing_allocations.c.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("_testcapi")
SHIM = Path(__file__).with_name("failing_allocations.c")

PROGRAM = """
    import gc, logging, types
    import _testcapi
    import numpy as np
    import jitcore

    logging.getLogger("jitcore").setLevel(logging.CRITICAL)
    x = np.linspace(0, 1, 50)
    y = x + 1

    def chain(x, y):
        return np.sqrt(x * x + y * y) * np.exp(-x) + y

    def store(x, y):
        z = np.zeros(50)
        z[:] = x * y + 1
        z[3:7] += x[3:7]
        return z

    def loop(x, y):
        s, out = 0.0, []
        for i in range(len(x)):
            s += x[i] * y[i]
            out.append(s)
        return np.array(out)

    def breaks(x, y):
        z = x * 2 + y
        try:
            w = float(str(z[0]))
        except ValueError:
            w = 1
        return z * w + z.sum()

    def codes(code):
        yield code
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                yield from codes(const)

    def outcome(f, n, want):
        _testcapi.set_nomemory(n, n + 1)
        try:
            try:
                got = f(x, y)
            finally:
                _testcapi.remove_mem_hooks()
        except (MemoryError, SystemError):
            return "no memory"
        return "right" if got.tobytes() == want else "wrong"

    compiled = [jitcore.compile(plain) for plain in (chain, store, loop, breaks)]
    for f in compiled:
        for _ in range(30):
            f(x, y)
    functions = [one for one in gc.get_objects() if isinstance(one, types.FunctionType)]
    held = [code for one in functions for code in codes(one.__code__) for _ in range(200)]
    for f in compiled:
        plain = f.eager
        want = plain(x, y).tobytes()
        found = [outcome(f, n, want) for n in range(250)]
        print(plain.__name__, sorted(set(found)), found[-1])

    for plain in (chain, store, loop, breaks):
        want, found = plain(x, y).tobytes(), set()
        for n in (*range(0, 900, 37), *range(900, 60_000, 4999)):
            f = jitcore.compile(types.FunctionType(plain.__code__.replace(), globals()))
            found |= {outcome(f, n, want), outcome(f, 1 << 30, want)}
        print("first calls of", plain.__name__, sorted(found - {"no memory"}))
    """
EXPECTED = """\
    chain ['right'] right
    store ['no memory', 'right'] right
    loop ['no memory', 'right'] right
    breaks ['no memory', 'right'] right
    first calls of chain ['right']
    first calls of store ['right']
    first calls of loop ['right']
    first calls of breaks ['right']
    """

LARGE = """
    import ctypes, sys
    import numpy as np
    import jitcore
    import jitcore._C

    shim = ctypes.CDLL(sys.argv[1])
    lines = [line.split() for line in open("/proc/self/maps") if jitcore._C.__file__ in line]
    ends = [int(end, 16) for line in lines for end in line[0].split("-")]
    shim.watch(ctypes.c_void_p(min(ends)), ctypes.c_void_p(max(ends)))

    def chain(x, y):
        return np.sqrt(x * x + y * y) * np.exp(-x) + y

    def store(x, y):
        z = x.copy()
        z[1:] = z[:-1] * y[1:] + 1
        return z

    def sums(x, y):
        return (x * y).sum(), (x + y).max(), x - (x * y).mean()

    def rounds(x, y):
        out = np.zeros(4000)
        for i in range(4000):
            z = x[i]
            for j in range(200):
                z = z * z * 0.25 + y[j] * 0.5
            out[i] = z
        return out

    def bits(value):
        return [np.asarray(one).tobytes() for one in (value if type(value) is tuple else (value,))]

    x, y = np.random.default_rng(0).random((2, 600_000))
    for plain in (chain, store, sums, rounds):
        want, seen, found, compiled = bits(plain(x, y)), 0, set(), jitcore.compile(plain)
        for calls_before in (0, 1, 20):
            for n in range(8):
                if n % 4 == 0:  # the others have what is compiled, and buffers of results before
                    jitcore.reset()
                for _ in range(calls_before):
                    compiled(x, y)
                shim.fail(n)
                held = [compiled(x, y) for _ in range(3)]
                seen = max(seen, shim.calls_seen())
                shim.fail(-1)
                found |= {bits(one) == want for one in held}
        print(plain.__name__, found, seen > 0)
    """
EVERYTHING_RIGHT = """\
    chain {True} True
    store {True} True
    sums {True} True
    rounds {True} True
    """


def run(program, folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, "JITCORE_REPORTS": str(folder), **environment},
    )


def test_any_allocation_may_fail(tmp_path):
    done = run(PROGRAM, tmp_path)
    assert done.stderr == ""
    assert done.stdout == textwrap.dedent(EXPECTED)


@pytest.mark.by_turns
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it stands in for glibc's malloc")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_any_buffer_or_thread_may_be_refused(tmp_path):
    shim = tmp_path / "failing.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", shim, SHIM, "-ldl"], check=True)
    done = run(LARGE, tmp_path, str(shim), LD_PRELOAD=str(shim))
    assert done.stderr == ""
    assert done.stdout == textwrap.dedent(EVERYTHING_RIGHT)
