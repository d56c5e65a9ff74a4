"""Rounds that each have a column of their own → several at once, side by side.

    for j in range(k, n):                    for … of 32 rounds:       r[k, j:] = q @ a[:, j:]
        r[k, j] = q @ a[:, j]                    for each row:
        a[:, j] -= r[k, j] * q                       for each of the rounds: a[row, j] -= …

A column lies scattered in memory, 32 of them do not. Which bodies are fit for it stands here, and
unroll_and_jam_c.py writes the text. That rounds share nothing, `Access` says (batch_products.py),
or a look at memory when the time comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.dyn_array import SPAN, SPAN_STORE
from jitcore.ir.ops.loop import POLL, RANGE_ITEM, RANGE_NEXT
from jitcore.ir.types import ScalarType
from jitcore.loops.arrays.elementwise import loop_dtypes, text_of
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Access, SubscriptKind
from jitcore.loops.transform import batch_products
from jitcore.loops.transform.batch_products import Round, WrittenAccess, is_array

SIGNS = {"op.add": "+", "op.sub": "-", "op.mul": "*", "op.truediv": "/"}


@dataclass(frozen=True, slots=True)
class Read:
    access: Access
    at: int


@dataclass(slots=True)
class JamPlan:
    """The nodes of a body by what they do; places are those of the body."""

    of: Round
    numbers: list[Node] = field(default_factory=list)
    views: list[Node] = field(default_factory=list)
    products: list[Node] = field(default_factory=list)
    steps: list[Node] = field(default_factory=list)  # loads, arithmetic, stores, in order
    reads: list[Read] = field(default_factory=list)
    written: list[WrittenAccess] = field(default_factory=list)
    sources: dict[Node, Node] = field(default_factory=dict)  # a load → the store that it repeats
    pairs: list[tuple[Access, Access]] = field(default_factory=list)
    others: dict[tuple[Value, Value], None] = field(default_factory=dict)


# ---- which bodies --------------------------------------------------------------------------------


def plan_of(w: LoopEmitter, body: Body) -> JamPlan:
    if not any(node.op is SPAN_STORE for node in body.nodes):
        raise NotCandidate("it stores into no slice of an array")
    if body.results or len(body.params) != 1:
        raise CannotLower("a variable is carried from one iteration to the next")
    plan = JamPlan(Round.of(body))
    for at, node in enumerate(body.nodes):
        sort(w, plan, at, node)
    meetings(plan, body.nodes)
    return plan


def sort(w: LoopEmitter, plan: JamPlan, at: int, node: Node) -> None:
    of = plan.of
    if node.op is POLL:
        return
    if is_whole(node):
        if node.op.name in batch_products.PLAIN and not of.is_still(node.outputs[0]):
            raise CannotLower(f"an index is computed from the counter{line_of(node.where)}")
        plan.numbers.append(node)
    elif node.op is SPAN:
        known(of.access(node.outputs[0]))
        plan.views.append(node)
    elif node in w.ahead:
        if w.ahead[node].growing:
            raise CannotLower("a product is of ever more elements in each iteration")
        plan.products.append(node)
        plan.reads += [Read(one, at) for one in w.ahead[node].operands]
    elif node.op.name == "getitem":
        plan.reads.append(Read(element(of, node), at))
        plan.steps.append(node)
    elif node.op.name == "setitem":
        number(node.args[2])
        plan.written.append(WrittenAccess(own(element(of, node)), at))
        plan.steps.append(node)
    elif node.op is SPAN_STORE:
        column(of, plan, node, at)
    elif node.op.name in SIGNS:
        for value in (*node.outputs, *node.args):
            number(value)
        plan.steps.append(node)
    elif not is_mapped(node):
        raise CannotLower(f"{node.op.words} is neither + - * / nor elementwise")


def is_whole(node: Node) -> bool:
    """An index, a bound, an extent."""
    if node.op.name not in batch_products.PLAIN and node.op not in (RANGE_ITEM, RANGE_NEXT):
        return False
    kind = node.outputs[0].type
    return isinstance(kind, ScalarType) and kind.dtype.kind == "i"


def known(access: Access | None) -> Access:
    if access is None or any(
        axis.how in (SubscriptKind.ANY, SubscriptKind.GROWING) for axis in access.axes
    ):
        raise CannotLower("an index or a slice moves otherwise than with the counter")
    return access


def own(access: Access) -> Access:
    """A place of the round's own."""
    if not batch_products.moves(access):
        raise CannotLower("an iteration has no column of its own to store into")
    return access


def element(of: Round, node: Node) -> Access:
    array, key = node.args[0], node.args[1]
    access = known(of.indexed(array, key if type(key) is tuple else (key,)))
    if any(axis.how is SubscriptKind.SLICE for axis in access.axes) or array.type.dtype.char != "d":
        raise CannotLower("a single element is not of a float64 array")
    return access


def column(of: Round, plan: JamPlan, node: Node, at: int) -> None:
    view, value = node.args
    access = own(known(of.access(view)))
    if not batch_products.is_vector(access) or view.type.dtype.char != "d" or not is_array(value):
        raise CannotLower("a store into a slice is not of a float64 vector")
    for made, leaf in leaves(of, value, at):
        if is_array(leaf):
            read = known(of.access(leaf))
            if not batch_products.is_vector(read) or leaf.type.dtype.char != "d":
                raise CannotLower("a column reads an array that is no float64 vector")
            plan.reads.append(Read(read, made))
        else:
            number(leaf)
    plan.written.append(WrittenAccess(access, at))
    plan.steps.append(node)


def leaves(of: Round, value: Any, at: int) -> Iterator[tuple[int, Any]]:
    """What an elementwise value is made of, and where that is read."""
    node = of.node(value)
    if node is None or not is_mapped(node):
        yield at, value
        return
    if any(dtype.char != "d" for dtype in loop_dtypes(node)):
        raise CannotLower(f"{node.op.words} is not on float64")
    if text_of(node, loop_dtypes(node), ["a"] * len(node.args)) is None:
        raise CannotLower(f"{node.op.words} has no form in C with the bits of NumPy")
    for arg in node.args:
        yield from leaves(of, arg, of.made[value])


def is_mapped(node: Node) -> bool:
    return (
        node.op.kind is Kind.MAP
        and node.op.ufunc is not None
        and len(node.outputs) == 1
        and is_array(node.outputs[0])
    )


def number(value: Any) -> None:
    """A float64, or Python's float."""
    if type(value) is float:
        return
    kind = value.type if type(value) is Value else None
    if not isinstance(kind, ScalarType) or kind.dtype.char != "d":
        raise CannotLower("a number is no float64")


def meetings(plan: JamPlan, nodes: Sequence[Node]) -> None:
    """A read of what an earlier node of the round has written is that node's number; every other
    one is of what no round writes, as far as it comes before."""
    for read in plan.reads:
        for one in plan.written:
            if one.access.array is not read.access.array:
                plan.others[one.access.array, read.access.array] = None
            elif one.at < read.at and one.access == read.access:
                if nodes[one.at].op.name != "setitem" or nodes[read.at].op.name != "getitem":
                    raise CannotLower("an iteration reads a slice of what it stores as elements")
                plan.sources[nodes[read.at]] = nodes[one.at]
            elif batch_products.may_meet(one, read.access, read.at):
                if not batch_products.may_differ(one.access, read.access):
                    raise CannotLower("an iteration may read what an earlier one stores")
                plan.pairs.append((one.access, read.access))
    for one in plan.written:
        for other in plan.written:
            if one.access.array is not other.access.array:
                plan.others[one.access.array, other.access.array] = None
            elif items(one.access) != items(other.access):
                raise CannotLower("stores into one array go to different columns")


def items(access: Access) -> list[tuple[int, Any]]:
    axes = enumerate(access.axes)
    return [(k, axis.index) for k, axis in axes if axis.how is SubscriptKind.ITEM]
