"""A frame that no entry was made for → what is not as the nearest entry wants it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jitcore import _C
from jitcore.guards.reason import Change, changes
from jitcore.runtime.records import Record


def with_guards(entries: Iterable[Any]) -> list[Any]:
    """Of the entries of a point: those that have guards, where others stand for them."""
    real = (entry for entry in entries if type(entry) is not _C.Watch)
    return [entry.probe if type(entry) is _C.Rehearsal else entry for entry in real]


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


def numbers_in(changed: Iterable[Change]) -> Iterator[str]:
    """Those that were constants, and what they are items of: its others are likely to follow."""
    for one in changed:
        if one.use:
            of, item, _ = one.source.rpartition("[")
            yield one.source
            if item:
                yield of


def changes_of(entry: Any, failing: Iterable[tuple[int, tuple[Any, ...]]]) -> tuple[Change, ...]:
    return tuple(one for at, seen in failing for one in changes(entry.reasons[at], seen))
