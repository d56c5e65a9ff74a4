"""print() in a graph: when it is a step of it, what is looked at, what a process writes. That the
order is CPython's is for tests/programs/p43_prints.py."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import jitcore
from jitcore.host.plain_streams import NotPlain, check, is_plain

X = np.linspace(0.5, 2.0, 11)


def printed(fn, *args):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        seen = jitcore.explain(fn)(*args)
    return seen, out.getvalue()


def test_it_is_a_step_between_two_kernels():
    @jitcore.compile(fullgraph=True)
    def f(x, k):
        y = x * 2 + 1
        print("first", k, x.shape, y[0])
        return y * y - k

    seen, text = printed(f, X, 2.5)
    (graph,) = seen.graphs
    assert text == "first 2.5 (11,) 2.0\n" and not seen.breaks
    assert len(graph.kernels) == 2
    names = [node.op.name for node in graph.graph.body.nodes]
    assert names.index("py.print") == names.index("jitcore.check_stream") + 1
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for k in range(10):
            f(X, float(k))
    assert out.getvalue().splitlines() == [f"first {float(k)} (11,) 2.0" for k in range(10)]
    assert f.graphs[0].entry.hits > 5


def test_in_an_inlined_function_it_is_a_step_too():
    def inner(x, k):
        y = x * 2.0 + k
        print("inner", y[0])
        return np.sqrt(y)

    @jitcore.compile(fullgraph=True)
    def f(x, k):
        y = x * x + 1.0
        print("outer", k)
        z = inner(y, k)
        return inner(z * z, k) + y

    seen, text = printed(f, X, 2.5)
    (graph,) = seen.graphs
    with contextlib.redirect_stdout(io.StringIO()) as out:
        f.eager(X, 2.5)
    assert text == out.getvalue() and text.startswith("outer 2.5\ninner") and not seen.breaks
    names = [node.op.name for node in graph.graph.body.nodes]
    assert names.count("py.print") == 3
    assert printed(f, X, 2.5)[1] == text


@pytest.mark.parametrize("what", [X, {"a": 1}, {1}, object, len, range(3), "\ud800"])
def test_what_needs_code_is_cpythons(what):
    def f(x):
        y = x * 2 + 1
        print(what, file=OUT)
        return y * 3

    seen = jitcore.explain(jitcore.compile(f))(X)
    codes = [stop.code for stop in seen.breaks]
    assert codes == ["J204"], codes


OUT = io.StringIO()


@pytest.mark.parametrize("count", [5, 50])
def test_sizes_that_are_printed(count):
    """An entry for all sizes prints each one's own."""

    @jitcore.compile
    def f(x):
        y = x * 2 + 1
        print(len(x), x.shape, x.size, [x.shape[0] + 1])
        return y * y

    with contextlib.redirect_stdout(io.StringIO()) as out:
        for n in (count, count + 3, count + 7, count + 20, count):
            f(np.arange(float(n)))
    sizes = (count, count + 3, count + 7, count + 20, count)
    assert out.getvalue().splitlines() == [f"{n} ({n},) {n} [{n + 1}]" for n in sizes]


def test_which_streams_are_plain(tmp_path: Path):
    with open(tmp_path / "a", "w", encoding="utf-8") as file:
        assert is_plain(file, True) and is_plain(file, False)
        file.write = print
        assert not is_plain(file, True)
    with open(tmp_path / "a", "w", encoding="ascii") as file:
        assert is_plain(file, True) and not is_plain(file, False)
        file.buffer.write = print
        assert not is_plain(file, True)
    with open(tmp_path / "a", "w", encoding="utf-8") as file:
        file.buffer.raw.write = print
        assert not is_plain(file, True)
    with open(tmp_path / "a", "w", encoding="utf-16") as file:
        assert not is_plain(file, True)
    assert is_plain(io.StringIO(), False)
    detached = io.TextIOWrapper(io.FileIO(tmp_path / "a", "w"), "utf-8")
    assert is_plain(detached, True)
    detached.detach().close()
    others = io.TextIOWrapper(io.BytesIO()), type("Own", (io.StringIO,), {})(), None, 5, detached
    assert not any(is_plain(one, True) for one in others)
    with pytest.raises(NotPlain):
        check(5, True)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        check(None, False)
        out.write = print
        with pytest.raises(NotPlain):
            check(None, False)


PROGRAM = """
    import os, sys, numpy as np, jitcore
    @jitcore.compile{options}
    def f(x, k):
        y = x * 2 + 1
        print("out", k, end=";")
        z = np.log(y) + k
        print("err", k, file=sys.stderr)
        print(y.shape, flush=True)
        return z
    for k in range(4):
        os.write(1, f(np.arange(5.0), k).tobytes()[:0])
    print(len(f.graphs))
"""


def test_a_process_writes_as_ever():
    """To pipes, buffered and not, with another encoding, and to nobody."""
    wanted = "".join(f"out {k};(5,)\n" for k in range(4))
    for more in ({}, {"PYTHONUNBUFFERED": "1"}, {"PYTHONIOENCODING": "ascii"}, {"JITCORE": "0"}):
        program = textwrap.dedent(PROGRAM).format(options="")
        words = [sys.executable, "-c", program]
        env = {**os.environ, **more}
        done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=300)
        graphs = "0" if "JITCORE" in more else "1"
        assert done.stdout == f"{wanted}{graphs}\n", done.stderr
        assert done.stderr == "".join(f"err {k}\n" for k in range(4))


def test_a_pipe_that_nobody_reads():
    """BrokenPipeError comes from the line that prints."""
    program = textwrap.dedent(
        """
        import os, sys, numpy as np, jitcore
        @jitcore.compile(fullgraph=True)
        def f(x):
            y = x * 2 + 1
            print("out", flush=True)
            return np.log(y)
        f(np.arange(5.0))
        read, write = os.pipe()
        os.dup2(write, 1)
        f(np.arange(5.0))
        os.close(read)
        try:
            f(np.arange(5.0))
        except BrokenPipeError as error:
            lines = [error.__traceback__.tb_lineno, error.__traceback__.tb_next.tb_lineno]
            os.write(2, repr(lines).encode())
            os._exit(7)
        """
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (7, "[14, 6]")
