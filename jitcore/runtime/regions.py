"""A capture, and what was made of it → the Region that its record keeps."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any

from jitcore.cost.peak_memory import Footprint
from jitcore.fallback.breaks import Place, place_of
from jitcore.guards.guard import IsArray, IsSized
from jitcore.opcodes.decode import Code, decode
from jitcore.plan.assemble import Assembled
from jitcore.plan.step_remarks import NO_REMARKS
from jitcore.runtime.records import NO_MOVES, Region
from jitcore.symbolic.state import Capture, EffectStep
from jitcore.symbolic.state import LoopRegion as Looped
from jitcore.user.cache_info import Extents


def region_of(
    code: CodeType, point: Any, captured: Capture, assembled: Assembled | None, seconds: float
) -> Region:
    decoded = decode(code)
    return Region(
        place_of(code),
        point.offset,
        captured.graph,
        (captured.stop,) if captured.stop is not None else (),
        tuple(map(str, captured.guards)),
        facts_of(captured),
        assembled.entry if assembled is not None else None,
        assembled.kernels if assembled is not None else (),
        assembled.calls if assembled is not None else 0,
        assembled.footprint if assembled is not None else Footprint(0, 0),
        seconds,
        assembled.routines if assembled is not None else (),
        place_at(decoded, point.offset),
        dict(sizes_in(captured)),
        assembled.works if assembled is not None else (),
        assembled.moves if assembled is not None else NO_MOVES,
        captured.exit.offset,
        exits_of(decoded, captured),
        assembled.remarks if assembled is not None else NO_REMARKS,
    )


def place_at(code: Code, offset: int) -> Place:
    return place_of(code.code, code.instrs[code.by_offset[offset]].position)


def sizes_in(captured: Capture) -> Iterator[tuple[str, Extents]]:
    for guard in captured.guards:
        if isinstance(guard, IsArray):
            yield str(guard.source), guard.type.shape
        elif isinstance(guard, IsSized):
            both = zip(guard.least, guard.most, strict=True)
            yield str(guard.source), tuple(a if a == b else (a, b) for a, b in both)


def exits_of(code: Code, captured: Capture) -> dict[int, Place]:
    """Where CPython may go on."""
    exits = [captured.exit]
    for segment in captured.segments:
        exits.append(segment.at if isinstance(segment, EffectStep) else segment.start)
        if isinstance(segment, Looped):
            exits += segment.exits.values()
    at = {exit.offset for exit in exits if exit.offset >= 0}
    return {offset: place_at(code, offset) for offset in sorted(at)}


def facts_of(captured: Capture) -> frozenset[int]:
    """Hashes, which keep nothing alive; with the words, since -1 and -2 have one hash."""
    return frozenset(hash((guard, str(guard))) for guard in captured.guards)


def for_sizes(captured: Capture) -> bool:
    return any(isinstance(guard, IsSized) for guard in captured.guards)
