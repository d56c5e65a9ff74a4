"""What fails, where CPython goes on, and that nothing is lost, kept or left behind."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest
from plans import NULL, Plan, as_numpys, run

from jitcore import _C
from jitcore.plan.errstate_raise import quiet_state

RAISING = quiet_state(0b001_001_001_001)


class Broken(Exception):
    pass


@as_numpys
def broken(*_args):
    raise Broken


def test_after_a_failure_in_the_first_window_the_frame_stays_in_cpython():
    plan = Plan()
    made = plan.call_operands(plan.const(broken))
    plan.leave(plan.returns(made))
    entry = plan.entry()
    assert run(entry).kind == "stay"
    assert (entry.hits, entry.failures) == (0, 1)


def two_windows():
    """x0 is called; then, in a window of its own, x1."""
    plan = Plan(2)
    plan.window(0)
    first = plan.call_operands(0)
    plan.window(plan.jumps(40, stack=(first, NULL), locals=((3, first), (4, NULL))))
    second = plan.call_operands(1)
    plan.leave(plan.returns(plan.build("BUILD_TUPLE", (first, second))))
    return plan.entry()


def test_a_failure_goes_on_at_the_start_of_its_window():
    entry = two_windows()
    left = run(entry, lambda: "one", broken)
    assert left == ("jump", 40, 0, _C.NULL, ("one", _C.NULL), {3: "one", 4: _C.NULL})
    assert run(entry, broken, broken).kind == "stay"
    assert run(entry, lambda: "one", lambda: "two").value == ("one", "two")
    assert (entry.hits, entry.failures) == (1, 2)


def test_exceptions_of_pure_steps_are_dropped():
    entry = two_windows()
    alive = weakref.WeakSet()

    @as_numpys
    def fails():
        error = Broken()
        alive.add(error)
        raise error

    run(entry, lambda: 1, fails)
    run(entry, fails, fails)
    gc.collect()
    assert not alive
    assert sys.exc_info() == (None, None, None)


@pytest.mark.parametrize("cls", [KeyboardInterrupt, SystemExit, TimeoutError, Broken])
def test_an_interrupt_is_raised_where_its_window_begins(cls):
    def interrupt():
        raise cls("now")

    left = run(two_windows(), interrupt, broken)
    assert (left.kind, left.stack, left.locals) == ("raise", None, {})
    assert type(left.value) is cls
    left = run(two_windows(), lambda: "one", interrupt)
    assert (left.kind, left.offset) == ("raise", 40)
    assert (left.stack, left.locals) == (("one", _C.NULL), {3: "one", 4: _C.NULL})
    assert type(left.value) is cls


def test_eight_failures_in_a_row_turn_an_entry_off():
    entry = two_windows()
    for _ in range(7):
        run(entry, lambda: 1, broken)
    assert not entry.disabled
    run(entry, lambda: 1, lambda: 2)
    for _ in range(8):
        assert not entry.disabled
        run(entry, lambda: 1, broken)
    assert entry.disabled
    assert run(entry, lambda: 1, lambda: 2).kind == "stay"


def loud_plan():
    plan = Plan(2)
    before = plan.call_operands(plan.const(list))
    plan.loud(16, plan.jumps(16, stack=(before,), locals=((0, 1),)))
    plan.call_operands(0, before)
    plan.window(plan.jumps(20))
    plan.leave(plan.jumps(30, stack=(before,), through_point=True))
    return plan.entry()


def test_a_loud_step_raises_in_its_state():
    entry = loud_plan()
    left = run(entry, broken, "y")
    assert left.kind == "raise"
    assert (left.offset, left.stack, left.locals) == (16, ([],), {0: "y"})
    assert type(left.value) is Broken
    assert (entry.hits, entry.failures) == (1, 0)


def test_a_loud_step_that_does_not_raise():
    left = run(loud_plan(), lambda made: made.append(1), "y")
    assert (left.kind, left.offset, left.through_point, left.stack) == ("jump", 30, 1, ([1],))


def test_an_exit_rebuilds_state_in_order():
    log = []
    plan = Plan(1)

    def state():
        for word in ("a", "b"):
            plan.call_operands(plan.const(log.append), plan.const(word))
        pair = plan.build("BUILD_TUPLE", (0, plan.const(2)))
        return (pair, pair), ((0, pair),), None

    plan.leave(plan.exit("jump", 8, False, state))
    left = run(plan.entry(), 1)
    assert log == ["a", "b"]
    assert left.stack[0] == (1, 2)
    assert left.stack[0] is left.stack[1] is left.locals[0]


def test_an_exit_that_was_not_taken_does_nothing():
    log = []
    plan = Plan(1)

    def state():
        plan.call_operands(plan.const(log.append), plan.const("wrong"))
        return (), (), None

    plan.window(plan.exit("jump", 8, False, state))
    plan.leave(plan.jumps(9))
    assert run(plan.entry(), 1).offset == 9
    assert log == []


def test_an_exit_whose_steps_fail_raises_where_the_region_began():
    plan = Plan()
    plan.leave(
        plan.exit("jump", 8, False, lambda: ((plan.call_operands(plan.const(broken)),), (), None))
    )
    left = run(plan.entry())
    assert (left.kind, type(left.value), left.stack) == ("raise", Broken, None)


def test_pure_numpy_calls_fail_where_they_would_warn():
    plan = Plan(1)
    plan.window(0, RAISING)
    plan.leave(plan.returns(plan.call_operands(plan.const(np.sqrt), 0)))
    entry = plan.entry()
    with np.errstate(all="warn"):
        assert run(entry, np.float64(4.0)).value == 2
        assert run(entry, np.array([-1.0])).kind == "stay"


@pytest.mark.parametrize("end", ["returns", "misses", "raises", "jumps"])
def test_the_error_state_is_put_back(end):
    seen = []

    def look(*_):
        seen.append(np.geterr()["invalid"])

    plan = Plan(1)
    plan.window(0, RAISING)
    plan.call_operands(plan.const(look))
    plan.window(plan.jumps(4), None)
    plan.call_operands(plan.const(look))
    plan.window(plan.jumps(8), RAISING)
    if end in ("misses", "raises"):
        plan.loud(8, plan.jumps(8)) if end == "raises" else None
        plan.call_operands(0)
    plan.leave(plan.returns(plan.const(1)) if end == "returns" else plan.jumps(12))
    with np.errstate(invalid="print"):
        token = np.geterr()
        left = run(plan.entry(), broken)
        assert np.geterr() == token
    assert seen == ["raise", "print"]
    wanted = {"returns": "return", "misses": "jump", "raises": "raise", "jumps": "jump"}
    assert left.kind == wanted[end]


def test_a_loud_step_runs_under_the_user_s_error_state():
    seen = []
    plan = Plan()
    plan.window(0, RAISING)
    plan.loud(2, plan.jumps(2))
    plan.call_operands(plan.const(lambda: seen.append(np.geterr()["over"])))
    plan.leave(plan.jumps(4))
    with np.errstate(over="ignore"):
        run(plan.entry())
    assert seen == ["ignore"]


def test_temporaries_go_after_their_last_use():
    alive = []

    class Temporary:
        pass

    def make(*_):
        obj = Temporary()
        alive.append(weakref.ref(obj))
        return obj

    def count(*_):
        return sum(ref() is not None for ref in alive)

    plan = Plan()
    first = plan.call_operands(plan.const(make))
    second = plan.call_operands(plan.const(make), first)
    one = plan.call_operands(plan.const(count))
    plan.window(plan.jumps(8, stack=(second,)))
    still = plan.call_operands(plan.const(count))
    plan.window(plan.jumps(9))
    gone = plan.call_operands(plan.const(count))
    plan.leave(plan.returns(plan.build("BUILD_TUPLE", (one, still, gone))))
    assert run(plan.entry()).value == (1, 1, 0)
    assert count() == 0


def test_what_the_exit_of_a_window_needs_lives_until_the_window_ends():
    plan = Plan(1)
    made = plan.call_operands(plan.const(list), plan.const("ab"))
    plan.window(plan.jumps(8, stack=(made,)))
    plan.call_operands(plan.const(len), made)
    plan.call_operands(0)
    plan.leave(plan.jumps(9))
    assert run(plan.entry(), broken).stack == (["a", "b"],)


def test_many_registers():
    plan = Plan(1)
    made = [plan.call_operands(plan.const(float), 0) for _ in range(500)]
    plan.leave(plan.returns(plan.build("BUILD_LIST", made)))
    entry = plan.entry()
    assert entry.nregs > 64
    assert run(entry, "2.5").value == [2.5] * 500


def test_nothing_is_kept_and_nothing_given_away():
    x, fails = object(), False

    def step(arg):
        if fails:
            raise Broken
        return arg

    plan = Plan(2)
    first = plan.call_operands(1, 0)
    plan.window(plan.jumps(8, stack=(first, 0), locals=((0, 0), (1, first))))
    second = plan.call_operands(1, first)
    plan.loud(9, plan.jumps(9, stack=(second, 0)))
    third = plan.call_operands(1, second)
    plan.window(plan.jumps(10, stack=(third,)))
    plan.leave(plan.jumps(11, stack=(third, third, 0), locals=((0, NULL),)))
    entry = plan.entry()
    counts = sys.getrefcount(x), sys.getrefcount(step), sys.getrefcount(None)
    for i in range(40):
        fails = i % 2 == 0
        run(entry, x, step)
    assert (sys.getrefcount(x), sys.getrefcount(step)) == counts[:2]
    assert abs(sys.getrefcount(None) - counts[2]) < 20


def test_a_plan_goes_with_its_entry():
    class Callable:
        def __call__(self):
            return 1

    fn = Callable()
    watch = weakref.ref(fn)
    plan = Plan()
    plan.leave(plan.returns(plan.call_operands(plan.const(fn))))
    entry = plan.entry()
    del fn, plan
    assert run(entry).value == 1
    assert watch() is not None
    del entry
    assert watch() is None


def test_a_cycle_through_an_entry_is_collected():
    class Callable:
        def __call__(self):
            return 1

    fn = Callable()
    watch = weakref.ref(fn)
    plan = Plan()
    plan.leave(plan.returns(plan.call_operands(plan.const(fn))))
    fn.entry = plan.entry()
    del fn, plan
    gc.collect()
    assert watch() is None


def test_an_entry_that_runs_itself():
    plan = Plan(2)
    plan.leave(plan.returns(plan.call_operands(0, 1)))
    entry = plan.entry()

    def again(n):
        return n if n == 0 else run(entry, again, n - 1).value + 1

    assert run(entry, again, 5).value == 5


def test_an_entry_cannot_be_made_of_nothing():
    with pytest.raises(TypeError):
        _C.Entry()
    with pytest.raises(TypeError):
        _C.BaseEntry()
