"""What was compiled, where a graph breaks, why a place is compiled again → its record, the logs,
and whoever collects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from jitcore import logs
from jitcore.errors import GraphBreakError
from jitcore.fallback.breaks import Break, caret
from jitcore.guards.reason import Change
from jitcore.opcodes.decode import decode
from jitcore.runtime.records import Done, Recompile, Record, Region
from jitcore.runtime.regions import place_at
from jitcore.stances import failing

Found = Region | Break | Recompile
collectors: dict[int, list[Found]] = {}  # by id: while they are empty, all are equal


def keep(record: Record, region: Region) -> None:
    kept = "" if region.entry is not None else ", left to NumPy's own calls"
    logs.graph.info("%s, offset %d%s:\n%s", region.function, region.offset, kept, region.graph)
    if logs.wants(logs.guards):
        words = "".join(f"\n  {text}" for text in region.guards)
        logs.guards.info("%s, offset %d:%s", region.function, region.offset, words)
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


def broke(record: Record, stop: Break) -> None:
    seen(record, stop)
    if record.config.fullgraph or failing():
        raise GraphBreakError(stop, caret(stop.place))


def seen(record: Record, stop: Break) -> None:
    if stop not in record.breaks:
        record.breaks.append(stop)
        note(stop)


def note(stop: Break) -> None:
    logs.breaks.info("%s", stop)
    for collector in list(collectors.values()):
        collector.append(stop)


@contextmanager
def collect() -> Iterator[list[Found]]:
    """The regions, breaks and recompiles that are found while this is active, in order."""
    found: list[Found] = []
    collectors[id(found)] = found
    try:
        yield found
    finally:
        del collectors[id(found)]
