"""What was compiled, where a graph breaks, why a place is compiled again → its record, the logs,
and whoever collects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from logging import DEBUG
from types import CodeType
from typing import Any

from jitcore import _C, logs
from jitcore.errors import GraphBreakError
from jitcore.fallback.breaks import Break, caret
from jitcore.guards.reason import Change
from jitcore.ir.remark import lines
from jitcore.opcodes.decode import Code, decode
from jitcore.runtime.records import Done, Recompile, Record, Region, records
from jitcore.runtime.regions import place_at
from jitcore.symbolic.state import Capture

LIMIT = "%s: no further versions will be compiled: %s. Hint: %s"

Found = Region | Break | Recompile
collectors: dict[int, list[Found]] = {}  # by id: while they are empty, all are equal


def keep(record: Record, region: Region) -> None:
    kept = "" if region.entry is not None else ", left to NumPy's own calls"
    logs.graph.info("%s, offset %d%s:\n%s", region.function, region.offset, kept, region.graph)
    if logs.wants(logs.guards):
        words = "".join(f"\n  {text}" for text in region.guards)
        logs.guards.info("%s, offset %d:%s", region.function, region.offset, words)
    if logs.wants(logs.kernels):
        home, whole = region.function.function, logs.wants(logs.kernels, DEBUG)
        for text in lines(region.remarks.found(), home, whole):
            logs.kernels.info("%s: %s", region.function, text)
    record.regions.append(region)
    for collector in list(collectors.values()):
        collector.append(region)


def recompiled(
    record: Record, point: Any, code: CodeType, changed: tuple[Change, ...], done: Done
) -> None:
    one = Recompile(place_at(decode(code), point.offset), point.offset, changed, done)
    record.recompiles.append(one)
    logs.recompiles.info("%s", one)
    for collector in list(collectors.values()):
        collector.append(one)


def broke(record: Record, code: CodeType, stop: Break, at: int = -1) -> None:
    """Where that is an error, it is raised at an offset; else the code is marked."""
    seen(record, stop)
    if record.config.fullgraph or _C.is_failing():
        raise GraphBreakError(stop, caret(stop.place), at)
    _C.mark_broken(code)


def seen(record: Record, stop: Break) -> None:
    if stop not in record.breaks:
        record.breaks.append(stop)
        note(stop)


def at_limit(record: Record, stop: Break) -> None:
    """The latest reason of a version stands before it in the same topic."""
    if stop not in record.breaks:
        logs.recompiles.info(LIMIT, stop.place, stop.detail, stop.hint)
    seen(record, stop)


def note(stop: Break) -> None:
    logs.breaks.info("%s", stop)
    for collector in list(collectors.values()):
        collector.append(stop)


@contextmanager
def collect() -> Iterator[list[Found]]:
    """The regions, breaks and recompiles that are found while this is active, in order."""
    found: list[Found] = []
    collectors[id(found)] = found
    for record in records.all():  # what took too long may take as long as it likes now
        for at in record.needs.keys() & record.points.keys():
            record.points[at].wait(0)
    try:
        yield found
    finally:
        del collectors[id(found)]


def learned(record: Record, point: Any, code: Code, captured: Capture) -> None:
    """What the next capture, and the reports, are to know of this one."""
    record.rolled |= captured.rolled
    record.refused |= captured.refused
    for note in captured.notes:
        seen(record, note)
    if captured.stop is not None:
        at = captured.exit.offset
        alike = code.handler_of(at) == code.handler_of(point.offset)
        broke(record, code.code, captured.stop, at if alike else -1)
