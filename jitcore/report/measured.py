"""What the pipeline and the meter know → a Run.

records, reading ─ regions ─▶ Compiled, with its steps and where it was left
                 ─ breaks ──▶ Stop, once for each place, with what CPython took there
                 ─ source ──▶ Function, with what runs each of its lines (annotated.py)
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jitcore.config import environment
from jitcore.cost.bytes_moved import Counts
from jitcore.fallback.breaks import Break, Place
from jitcore.guards.reason import summed
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.plan.work import Work
from jitcore.report.annotated import functions
from jitcore.report.meter_snapshot import (
    NOTHING,
    Code,
    FrameTimes,
    MeterRow,
    Reading,
    Slots,
    reading,
)
from jitcore.report.processes import command, process
from jitcore.report.run import (
    KINDS,
    AfterRegion,
    Call,
    Compiled,
    Kind,
    Recompiled,
    Run,
    Step,
    Stop,
    Totals,
)
from jitcore.report.user_source import spot_of
from jitcore.runtime.records import Record, Region
from jitcore.runtime.records import records as of_process
from jitcore.toolchain.cache_dir import said
from jitcore.verify.findings import findings
from jitcore.version import __version__


def run(records: Sequence[Record] | None = None, since: Reading | None = None) -> Run:
    """Of all that was compiled, or of these records, as far as this reading has it."""
    mine = of_process.ever() if records is None else records
    found = reading(mine) if since is None else since
    measured = bool(found.entries or found.codes)
    compiled = [one_compiled(r, found) for one in mine for r in one.regions if r.entry is not None]
    stops = costs(mine, found)
    recompiled = tuple(
        Recompiled(
            spot_of(one.place),
            tuple(change.source for change in one.changes),
            summed(one.changes),
            one.done,
        )
        for record in mine
        for one in record.recompiles
    )
    plain = arrived(mine).intersection(found.codes)
    known = functions(found.codes, found.calls.values(), compiled, stops, plain)
    if environment().verify:  # then all is run both ways
        known = tuple(replace(one, compared=()) for one in known)
    return Run(
        process=process(found.process),
        command=command(),
        versions=versions(),
        measured=measured,
        elapsed=found.elapsed,
        threads=threads(found.calls),
        totals=totals(mine, found, stops),
        stops=tuple(stops),
        compiled=tuple(compiled),
        recompiled=recompiled,
        functions=known,
        calls=in_places(found.calls),
        spans=tuple(sorted(found.spans, key=lambda one: one.began)),
        left_out=found.left_out,
        verified=tuple(findings.summary()) if environment().verify else (),
        notes=said(),
    )


def arrived(records: Iterable[Record]) -> set[Code]:
    """Others are compiled when they are first called, or before."""
    places = {region.function for one in records if one.arrived for region in one.regions}
    return {(place.filename, place.lineno or 0, place.function) for place in places}


def in_places(calls: Mapping[int, Call]) -> tuple[Call, ...]:
    """The meter's callers are numbers; a Run's are places, of which the caller's comes first."""
    places = {number: place for place, number in enumerate(calls)}
    return tuple(replace(one, caller=places.get(one.caller, -1)) for one in calls.values())


def threads(calls: Mapping[int, Call]) -> tuple[float, ...]:
    """What each has spent that has called something: a thread's calls have one root, and stand
    after their callers. The others' seconds are what is left between two readings of one clock."""
    root: dict[int, int] = {}
    spent: dict[int, float] = {}
    busy: set[int] = set()
    for number, one in calls.items():
        at = root[number] = root.get(one.caller, number)
        spent[at] = spent.get(at, 0.0) + sum(one.own)
        if one.times > 0:
            busy.add(at)
    return tuple(sorted((spent[at] for at in busy if spent[at] > 0), reverse=True))


def versions() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"jitcore {__version__}, {python}, NumPy {np.__version__}"


# ---- regions ------------------------------------------------------------------------------------


def one_compiled(region: Region, found: Reading) -> Compiled:
    slots = found.entries.get(id(region.entry))
    works = [*steps(region, slots)]
    first = next((spot for step in works for spot in step.spots), None)
    return Compiled(
        function=region.function.function,
        file=region.function.filename,
        spot=first or spot_of(region.function),
        inputs=", ".join(str(value.type) for value in region.graph.inputs),
        state=state_of(region),
        nodes=len(region.graph.body.nodes),
        steps=tuple(works),
        lefts=tuple(lefts(region, slots)),
        hits=region.entry.hits,
        failures=region.entry.failures,
        stays=slots.staying.times if slots else 0,
        compiling=region.seconds,
        entering=slots.entering.seconds if slots else None,
        trial=slots.trial if slots else None,
        staying=slots.staying.seconds if slots else None,
        mean=mean(slots) if slots else None,
        baseline=slots.trial / slots.tried if slots and slots.tried else None,
        runs=slots.entering.times - slots.tried if slots else 0,
        tried=slots.tried if slots else 0,
        moved=region.traffic.compiled,
        calls=region.traffic.calls,
        least=region.traffic.least,
        operations=region.traffic.operations,
        why=region.traffic.why,
        for_sizes=region.for_sizes,
    )


def mean(slots: Slots) -> float | None:
    """Its baseline's runs are no runs of its own."""
    runs = slots.entering.times - slots.tried
    spent = slots.entering.seconds + sum(row.seconds for row in slots.steps)
    return spent / runs if runs > 0 else None


def state_of(region: Region) -> str:
    entry = region.entry
    if entry.retired:
        return "retired: NumPy's own calls were faster"
    if getattr(entry, "disabled", False):
        return "given up: a step of it failed too often"
    return "its kernels are being compiled" if getattr(entry, "waiting", False) else "in use"


def steps(region: Region, slots: Slots | None) -> Iterator[Step]:
    """The plan also calls what is no node of the program's: that is counted where it belongs to."""
    if slots is None:
        for work, counts in zip(region.works, region.counts, strict=True):
            yield step_of(work, counts, kind_of(work, region), 0, None)
        return
    works = list(region.works)
    at = -1
    mine: list[list[MeterRow]] = [[] for _ in works]
    for row in slots.steps:
        if at + 1 < len(works) and works[at + 1].target is row.what:
            at += 1
        if at >= 0:
            mine[at].append(row)
    for work, counts, rows in zip(works, region.counts, mine, strict=True):
        if rows:
            seconds = sum(row.seconds for row in rows)
            yield step_of(work, counts, KINDS[rows[0].kind], rows[0].times, seconds)


def kind_of(work: Work, region: Region) -> Kind:
    if work.target in region.routines:
        return "loop"
    return "kernel" if work.target in region.kernels else "call"


def step_of(work: Work, counts: Counts, kind: Kind, times: int, seconds: float | None) -> Step:
    spots = tuple(map(spot_of, work.places))
    known = counts.moved, counts.between, counts.operations, counts.why
    return Step(kind, work.name, spots, times, seconds, *known)


def lefts(region: Region, slots: Slots | None) -> Iterator[AfterRegion]:
    for row in slots.after if slots is not None else ():
        place = region.exits.get(row.what)
        if place is None or not row.times or (row.what == region.end and region.breaks):
            continue
        ended = row.what == region.end
        why = "the region ends here" if ended else "a loop was left early, or an operation failed"
        yield AfterRegion(spot_of(place), why, row.times, row.seconds)


# ---- breaks -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Cost:
    times: int = 0
    unprofitable: int = 0  # regions that do not pay may stop at one place from several points
    seconds: float | None = None
    via: tuple[Place, ...] = ()

    def add(self, times: int, seconds: float) -> None:
        self.times += times
        self.seconds = (self.seconds or 0.0) + seconds


def costs(records: Iterable[Record], found: Reading) -> list[Stop]:
    made: dict[Break, Cost] = {}
    for record in records:
        unprofitable = {region.offset: region for region in record.regions if region.entry is None}
        for region in record.regions:
            for stop in region.breaks:
                if region.entry is not None:
                    after_runs(cost_of(stop, made), region, found)
                elif unprofitable[region.offset] is region:  # a point's time is counted once
                    from_point(cost_of(stop, made), record.points.get(region.offset), found)
        for stop in record.breaks:
            cost_of(stop, made)
        before_any(record, made, found)
    rows = [stop_of(stop, cost) for stop, cost in made.items()]
    return sorted(rows, key=lambda row: (-(row.seconds or 0.0), -row.times))


def cost_of(stop: Break, made: dict[Break, Cost]) -> Cost:
    """Of its place, however CPython came there."""
    cost = made.setdefault(replace(stop, via=()), Cost())
    cost.via = cost.via or stop.via
    return cost


def from_point(cost: Cost, point: Any, found: Reading) -> None:
    """CPython always goes on where regions do not pay."""
    row = found.points.get(id(point))
    if row is not None:
        cost.unprofitable = max(cost.unprofitable, row.times)
        cost.add(0, row.seconds)


def after_runs(cost: Cost, region: Region, found: Reading) -> None:
    """CPython went on there whenever the region ran to its end."""
    slots = found.entries.get(id(region.entry))
    if slots is None:
        cost.times += region.entry.hits
        return
    for row in slots.after:
        if row.what == region.end:  # where one call stands for many, no more than there were
            cost.add(min(row.times, region.entry.hits), row.seconds)


def before_any(record: Record, made: dict[Break, Cost], found: Reading) -> None:
    """What is before the first region is CPython's because of the break that ended the first try
    of one."""
    first = min((r for r in record.regions), key=lambda r: r.offset, default=None)
    if first is None:
        stop = next(iter(record.breaks), None)
    else:
        stop = next(iter(first.breaks), None) if first.entry is None else None
    if stop is None:
        return
    place = first.function if first is not None else stop.place
    known = known_of(found, place)
    if known is not NOTHING and known.frames:
        cost_of(stop, made).add(known.frames, known.begins)


def known_of(found: Reading, place: Place) -> FrameTimes:
    return found.codes.get((place.filename, place.lineno or 0, place.function), NOTHING)


def stop_of(stop: Break, cost: Cost) -> Stop:
    return Stop(
        stop.code,
        stop.reason,
        stop.hint,
        spot_of(stop.place),
        tuple(map(spot_of, cost.via)),
        max(cost.times + cost.unprofitable, 1),
        cost.seconds,
    )


# ---- all of it ----------------------------------------------------------------------------------


def totals(records: Sequence[Record], found: Reading, stops: Sequence[Stop]) -> Totals:
    regions = [region for record in records for region in record.regions]
    used = [region for region in regions if region.entry is not None]
    points = [point for record in records for point in record.points.values()]
    with_graph = [one for one in records if any(r.entry is not None for r in one.regions)]
    looked_at = [one for one in records if one.regions or one.breaks]
    own = [call.own for call in found.calls.values()]
    sums = [max(sum(column), 0.0) for column in zip(*own, strict=True)]  # some are estimates
    seconds = tuple(sums) or (0.0,) * len(KINDS)
    return Totals(
        seen=found.seen,
        frames=sum(known.frames for known in found.codes.values()),
        functions=len(looked_at),
        compiled=len(with_graph),
        skipped=len(looked_at) - len(with_graph),
        graphs=len(used),
        kernels=sum(len(r.kernels) for r in used),
        nodes=sum(len(r.graph.body.nodes) for r in used),
        places=len(stops),
        hits=sum(r.entry.hits for r in used),
        misses=sum(point.misses for point in points),
        recompiles=sum(len(one.recompiles) for one in records),
        retired=sum(bool(r.entry.retired) for r in used),
        seconds=seconds,
        breaks=min(sum(stop.seconds or 0.0 for stop in stops), seconds[KINDS.index("cpython")]),
        compiling=seconds[KINDS.index("compiling")] or sum(r.seconds for r in regions),
    )
