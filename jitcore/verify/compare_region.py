"""Verify mode: an entry that runs beside CPython, in place of one that serves."""

from __future__ import annotations

from typing import Any

from jitcore import _C
from jitcore.fallback.breaks import place_of
from jitcore.opcodes.decode import Code
from jitcore.plan.assemble import Assembled
from jitcore.runtime.points import splice_in
from jitcore.runtime.records import Record
from jitcore.runtime.regions import for_sizes
from jitcore.symbolic.state import Capture
from jitcore.verify import shadow_run


def compare(
    record: Record, point: Any, code: Code, captured: Capture, assembled: Assembled
) -> None:
    """In verify mode: the entry and CPython run, and where the entry is left, they are compared."""
    place = place_of(code.code, code.instrs[code.by_offset[point.offset]].position)
    entry, places = shadow_run.stand_in(code, point, place, assembled, captured, record.config)
    point.always_declines = False
    point.add(entry, for_sizes(captured))
    for offset in places:
        if offset not in record.points:
            record.watches.add(offset)
            record.points[offset] = _C.Point(offset, code.depths[offset])
            record.points[offset].close("verify")
    shadow_run.watch(record.points[offset] for offset in places)
    splice_in(record, code)
