"""How far a row of a loop may trail the one before it, by the indices of what rows read and write.

    for i in range(1, n):                                   row i + 1 reads what row i has
        for j in range(1, m):                               written up to its column j + 1: it may
            a[i, j] = (a[i, j - 1] + a[i - 1, j + 1]) / 2   be two columns behind, and so on

Within a row each column waits for the one before; rows under way at once do not wait for each
other. Loop skewing: M. Wolfe, "Loops skewing: the wavefront method revisited", 1986. What a row
reads of others comes when it would have come, if the distance (`lag`) allows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value

STILL, OUTER, INNER = range(3)  # what moves an index
HEAD, BODY, TAIL = range(3)  # before the columns of a row, in each, behind them


@dataclass(frozen=True, slots=True)
class ShiftedIndex:
    """Along one axis: start + step * (k + shift), k being the round of a loop; `start` alone where
    it is still."""

    moved: int
    start: Any
    step: int = 0
    shift: int = 0

    def is_beside(self, other: ShiftedIndex) -> bool:
        same = self.start is other.start or (self.is_known and other.is_known and self.is_at(other))
        return same and (self.moved, self.step) == (other.moved, other.step)

    def is_at(self, other: ShiftedIndex) -> bool:
        return bool(self.start == other.start)

    @property
    def is_known(self) -> bool:
        return type(self.start) is int

    def column(self, moving: ShiftedIndex) -> int:
        """In which a place that moves with the columns is here."""
        if not (self.is_known and moving.is_known) or self.start < 0:
            raise CannotLower("a fixed index is not known, or counts from the end")
        return int((self.start - moving.start) * moving.step - moving.shift)


@dataclass(frozen=True, slots=True)
class ShiftedAccess:
    node: Node
    array: Value
    places: tuple[ShiftedIndex, ...]
    when: int

    @property
    def stores(self) -> bool:
        return bool(self.node.op.stores)

    def along(self, moved: int) -> ShiftedIndex | None:
        """None: no axis goes with that loop."""
        return next((one for one in self.places if one.moved == moved), None)


def needed(found: Sequence[ShiftedAccess]) -> int:
    """Columns that a row must be behind the one before it."""
    return max(
        distance(one, other) for one in found if one.stores for other in found if meet(one, other)
    )


def meet(one: ShiftedAccess, other: ShiftedAccess) -> bool:
    """False: they never share an element."""
    if len(one.places) != len(other.places):
        raise CannotLower("an array is indexed by another number of axes in different places")
    moved = [place.moved for place in one.places if place.moved != STILL]
    if len(set(moved)) != len(moved):
        raise CannotLower("an index has the counter of one loop in two axes")
    return not any(
        apart(mine, others, one.when != other.when)
        for mine, others in zip(one.places, other.places, strict=True)
    )


def apart(one: ShiftedIndex, other: ShiftedIndex, at_times: bool) -> bool:
    """`at_times`: what is still may be met by what moves with the columns."""
    if one.is_beside(other):
        return False
    if one.moved == other.moved == STILL:
        if not (one.is_known and other.is_known) or (one.start < 0) != (other.start < 0):
            raise CannotLower("two fixed indices of an array may be the same one")
        return True
    if not at_times or {one.moved, other.moved} != {STILL, INNER}:
        raise CannotLower("an index is fixed in one place and follows the outer loop in another")
    return (one.column(other) if one.moved == STILL else other.column(one)) < 0


def distance(one: ShiftedAccess, other: ShiftedAccess) -> int:
    rows = between(one, other, OUTER)
    if rows == 0:
        return 0  # of one row, in which the order stays
    if rows is None:  # from each row to each later one
        return max(behind(one, other, 1), behind(other, one, 1))
    return behind(one, other, rows) if rows > 0 else behind(other, one, -rows)


def behind(first: ShiftedAccess, later: ShiftedAccess, rows: int) -> int:
    """So that the later one, so many rows further on, still comes later."""
    if first.when == HEAD or later.when == TAIL:
        return 0
    if first.when == TAIL:
        raise CannotLower("what is stored after the inner loop is read in the next row")
    if later.when == HEAD:
        early = column_of(first, later)
    else:
        columns = between(first, later, INNER)
        if columns is None:
            raise CannotLower("a column of one row is needed in all columns of the next")
        early = -columns
    return max(0, -(-early // rows))


def column_of(one: ShiftedAccess, other: ShiftedAccess) -> int:
    """In which the one has an element that the other has at a fixed place."""
    for mine, others in zip(one.places, other.places, strict=True):
        if mine.moved == INNER:
            return others.column(mine)
    raise CannotLower("a fixed column is stored, and no column of the inner loop is that one")


def between(one: ShiftedAccess, other: ShiftedAccess, moved: int) -> int | None:
    """From the round of the one to that of the other which has the same element."""
    a, b = one.along(moved), other.along(moved)
    return None if a is None or b is None else a.shift - b.shift


def waits(found: Sequence[ShiftedAccess]) -> bool:
    """Does a column read what an earlier one of its row has written? Else the compiler makes vector
    code of a row, or keeps a sum in a register (forward_stores.py)."""
    within = [one for one in found if one.when == BODY]
    pairs = [(one, other) for one in within if one.stores for other in within if not other.stores]
    return any(
        meet(one, other)
        and between(one, other, OUTER) in (0, None)
        and (between(one, other, INNER) or 0) > 0
        for one, other in pairs
    )
