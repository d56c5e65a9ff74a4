"""What the meter of csrc/observe/meter.h has measured so far, and the difference of two readings.

kind   an index of run.KINDS
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.report.run import KINDS, Call, Span
from jitcore.runtime.records import Record

Code = tuple[str, int, str]  # file, first line, qualified name
assert tuple(name.lower() for name in _C.METER_KINDS) == KINDS


@dataclass(frozen=True, slots=True)
class MeterRow:
    """A slot: its kind, what it stands for, how often, how many seconds."""

    kind: int
    what: Any
    times: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Slots:
    """Of an entry. `after`: CPython after each exit, by the offset where it goes on; `steps`: what
    the plan calls, in order; `trial`: all of its baseline's, in `tried` runs."""

    entering: MeterRow
    staying: MeterRow
    after: tuple[MeterRow, ...]
    steps: tuple[MeterRow, ...]
    trial: float
    tried: int


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Of a code object. `before`, `after`: whole frames of it, with all that they called, that
    ended before the compiler was asked for it, that began after it was asked last."""

    frames: int
    begins: float  # CPython, before the first region
    compiled: int
    compiling: float
    before: int
    before_seconds: float
    after: int
    after_seconds: float


@dataclass(frozen=True, slots=True)
class Reading:
    elapsed: float
    seen: int
    codes: Mapping[Code, FrameTimes]
    calls: Mapping[int, Call]
    spans: tuple[Span, ...]
    left_out: int
    entries: Mapping[int, Slots]  # by id
    points: Mapping[int, MeterRow]  # by id; dead ones: CPython from there on
    process: int  # that began to measure; 0: none has


NOTHING = FrameTimes(0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0)


def reading(records: Iterable[Record]) -> Reading:
    found = _C.meter_read()
    codes: dict[Code, FrameTimes] = {}
    for file, line, name, *rest in found["codes"]:
        earlier = astuple(codes.get((file, line, name), NOTHING))
        codes[file, line, name] = FrameTimes(*(a + b for a, b in zip(earlier, rest, strict=True)))
    calls = {}
    for number, caller, file, line, name, times, seconds, own in found["nodes"]:
        calls[number] = Call(caller, name or "", file or "", line, times, seconds, own)
    spans = tuple(
        Span(name, thread, depth, bool(compiling), began, seconds)
        for _, _, name, thread, depth, compiling, began, seconds in found["events"]
    )
    entries, points = {}, {}
    for record in records:
        for point in record.points.values():
            row = point.metered()
            if row is not None:
                points[id(point)] = MeterRow(*row)
        for region in record.regions:
            slots = slots_of(region.entry)
            if slots is not None:
                entries[id(region.entry)] = slots
    return Reading(
        elapsed=found["seconds"],
        seen=found["frames"],
        codes=codes,
        calls=calls,
        spans=spans,
        left_out=found["dropped"],
        entries=entries,
        points=points,
        process=found["process"],
    )


def slots_of(entry: Any) -> Slots | None:
    """None where it was never measured, or is none of ours."""
    found = entry.metered() if isinstance(entry, _C.Entry) else None
    if found is None:
        return None
    own, stays, exits, steps, baseline = found
    after = [MeterRow(*row) for row in exits]
    trial, tried = 0.0, 0
    if baseline is not None:
        after += [MeterRow(*row) for row in baseline[2]]
        trial = baseline[0][3] + baseline[1][3] + sum(row[3] for row in baseline[3])
        tried = baseline[0][2]
    return Slots(
        MeterRow(*own),
        MeterRow(*stays),
        tuple(after),
        tuple(MeterRow(*row) for row in steps),
        trial,
        tried,
    )


# ---- what has been added since an earlier reading -----------------------------------------------


def since(now: Reading, then: Reading) -> Reading:
    codes = {code: less(known, then.codes.get(code)) for code, known in now.codes.items()}
    calls = {n: fewer(call, then.calls.get(n)) for n, call in now.calls.items()}
    entries = {key: without(slots, then.entries.get(key)) for key, slots in now.entries.items()}
    points = {key: row_less(row, then.points.get(key)) for key, row in now.points.items()}
    spans = tuple(one for one in now.spans if one.began >= then.elapsed)
    return replace(
        now,
        elapsed=now.elapsed - then.elapsed,
        seen=now.seen - then.seen,
        codes=codes,
        calls=calls,
        spans=spans,
        entries=entries,
        points=points,
    )


def less(now: FrameTimes, then: FrameTimes | None) -> FrameTimes:
    if then is None:
        return now
    pairs = zip(astuple(now), astuple(then), strict=True)
    return FrameTimes(*(max(a - b, 0) for a, b in pairs))


def fewer(now: Call, then: Call | None) -> Call:
    if then is None:
        return now
    own = tuple(max(a - b, 0.0) for a, b in zip(now.own, then.own, strict=True))
    seconds = max(now.seconds - then.seconds, 0.0)
    return replace(now, times=now.times - then.times, seconds=seconds, own=own)


def without(now: Slots, then: Slots | None) -> Slots:
    if then is None:
        return now
    return Slots(
        row_less(now.entering, then.entering),
        row_less(now.staying, then.staying),
        rows_less(now.after, then.after),
        rows_less(now.steps, then.steps),
        max(now.trial - then.trial, 0.0),
        now.tried - then.tried,
    )


def rows_less(now: Sequence[MeterRow], then: Sequence[MeterRow]) -> tuple[MeterRow, ...]:
    """A baseline that came later has rows at the end."""
    older = (*then, *(MeterRow(r.kind, r.what, 0, 0.0) for r in now[len(then) :]))
    return tuple(row_less(a, b) for a, b in zip(now, older, strict=False))


def row_less(now: MeterRow, then: MeterRow | None) -> MeterRow:
    if then is None:
        return now
    return replace(now, times=now.times - then.times, seconds=max(now.seconds - then.seconds, 0.0))
