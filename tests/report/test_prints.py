"""What a program prints comes out at every call, in order, to wherever standard output is then."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import contextlib, io, sys
import numpy as np
import jitcore

compiled = jitcore.compile if sys.argv[1] == "compiled" else lambda fn: fn


@compiled
def around(x):
    y = np.sqrt(x * x + 1.0)
    print("between", 1, sep="-", flush=True)
    z = y * 2 + np.exp(y)
    print("sum", float(z.sum()), file=sys.stderr, flush=True)
    return z


@compiled
def rounds(x, n):
    for k in range(n):
        x = np.sqrt(x * x + k)
        print(k, end=";", flush=True)
    print(flush=True)
    return x


@compiled
def elements(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 2.0
        if i % 50 == 7:
            print("at", i, s, flush=True)
    return s


def told(x, what):
    print(what, flush=True)
    return x + 1


@compiled
def calls(x):
    return told(told(x * 2, "first") * 3, "second") - 1


@compiled
def comprehension(x):
    return [print("item", k, flush=True) or x * k for k in range(3)]


class Shown:
    def write(self, text):
        sys.__stdout__.write(text.upper())
        sys.__stdout__.flush()

    def flush(self):
        pass


X = np.linspace(0.0, 1.0, 200)
results = []
for run in range(4):
    results += [around(X), rounds(X, 5), elements(X), calls(X), *comprehension(X)]
    with contextlib.redirect_stdout(Shown()):
        results.append(around(X))
    sink = io.StringIO()
    with contextlib.redirect_stdout(sink):
        results.append(elements(X))
    print(repr(sink.getvalue()), flush=True)
print([np.asarray(one).tobytes().hex()[:32] for one in results])
if sys.argv[1] == "compiled":
    assert all(fn.cache_info().hits for fn in (around, rounds, elements, calls))
"""


def output(how: str) -> str:
    """Both streams in one, so that their order counts, too."""
    words = [sys.executable, "-c", PROGRAM, how]
    env = {**os.environ, "JITCORE_KEEP_ALL": "1"}
    done = subprocess.run(words, env=env, stdout=-1, stderr=-2, text=True, timeout=300, check=True)
    return done.stdout


def test_prints_come_out_at_every_call_in_order() -> None:
    wanted = output("plain")
    assert wanted.count("between-1\n") == 4 and wanted.count("BETWEEN-1\n") == 4
    assert wanted.count("0;1;2;3;4;\n") == 4
    assert output("compiled") == wanted
