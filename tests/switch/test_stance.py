"""jitcore.stance: per thread, nested, and put back after exceptions."""

from __future__ import annotations

import threading
from types import FunctionType

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.runtime.records import records


def hits(fn) -> int:
    record = records.find(fn.__code__)
    return sum(r.entry.hits for r in record.regions if r.entry) if record else 0


def make():
    def work(x):
        return np.sqrt(x * x + 1.0) * 2.0

    return FunctionType(work.__code__.replace(), globals())  # code, and so a record, of its own


X = np.arange(50.0)


def test_compile_compiles_what_is_called():
    work = make()
    work(X)
    assert hits(work) == 0
    with jitcore.stance("compile"):
        found = work(X), work(X), work(X)
    assert hits(work) == 3
    assert all(f.tobytes() == work(X).tobytes() for f in found)
    assert hits(work) == 3


def test_eager_inside_compile_and_the_other_way_round():
    work = make()
    with jitcore.stance("compile"):
        work(X)
        with jitcore.stance("eager"):
            work(X)
            assert hits(work) == 1
            with jitcore.stance("compile"):
                work(X)
        work(X)
    assert hits(work) == 3


def test_eager_holds_for_decorated_functions():
    work = make()
    compiled = jitcore.compile(work)
    with jitcore.stance("eager"):
        compiled(X)
    assert hits(work) == 0


def test_a_stance_is_the_threads_own():
    work = make()
    with jitcore.stance("compile"):
        other = threading.Thread(target=work, args=(X,))
        other.start()
        other.join()
    assert hits(work) == 0


def test_fail_on_break():
    def breaks(x):
        print(end="")
        return x + 1.0

    with pytest.raises(jitcore.GraphBreakError), jitcore.stance("fail_on_break"):
        breaks(X)
    with jitcore.stance("compile"):
        assert breaks(X)[1] == 2.0
    assert _C.hook_depth()[0] == 0 and not _C.is_busy()


def test_an_unknown_stance():
    with pytest.raises(ValueError, match="eager, compile, fail_on_break"):
        jitcore.stance("fast")


def test_one_stance_of_several_threads():
    shared, inside, leave = jitcore.stance("eager"), threading.Event(), threading.Event()
    found = []

    def other():
        with shared:
            inside.set()
            leave.wait(20)
        found.append(_C.is_busy())

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(20)
    with jitcore.stance("compile"), shared:
        leave.set()
        thread.join()
    assert found == [False] and not _C.is_busy() and _C.hook_depth()[0] == 0
