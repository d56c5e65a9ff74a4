"""Entries that must prove faster than a rival that does the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plans import Plan, as_numpys, run

import jitcore
from jitcore import _C

RUNS = 8
REST = 200  # of csrc/trial.h


def calling(fn: Callable[[Any], Any]) -> Any:
    plan = Plan(1)
    plan.leave(plan.returns(plan.call_operands(plan.const(fn), 0)))
    return plan.entry()


def quick(x):
    return x


def slow(x):
    time.sleep(0.002)
    return x


def test_turns_are_taken_and_the_faster_one_stays():
    asked = []
    entry = calling(lambda x: asked.append("entry") or x)
    entry.try_against(calling(lambda x: asked.append("rival") or slow(x)))
    for i in range(RUNS + 2):
        assert run(entry, i).value == i
    assert asked == ["entry", "rival"] * (RUNS // 2) + ["entry"] * 2
    assert not entry.retired
    assert entry.hits == RUNS + 2


def test_the_slower_one_retires():
    entry = calling(slow)
    entry.try_against(calling(quick))
    assert [run(entry, i).kind for i in range(RUNS + 2)] == ["return"] * RUNS + ["stay"] * 2
    assert entry.retired
    assert entry.hits == RUNS


def test_the_winner_is_tried_once_more():
    delays = {"entry": 0.0, "rival": 0.002}
    asked = []

    def contender(name):
        return calling(lambda x: asked.append(name) or time.sleep(delays[name]) or x)

    for later, retires in ((0.0, True), (0.004, False)):
        entry = contender("entry")
        delays.update(entry=0.0, rival=0.002)
        entry.try_against(contender("rival"))
        for i in range(RUNS + REST):
            assert run(entry, i).value == i
        delays.update(entry=0.002, rival=later)
        del asked[:]
        for i in range(RUNS):
            assert run(entry, i).value == i
        assert asked == ["entry", "rival"] * (RUNS // 2)
        assert entry.retired == retires
        delays.update(entry=0.0)
        kinds = {run(entry, i).kind for i in range(REST + RUNS)}
        assert kinds == {"stay" if retires else "return"}
        assert asked.count("rival") == RUNS // 2


def test_failures_are_no_runs():
    @as_numpys
    def fails(x):
        raise ZeroDivisionError

    plan = Plan(1)
    plan.window(0, None)
    plan.leave(plan.returns(plan.call_operands(plan.const(fails), 0)))
    rival = plan.entry()
    entry = calling(slow)
    entry.try_against(rival)
    assert [run(entry, 1).kind for _ in range(4)] == ["return", "stay", "stay", "stay"]
    assert not entry.retired


def test_a_run_inside_a_run():
    deep = []

    def again(x):
        if x:
            deep.append(run(entry, x - 1).value)
        return x

    entry = calling(again)
    entry.try_against(calling(again))
    assert [run(entry, 3).value for _ in range(RUNS)] == [3] * RUNS
    assert len(deep) == 3 * RUNS


def test_only_entries_compete():
    entry = calling(quick)
    for wrong in (entry, None, quick):
        with pytest.raises(TypeError, match="another entry is expected"):
            entry.try_against(wrong)


def test_a_function_whose_entry_retired_is_cpythons():
    def function(x):
        return "plain", x

    dispatcher = _C.Dispatcher(function)
    entry = calling(slow)
    entry.try_against(calling(quick))
    dispatcher._add_frameless(entry)
    answers = [dispatcher(5) for _ in range(RUNS + 2)]
    assert answers == [5] * RUNS + [("plain", 5)] * 2


def test_the_compiler_is_not_asked_for_a_retired_entry():
    @jitcore.compile
    def function(x):
        return np.exp(x) * 2 + x

    x = np.linspace(0, 1, 500_000)
    expected = function.eager(x)
    function(x)
    (entry,) = function._entries
    entry.try_against(calling(lambda x: expected))
    for _ in range(RUNS):
        assert np.array_equal(function(x), expected)
    assert entry.retired
    before = function.cache_info()
    again = function(x)
    assert again is not expected
    assert np.array_equal(again, expected)
    assert function.cache_info() == before
    assert before.entries == 0
    assert "left to CPython" in str(jitcore.explain(function)(x))


def test_another_runs_until_it_is_ready():
    asked = []
    entry = calling(lambda x: asked.append("entry") or x)
    entry.wait_beside(calling(lambda x: asked.append("rival") or slow(x)))
    assert entry.waiting
    assert [run(entry, i).value for i in range(2 * RUNS)] == list(range(2 * RUNS))
    assert asked == ["rival"] * 2 * RUNS and entry.hits == 2 * RUNS
    del asked[:]
    entry.ready(True)
    for i in range(RUNS + 2):
        run(entry, i)
    assert not entry.waiting
    assert asked == ["entry", "rival"] * (RUNS // 2) + ["entry"] * 2


def test_it_may_take_over_without_a_trial():
    asked = []
    entry = calling(lambda x: asked.append("entry") or x)
    entry.wait_beside(calling(lambda x: asked.append("rival") or x))
    run(entry, 1)
    entry.ready(False)
    run(entry, 1)
    assert asked == ["rival", "entry"]


def test_it_may_retire_without_having_run():
    entry = calling(quick)
    entry.wait_beside(calling(quick))
    assert run(entry, 1).kind == "return"
    entry.retired = True
    entry.ready(False)
    assert run(entry, 1).kind == "stay"


def test_only_entries_are_waited_beside():
    entry = calling(quick)
    with pytest.raises(TypeError, match="another entry is expected"):
        entry.wait_beside(entry)
    assert not entry.waiting and run(entry, 1).kind == "return"
