"""Verify mode: an entry → what stands at its point instead, which runs it and CPython both.

    guards hold ─▶ before: what may be written is kept ─▶ the entry runs (csrc/observe/shadow_run.c)
    ─▶ after: what it wrote is noted and undone; its transfer is what is expected
    ─▶ CPython runs the same instructions, where the frame is ─▶ a watch at the expected place, or
    the frame's end: they are compared

The program goes on with what CPython has made, whatever comes out. While a frame is on its way to
such a place, no other entry of it is asked.
"""

from __future__ import annotations

import atexit
import sys
from _thread import get_ident
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial
from typing import Any

from jitcore import _C
from jitcore.config import Config, environment
from jitcore.fallback.breaks import Place
from jitcore.fallback.exit import Leave
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.user_exceptions import is_users
from jitcore.opcodes.decode import Code
from jitcore.plan.assemble import Assembled
from jitcore.runtime.pending_frames import Key, pending
from jitcore.symbolic.state import Capture
from jitcore.verify.bug_report import Report, Subject, of_difference, subject_of
from jitcore.verify.error_boundary import fenced
from jitcore.verify.exit_places import comes_once, place_before, returns_at
from jitcore.verify.expected import Expected, How, effects_of
from jitcore.verify.findings import findings
from jitcore.verify.iterators import twins as iterators
from jitcore.verify.journal import Journal, kept
from jitcore.verify.stand_ins import Twins, twins
from jitcore.verify.warning_recorder import Heard

MISS, HERE, STAY = 0, 2, 4  # as csrc/frame/transfer.h numbers them
HOWS = {"return": How.RETURN, "jump": How.JUMP, "raise": How.RAISE}
OUT_OF = (
    MemoryError,
    RecursionError,
    KeyboardInterrupt,
    GeneratorExit,
)  # these come when they like


@dataclass(slots=True)
class PendingFrame:
    """A frame on its way."""

    rehearsed: Rehearsed
    attempt: Attempt  # keeps the objects that were there alive: an id is an object's while it lives
    expected: Expected
    listening: Heard
    report: Callable[[], Report]

    def over(self, texts: list[str]) -> None:
        self.listening.end()
        place = self.rehearsed.place
        for why in self.expected.effects.unseen:
            findings.not_compared(place, why)
        subject = self.rehearsed.subject
        if texts:
            told = [*texts[:1], *map(promised, subject.promises), *texts[1:]]
            findings.differ(place, told, self.report, subject.config.reports)
        else:
            findings.same(place)

    def asked(self, differences: Callable[..., list[str]], *found: Any) -> list[str]:
        """In words. What comes in between ends the comparison."""
        try:
            return differences(*found, self.listening)
        except BaseException as error:
            self.lost(error)
            raise

    def lost(self, error: BaseException) -> None:
        pending.pop(self.attempt.key, None)
        self.listening.end()
        findings.not_compared(self.rehearsed.place, f"{type(error).__name__} came in between")


@dataclass(slots=True)
class Attempt:
    """A rehearsal under way."""

    key: Key
    state: Any
    journal: Journal
    listening: Heard
    report: Callable[[], Report]
    loaded: tuple[Any, ...]

    @property
    def before(self) -> frozenset[int]:
        return frozenset(map(id, (*self.loaded, *self.state.locals, *self.state.stack)))


def promised(text: str) -> str:
    return f"{text} when this was compiled (jitcore.assume_constant_result): is that promise kept?"


def looked_at(key: Key, offset: int, state: Any) -> bool:
    """A frame comes by. Is it still on its way afterwards?"""
    one = pending.get(key)
    if one is None:
        return False
    expected = one.expected
    if expected.how is not How.JUMP or expected.at != offset:
        return True
    texts = one.asked(expected.differences, state)
    if texts and expected.many:
        if not expected.best or len(texts) < len(expected.best):
            expected.best = texts
        return True
    del pending[key]
    one.over(texts)
    return False


@fenced(None)
def ended(serial: int, result: Any, error: BaseException | None) -> None:
    """A frame has ended."""
    one = pending.pop((get_ident(), serial), None)
    if one is None:
        return
    if isinstance(error, OUT_OF) or (isinstance(error, Exception) and is_users(error)):
        one.lost(error)
        return
    one.over(one.asked(one.expected.ended, result, error))


@dataclass(slots=True)
class Watching:
    """What a watch calls. `point`: where it stands."""

    point: Any
    offset: int

    @fenced(MISS)
    def __call__(self, serial: int, state: Any) -> int:
        self.point.end_backoff()
        return STAY if looked_at((get_ident(), serial), self.offset, state) else MISS


@dataclass(slots=True)
class Rehearsed:
    """One region in verify mode."""

    place: Place
    offset: int
    subject: Subject
    twins: Twins
    names: tuple[str, ...]
    watched: dict[int, int] = field(default_factory=dict)  # exit's offset → where it is looked at
    once: frozenset[int] = frozenset()  # exits that CPython comes to once
    ends: frozenset[int] = frozenset()  # exits at an instruction that returns
    live: dict[int, frozenset[int]] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    handled: frozenset[int] = frozenset()  # instructions whose exceptions go to a handler

    @fenced(STAY)
    def before(self, serial: int, state: Any, loaded: tuple[Any, ...]) -> Any:
        key = get_ident(), serial
        if looked_at(key, self.offset, state):
            return STAY
        if self.twins.why_not:
            findings.not_compared(self.place, self.twins.why_not)
            return STAY
        journal = kept(loaded, self.twins.writes)
        live = dict(zip(self.twins.inputs, loaded, strict=False))
        report = partial(of_difference, self.subject, live, journal)
        listening = Heard(drops=True)
        attempt = Attempt(key, state, journal, listening, report, loaded)
        answer = [*state.locals], iterators(state.stack), attempt
        listening.begin()
        return answer

    @fenced(STAY)
    def after(self, attempt: Attempt, transfer: Any, context: Any) -> int:
        attempt.listening.end()
        attempt.journal.undone()
        return self.judged(attempt, transfer, context)

    def judged(self, attempt: Attempt, transfer: Any, context: Any) -> int:
        if transfer is None:
            findings.not_compared(self.place, "memory ran out")
            return STAY
        kind, offset, _, value, stack, locals = transfer
        if kind in ("miss", "stay"):
            if attempt.journal.changed:
                text = "arrays are not what they were, though CPython begins anew"
                findings.differ(self.place, [text], attempt.report, self.subject.config.reports)
            return MISS if kind == "miss" else STAY
        if kind == "raise" and (not isinstance(value, Exception) or is_users(value)):
            raise value
        expected = self.expect(attempt, HOWS[kind], offset, value, stack, locals)
        if expected is None:
            return STAY
        expected.errstate = context.run(_C.errstate_code)
        listening = Heard(drops=False)
        listening.begin()
        pending[attempt.key] = PendingFrame(self, attempt, expected, listening, attempt.report)
        if expected.at == self.offset:
            looked_at(attempt.key, self.offset, attempt.state)
        return HERE

    def expect(
        self, attempt: Attempt, how: How, offset: int, value: Any, stack: Any, locals: Any
    ) -> Expected | None:
        told: tuple[Any, ...] = ()
        if how is How.RETURN:
            value, told = value
        elif stack is not None:
            *stack, told = stack
        if how is How.JUMP and offset in self.ends:
            how, value = How.RETURN, stack[-1]
        if how is How.RAISE and offset in self.handled:
            findings.not_compared(self.place, "what it raises goes to a handler of the function")
            return None
        at = self.watched.get(offset, -1) if how is How.JUMP else -1
        if how is How.JUMP and at < 0:
            findings.not_compared(self.place, "nothing can be looked at where it is left")
            return None
        depth = len(stack) - (self.loads_between(at, offset)) if how is How.JUMP else 0
        slots = self.slots(attempt.state, offset, locals) if at >= 0 else []
        return Expected(
            how, offset, at, slots, stack[:depth] if at >= 0 else [], value, effects_of(told),
            attempt.journal, tuple(attempt.listening.texts), -1, attempt.state.globals, self.names,
            self.twins.marks, attempt.before, offset not in self.once,
        )  # fmt: skip

    def loads_between(self, at: int, offset: int) -> int:
        return self.depths[offset] - self.depths[at] if at != offset else 0

    def slots(self, state: Any, offset: int, locals: dict[int, Any]) -> list[tuple[int, Any]]:
        """What dead variables hold, nobody may rely on."""
        live = self.live[offset]
        found: list[tuple[int, Any]] = []
        for index in range(len(state.locals)):
            if index in live:
                found.append((index, locals.get(index, state.locals[index])))
        return sorted(found, key=lambda slot: type(slot[1]) not in CHEAP)


CHEAP = (int, float, bool)


def listen() -> None:
    """Frames tell when they end."""
    _C.set_ended(ended)


def begin() -> None:
    """Called once, with JITCORE_VERIFY=1."""
    listen()
    atexit.register(at_exit)


def at_exit() -> None:
    """On the way when the program ended: not compared."""
    for one in [*pending.values()]:
        findings.not_compared(one.rehearsed.place, "the program ended before")
    for line in () if environment().report else findings.summary():
        print(f"jitcore: {line}", file=sys.stderr)


def stand_in(
    code: Code, point: Any, place: Place, made: Assembled, captured: Capture, config: Config
) -> tuple[Any, frozenset[int]]:
    """What stands at the point in place of its entry, and where watches must."""
    assert made.plan is not None
    pair = twins(made.plan)
    jumps = {exit.offset for exit in pair.exits if exit.leave is Leave.JUMP}
    ends = frozenset(offset for offset in jumps if returns_at(code, offset))
    places = {offset: place_before(code, point.offset, offset) for offset in jumps - ends}
    watched = {offset: at for offset, at in places.items() if at is not None}
    final = made.plan.capture.exit
    once = frozenset(
        offset
        for offset in watched
        if not pair.loops and offset == final.offset and comes_once(code, point.offset, offset)
    )
    subject = subject_of(place, point.offset, captured, config, code.code)
    rehearsed = Rehearsed(
        place, point.offset, subject, pair, code.local_names, watched, once, ends,
        {offset: code.live[offset] for offset in jumps}, code.depths,
        frozenset(i.offset for i in code.instrs if code.handler_of(i.offset) is not None),
    )  # fmt: skip
    args = pair.probe, pair.twin, rehearsed.before, rehearsed.after, point.offset
    return _C.Rehearsal(*args), frozenset(watched.values())


def watch(points: Iterable[Any]) -> None:
    """Watches stand before the entries of a point."""
    for point in points:
        if not any(type(entry) is _C.Watch for entry in point.entries):
            point.add(_C.Watch(Watching(point, point.offset), point.offset), True)
        point.always_declines = False
