"""Arrays and lists that an entry may write: what stood there, what it wrote, and back.

    kept(loaded) ─▶ the entry runs ─▶ undone() ─▶ CPython runs ─▶ differences()

The undoing is done to its end, whatever a signal's handler raises meanwhile, or the lack of memory.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.verify.deep_equal import Array, Comparison, array_differs, bits, described

MOST = 1 << 28  # bytes of arrays that are only read, which are looked at, too
TRIES = 4  # of each row: handlers may raise one after the other, memory may be out for good


@dataclass(slots=True)
class OfArray:
    array: Array
    before: Array
    wrote: Any = None  # bits afterwards
    changed: bool = False

    def note(self) -> None:
        if self.wrote is None:
            self.wrote = bits(self.array)
            self.changed = self.wrote != bits(self.before)

    def undo(self) -> None:
        unknown = self.wrote is None  # noting it has failed
        if self.changed or unknown or self.array.tobytes() != self.before.tobytes():
            np.copyto(self.array, self.before, casting="no")

    def differs(self, comparison: Comparison) -> str:
        found = array_differs(self.array, self.wrote, bits(self.array), comparison.marks)
        return f"{described(self.array)}, as it is afterwards: {found}" if found else ""


@dataclass(slots=True)
class OfList:
    items: list[Any]
    before: list[Any]
    wrote: Any = None
    changed: bool = False

    def note(self) -> None:
        if self.wrote is None:
            self.wrote = [*self.items]
            self.changed = [*map(id, self.wrote)] != [*map(id, self.before)]

    def undo(self) -> None:
        if self.changed or self.wrote is None:
            self.items[:] = self.before

    def differs(self, comparison: Comparison) -> str:
        found = comparison.of_parts(self.wrote, [*self.items], list, 0)
        return f"a list, as it is afterwards: {found}" if found else ""


@dataclass(slots=True)
class Journal:
    rows: list[OfArray | OfList]

    def undone(self) -> None:
        """All is noted first: arrays may share memory."""
        raised: BaseException | None = None
        for step in (*(row.note for row in self.rows), *(row.undo for row in self.rows)):
            for _ in range(TRIES):
                try:
                    step()
                    break
                except ValueError:  # an array that has been made read-only
                    break
                except BaseException as error:  # of a signal's handler, or memory ran out: later
                    raised = error
        if raised is not None:
            raise raised

    @property
    def changed(self) -> bool:
        return any(row.changed for row in self.rows)

    def differences(self, comparison: Comparison, others: Container[int]) -> Iterator[str]:
        """`others`: objects, by id, that are compared elsewhere."""
        for row in self.rows:
            own = isinstance(row, OfArray) or id(row.items) not in others
            found = row.differs(comparison) if own else ""
            if found:
                yield found

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(row.array for row in self.rows if isinstance(row, OfArray))


def kept(loaded: Iterable[Any], writes: bool) -> Journal:
    """`writes`: the entry may write to some of them."""
    rows: list[OfArray | OfList] = []
    seen = {id(obj): obj for obj in loaded}
    size = sum(obj.nbytes for obj in seen.values() if type(obj) is np.ndarray)
    for obj in seen.values():
        if type(obj) is np.ndarray and (writes or size <= MOST) and not obj.dtype.hasobject:
            rows.append(OfArray(obj, obj.copy(order="K")))
        elif type(obj) is list and writes:
            rows.append(OfList(obj, [*obj]))
    return Journal(rows)
