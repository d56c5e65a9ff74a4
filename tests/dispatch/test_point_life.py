"""The life of a point and of an entry: what leads from one state to the next, and after how many
visits. The constants are those of csrc/policy/constants.h."""

from __future__ import annotations

import gc
import sys
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
    assert loop.more(1 + 3 * BACKOFF_VISITS) == [0, *(k - MAX_MISSES + 1 for k in sampled)]
    assert loop.point.misses == MAX_MISSES + 1 + 3 * BACKOFF_VISITS


def test_a_hit_ends_backoff():
    loop = Visits()
    loop.point.close("limit")
    loop.more(MAX_MISSES)
    loop.answer = HERE
    assert loop.more(2 + BACKOFF_VISITS) == [*range(2 + BACKOFF_VISITS)]  # the first is asked
    assert loop.point.misses_in_a_row == 0
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


def test_a_closed_point_asks_nobody():
    loop = Visits()
    compiler = Compiler(lambda point: point.close("limit"))
    assert loop.more(10) == [0, *range(10)]  # again after it
    assert compiler.asked == 1 and loop.point.closed and not loop.point.dead
    assert loop.more(10) == [*range(10)]
    assert compiler.asked == 1


def test_without_entries_a_closed_point_is_dead():
    loop = Visits(entries=False)
    compiler = Compiler(lambda point: point.close("limit"))
    assert not loop.point.dead
    loop.more(10)
    assert compiler.asked == 1 and loop.point.dead and loop.point.misses == 1
    loop.more(10)
    assert compiler.asked == 1 and loop.point.misses == 1


def test_an_entry_that_comes_later_revives_it():
    loop = Visits(entries=False)
    loop.point.close("limit")
    assert loop.point.dead
    loop.point.add(_C.Watch(loop.seen, loop.point.offset))
    assert not loop.point.dead
    assert loop.more(5) == [*range(5)]


def test_it_is_dead_once_it_is_killed():
    loop = Visits()
    assert loop.more(5) == [*range(5)]
    loop.point.kill()
    assert loop.point.dead and loop.more(5) == []


def test_it_may_be_closed_while_a_frame_runs():
    loop = Visits()
    compiler = Compiler(lambda point: point.leave_run())
    for k in range(1, 4):
        loop.more(10)
        assert compiler.asked == k and loop.point.misses_in_a_row == 9 * k
    loop.more(200)  # of these the entries are asked at some only
    assert compiler.asked == 4 and loop.point.misses_in_a_row == MAX_MISSES


def test_it_may_be_closed_for_a_time():
    loop, compiler = Visits(), Compiler()
    loop.point.wait(1000.0)
    loop.more(10)
    assert compiler.asked == 0
    loop.point.wait(0)
    loop.more(10)
    assert compiler.asked == 10


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
    assert loop.more(10) == [*range(1, 10)]  # its code is hot: nobody measures its time
    assert not loop.point.cold


# ---- declined --------------------------------------------------------------------------------


def test_a_point_that_always_declines_dies():
    loop = Visits()
    loop.point.always_declines = True
    loop.answer = DECLINE
    assert loop.more(MAX_DECLINES + 50) == [*range(MAX_DECLINES)]
    assert loop.point.dead and loop.point.entries == ()


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
        for left in range(penalty - 1, -1, -1):
            assert run(entry, False).kind == "stay" and entry.penalty == left


def test_an_entry_that_fails_on_and_on_is_disabled():
    entry = failing(40)
    for _ in range(MAX_FAILURES):
        assert not entry.disabled
        assert run(entry, True).kind == "jump"
    assert entry.disabled and run(entry, False).kind == "stay"


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
    for left in range(ENTRY_PENALTY - 1, -1, -1):
        assert plain(False) == "plain" and point.penalty == left
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
    assert point.penalty == POINT_PENALTY
    for left in range(POINT_PENALTY - 1, -1, -1):
        assert plain(False) == "plain" and point.penalty == left
    assert len(asked) == MAX_PENALISED
    plain(False)
    assert len(asked) == MAX_PENALISED + 1
    _C.uninstall(plain.__code__)
