"""An allocation fails, whichever it is: the result is right, or it is a MemoryError. Nothing else
is said, and the next call finds all as it was.

In a process of its own. CPython itself then reports a SystemError in some places, NumPy in others;
these are logged. CPython 3.12 and 3.13 drop one reference too many to a code object where
MAKE_FUNCTION finds no memory (plain `lambda: 1` does), so the program holds on to all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("_testcapi")

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


def test_any_allocation_may_fail(tmp_path):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, "JITCORE_REPORTS": str(tmp_path)},
    )
    assert done.stderr == ""
    assert done.stdout == textwrap.dedent(EXPECTED)
