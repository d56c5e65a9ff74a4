"""The life of a point and of an entry: what leads from one state to the next, and after how many
visits. The constants are those of csrc/policy/constants.h."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.points import put

from jitcore import _C
from jitcore.opcodes.decode import decode

sys.path.insert(0, str(Path(__file__).parent.parent / "plan"))
from plans import Plan, as_numpys, run

MISS, HERE, DECLINE = 0, 2, 4  # of a Watch
MAX_MISSES, BACKOFF_VISITS = 64, 32
MAX_DECLINES, MAX_PENALISED, POINT_PENALTY = 1000, 64, 1000
ENTRY_PENALTY, MAX_DOUBLINGS, MAX_FAILURES = 1000, 4, 8
BACKOFF_CALLS = 64
FAILS_TO_PENALTY, FAILS_TO_NEXT = 21, 11  # each followed by a run that does not fail


@pytest.fixture(autouse=True)
def hook() -> Iterator[None]:
    before = _C.set_compiler(None), _C.set_discover(None)
    _C.hold_hook()
    gc.disable()  # where it is due, the compiler is not asked
    try:
        yield
    finally:
        gc.enable()
        _C.release_hook()
        _C.set_compiler(before[0])
        _C.set_discover(before[1])


class Visits:
    """A function with a loop, and a point where an iteration begins. `asked`: at which visits its
    entries were; `answer`: what they do then."""

    def __init__(self, entries: bool = True) -> None:
        self.count = 0
        self.asked: list[int] = []
        self.answer = MISS
        loops: dict[str, Any] = {"self": self}
        exec("def f(n):\n    for i in range(n):\n        self.count += 1\n", loops)
        self.run = loops["f"]
        (offset,) = decode(self.run.__code__).loops
        watch = _C.Watch(self.seen, offset)
        self.point = put(self.run.__code__, {offset: [watch] if entries else []})[offset]

    def seen(self, serial: int, state: Any) -> int:
        self.asked.append(self.count)
        return self.answer

    def more(self, count: int) -> list[int]:
        """In one more activation: at which of so many visits the entries were asked."""
        self.count = 0
        self.asked.clear()
        self.run(count - 1)  # that of the loop's end is one, too
        return list(self.asked)


class Compiler:
    """Notes where it is asked."""

    def __init__(self, at_once: Callable[[Any], object] = lambda point: None) -> None:
        self.asked = 0
        self.at_once = at_once
        _C.set_compiler(self)

    def __call__(self, point: Any, frame: Any) -> None:
        self.asked += 1
        self.at_once(point)


# ---- a point that misses ---------------------------------------------------------------------


def test_misses_of_a_closed_point_end_in_backoff():
    loop = Visits()
    loop.point.close("limit")
    sampled = [MAX_MISSES + BACKOFF_VISITS * k - 1 for k in (1, 2, 3)]
    assert loop.more(MAX_MISSES) == [*range(MAX_MISSES)]
    assert loop.point.misses_in_a_row == MAX_MISSES
    assert loop.point.life == ("backed off", "misses", BACKOFF_VISITS)
    assert loop.more(1 + 3 * BACKOFF_VISITS) == [0, *(k - MAX_MISSES + 1 for k in sampled)]
    assert loop.point.misses == MAX_MISSES + 1 + 3 * BACKOFF_VISITS


def test_a_hit_ends_backoff():
    loop = Visits()
    loop.point.close("limit")
    assert loop.point.life == ("serving", "limit", None)
    loop.more(MAX_MISSES)
    loop.answer = HERE
    assert loop.more(2 + BACKOFF_VISITS) == [*range(2 + BACKOFF_VISITS)]  # the first is asked
    assert loop.point.misses_in_a_row == 0 and loop.point.life == ("serving", "hit", None)
    loop.answer = MISS
    assert loop.more(MAX_MISSES) == [*range(MAX_MISSES)]


def test_frames_that_come_once_are_not_backed_off():
    loop = Visits()
    loop.point.close("limit")
    loop.more(MAX_MISSES)
    for _ in range(3):
        assert loop.more(1) == [0]


def test_an_open_point_asks_the_compiler_each_time():
    loop, compiler = Visits(), Compiler()
    visits = range(3 * MAX_MISSES)
    assert loop.more(3 * MAX_MISSES) == [at for at in visits for _ in ("before", "after")]
    assert compiler.asked == 3 * MAX_MISSES and loop.point.misses_in_a_row == 0
    assert loop.point.life == ("serving", "compiled", None)


def test_a_closed_point_asks_nobody():
    loop = Visits()
    compiler = Compiler(lambda point: point.close("limit"))
    assert loop.more(10) == [0, *range(10)]  # again after it
    assert compiler.asked == 1 and loop.point.closed and not loop.point.dead
    assert loop.more(10) == [*range(10)]
    assert compiler.asked == 1


def test_without_entries_a_closed_point_is_dead():
    loop = Visits(entries=False)
    seen = []
    compiler = Compiler(lambda point: seen.append(point.life) or point.close("limit"))
    assert not loop.point.dead and loop.point.life == ("warm", "made", None)
    loop.more(10)
    assert compiler.asked == 1 and loop.point.dead and loop.point.misses == 1
    assert [*seen, loop.point.life] == [("compiling", "asked", None), ("dead", "limit", None)]
    loop.more(10)
    assert compiler.asked == 1 and loop.point.misses == 1


def test_an_entry_that_comes_later_revives_it():
    loop = Visits(entries=False)
    loop.point.close("limit")
    assert loop.point.dead
    loop.point.add(_C.Watch(loop.seen, loop.point.offset))
    assert loop.point.life == ("serving", "added", None)
    assert loop.more(5) == [*range(5)]


def test_it_is_dead_once_it_is_killed():
    loop = Visits()
    assert loop.more(5) == [*range(5)]
    loop.point.kill()
    assert loop.point.life == ("dead", "killed", None) and loop.more(5) == []


def test_it_may_be_closed_while_a_frame_runs():
    loop = Visits()
    compiler = Compiler(lambda point: point.leave_run())
    for k in range(1, 4):
        loop.more(10)
        assert compiler.asked == k and loop.point.misses_in_a_row == 9 * k
        assert loop.point.life == ("serving", "this frame", None)
    loop.more(200)  # of these the entries are asked at some only
    assert compiler.asked == 4 and loop.point.misses_in_a_row == MAX_MISSES


def test_it_may_be_closed_for_a_time():
    loop, compiler = Visits(), Compiler()
    loop.point.wait(1000.0)
    loop.more(10)
    state, why, again = loop.point.life
    assert (state, why, compiler.asked) == ("serving", "time", 0) and 990.0 < again <= 1000.0
    loop.point.wait(0)
    loop.more(10)
    assert compiler.asked == 10


def test_without_entries_it_is_declined_for_that_time():
    loop, compiler = Visits(entries=False), Compiler(lambda point: point.wait(1000.0))
    loop.more(10)
    assert compiler.asked == 1 and loop.point.life[:2] == ("declined", "time")
    loop.point.wait(0)
    loop.point.leave_run()
    assert loop.point.life == ("declined", "this frame", None)
    compiler = Compiler()
    loop.more(10)
    assert compiler.asked == 10 and loop.point.life == ("warm", "compiled", None)


def test_one_that_was_closed_may_be_opened():
    loop, compiler = Visits(entries=False), Compiler()
    loop.point.close("verify")
    assert loop.point.life == ("dead", "verify", None)
    loop.point.reopen()
    assert loop.point.life == ("warm", "reopened", None) and not loop.point.closed
    loop.more(10)
    assert compiler.asked == 10


def test_backoff_may_be_ended():
    loop = Visits()
    loop.point.close("limit")
    loop.more(MAX_MISSES)
    loop.point.end_backoff()
    assert loop.point.life == ("serving", "hit", None)
    assert loop.more(MAX_MISSES) == [*range(MAX_MISSES)]


def test_only_some_are_reasons_to_close_a_point():
    point = _C.Point(0, 0)
    for wrong in ("hit", "whatever", 3):
        with pytest.raises(ValueError, match="no reason to close"):
            point.close(wrong)
    assert not point.closed and point.life == ("warm", "made", None)


def test_what_the_compiler_adds_runs_at_once():
    loop = Visits(entries=False)
    loop.answer = HERE
    compiler = Compiler(lambda point: point.add(_C.Watch(loop.seen, point.offset)))
    assert loop.more(10) == [*range(10)]
    assert compiler.asked == 1
    assert (loop.point.hits, loop.point.misses) == (9, 1)


# ---- a cold one ------------------------------------------------------------------------------


def test_a_cold_point_asks_nobody_at_its_first_visit():
    loop = Visits()
    loop.point.cold = True
    state, why, again = loop.point.life
    assert (state, why) == ("cold", "cold") and again > 0
    assert loop.more(10) == [*range(1, 10)]  # its code is hot: nobody measures its time
    assert not loop.point.cold and loop.point.life == ("serving", "hot", None)


# ---- declined --------------------------------------------------------------------------------


def test_a_point_that_always_declines_dies():
    loop = Visits()
    loop.point.always_declines = True
    loop.answer = DECLINE
    assert loop.more(MAX_DECLINES + 50) == [*range(MAX_DECLINES)]
    assert loop.point.life == ("dead", "declines", None) and loop.point.entries == ()


def test_others_decline_on_and_on():
    loop = Visits()
    loop.answer = DECLINE
    assert len(loop.more(2 * MAX_DECLINES)) == 2 * MAX_DECLINES
    assert not loop.point.dead and loop.point.misses == 0


# ---- penalties -------------------------------------------------------------------------------


def failing(offset: int) -> Any:
    """Where x0 is true it fails, and CPython goes on at the offset; else it returns."""

    @as_numpys
    def fails(x):
        return 1 // (not x)

    plan = Plan(1)
    plan.window(plan.jumps(offset))
    plan.leave(plan.returns(plan.call_operands(plan.const(fails), 0)))
    return plan.entry()


def by_turns(times: int) -> list[bool]:
    return [True, False] * (times - 1) + [True]


def test_an_entry_that_fails_has_a_penalty():
    """Then one of twice as long, up to a limit."""
    entry = failing(40)
    for doublings in range(MAX_DOUBLINGS + 2):
        times = FAILS_TO_NEXT if doublings else FAILS_TO_PENALTY
        for fail in by_turns(times):
            assert entry.penalty == 0
            assert run(entry, fail).kind == ("jump" if fail else "return")
        penalty = ENTRY_PENALTY << min(doublings, MAX_DOUBLINGS)
        assert entry.penalty == penalty
        assert entry.life == ("penalised", "poor", penalty)
        for left in range(penalty - 1, -1, -1):
            assert run(entry, False).kind == "stay" and entry.penalty == left
        assert entry.life == ("serving", "paid", None)


def test_an_entry_that_fails_on_and_on_is_disabled():
    entry = failing(40)
    for _ in range(MAX_FAILURES):
        assert not entry.disabled
        assert run(entry, True).kind == "jump"
    assert entry.disabled and entry.life == ("dead", "failures", None)
    assert run(entry, False).kind == "stay"


def plain(fail):
    return "plain"[:]


def test_a_point_takes_the_penalty_of_its_only_entry():
    start = decode(plain.__code__).start
    entry = failing(start)
    point = put(plain.__code__, {start: [entry]})[start]
    for fail in by_turns(FAILS_TO_PENALTY):
        assert point.penalty == 0
        assert plain(fail) == ("plain" if fail else 1)
    assert (point.penalty, entry.penalty) == (ENTRY_PENALTY, 0)
    assert point.life == ("penalised", "poor", ENTRY_PENALTY)
    assert entry.life == ("serving", "paid", None)
    for left in range(ENTRY_PENALTY - 1, -1, -1):
        assert plain(False) == "plain" and point.penalty == left
    assert point.life == ("serving", "paid", None)
    assert plain(False) == 1
    _C.uninstall(plain.__code__)


def test_a_point_with_several_takes_one_itself():
    start = decode(plain.__code__).start
    asked: list[int] = []
    poor = failing(start)
    for fail in by_turns(FAILS_TO_PENALTY):
        run(poor, fail)
    other = _C.Watch(lambda serial, state: asked.append(len(asked)) or MISS, start)
    point = put(plain.__code__, {start: [other, poor]})[start]
    for visit in range(MAX_PENALISED):
        assert point.penalty == 0
        assert plain(False) == "plain" and len(asked) == visit + 1
    assert point.life == ("penalised", "crowd", POINT_PENALTY)
    for left in range(POINT_PENALTY - 1, -1, -1):
        assert plain(False) == "plain" and point.penalty == left
    assert len(asked) == MAX_PENALISED
    plain(False)
    assert len(asked) == MAX_PENALISED + 1
    _C.uninstall(plain.__code__)


# ---- an entry and its baseline ---------------------------------------------------------------


def calling(fn: Callable[[Any], Any]) -> Any:
    plan = Plan(1)
    plan.leave(plan.returns(plan.call_operands(plan.const(fn), 0)))
    return plan.entry()


RUNS, UNTIL_SECOND, FIRST_PENALTY, GROWS = 8, 200, 16, 4


def test_the_trial_of_a_winner():
    entry = calling(lambda x: x)
    assert entry.life == ("serving", "made", None)
    entry.try_against(calling(lambda x: time.sleep(0.002)))
    for _ in range(RUNS):
        assert entry.life == ("trial", "tried", None)
        run(entry, 1)
    for left in range(UNTIL_SECOND, 0, -1):
        assert entry.life == ("trial", "won", left)
        run(entry, 1)
    for _ in range(RUNS):
        assert entry.life == ("trial", "won", None)
        run(entry, 1)
    assert entry.life == ("serving", "decided", None)


def test_the_trial_of_a_loser():
    entry = calling(lambda x: time.sleep(0.002))
    entry.try_against(calling(lambda x: x))
    for least in (FIRST_PENALTY, FIRST_PENALTY * GROWS):
        for _ in range(RUNS - (least > FIRST_PENALTY)):
            run(entry, 1)
        again = entry.life[2]
        assert again == least if least == FIRST_PENALTY else again >= least  # by how much it lost
        for left in (*range(again, again - FIRST_PENALTY, -1),):
            assert entry.life == ("declined", "lost", left) and entry.retired
            assert run(entry, 1).kind == "stay"
        for _ in range(again - FIRST_PENALTY):
            assert run(entry, 1).kind == "stay"
        run(entry, 1)
        assert entry.life == ("trial", "again", None) and not entry.retired


def test_an_entry_whose_kernels_are_compiled():
    ready, tried, useless = (calling(lambda x: x) for _ in range(3))
    for entry in (ready, tried, useless):
        entry.wait_beside(calling(lambda x: x))
        assert entry.life == ("compiling", "pending", None) and run(entry, 1).kind == "return"
    ready.ready(False)
    tried.ready(True)
    useless.decline()
    useless.ready(False)
    assert ready.life == ("serving", "ready", None)
    assert tried.life == ("trial", "ready", None)
    assert useless.life == ("declined", "no gain", None) and run(useless, 1).kind == "stay"


# ---- a function ------------------------------------------------------------------------------


def test_a_function_that_has_nothing_to_do():
    function = _C.Dispatcher(plain)
    for _ in range(BACKOFF_CALLS):
        assert function._life == ("serving", "made", None)
        function(1)
    for left in range(BACKOFF_VISITS, 0, -1):
        assert function._life == ("backed off", "idle", left)
        function(1)
    function._clear()
    assert function._life == ("serving", "made", None)


# ---- the table -------------------------------------------------------------------------------


def test_each_reason_has_a_text_and_leads_somewhere():
    leads = {why for _, why, _, _ in _C.transitions()}
    assert leads == {*_C.reasons()} - {"made"}
    assert all(_C.reasons().values())


def test_no_row_hides_another():
    """An event leads from a state, with entries or without, to one state."""
    seen = set()
    for states, why, _, holds in _C.transitions():
        for row in ((state, why, bit) for state in states for bit in (1, 2) if holds & bit):
            assert row not in seen
            seen.add(row)


def test_users_find_each_state_and_reason():
    page = (Path(__file__).parents[2] / "docs" / "debugging.md").read_text(encoding="utf-8")
    states = {to for _, _, to, _ in _C.transitions()} | {"warm"}
    assert [name for name in (*states, *_C.reasons()) if f"| {name} |" not in page] == []
    assert [text for text in _C.reasons().values() if text not in page] == []
