"""A place that meets arrays of other sizes than before → an entry for all of them."""

from __future__ import annotations

from itertools import islice
from time import thread_time

from jitcore import logs
from jitcore.host.deadline import left
from jitcore.host.user_exceptions import is_users
from jitcore.plan.assemble import Assembled
from jitcore.runtime.records import Record
from jitcore.runtime.sizes.candidates import others
from jitcore.runtime.sizes.sampler import loose
from jitcore.runtime.sizes.sized_entry import arrays_of, for_all_sizes, is_kept
from jitcore.symbolic.state import Capture, Start

SIZED_SECONDS = 0.6  # of processor time, for an entry for all sizes
MAX_SIZED = 3  # tries in vain of a place, and earlier sizes that one compares with


def for_other_sizes(
    record: Record, start: Start, captured: Capture
) -> tuple[Capture, Assembled] | None:
    """Where only the sizes of arrays are others than for an entry that there is: an entry for all
    of them."""
    config = record.config
    mine = [r.entry for r in record.regions if r.offset == start.offset and r.entry is not None]
    possible = config.backend == "c" and config.compiling == "eager"
    tries = record.one_size.get(start.offset, 0)
    if not possible or tries > MAX_SIZED or any(entry.retired for entry in mine):
        return None
    sizes = record.sizes.get(start.offset, ())
    until = thread_time() + min(SIZED_SECONDS, left() / 2)  # the rest is for one size
    for arrays in islice(others(captured, sizes, config.dynamic, not mine), MAX_SIZED):
        try:
            found = for_all_sizes(start, arrays, captured.guards, config, until)
        except Exception as error:
            if is_users(error):
                raise
            if config.strict:
                raise
            logs.recompiles.debug("an entry for all sizes", exc_info=True)
            found = None
        if found is not None:
            keep_sizes(record, start.offset, captured)
            return found
        record.one_size[start.offset] = record.one_size.get(start.offset, 0) + 1
    return None


def keep_sizes(record: Record, offset: int, captured: Capture) -> None:
    if is_kept(captured.guards):
        seen_at = loose(captured.guards), arrays_of(captured.guards)
        record.sizes.setdefault(offset, []).append(seen_at)
