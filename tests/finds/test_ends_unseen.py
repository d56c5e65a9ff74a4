"""Code that was compiled goes while somebody watches: the tracer is called for nothing of ours."""

from __future__ import annotations

import gc
import sys
import weakref
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jitcore


def hot(x: Any, k: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * k
    return total


def another(fn: Any) -> Any:
    code = fn.__code__.replace(co_name="another")
    return FunctionType(code, globals())


@pytest.mark.parametrize("watch", ["settrace", "setprofile"])
def test_the_end_of_compiled_code_is_not_seen(watch: str) -> None:
    fn: Any = another(hot)
    compiled: Any = jitcore.compile(fn)
    left = jitcore.disable(another(hot), recursive=False)
    allowed = jitcore.allow_in_graph(another(hot))
    array = np.arange(50.0)
    jitcore.mark_static(array, 0)
    for _ in range(3):
        compiled(array, 2.0)
    codes = [weakref.ref(f.__code__) for f in (fn, left, allowed)]
    seen: list[str] = []
    set_watch = getattr(sys, watch)
    before = getattr(sys, watch.replace("set", "get"))()
    gc.disable()
    set_watch(lambda frame, event, arg: seen.append(frame.f_globals["__name__"]))
    try:
        del fn, compiled, left, allowed, array
        gc.collect()
    finally:
        set_watch(before)
        gc.enable()
    assert [code() for code in codes] == [None] * 3
    assert not [name for name in seen if name.startswith("jitcore")]
