"""Rounds of a loop whose own loop waits for itself → how far one may trail the other.

    for i in range(1, n):                                   row i + 1 reads what row i has
        for j in range(1, m):                               written up to its column j + 1: it may
            a[i, j] = (a[i, j - 1] + a[i - 1, j + 1]) / 2   be two columns behind, and so on

Within a row each element waits for the one before; rows under way at once do not wait for each
other. Loop skewing: M. Wolfe, "Loops skewing: the wavefront method revisited", 1986. What a row
reads of others comes when it would have come, if the distance allows it (`lag`): that is known by
the indices, which here are those of the loops, and so many more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..ir.graph import Body, Node, Value
from ..ir.op import Kind
from ..ir.ops_array import GETITEM, SETITEM
from ..ir.ops_loop import POLL, RANGE_ITEM
from ..ir.types import ArrayType, ScalarType, SpanType
from . import piles
from .ahead import Round, every, is_array

FARTHEST = 64  # columns
STILL, OUTER, INNER = range(3)  # what moves an index
SHIFTS = {"op.add": 1, "op.sub": -1}
REFUSED = frozenset(("leave", "poll", "for", "loop", "seq.store", "seq.append"))


@dataclass(frozen=True, slots=True)
class Place:
    """Along one axis: start + step * (k + shift), k being the round of a loop; `start` alone where
    it is still."""

    moved: int
    start: Any
    step: int = 0
    shift: int = 0

    def is_beside(self, other: Place) -> bool:
        same = self.start is other.start or (
            type(self.start) is type(other.start) is int and self.start == other.start
        )
        return same and (self.moved, self.step) == (other.moved, other.step)


@dataclass(frozen=True, slots=True)
class Access:
    node: Node
    array: Value
    places: tuple[Place, ...]
    stores: bool

    def shift(self, moved: int) -> int | None:
        """None: no axis goes with that loop."""
        return next((one.shift for one in self.places if one.moved == moved), None)


@dataclass(slots=True)
class Plan:
    """`head`: what a row computes before its loop `inner`, whose nodes are `body`. `written`: of
    each array, what is read or written of it. `bounded`: what each column reads or writes, at
    indices that are bounded by those of its loops, `indices` among them. `lag`: columns."""

    inner: Node
    head: list[Node]
    body: list[Node]
    written: dict[Value, list[Access]] = field(default_factory=dict)
    read: set[Value] = field(default_factory=set)  # other arrays
    bounded: dict[Node, Access] = field(default_factory=dict)
    indices: dict[Value, Place] = field(default_factory=dict)
    lag: int = 1


class Refused(Exception):
    """The rounds stay one by one."""


def plan_of(body: Body) -> Plan | None:
    try:
        plan = shape_of(body)
        accesses(plan, Round.of(body))
        plan.lag = 1 + max(needed(found) for found in plan.written.values())
        if plan.lag > FARTHEST or not any(map(waits, plan.written.values())):
            return None
    except Refused:
        return None
    return plan


# ---- which loops ---------------------------------------------------------------------------------


def shape_of(body: Body) -> Plan:
    """A loop within a loop, and numbers."""
    if len(body.params) != 1 or body.results or not body.nodes:
        raise Refused
    *head, inner = body.nodes
    if inner.op.name != "for" or inner.outputs or len(inner.args) != 1:
        raise Refused
    own = inner.bodies[0]
    plan = Plan(inner, list(without_polls(head)), list(without_polls(own.nodes)))
    of = Round.of(body)
    if not all(is_number(node) for node in plan.head) or not is_still(of, inner.args[0]):
        raise Refused
    if not all(is_number(one) or one.op is SETITEM for node in plan.body for one in every(node)):
        raise Refused
    return plan


def without_polls(nodes: Sequence[Node]) -> Iterator[Node]:
    return (node for node in nodes if node.op is not POLL)


def is_number(node: Node) -> bool:
    """It computes numbers, without an effect."""
    if node.op.name in REFUSED or node.op.stores or piles.is_of(node):
        return False
    if node.op.kind is Kind.VIEW and node.op is not GETITEM:
        return False
    return all(isinstance(value.type, ScalarType) for value in node.outputs)


def is_still(of: Round, value: Any) -> bool:
    """The same in each round: a range's length, too."""
    if of.is_still(value):
        return True
    node = of.node(value)
    return (
        node is not None
        and node.op.name == "range.count"
        and all(of.is_still(arg) for arg in node.args)
    )


# ---- indices -------------------------------------------------------------------------------------


def accesses(plan: Plan, of: Round) -> None:
    nodes = [one for node in (*plan.head, *plan.body) for one in every(node)]
    made = {value: node for node in nodes for value in node.outputs}
    counters = {of.body.params[0]: OUTER, plan.inner.bodies[0].params[0]: INNER}
    stored = [node.args[0] for node in nodes if node.op is SETITEM]
    for node in nodes:
        if node.op not in (GETITEM, SETITEM) or not is_array(node.args[0]):
            continue
        array = node.args[0]
        if array in of.made or isinstance(array.type, SpanType):
            raise Refused
        if array in stored and node in plan.head:
            raise Refused
        found = access(node, of, made, counters)
        if array in stored:
            if found is None:
                raise Refused
            plan.written.setdefault(array, []).append(found)
        elif isinstance(array.type, ArrayType):
            plan.read.add(array)
        if found is not None and node in plan.body and isinstance(array.type, ArrayType):
            bound(plan, found)
    if not plan.written or not all(map(is_float, plan.written)):
        raise Refused


def is_float(array: Value) -> bool:
    """Of ints a row waits less, and is in fewer instructions by itself."""
    return isinstance(array.type, ArrayType) and array.type.dtype.kind == "f"


def bound(plan: Plan, found: Access) -> None:
    plan.bounded[found.node] = found
    both = zip(parts_of(found.node.args[1]), found.places, strict=True)
    plan.indices |= {part: one for part, one in both if one.moved != STILL}


def parts_of(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def access(
    node: Node, of: Round, made: Mapping[Value, Node], counters: Mapping[Value, int]
) -> Access | None:
    """None: it is read or written at indices that nobody knows."""
    places = [place(part, of, made, counters) for part in parts_of(node.args[1])]
    known = tuple(one for one in places if one is not None)
    return (
        Access(node, node.args[0], known, node.op is SETITEM) if len(known) == len(places) else None
    )


def place(
    part: Any, of: Round, made: Mapping[Value, Node], counters: Mapping[Value, int]
) -> Place | None:
    if of.is_still(part):
        return Place(STILL, part)
    if part in counters:
        return Place(counters[part], 0, 1)
    node = made.get(part)
    if node is None:
        return None
    if node.op is RANGE_ITEM:
        start, step, k = node.args
        if k not in counters or type(step) is not int or abs(step) != 1 or not of.is_still(start):
            return None
        return Place(counters[k], start, step)
    if node.op.name not in SHIFTS or type(node.args[1]) is not int:
        return None
    near, by = place(node.args[0], of, made, counters), SHIFTS[node.op.name] * node.args[1]
    if near is None or near.moved == STILL:
        return None
    return Place(near.moved, near.start, near.step, near.shift + by * near.step)


# ---- distances -----------------------------------------------------------------------------------


def needed(found: Sequence[Access]) -> int:
    """Columns that a row must be behind the one before it."""
    return max(
        distance(one, other) for one in found if one.stores for other in found if meet(one, other)
    )


def meet(one: Access, other: Access) -> bool:
    """False: they never share an element."""
    if len(one.places) != len(other.places):
        raise Refused
    moved = [p.moved for p in one.places if p.moved != STILL]
    if len(set(moved)) != len(moved):
        raise Refused
    for mine, others in zip(one.places, other.places, strict=True):
        if mine.is_beside(others):
            continue
        if mine.moved != STILL or others.moved != STILL:
            raise Refused
        if type(mine.start) is not int or type(others.start) is not int:
            raise Refused
        if (mine.start < 0) == (others.start < 0):
            return False
        raise Refused
    return True


def distance(one: Access, other: Access) -> int:
    rows, columns = apart(one, other, OUTER), apart(one, other, INNER)
    if rows is None:
        if columns is None:
            raise Refused
        return abs(columns)  # from each row to the next
    if rows == 0:
        return 0  # of one row, in which the order stays
    if columns is None:
        raise Refused
    return max(0, -(columns * (1 if rows > 0 else -1) // abs(rows)))


def apart(one: Access, other: Access, moved: int) -> int | None:
    """From the round of the one to that of the other which has the same element."""
    a, b = one.shift(moved), other.shift(moved)
    return None if a is None or b is None else a - b


def waits(found: Sequence[Access]) -> bool:
    """Does a column read what an earlier one of its row has written? Else the compiler makes vector
    code of a row, or keeps a sum in a register (latest.py)."""
    pairs = [(one, other) for one in found if one.stores for other in found if not other.stores]
    return any(
        meet(one, other)
        and apart(one, other, OUTER) in (0, None)
        and (apart(one, other, INNER) or 0) > 0
        for one, other in pairs
    )
