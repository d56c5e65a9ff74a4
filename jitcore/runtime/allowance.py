"""What a piece may cost: as much as its function has run so far, for each piece but the first.

    first piece of a function   a second
    further ones                a second as well, and all of a function's together no more than it
                                has run, and a second; nothing is free where the latest versions
                                of a place were of little use
    abandoned, or refused       CPython's; asked again when the code has run for much longer

What `f.warmup()`, a signature, `fullgraph=True` or `explain` wants is compiled however long it
takes, and so is all under JITCORE_STRESS=1, in verify mode, and where all regions are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from os import times
from time import perf_counter, process_time, thread_time
from types import CodeType
from typing import Any

from jitcore import _C
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break
from jitcore.host import deadline
from jitcore.host.fast_dataclass import dataclass
from jitcore.opcodes.decode import decode
from jitcore.runtime.notify import collectors, seen
from jitcore.runtime.policy import FEW_HITS
from jitcore.runtime.records import Done, Record
from jitcore.runtime.regions import place_at

MOST = 1.0  # seconds for a piece,
SHARE = 1 / 8  # or that much of what has run since, which comes to more in the end
FREE = 1.0  # seconds for further versions of a function that has run for nothing
EARLY = 0.25  # seconds: of code that nobody has asked to compile, where the program is young
ALIKE = 0.8  # of what a version takes, the next one takes at least
LEAST = 0.02  # seconds: a piece takes that long
USELESS = 2  # versions in a row, with few hits each
PATIENCE = 8.0  # times as long as it took in vain, by the clock, until it is asked again
LOOK = 0.25  # seconds


@dataclass(slots=True)
class Account:
    """Of the process."""

    compiling: float = 0.0  # seconds of its processors that were the pieces'

    def running(self) -> float:
        """The others."""
        now = process_time()
        if now < self.compiling:  # a fork: a new process has taken nothing yet
            self.compiling = 0.0
        return now - self.compiling


account = Account()


class Stopwatch:
    """What a piece takes: this thread's processor time, and its compilers'."""

    def __init__(self) -> None:
        self.own, self.wall, self.others = thread_time(), perf_counter(), of_children()

    def read(self) -> tuple[float, float]:
        """Seconds of the thread, and of all."""
        own = thread_time() - self.own
        # the program's own children may end meanwhile
        return own, own + min(of_children() - self.others, perf_counter() - self.wall)


def of_children() -> float:
    now = times()
    return now.children_user + now.children_system


def limited(
    record: Record, point: Any, code: CodeType, work: Callable[[], Done], wanted: bool = False
) -> Done:
    """The work, or as much of it as may pay. `wanted`: all of it, by the user."""
    further = bool(record.regions) or record.tries.get(point.offset, 0) > 0
    if wanted or is_free(record):
        seconds = inf
    else:
        seconds = allowed(record, point.offset, further)
        short = record.needs.get(point.offset, LEAST) - seconds
        if short > 0:
            leave(record, point, code, max(short, LOOK))
            return "runs in CPython"
    watch = Stopwatch()
    try:
        with deadline.within(seconds):
            done = work()
    except deadline.Abandoned as stop:
        record.needs[point.offset] = stop.needed
        record.tries[point.offset] -= 1
        further = True
        leave(record, point, code, PATIENCE * max(watch.read()[1], LOOK))
        return "runs in CPython"
    else:
        record.needs[point.offset] = ALIKE * watch.read()[0]  # kernels may be there by then
        place = place_at(decode(code), point.offset)
        record.breaks[:] = (
            stop
            for stop in record.breaks
            if stop.kind is not breaks.COMPILE_TIME or stop.place != place
        )
        return done
    finally:
        own, took = watch.read()
        account.compiling += own
        record.cost += took if further else 0.0


def leave(record: Record, point: Any, code: CodeType, seconds: float) -> None:
    """The compiler is not asked there for so long."""
    point.wait(seconds)
    _C.mark_broken(code)
    seen(record, Break(breaks.COMPILE_TIME, "", place_at(decode(code), point.offset)))


def is_free(record: Record) -> bool:
    """Is this not a matter of time? Who looks at what is compiled is to see the same each time."""
    config = record.config
    asked = config.fullgraph or _C.is_failing() or bool(collectors)
    return asked or config.keep_all or config.verify or config.hot_seconds <= 0


def allowed(record: Record, offset: int, further: bool) -> float:
    """Seconds for a piece."""
    ran = ran_so_far(record)
    free = EARLY if record.arrived else FREE
    most = max(MOST, SHARE * ran)
    if not further:
        return min(most, max(EARLY, ran)) if record.arrived else most
    return min(most, ran - record.cost + (0.0 if is_useless(record, offset) else free))


def ran_so_far(record: Record) -> float:
    """Processor time of the program since the function was first asked about: it has run for no
    longer. Of code that nobody has asked to compile, since the program began."""
    now = account.running()
    if record.since is None:
        record.since = 0.0 if record.arrived else now
    if now < record.since:  # a fork: a new process has taken nothing yet
        record.since = 0.0
    return max(now - record.since, 0.0)


def is_useless(record: Record, offset: int) -> bool:
    """Are the versions of this place of use for a call or two?"""
    mine = [r.entry for r in record.regions if r.offset == offset and r.entry is not None]
    latest = mine[-USELESS:]
    return len(latest) == USELESS and all(entry.hits <= FEW_HITS for entry in latest)
