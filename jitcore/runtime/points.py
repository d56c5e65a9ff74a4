"""Where regions may begin → region points, and a C* that has them all."""

from __future__ import annotations

from jitcore import _C, logs
from jitcore.fallback.breaks import place_of
from jitcore.fallback.splice import splice
from jitcore.opcodes.decode import Code
from jitcore.opcodes.disassembly import listing
from jitcore.runtime.records import Record, records

MAX_POINTS = 200
MAX_UNPROFITABLE = 24  # regions in a row that did not pay: the rest is left alone


def place_points(record: Record, code: Code, offsets: tuple[int, ...]) -> None:
    """New region points, and a C* that has them all. Running frames move when they next leave."""
    asked = (o for o in dict.fromkeys(offsets) if o in code.allowed)
    new = [o for o in asked if o not in record.points or o in record.watches]
    if (
        not new
        or len(record.points) + len(new) > MAX_POINTS
        or record.unprofitable > MAX_UNPROFITABLE
    ):
        return
    if records.find(code.code) is not record:  # it was forgotten meanwhile
        return
    for offset in new:
        if offset in record.watches:  # a region may begin there, too
            record.watches.remove(offset)
            record.points[offset].reopen()
            continue
        point = record.points[offset] = _C.Point(offset, code.depths[offset])
        point.cold = record.arrived
    splice_in(record, code)


def splice_in(record: Record, code: Code) -> None:
    measured = records.keeps  # then it is known what CPython takes after a dead one
    useful = {o: p for o, p in record.points.items() if p.entries or not p.closed or measured}
    spliced = splice(code, useful)
    _C.install(code.code, spliced.code, spliced.at_point, spliced.at_instr, record.arrived)
    if logs.wants(logs.code):
        marks = {o: [f"-- region point, entries: {len(p.entries)}"] for o, p in useful.items()}
        logs.code.info("%s:\n%s", place_of(code.code), listing(code, marks))
