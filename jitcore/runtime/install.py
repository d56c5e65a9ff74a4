"""An entry → its point and its dispatchers, which ask it from then on."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, place_of
from jitcore.guards.guard import ErrState
from jitcore.opcodes.decode import Code
from jitcore.plan.assemble import Assembled, entry_that_stays
from jitcore.runtime.notify import broke
from jitcore.runtime.points import place_points
from jitcore.runtime.records import Record
from jitcore.symbolic.capture import around_blocks


def install(record: Record, point: Any, assembled: Assembled, first: bool) -> None:
    """`first`: asked before the others, as one that serves many sizes will hold most often."""
    if assembled.frameless:
        record.frameless.insert(0 if first else len(record.frameless), assembled.entry)
        for dispatcher in list(record.dispatchers):
            dispatcher._add_frameless(assembled.entry, first)
    point.always_declines = False
    point.add(assembled.entry, first)


def left_for_errors(record: Record, point: Any, code: Code, errstate: int) -> None:
    """Where NumPy's errors raise, or call, CPython runs; blocks of np.errstate have own points."""
    point.add(entry_that_stays([ErrState(errstate)]))
    broke(record, code.code, Break(breaks.ERROR_STATE, str(np.geterr()), place_of(code.code)))
    place_points(record, code, around_blocks(code))
