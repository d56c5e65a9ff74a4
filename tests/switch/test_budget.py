"""What JITCORE=1 may spend: csrc/policy/budget.h."""

from __future__ import annotations

import math

import pytest

from jitcore import _C

AVERAGE = (10, 3.0)  # ten pieces, 0.3 s each
WAITS = 3.0 / 10 / 0.01  # what makes such a piece 1%


def rule(spent, saved=0.0, program=10.0, wall=None, pieces=AVERAGE):
    return _C.budget_rule(spent, saved, program, program if wall is None else wall, *pieces)


@pytest.mark.parametrize(
    ("spent", "saved", "program"),
    [(0.0, 0.0, 0.0), (0.5, 1.0, 0.0), (5.0, 11.0, 10.0)],
    ids=["nothing", "half of what was saved", "less than half"],
)
def test_without_a_debt_nothing_waits_longer(spent, saved, program):
    assert rule(spent, saved, program) == (1.0, math.inf)


def test_code_waits_the_longer_the_larger_the_debt():
    debts = (0.05, 0.25, 1.0)  # of 0.15 s and 1% of ten
    times = [rule(debt)[0] for debt in debts]
    assert times == pytest.approx([1 + 20 * (debt / 0.25) ** 2 for debt in debts])


def test_not_longer_than_what_makes_a_piece_one_percent():
    assert rule(2.0)[1] == pytest.approx(WAITS)
    assert rule(2.0, pieces=(0, 0.0))[1] == math.inf


def test_what_was_saved_is_no_debt_any_more():
    assert rule(2.0, saved=1.0)[0] < rule(2.0)[0]
    assert rule(2.0, saved=4.0)[0] == 1.0


@pytest.mark.parametrize(("wall", "slow"), [(5.0, 1), (10.0, 1), (20.0, 2), (1000.0, 4)])
def test_where_others_use_the_processors_the_clock_runs_faster(wall, slow):
    times, most = rule(0.5, wall=wall)
    assert (times, most) == pytest.approx((81 * slow, WAITS * slow))


PROGRAM = """
    import sys, time
    import numpy as np
    from jitcore import _C

    def f(x):
        return np.sqrt(x * x + 1) * np.exp(-x) + x

    def regions():
        pipeline = sys.modules.get("jitcore.pipeline")
        every = pipeline.records.all() if pipeline else []
        return [region for record in every for region in record.regions if region.entry]

    def run(x, hits):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            for _ in range(100):
                f(x)
            if any(region.entry.hits > hits for region in regions()):
                return True
    """


def test_the_start_is_no_debt_and_what_runs_saves(run):
    """The first piece comes with loading the compiler. That there is a second one is not sure."""
    program = (
        PROGRAM
        + """
    print(run(np.linspace(0, 1, 10_000), 0), len(regions()) > 1 or _C.budget()["spent"] == 0)
    before = _C.budget()["saved"]
    print(run(np.linspace(0, 1, 10_000), 300), _C.budget()["saved"] > before >= 0)
    """
    )
    assert run(program, JITCORE="1").stdout == "True True\nTrue True\n"


def test_what_is_compiled_by_name_neither_spends_nor_saves(run):
    program = (
        PROGRAM
        + """
    import jitcore
    f = jitcore.compile(f)
    account = _C.budget()
    print(run(np.linspace(0, 1, 1000), 300), account["spent"], account["saved"], account["pieces"])
    """
    )
    assert run(program).stdout == "True 0.0 0.0 0\n"


def test_a_child_goes_on_with_the_account(run):
    """The processor's clock of a forked process begins anew."""
    program = """
    import os
    import numpy as np
    from jitcore import _C

    while _C.budget()["program"] < 0.1:
        pass
    before = _C.budget()["program"]
    if os.fork() == 0:
        os._exit(not before <= _C.budget()["program"] < before + 1)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    assert run(program, JITCORE="1").stdout == "0\n"


def test_what_children_of_the_program_take_is_not_for_compiling(run):
    """Those that it waits for meanwhile, on other threads."""
    program = """
    import os, time
    from jitcore import _C

    child = os.fork()
    if child == 0:
        while sum(os.times()[:2]) < 0.3:
            pass
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    began, own = time.perf_counter(), time.thread_time()
    _C.budget_turn(True)
    os.waitpid(child, 0)
    _C.budget_turn(False)
    most = 8 * (time.perf_counter() - began) + time.thread_time() - own
    print(_C.budget()["charged"] <= most)
    """
    assert run(program).stdout == "True\n"


@pytest.mark.parametrize("kind", ["np.ndarray", "Kept"])
def test_loops_over_arrays_of_a_subclass_are_no_sure_gain(run, kind):
    program = f"""
    import sys, time
    import numpy as np

    class Kept(np.ndarray):
        pass

    def rounds(x):
        found = 0.0
        for i in range(len(x)):
            if i % 3:
                found += 1.0
        return np.sqrt(found)

    x = np.zeros(10_000).view({kind})
    while time.process_time() < 1.5 or ({kind} is np.ndarray and time.process_time() < 60):
        rounds(x)
        if "jitcore.pipeline" in sys.modules:
            break
    print("jitcore.pipeline" in sys.modules)
    """
    assert run(program, JITCORE="1").stdout == f"{kind == 'np.ndarray'}\n"
