"""Entries that must prove faster than a baseline that does the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plans import Plan, as_numpys, run

import jitcore
from jitcore import _C

RUNS, REST, FIRST_REST = 8, 200, 16  # of csrc/policy/trial.c
LOOK, LOST = "eb" * (RUNS // 2), "eb" * (RUNS // 2) + "c" * FIRST_REST


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
    entry.try_against(calling(lambda x: asked.append("baseline") or slow(x)))
    for i in range(RUNS + 2):
        assert run(entry, i).value == i
    assert asked == ["entry", "baseline"] * (RUNS // 2) + ["entry"] * 2
    assert not entry.retired
    assert entry.hits == RUNS + 2


def test_the_slower_one_retires():
    entry = calling(slow)
    entry.try_against(calling(quick))
    assert [run(entry, i).kind for i in range(RUNS + 2)] == ["return"] * RUNS + ["stay"] * 2
    assert entry.retired
    assert entry.hits == RUNS


def test_the_winner_is_tried_once_more():
    delays = {"entry": 0.0, "baseline": 0.002}
    asked = []

    def contender(name):
        return calling(lambda x: asked.append(name) or time.sleep(delays[name]) or x)

    for later, retires in ((0.0, True), (0.004, False)):
        entry = contender("entry")
        delays.update(entry=0.0, baseline=0.002)
        entry.try_against(contender("baseline"))
        for i in range(RUNS + REST):
            assert run(entry, i).value == i
        delays.update(entry=0.002, baseline=later)
        del asked[:]
        for i in range(RUNS):
            assert run(entry, i).value == i
        assert asked == ["entry", "baseline"] * (RUNS // 2)
        assert entry.retired == retires
        delays.update(entry=0.0)
        kinds = {run(entry, i).kind for i in range(FIRST_REST)}
        assert kinds == {"stay" if retires else "return"}
        assert asked.count("baseline") == RUNS // 2
        if retires:
            delays.update(baseline=0.002)
            assert {run(entry, i).kind for i in range(RUNS + 1)} == {"return"}
            assert asked.count("baseline") == RUNS and not entry.retired


# ---- what decides, by readings that are given ------------------------------------------------


def ran(entry: float | list[float], baseline: float | list[float], frames: int) -> str:
    """What runs in these frames; of a list, the first readings, and its last one from then on."""
    left = [list(side) if isinstance(side, list) else [side] for side in (entry, baseline)]

    def clock(turn: int) -> float:
        return left[turn].pop(0) if len(left[turn]) > 1 else left[turn][0]

    return _C.judged(clock, frames).decode()


def test_two_looks_won_decide():
    assert ran(1e-5, 3e-5, 1000) == LOOK + "e" * REST + LOOK + "e" * (1000 - REST - 2 * RUNS)
    assert ran(1e-5, 1e-5, 1000) == ran(1e-5, 3e-5, 1000)


@pytest.mark.parametrize("late", [1e-3, 5.0])
def test_one_run_that_is_not_disturbed_is_enough(late: float):
    assert ran([late, late, late, 1e-5], 3e-5, 300) == ran(1e-5, 3e-5, 300)
    assert ran([late, 1e-5, late, late] * 2, 3e-5, 300) == ran(1e-5, 3e-5, 300)


@pytest.mark.parametrize("late", [4e-5, 1e-3, 5.0])
def test_a_look_that_was_disturbed_is_not_the_last_one(late: float):
    """As where a worker had no processor for all of a look."""
    fast = ran(1e-5, 3e-5, 300)
    assert ran([late] * 4 + [1e-5], 3e-5, 300) == LOST + fast[: 300 - len(LOST)]
    second = LOOK + "e" * REST
    assert ran([1e-5] * 4 + [late] * 4 + [1e-5], 3e-5, 600).startswith(second + LOST + fast)


def test_it_comes_back_after_many_that_were():
    looks = ran([1e-4] * 40 + [1e-5], 3e-5, 2_000_000)
    assert "c" + LOOK + "e" * REST + LOOK + "e" * 1000 in looks and looks.endswith("e" * 1_000_000)
    assert looks.count("b") == (10 + 2) * RUNS // 2


@pytest.mark.parametrize("times", [1.5, 3.0, 100.0])
def test_looks_of_a_slower_one_cost_little(times: float):
    frames = ran(times * 1e-5, 1e-5, 1_000_000)
    first = len(LOST + LOOK)
    lost = frames[first:].count("e") * (times - 1)
    assert frames.startswith(LOST + LOOK + "c") and 0 < lost < 0.035 * frames.count("c")
    assert frames[first:].count("e") < 40


def test_readings_that_disagree_on_and_on():
    """A machine on which they are of no use: looks become rare."""
    frames = ran([2e-5] * 4 + ([1e-5] * 4 + [2e-5] * 4) * 1000, 1.5e-5, 1_000_000)
    assert frames.count("b") < 100


def test_what_the_clock_raises():
    with pytest.raises(ZeroDivisionError):
        _C.judged(lambda turn: 1 / 0, 3)
    with pytest.raises(ValueError, match="0 or more"):
        _C.judged(lambda turn: 1.0, -1)
    assert _C.judged(lambda turn: 1.0, 0) == b""


def test_failures_are_no_runs():
    @as_numpys
    def fails(x):
        raise ZeroDivisionError

    plan = Plan(1)
    plan.window(0, None)
    plan.leave(plan.returns(plan.call_operands(plan.const(fails), 0)))
    baseline = plan.entry()
    entry = calling(slow)
    entry.try_against(baseline)
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
    assert "runs in CPython" in str(jitcore.explain(function)(x))


def test_an_explained_call_runs_what_is_compiled():
    """Also where it is the baseline's turn; the look goes on with the next call."""

    @jitcore.compile
    def function(x):
        return np.exp(x) * 2 + x

    x, asked = np.linspace(0, 1, 100), []
    function(x)
    (entry,) = function._entries
    entry.try_against(calling(lambda x: asked.append("baseline") or function.eager(x)))
    for _ in range(3):
        (graph,) = jitcore.explain(function)(x).measured
        assert (graph.runs, graph.tried) == (1, 0)
    assert not asked
    for _ in range(RUNS):
        function(x)
    assert asked == ["baseline"] * (RUNS // 2)


def test_another_runs_until_it_is_ready():
    asked = []
    entry = calling(lambda x: asked.append("entry") or x)
    entry.wait_beside(calling(lambda x: asked.append("baseline") or slow(x)))
    assert entry.kernels_pending
    assert [run(entry, i).value for i in range(2 * RUNS)] == list(range(2 * RUNS))
    assert asked == ["baseline"] * 2 * RUNS and entry.hits == 2 * RUNS
    del asked[:]
    entry.ready(True)
    for i in range(RUNS + 2):
        run(entry, i)
    assert not entry.kernels_pending
    assert asked == ["entry", "baseline"] * (RUNS // 2) + ["entry"] * 2


def test_it_may_take_over_without_a_trial():
    asked = []
    entry = calling(lambda x: asked.append("entry") or x)
    entry.wait_beside(calling(lambda x: asked.append("baseline") or x))
    run(entry, 1)
    entry.ready(False)
    run(entry, 1)
    assert asked == ["baseline", "entry"]


def test_it_may_retire_without_having_run():
    entry = calling(quick)
    entry.wait_beside(calling(quick))
    assert run(entry, 1).kind == "return"
    entry.decline()
    entry.ready(False)
    assert run(entry, 1).kind == "stay"


def test_only_entries_are_waited_beside():
    entry = calling(quick)
    with pytest.raises(TypeError, match="another entry is expected"):
        entry.wait_beside(entry)
    assert not entry.kernels_pending and run(entry, 1).kind == "return"
