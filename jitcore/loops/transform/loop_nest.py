"""A loop within a loop → what wavefront.py makes of it, if its rows may trail one another.

for i in …:
    s = a[i, 0]                  head: once in a row
    for j in …:                  `inner`, and its body
        s = s * 0.5 + a[i, j]    `s` is carried: a row has its own
        a[i, j] = s
    b[i] = s                     tail: once in a row

Recurrences of floats only: a row of ints waits less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM, SETITEM
from jitcore.ir.ops.loop import RANGE_ITEM
from jitcore.ir.purity import removable
from jitcore.ir.types import ArrayType, DynArrayType, ObjectType, ScalarType
from jitcore.loops import local_stack
from jitcore.loops.transform.batch_products import Round, every, is_array
from jitcore.loops.transform.skew import (
    BODY,
    HEAD,
    INNER,
    OUTER,
    STILL,
    TAIL,
    ShiftedAccess,
    ShiftedIndex,
    needed,
    waits,
)

FARTHEST = 64  # columns
LONG = 10  # cycles
CYCLES = {"op.add": 4, "op.sub": 4, "op.mul": 4, "cond": 4}
OTHERS = 13
SHIFTS = {"op.add": 1, "op.sub": -1}
OF_COUNTERS = frozenset(("poll", "range.next", "range.item"))
LENGTHS = frozenset(("extent", "items.from", "items.before"))
REFUSED = frozenset(("leave", "poll", "for", "loop", "seq.store", "seq.append"))


@dataclass(frozen=True, slots=True)
class Carried:
    """From one column of a row to the next."""

    param: Value
    first: Any
    result: Any
    last: Value


@dataclass(slots=True)
class WavefrontPlan:
    """`head`, `body`, `tail`: nodes. `once`: those of the head that are not computed again in each
    column. `written`: of each array, what is read or written of it. `bounded`: what each column
    reads or writes, at indices that are bounded by those of its loops, `indices` among them. `lag`:
    columns."""

    inner: Node
    head: list[Node]
    body: list[Node]
    tail: list[Node]
    carried: list[Carried] = field(default_factory=list)
    once: list[Node] = field(default_factory=list)
    written: dict[Value, list[ShiftedAccess]] = field(default_factory=dict)
    read: set[Value] = field(default_factory=set)  # other arrays
    bounded: dict[Node, ShiftedAccess] = field(default_factory=dict)
    indices: dict[Value, ShiftedIndex] = field(default_factory=dict)
    lag: int = 1

    @property
    def repeated(self) -> list[Node]:
        return [node for node in self.head if node not in self.once]

    @property
    def nodes(self) -> Iterator[tuple[Node, int]]:
        """Also those within others; and when."""
        for when, nodes in ((HEAD, self.head), (BODY, self.body), (TAIL, self.tail)):
            for node in nodes:
                yield from ((one, when) for one in every(node))


def plan_of(body: Body) -> WavefrontPlan:
    plan, of = nest_of(body), Round.of(body)
    carry(plan, body)
    accesses(plan, of)
    plan.once = once_of(plan)
    plan.lag = 1 + max((needed(found) for found in plan.written.values()), default=0)
    if plan.lag > FARTHEST:
        raise CannotLower(f"a row would have to be {plan.lag:,} columns behind the one before it")
    if not is_worth_it(plan):
        raise NotCandidate("its columns hardly wait for each other")
    return plan


def is_worth_it(plan: WavefrontPlan) -> bool:
    """Of ints a row waits less, and is in fewer instructions by itself; a number that is only added
    to takes no longer than going from row to row."""
    numbers = (one for one in plan.carried if is_float(one.param))
    return any(map(waits, plan.written.values())) or any(
        cycles(plan, one) >= LONG for one in numbers
    )


def cycles(plan: WavefrontPlan, one: Carried) -> int:
    """Until a column has made the number of it that the next one waits for, in about."""
    ready: dict[Any, int] = {one.param: 0}
    for node in plan.body:
        waited = [ready[value] for value in read_by(every(node)) if value in ready]
        if waited:
            ready |= dict.fromkeys(node.outputs, max(waited) + CYCLES.get(node.op.name, OTHERS))
            for within in every(node):
                ready |= {out: ready.get(out, max(waited)) for out in within.outputs}
    return ready.get(one.result, 0)


# ---- which loops ---------------------------------------------------------------------------------


def nest_of(body: Body) -> WavefrontPlan:
    """Loops, and numbers."""
    at = [k for k, node in enumerate(body.nodes) if node.op.name == "for"]
    if not at:
        raise NotCandidate("it has no inner loop over a range")
    if len(at) > 1:
        raise CannotLower("it has several inner loops")
    inner = body.nodes[at[0]]
    own, given = inner.bodies[0], Round.of(body)
    head, tail = body.nodes[: at[0]], body.nodes[at[0] + 1 :]
    wanted = {*values((*body.results, *own.results, *inner.args))}
    behind, each, before = (live(nodes, wanted) for nodes in (tail, own.nodes, head))
    plan = WavefrontPlan(inner, before, each, behind)
    if not is_still(given, inner.args[0]):
        raise CannotLower("the inner loop has another length in each iteration")
    other = next((n for n, _ in plan.nodes if not is_number(n) and n.op is not SETITEM), None)
    if other is not None:
        raise CannotLower(f"{other.op.words}{line_of(other.where)} is no scalar arithmetic")
    return plan


def live(nodes: Sequence[Node], wanted: set[Value]) -> list[Node]:
    """Without what only an exit hands on, and nobody would notice."""
    found = []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outputs) or not is_unnoticed(node):
            found.append(node)
            wanted.update(read_by(every(node)))
    return found[::-1]


def is_unnoticed(node: Node) -> bool:
    """Nothing fails and nothing warns, whatever the values."""
    return node.op.name in OF_COUNTERS or removable(node)


def is_number(node: Node) -> bool:
    """It computes numbers, without an effect; of arrays it reads elements at most."""
    if node.op.name in REFUSED or node.op.stores or local_stack.is_of(node):
        return False
    if node.op is not GETITEM and node.op.name not in LENGTHS and any(map(has_bytes, node.inputs)):
        return False
    if node.op.kind is Kind.VIEW and node.op is not GETITEM:
        return False
    return all(isinstance(value.type, ScalarType) for value in node.outputs)


def has_bytes(value: Value) -> bool:
    """Which rows may write, under another name."""
    return is_array(value) or value.type == ObjectType(bytearray)


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


def carry(plan: WavefrontPlan, body: Body) -> None:
    """What rows hand on to each other is refused; what the last one leaves is not."""
    own = plan.inner.bodies[0]
    used = {*read_by(node for node, _ in plan.nodes)}
    both = zip(own.params[1:], plan.inner.args[1:], own.results, plan.inner.outputs, strict=True)
    for param, first, result, last in both:
        is_read = param in used or any(one is param for one in own.results)
        kind = param.type
        if not isinstance(kind, ScalarType) or (is_read and kind.dtype.kind not in "fiub"):
            raise CannotLower("the inner loop carries an array, or a complex number")
        plan.carried.append(Carried(param, first if is_read else None, result, last))
    used.update(values(x for one in plan.carried for x in (one.first, one.result)))
    used.update(values(body.results))
    if not used.isdisjoint(body.params[1:]):
        raise CannotLower("one row hands a number on to the next")
    if not all(isinstance(one.type, ScalarType) for one in body.params):
        raise CannotLower("one row hands an array on to the next")


def read_by(nodes: Iterable[Node]) -> Iterator[Value]:
    for node in nodes:
        yield from node.inputs
        for body in node.bodies:
            yield from values(body.results)


def values(given: Iterable[Any]) -> Iterator[Value]:
    return (one for one in given if type(one) is Value)


def once_of(plan: WavefrontPlan) -> list[Node]:
    """What a row's head stores, what it reads of arrays that rows write, and what comes of it."""
    made: set[Value] = set()
    found = []
    for node in plan.head:
        within = [*every(node)]
        touches = any(
            one.op is SETITEM or (one.op is GETITEM and one.args[0] in plan.written)
            for one in within
        )
        if touches or not made.isdisjoint(read_by(within)):
            found.append(node)
            made.update(node.outputs)
    return found


# ---- indices -------------------------------------------------------------------------------------


def accesses(plan: WavefrontPlan, of: Round) -> None:
    made = {value: node for node, _ in plan.nodes for value in node.outputs}
    counters = {of.body.params[0]: OUTER, plan.inner.bodies[0].params[0]: INNER}
    stored = {node.args[0] for node, _ in plan.nodes if node.op is SETITEM}
    for node, when in plan.nodes:
        if node.op not in (GETITEM, SETITEM) or not is_array(node.args[0]):
            continue
        array = node.args[0]
        if array in of.made or isinstance(array.type, DynArrayType):
            raise CannotLower("an array is made in the loop")
        found = access(node, when, of, made, counters)
        if array in stored:
            if not is_float(array):
                raise CannotLower("the array that is stored into is not of floats")
            if found is None:
                raise CannotLower(f"an index{line_of(node.where)} is not a counter plus a constant")
            plan.written.setdefault(array, []).append(found)
        elif isinstance(array.type, ArrayType):
            plan.read.add(array)
        if found is not None and node in plan.body and isinstance(array.type, ArrayType):
            bound(plan, found)


def is_float(value: Value) -> bool:
    return isinstance(value.type, ArrayType | ScalarType) and value.type.dtype.kind == "f"


def bound(plan: WavefrontPlan, found: ShiftedAccess) -> None:
    plan.bounded[found.node] = found
    both = zip(parts_of(found.node.args[1]), found.places, strict=True)
    plan.indices |= {part: one for part, one in both if one.moved != STILL}


def parts_of(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def access(
    node: Node, when: int, of: Round, made: Mapping[Value, Node], counters: Mapping[Value, int]
) -> ShiftedAccess | None:
    """None: it is read or written at indices that nobody knows."""
    places = [place(part, of, made, counters) for part in parts_of(node.args[1])]
    known = tuple(one for one in places if one is not None)
    return ShiftedAccess(node, node.args[0], known, when) if len(known) == len(places) else None


def place(
    part: Any, of: Round, made: Mapping[Value, Node], counters: Mapping[Value, int]
) -> ShiftedIndex | None:
    if of.is_still(part):
        return ShiftedIndex(STILL, part)
    if part in counters:
        return ShiftedIndex(counters[part], 0, 1)
    node = made.get(part)
    if node is None:
        return None
    if node.op is RANGE_ITEM:
        return item_of(node, of, made, counters)
    if node.op.name not in SHIFTS or type(node.args[1]) is not int:
        return None
    near, by = place(node.args[0], of, made, counters), SHIFTS[node.op.name] * node.args[1]
    if near is None or near.moved == STILL:
        return None
    return ShiftedIndex(near.moved, near.start, near.step, near.shift + by * near.step)


def item_of(
    node: Node, of: Round, made: Mapping[Value, Node], counters: Mapping[Value, int]
) -> ShiftedIndex | None:
    """Of a range; where a loop's first rounds stand before it, it counts from there on."""
    start, step, k = node.args
    if type(step) is not int or abs(step) != 1 or not of.is_still(start):
        return None
    if k in counters:
        return ShiftedIndex(counters[k], start, step)
    if type(start) is not int:
        return None
    near = ShiftedIndex(STILL, k) if type(k) is int else place(k, of, made, counters)
    if near is None or not near.is_known:
        return None
    return ShiftedIndex(near.moved, start + step * near.start, step * near.step, near.shift)
