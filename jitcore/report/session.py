"""A piece of a program → its Run: what is compiled by now is measured while it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jitcore import _C
from jitcore.report.measured import run
from jitcore.report.meter_snapshot import reading, since
from jitcore.report.run import Run
from jitcore.runtime.records import records


@contextmanager
def accounted() -> Iterator[list[Run]]:
    """The list has the run when the block has ended."""
    found: list[Run] = []
    was = _C.meter(True)
    measure(True)
    before = reading(records.ever())
    try:
        yield found
    finally:
        passed = since(reading(records.ever()), before)
        if not was:
            _C.meter(False)
            measure(False)
        found.append(run(since=passed))


def measure(on: bool) -> None:
    for record in records.ever():
        for dispatcher in list(record.dispatchers):
            dispatcher._meter(on)
        for region in record.regions:
            if isinstance(region.entry, _C.Entry):
                region.entry.meter(on)
