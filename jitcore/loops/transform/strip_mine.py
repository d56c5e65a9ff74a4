"""Rounds in which each element of a part goes its own way → some elements at once, in all rounds.

    for k in range(1, n):                         for … of some elements e:
        x[:, k] = a[:, k] * x[:, k - 1]               for … of the rounds k:  x[e, k] = …

A strand is what happens to one element, round after round. Where no round mixes elements of what
the loop writes, strands may be done in any order, and in several threads: a few at a time, what
they work with stays in a cache, whatever the steps are. Which bodies are fit for it stands here,
and strip_mine_body.py writes the text.

What the loop writes is reached by slices that are the same in each access, and by indices, along
other axes, that may be anything: so element e of any round is element e of any other. That arrays
share no memory is looked at when the time comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.ops.dyn_array import SPAN, SPAN_STORE, dims_of
from jitcore.ir.ops.loop import POLL, RANGE_ITEM, RANGE_NEXT
from jitcore.ir.types import DynArrayType, ScalarType
from jitcore.loops.arrays.elementwise import is_either
from jitcore.loops.transform.batch_products import PLAIN, is_array

AT = "at"  # an index, along an axis
ALONG = frozenset((*PLAIN, RANGE_ITEM.name, RANGE_NEXT.name))
MOST = 24  # stores and arrays

Place = tuple[Any, ...]  # for each axis AT, or where a slice starts, and its step


@dataclass(slots=True)
class StripMinePlan:
    """`made`: what a round makes, by which node. `places`: how the arrays that the loop writes are
    reached. `first`: a store. `used`: arrays of outside."""

    body: Body
    made: dict[Value, Node | None] = field(default_factory=dict)
    places: dict[Value, Place] = field(default_factory=dict)
    used: dict[Value, None] = field(default_factory=dict)
    first: Node | None = None

    @property
    def index(self) -> Value:
        return self.body.params[0]

    @property
    def carried(self) -> list[tuple[Value, Any]]:
        return [*zip(self.body.params[1:], self.body.results, strict=True)]

    def read(self) -> Iterator[Value]:
        for node in every(self.body.nodes):
            yield from (*node.inputs, *results(node))
        yield from (result for _, result in self.carried if type(result) is Value)

    def given(self) -> Iterator[Value]:
        """The numbers that rounds find."""
        for value in self.read():
            if value not in self.made and isinstance(value.type, ScalarType):
                yield value

    def view(self, value: Any) -> Node:
        """The node that makes a part of an array of outside."""
        node = self.made.get(value)
        if node is None or node.op is not SPAN or node.args[0] in self.made:
            raise CannotLower("it stores into a view of an array that it makes itself")
        return node

    def root(self, value: Value) -> Value:
        """The array that it is, or is a part of."""
        if value not in self.made:
            return value
        return self.view(value).args[0]  # type: ignore[no-any-return]

    def place(self, value: Value) -> Place:
        ndim = len(dims_of(self.root(value).type))  # type: ignore[arg-type]
        key = self.view(value).args[1] if value in self.made else ()
        if None in key:
            raise CannotLower("an array gets a new axis (None in an index)")
        found = [self.along(part) for part in key]
        return (*found, *[(0, 1)] * (ndim - len(found)))

    def along(self, part: Any) -> Any:
        if type(part) is not tuple:
            return AT
        start, count, step = part
        if not (self.is_still(start) and self.is_still(count) and self.is_still(step)):
            raise CannotLower("a slice begins, ends or steps elsewhere in each iteration")
        return self.form(start), self.form(step)

    def is_still(self, value: Any) -> bool:
        """The same in each round."""
        if type(value) is not Value:
            return value is None or type(value) is int
        if value not in self.made:
            return True
        node = self.made[value]
        return node is not None and node.op.name in PLAIN and all(map(self.is_still, node.args))

    def form(self, value: Any) -> Any:
        """Of a whole number: equal forms are equal numbers, within a round."""
        node = self.made.get(value) if type(value) is Value else None
        if node is None or node.op.name not in ALONG:
            return value
        return (node.op.name, *map(self.form, node.args))


def plan_of(body: Body) -> StripMinePlan:
    plan = StripMinePlan(body, dict.fromkeys(body.params))
    nodes = [*every(body.nodes)]
    if not any(node.op is SPAN_STORE for node in nodes):
        raise NotCandidate("it stores into no slice of an array")
    for node in nodes:
        plan.made |= dict.fromkeys(node.outputs, node)
    for param, result in plan.carried:
        carried(plan, param, result)
    for node in nodes:
        if node.op is SPAN_STORE:
            target(plan, node)
    for node in nodes:
        sort(plan, node)
    for _, result in plan.carried:
        read(plan, result)
    if len(plan.places) + len(plan.used) > MOST:
        raise CannotLower(f"it works with more than {MOST} arrays")
    return plan


def every(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from every(body.nodes)


def unread(body: Body) -> Iterator[Value]:
    """What no other node of its own body reads, or only one that may do without."""
    readers = (node for node in body.nodes if not is_either(node))
    read = {value for node in readers for value in node.args if type(value) is Value}
    for node in body.nodes:
        yield from (one for one in node.outputs if one not in read and one not in body.results)
        for within in node.bodies:
            yield from unread(within)


def results(node: Node) -> Iterator[Value]:
    for body in node.bodies:
        yield from (value for value in body.results if type(value) is Value)


def carried(plan: StripMinePlan, param: Value, result: Any) -> None:
    """An array, and one that the round makes."""
    kind = param.type
    if not isinstance(kind, DynArrayType) or not kind.ndim or not is_array(result):
        raise CannotLower("a number is carried from one iteration to the next")
    if kind.dtype != result.type.dtype or plan.made.get(result) is None:
        raise CannotLower("the array that is carried on is not a new one of the same dtype")


def target(plan: StripMinePlan, node: Node) -> None:
    """All stores into an array reach it in one way."""
    view = node.args[0]
    array, place = plan.root(view), plan.place(view)
    if view not in plan.made or plan.places.setdefault(array, place) != place:
        raise CannotLower("stores into one array use different slices")
    plan.first = plan.first or node


def sort(plan: StripMinePlan, node: Node) -> None:
    if node.op is POLL or node.op is SPAN_STORE:
        given = node.args[1:]
    elif node.op is SPAN:
        plan.view(node.outputs[0])
        given = ()
    elif node.op.name == "cond":
        given = tuple(one for body in node.bodies for one in body.results)
    elif is_number(plan, node):
        given = ()
    elif is_mapped(node):
        given = node.args
    else:
        raise CannotLower(f"{node.op.words} is not elementwise")
    for arg in given:
        if is_array(arg):
            read(plan, arg)


def is_number(plan: StripMinePlan, node: Node) -> bool:
    """It computes with numbers, and elements of arrays that the loop does not write."""
    if node.op.stores or not node.outputs or not all(map(is_plain, node.outputs)):
        return False
    arrays = [arg for arg in node.inputs if not is_plain(arg)]
    if node.op is GETITEM and len(arrays) == 1 and is_array(arrays[0]):
        plan.used.setdefault(plan.root(arrays[0]))
        return plan.root(arrays[0]) not in plan.places
    return not arrays or node.op.name == "extent"


def is_plain(value: Value) -> bool:
    return isinstance(value.type, ScalarType)


def is_mapped(node: Node) -> bool:
    by_element = node.op.kind is Kind.MAP and node.op.ufunc is not None
    if not by_element and node.op.name != "where":
        return False
    return len(node.outputs) == 1 and not node.kwargs and is_array(node.outputs[0])


def read(plan: StripMinePlan, value: Value) -> None:
    """All elements of a part, or of what a round has made or carries on, which is its own."""
    node = plan.made.get(value)
    if value in plan.made and (node is None or node.op is not SPAN):
        return
    array = plan.root(value)
    plan.used.setdefault(array)
    if array in plan.places and plan.place(value) != plan.places[array]:
        raise CannotLower("an array is read by another slice than it is stored by")
