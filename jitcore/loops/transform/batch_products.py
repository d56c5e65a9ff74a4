"""Products of vectors in a loop → those of its next rounds too, before they are due.

    for j in range(n):                                  one round: a[:, j] has a step, and waits
        r[j] = q @ a[:, j]                              now and then: 32 columns side by side

    for j in range(i):                                  a[i, :j] grows: of the next 16 rounds
        a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / d   what is known of it now, then one by one

A round's product may be known before the rounds in between if these write nothing that it reads.
That is so by the indices (`Subscript`), of arrays of one name, or looked at when the time comes.
Only finite results are kept, so that flags are those of the rounds in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, line_of
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.dyn_array import SLICE_COUNT, SLICE_START, SPAN, SPAN_STORE, dims_of
from jitcore.ir.ops.loop import RANGE_ITEM
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import (
    ANYWHERE,
    Access,
    BatchedProducts,
    Subscript,
    SubscriptKind,
)
from jitcore.loops.remarks import tried

PRODUCTS = frozenset(("matmul", "dot", "ndarray.dot"))
PLAIN = frozenset(("op.add", "op.sub", "op.mul", "extent", "slice.start", "slice.count"))
ALL = None  # a slice's count
MOST = 8  # arrays that are compared with those that are written


@dataclass(frozen=True, slots=True)
class WrittenAccess:
    access: Access
    at: int  # which node of the body writes


# ---- which products ------------------------------------------------------------------------------


def begin(w: LoopEmitter, loop: Node, body: Body, end: str) -> None:
    """Before a `for`: of the products that stand in its body."""
    found = [*products(w, loop, body, end)]
    w.aheads.append([one.variable for _, one in found])
    w.ahead |= found
    for one in w.aheads[-1]:
        w.line(f"{one}.to = 0;")


def end(w: LoopEmitter) -> None:
    w.aheads.pop()


def forget(w: LoopEmitter) -> None:
    """Python's code ran."""
    for variables in w.aheads:
        for one in variables:
            w.line(f"{one}.to = 0;")


def products(
    w: LoopEmitter, loop: Node, body: Body, end: str
) -> Iterator[tuple[Node, BatchedProducts]]:
    candidates = [(k, node) for k, node in enumerate(body.nodes) if is_product(node)]
    if not candidates:
        return
    of = Round.of(body)
    for at, node in candidates:
        made = tried(w, loop, "batched products", ahead, w, of, at, node, end)
        if made is not None:
            yield node, made


def is_product(node: Node) -> bool:
    if node.op.name not in PRODUCTS or node.kwargs or len(node.args) != 2:
        return False
    (out,) = node.outputs
    return isinstance(out.type, ScalarType) and out.type.dtype.char == "d"


def ahead(w: LoopEmitter, of: Round, at: int, node: Node, end: str) -> BatchedProducts:
    written = of.written()
    a, b = (of.access(arg) for arg in node.args)
    if a is None or b is None or not (is_vector(a) and is_vector(b)):
        raise CannotLower("a vector of the product is no plain slice of an array from outside")
    if is_growing(a) != is_growing(b):
        raise CannotLower("one vector of the product grows with the counter, the other does not")
    if not (moves(a) or moves(b)):
        raise CannotLower("neither vector of the product is one by the counter")
    return planned(w, of, at, (a, b), written, end, "rt_ahead", is_growing(a))


def planned(
    w: LoopEmitter,
    of: Round,
    at: int,
    operands: tuple[Access, Access],
    written: Sequence[WrittenAccess],
    end: str,
    ctype: str,
    growing: bool,
) -> BatchedProducts:
    """CannotLower: the rounds in between may write what is read."""
    a, b = operands
    meetings = [(one.access, read) for one in written for read in (a, b) if may_meet(one, read, at)]
    others = {(one.array, read.array) for one, read in meetings if one.array is not read.array}
    pairs = [(of.known(one, at), read) for one, read in meetings if one.array is read.array]
    if len(others) + len(pairs) > MOST:
        raise CannotLower("the loop stores into too many arrays that it may also read")
    if not all(may_differ(*pair) for pair in pairs):
        raise CannotLower("an iteration may store what the product of a later one reads")
    ordered = [pair for pair in dict.fromkeys((one.array, r.array) for one, r in meetings)]
    variable = w.scratch(ctype)
    index = w.name(of.body.params[0])
    apart = tuple(pair for pair in ordered if pair in others)
    both = dict.fromkeys(one.access.array for one in written)
    own = tuple(array for array in both if array in (a.array, b.array))
    return BatchedProducts(variable, index, end, operands, tuple(pairs), apart, own, growing)


def is_vector(one: Access) -> bool:
    known = all(axis.how is not SubscriptKind.ANY for axis in one.axes)
    return (
        known
        and sum(axis.how in (SubscriptKind.SLICE, SubscriptKind.GROWING) for axis in one.axes) == 1
    )


def is_growing(one: Access) -> bool:
    return any(axis.how is SubscriptKind.GROWING for axis in one.axes)


def moves(one: Access) -> bool:
    return any(axis.how is SubscriptKind.ITEM for axis in one.axes)


def may_meet(written: WrittenAccess, read: Access, at: int) -> bool:
    """False: of one array, a later round's part is written by that round alone, and after it was
    read; what grows ends before the round's place."""
    if written.access.array is not read.array:
        return True
    for one, other in zip(written.access.axes, read.axes, strict=True):
        if one.how is not SubscriptKind.ITEM or one.index is not other.index:
            continue
        if other.how is SubscriptKind.GROWING or (
            other.how is SubscriptKind.ITEM and written.at > at
        ):
            return False
    return True


def may_differ(written: Access, read: Access) -> bool:
    """Is there an axis along which it is worth looking?"""
    both = zip(written.axes, read.axes, strict=True)
    return any(ends(one) and ends(other) and one.given != other.given for one, other in both)


def ends(axis: Subscript) -> bool:
    return axis.how is not SubscriptKind.ANY and (
        axis.how is not SubscriptKind.SLICE or axis.count is not ALL
    )


# ---- indices -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Round:
    """`made`: the node of the body, by its place, that makes a value; -1: one within another."""

    body: Body
    made: Mapping[Value, int]

    @staticmethod
    def of(body: Body) -> Round:
        made = dict.fromkeys(body.params, -1)
        for k, node in enumerate(body.nodes):
            made |= dict.fromkeys(inside(node), -1)
            made |= dict.fromkeys(node.outputs, k)
        return Round(body, made)

    def written(self) -> list[WrittenAccess]:
        found = []
        for k, node in enumerate(self.body.nodes):
            for one in every(node):
                if not one.op.stores or not is_array(one.args[0]):
                    continue
                access = self.stored(one)
                if access is None:
                    raise CannotLower(f"{one.op.words}{line_of(one.where)}, nobody knows where")
                found.append(WrittenAccess(access, k))
        return found

    def stored(self, node: Node) -> Access | None:
        if node.op is SPAN_STORE:
            return self.access(node.args[0])
        if node.op.name != "setitem":
            return None
        array, key = node.args[0], node.args[1]
        return self.indexed(array, key if type(key) is tuple else (key,))

    def access(self, value: Any) -> Access | None:
        """All of an array, or a part of one that exists outside."""
        if not is_array(value):
            return None
        if value not in self.made:
            return self.indexed(value, ())
        node = self.node(value)
        if node is None or node.op is not SPAN:
            return None
        return self.indexed(node.args[0], node.args[1])

    def indexed(self, array: Value, key: Sequence[Any]) -> Access | None:
        if array in self.made or not is_array(array) or None in key:
            return None
        ndim = len(dims_of(array.type))  # type: ignore[arg-type]
        axes = [self.axis(part) for part in key]
        whole = [Subscript(SubscriptKind.SLICE, 0, ALL)] * (ndim - len(axes))
        return Access(array, (*axes, *whole))

    def axis(self, part: Any) -> Subscript:
        if type(part) is tuple:
            return self.slice_(*part)
        if self.is_item(part):
            return Subscript(SubscriptKind.ITEM, part)
        return Subscript(SubscriptKind.AT, part) if self.is_still(part) else ANYWHERE

    def slice_(self, start: Any, count: Any, step: Any) -> Subscript:
        if step != 1 or type(step) is not int:
            return ANYWHERE
        if self.is_still(start) and self.is_still(count):
            return Subscript(SubscriptKind.SLICE, start, count)
        node = self.node(count)
        if node is None or node.op is not SLICE_COUNT or not self.is_first(start):
            return ANYWHERE
        extent, first, stop, _ = node.args
        grows = is_none_or_0(first) and self.is_item(stop) and self.is_still(extent)
        return Subscript(SubscriptKind.GROWING, stop) if grows else ANYWHERE

    def is_first(self, start: Any) -> bool:
        if type(start) is int:
            return start == 0
        node = self.node(start)
        return node is not None and node.op is SLICE_START and is_none_or_0(node.args[1])

    def is_item(self, value: Any) -> bool:
        """start + k: one place further in each round."""
        node = self.node(value)
        if node is None or node.op is not RANGE_ITEM or node.args[2] is not self.body.params[0]:
            return False
        start, step, _ = node.args
        return step == 1 and type(step) is int and self.is_still(start)

    def is_still(self, value: Any) -> bool:
        """The same in each round."""
        if type(value) is not Value:
            return type(value) is int
        if value not in self.made:
            return True
        node = self.node(value)
        if node is None or node.op.name not in PLAIN:
            return False
        given = [arg for arg in node.args if arg is not None]
        return all((is_array(arg) and arg not in self.made) or self.is_still(arg) for arg in given)

    def known(self, access: Access, at: int) -> Access:
        """As far as the numbers have been computed when the node `at` is."""
        axes = [
            axis if all(self.made.get(one, -1) < at for one in axis.given) else ANYWHERE
            for axis in access.axes
        ]
        return Access(access.array, tuple(axes))

    def node(self, value: Any) -> Node | None:
        at = self.made.get(value, -1) if type(value) is Value else -1
        return None if at < 0 else self.body.nodes[at]


def every(node: Node) -> Iterator[Node]:
    yield node
    for body in node.bodies:
        for one in body.nodes:
            yield from every(one)


def inside(node: Node) -> Iterator[Value]:
    for body in node.bodies:
        yield from body.params
        for one in body.nodes:
            yield from one.outputs
            yield from inside(one)


def is_none_or_0(value: Any) -> bool:
    return value is None or (type(value) is int and value == 0)


def is_array(value: Any) -> bool:
    return type(value) is Value and isinstance(value.type, ArrayType | DynArrayType)
