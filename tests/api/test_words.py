"""A wrong argument is answered with the function that was called, and what it takes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitcore

CALLS = [
    (lambda: jitcore.wait("x"), "wait: a timeout is a number of seconds or None, not 'x'"),
    (lambda: jitcore.report(3), "report: a file's name or a stream that is open for text, not 3"),
    (
        lambda: jitcore.set_num_threads("a"),
        "set_num_threads: a number of threads is an int, not 'a'",
    ),
    (
        lambda: jitcore.ArraySpec((True,)),
        "ArraySpec: extents are ints and None, not (True,)",
    ),
]


@pytest.mark.parametrize(("call", "text"), CALLS, ids=["wait", "report", "threads", "spec"])
def test_what_a_function_takes_is_said(call, text):
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        call()


def test_numbers_of_numpy_are_numbers():
    before = jitcore.get_num_threads()
    jitcore.set_num_threads(np.int64(before))
    assert jitcore.get_num_threads() == before
    assert jitcore.wait(np.float64(0.5))
    assert jitcore.ArraySpec((np.int64(2),)).shape == (2,)
