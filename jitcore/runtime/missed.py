"""A frame that no entry was made for → what is not as the nearest entry wants it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.guards.reason import Change, changes


def missed(entries: Iterable[Any], frame: Any) -> tuple[Change, ...]:
    """Of the entry of which the fewest guards fail, the latest of several. (): there is none, or
    the guards of one hold, and it was left for another reason."""
    if type(frame.globals) is not dict or type(frame.builtins) is not dict:
        return ()
    state = list(frame.locals), list(frame.stack), frame.globals, frame.builtins
    found = [(entry, entry.failing(*state)) for entry in entries]
    if not found or not all(rows for _, rows in found):
        return ()
    entry, rows = min(reversed(found), key=lambda pair: len(pair[1]))
    return tuple(one for at, seen in rows for one in changes(entry.reasons[at], seen))
