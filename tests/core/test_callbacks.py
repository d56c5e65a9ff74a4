"""What the C side calls, while what it calls changes the C side."""

from __future__ import annotations

import gc
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C

X = np.arange(4.0)


def test_frames_that_began_before_nobody_was_told_end() -> None:
    told = []

    def changes(x, callback):
        y = x * 2 + 1
        _C.set_ended(callback)
        return y + x

    compiled = jitcore.compile(changes)
    compiled(X, None)
    before = _C.set_ended(lambda *ending: told.append(ending))
    try:
        np.testing.assert_array_equal(compiled(X, None), X * 2 + 1 + X)
    finally:
        _C.set_ended(before)
    assert told == []


def test_who_is_told_may_take_itself_away() -> None:
    seen: list[Any] = []

    def once(serial: int, result: Any, error: Any) -> None:
        seen.append(error)
        _C.set_ended(before)
        raise MemoryError

    def stops(x):
        y = x * 2 + 1
        sys.audit("jitcore.test")
        return y + x

    compiled = jitcore.compile(stops)
    compiled(X)
    before = _C.set_ended(once)
    del once
    gc.collect()
    for _ in range(3):
        np.testing.assert_array_equal(compiled(X), X * 2 + 1 + X)
    assert seen == [None]


def test_a_refusal_that_replaces_the_code() -> None:
    names = ", ".join(f"name{i}" for i in range(8))
    scope: dict[str, Any] = {}
    exec(f"def f({names}): return 1\ndef g({names}): return 2", scope)
    f, g = scope["f"], scope["g"]
    refused = []

    def refuse(dispatcher: Any, at: int, value: Any) -> None:
        refused.append(at)
        f.__code__ = g.__code__.replace(co_name=f"g{at}")
        gc.collect()

    dispatcher = _C.Dispatcher(f)
    dispatcher._set_controls(SimpleNamespace(refuse=refuse))
    dispatcher._set_signature((int,) * 8, ("an int",) * 8)
    f.__code__ = f.__code__.replace(co_name="other")  # nobody else has it
    assert dispatcher(**{f"name{i}": "text" for i in range(8)}) == 2
    assert refused == [*range(8)]


def test_compiling_on_two_threads_is_counted_once() -> None:
    clocks = [_C.budget_turn(True)]
    for opens in (True, False):
        time.sleep(0.01)
        clocks.append(_C.budget_turn(opens))
    time.sleep(0.01)
    last = _C.budget_turn(False)
    assert clocks == [clocks[0]] * 3  # it stands
    assert last >= clocks[0]
    later = _C.budget_turn(True)
    assert _C.budget_turn(False) >= later >= last


@pytest.fixture
def _metered() -> Any:
    was = _C.meter(True)
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    _C.meter(was)


@pytest.mark.usefixtures("_metered")
def test_what_is_measured_is_read_while_finalizers_are_measured() -> None:
    functions = []
    for number in range(20):
        scope: dict[str, Any] = {}
        exec(f"def f{number}(x): return x * {number} + 1", scope)
        functions.append(jitcore.compile(scope[f"f{number}"]))
    for one in functions:
        one(X)
    turn = iter(range(10**9))

    def comes_by(phase: str, info: Any) -> None:
        functions[next(turn) * 7 % len(functions)](X)

    gc.callbacks.append(comes_by)
    gc.set_threshold(2)
    try:
        rows = _C.meter_read()["nodes"]
    finally:
        gc.callbacks.remove(comes_by)
        gc.set_threshold(700)
    numbers = [row[0] for row in rows]
    assert len(numbers) == len({*numbers})
    assert {f"f{n}" for n in range(20)} <= {row[4] for row in rows}
