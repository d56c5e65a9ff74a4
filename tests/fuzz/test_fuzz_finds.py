"""A compiler that is wrong in one small way is found; a right one is not. Finds shrink."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fuzzing.compare import compare
from fuzzing.profiles import program
from fuzzing.server import Server
from fuzzing.shrink import shrink

PROGRAMS = 60


def off_by_an_ulp(fn: Any) -> Any:
    @functools.wraps(fn)
    def called(*args: Any) -> Any:
        return bumped(fn(*args))

    return called


def bumped(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(bumped, result))
    if isinstance(result, np.ndarray) and result.dtype == float and result.size:
        changed = result.copy(order="K")
        changed.flat[0] = np.nextafter(changed.flat[0], 1e9)
        return changed
    return result


def silent(fn: Any) -> Any:
    @functools.wraps(fn)
    def called(*args: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(*args)

    return called


def repeated(fn: Any) -> Any:
    """As a window that is dropped after its effect was seen."""

    @functools.wraps(fn)
    def called(*args: Any) -> Any:
        fn(*args)
        return fn(*args)

    return called


def late(fn: Any) -> Any:
    """The right exception, from a line that is not the program's."""

    @functools.wraps(fn)
    def called(*args: Any) -> Any:
        try:
            return fn(*args)
        except Exception as error:
            raise error.with_traceback(None) from None

    return called


Wrap = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("wrap", "fields"),
    [
        (off_by_an_ulp, {"result"}),
        (silent, {"warnings"}),
        (repeated, {"arguments", "globals", "output"}),
        (late, {"error"}),
    ],
)
def test_wrong_compiler_is_found(wrap: Wrap, fields: set[str]) -> None:
    found = [verdict.difference for verdict in verdicts(wrap)]
    assert fields & {difference.field for difference in found if difference is not None}


def test_right_compiler_is_not() -> None:
    assert not any(verdict.difference for verdict in verdicts(lambda fn: fn))


def test_most_programs_end_well() -> None:
    raised = [verdict.raised for verdict in verdicts(lambda fn: fn)]
    assert 0 < sum(raised) < PROGRAMS / 2


def verdicts(wrap: Wrap) -> Any:
    return [compare(program("arrays", seed), wrap) for seed in range(PROGRAMS)]


def test_shrinks_to_what_matters() -> None:
    text = """
def f(x):
    a = x + 1
    if a > 0:
        b = [a, x * 2]
        print('wanted')
    return a
"""
    small = shrink(text, lambda candidate: "print('wanted')" in candidate, seconds=20)
    assert len(small.splitlines()) == 2


def test_crash_is_a_find_and_the_next_program_runs() -> None:
    server = Server({"JITCORE_BACKEND": "numpy"}, timeout=60)
    try:
        found = server.ask({"text": "import os; os.abort()"})
        assert found["field"] == "crash" and "Fatal Python error" in found["difference"]
        after = server.ask({"text": "f = abs; CALLS = [lambda: (-1,)]"})
        assert after == {"field": None, "raised": False}
    finally:
        server.close()


def test_silence_is_a_find() -> None:
    server = Server({"JITCORE_BACKEND": "numpy"}, timeout=3)
    try:
        assert server.ask({"text": "import time\n" + ENDLESS})["field"] == "hang"
    finally:
        server.close()


ENDLESS = """
def sleep():
    try:
        time.sleep(60)
    finally:
        sleep()
sleep()
"""
