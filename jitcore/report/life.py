"""Why is this not compiled, or not run? A region point and its entry → state, reason, next look.

The table of states and reasons is csrc/policy/state.h; docs/debugging.md has it for users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.units import counted, seconds
from jitcore.opcodes.decode import decode
from jitcore.runtime.records import Record, Region, records
from jitcore.runtime.regions import place_at

STANDS = ("cold", "penalised", "backed off", "dead")  # of a point or a function: nobody is asked
AS_USUAL = {("warm", "made"), ("warm", "hot"), ("warm", "compiled"), ("serving", "added")}
TOLD_BY_BREAKS = {"unprofitable", "verify", "killed", "declines"}  # why nothing is compiled there


@dataclass(frozen=True)
class Life:
    """state   of a region: "cold", "warm", "compiling", "trial", "serving", "penalised",
             "backed off", "declined" or "dead"
    reason  the event that led there, as docs/debugging.md lists them
    again   when it is looked at again: an int of visits, a float of seconds, None: never, or always
    """

    state: str
    reason: str
    again: int | float | None = None

    def __str__(self) -> str:
        return f"state: {self.state} since {_C.reasons()[self.reason]}{when(self.again)}"


def when(again: int | float | None) -> str:
    if again is None:
        return ""
    after = seconds(again) if isinstance(again, float) else counted(again, "call")
    return f"; looked at again in {after}"


def life_of(region: Region, record: Record | None) -> Life:
    """What its function says goes before what its point does, and that before its entry."""
    holders: list[Any] = []
    if record is not None:
        if any(entry is region.entry for entry in record.frameless):
            holders += [one._life for one in record.dispatchers]
        if region.offset in record.points:
            holders.append(record.points[region.offset].life)
    found = (Life(*life) for life in holders)
    return next((one for one in found if one.state in STANDS), Life(*region.entry.life))


def lives_of(regions: Iterable[Region]) -> tuple[Life, ...]:
    owners = {id(region): record for record in records.all() for region in record.regions}
    return tuple(life_of(region, owners.get(id(region))) for region in regions)


def lives_without_graph(code: CodeType) -> Iterator[str]:
    """The points of a function that have no graph for a reason that no break tells."""
    record = records.find(code)
    if record is None:
        return
    compiled = {region.offset for region in record.regions if region.entry is not None}
    for offset, point in record.points.items():
        life = Life(*point.life)
        if offset in compiled or (life.state, life.reason) in AS_USUAL:
            continue
        if life.reason not in TOLD_BY_BREAKS:
            yield f"no graph at {place_at(decode(code), offset)}: {life}"
