"""A frame that no entry was made for → what is not as the nearest entry wants it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore import logs
from jitcore.fallback import breaks
from jitcore.guards.reason import Change, changes
from jitcore.runtime.records import Record

LIMIT = (
    "%s is compiled no more for other kinds of input: %s. What changed last: %s. Hint: %s."
    " JITCORE_LOGS=recompiles tells of each time"
)


def failing_in(entries: Iterable[Any], frame: Any) -> list[list[Any]]:
    """Of each entry, the guards that do not hold."""
    state = list(frame.locals), list(frame.stack), frame.globals, frame.builtins
    return [entry.failing(*state) for entry in entries]


def missed(record: Record, entries: Iterable[Any], frame: Any) -> tuple[Change, ...]:
    """Of the entry of which the least is another, the latest of several. (): there is none, or the
    guards of one hold, and it was left for another reason."""
    if type(frame.globals) is not dict or type(frame.builtins) is not dict:
        return ()
    made = {id(region.entry): k for k, region in enumerate(record.regions)}
    asked = sorted(entries, key=lambda entry: made.get(id(entry), -1))
    failing = failing_in(asked, frame)
    if not failing or not all(failing):
        return ()
    pairs = zip(asked, failing, strict=True)
    return min((changes_of(*pair) for pair in reversed([*pairs])), key=len)


def changes_of(entry: Any, failing: Iterable[tuple[int, tuple[Any, ...]]]) -> tuple[Change, ...]:
    return tuple(one for at, seen in failing for one in changes(entry.reasons[at], seen))


def warn_of_limit(record: Record, changed: Iterable[Change]) -> None:
    """Once for a function. Of code that nobody asked to compile (JITCORE=1) only those hear who
    listen."""
    for stop in record.breaks:
        if stop.kind is breaks.CACHE_LIMIT:
            say = logs.recompiles.info if record.arrived else logs.recompiles.warning
            last = "; ".join(map(str, changed)) or "nothing that is guarded"
            say(LIMIT, stop.place, stop.detail, last, stop.hint)
            record.warned = True
            return
