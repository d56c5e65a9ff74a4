"""A routine's outermost loop, if its rounds may run in any order → what each of them writes.

    for i in range(n):           y: axis 0, at i        each round its own row of y, and nobody
        for j in range(m):                              reads another row of it: csrc/loop/doall.c
            y[i, j] = f(x, i, j)                        may deal them out among threads

A round may read what it likes of arrays that no round writes. Of one that is written, every access
has the round's item at one and the same axis. Nothing may be carried from round to round. Before
the loop stand numbers only, since each thread computes them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.ops.dyn_array import EXTENT, SPAN, SPAN_TRANSPOSE
from jitcore.ir.ops.loop import RANGE_ITEM
from jitcore.ir.types import ArrayType, DynArrayType, ObjectType, ScalarType
from jitcore.ir.value import leaves
from jitcore.loops import local_stack
from jitcore.toolchain.numpy_loops import Inner

Pin = tuple[int, int, int]  # axis, start, step: at that axis stands start + step * round
NEW = -1  # an axis that the array has not


@dataclass(frozen=True, slots=True)
class Parallel:
    """`written`: for each array that the loop writes, where a round's part of it is."""

    loop: Node
    written: dict[Value, Pin]


@dataclass(frozen=True, slots=True)
class DealtPart:
    """Of an array that exists outside the loop; the part's axes are these of the array's."""

    array: Value
    axes: tuple[int, ...]
    pins: frozenset[Pin] = frozenset()


def parallel(nodes: Sequence[Node]) -> Parallel:
    loops = [node for node in nodes if node.bodies]
    if len(loops) != 1:
        raise CannotLower("there are several loops, or branches, side by side")
    (loop,) = loops
    if loop.op.name != "for":
        raise NotCandidate("how many iterations there are is only known at the end")
    if loop.outputs:
        raise CannotLower("one iteration hands a variable on to the next")
    before = nodes[: nodes.index(loop)]
    found = Accesses(loop.bodies[0].params[0])
    found.nodes(loop.bodies[0].nodes)
    pins = {array: found.pin(array) for array in found.written}
    if not pins:
        raise NotCandidate("it stores into no array")
    other = next((node for node in before if not repeatable(node, found.written)), None)
    if other is not None:
        raise CannotLower(f"each thread would repeat {other.op.words}{line_of(other.where)}")
    return Parallel(loop, pins)


def apart_or_why(nodes: Sequence[Node]) -> Parallel | CannotLower:
    try:
        return parallel(nodes)
    except CannotLower as why:
        return why.with_traceback(None)  # which would hold on to nodes


def pieces(
    apart: Parallel | CannotLower,
    ports: Sequence[Value],
    inputs: Iterable[Value],
    loops: Iterable[Inner],
    calls: Sequence[Any],
) -> tuple[tuple[int, int, int, int], ...]:
    """What threads write of each array, for csrc/loop/doall.c: which array, and the pin."""
    if isinstance(apart, CannotLower):
        raise type(apart)(*apart.args)
    may_run_apart(inputs, loops, calls)
    return tuple(
        (ports.index(array), axis, start, step)
        for array, (axis, start, step) in apart.written.items()
    )


def repeatable(node: Node, written: set[Value]) -> bool:
    """A number, of nothing that the loop changes."""
    numbers = all(isinstance(value.type, ScalarType) for value in node.outputs)
    return numbers and not node.op.stores and written.isdisjoint(node.inputs)


def may_run_apart(inputs: Iterable[Value], loops: Iterable[Inner], calls: Sequence[Any]) -> None:
    """Without the GIL: no Python objects, no calls of Python's; a loop on floats raises nothing.
    `loops`: but for those of products of vectors, which allocate nothing. Else CannotLower."""
    if any(dtype.kind in "iu" for inner in loops for dtype in inner.dtypes):
        raise CannotLower("NumPy's loops on ints may raise an exception")
    if any(inner.ufunc.signature is not None for inner in loops):
        raise CannotLower("a product of matrices allocates memory")
    if any(isinstance(value.type, ObjectType) for value in inputs):
        raise CannotLower("it works with Python objects")
    if calls:
        raise CannotLower("it calls functions of NumPy")


@dataclass(slots=True)
class Accesses:
    """Of the arrays that exist outside the loop, in its rounds, which are counted by `count`."""

    count: Value
    items: dict[Value, tuple[int, int]] = field(default_factory=dict)
    parts: dict[Value, DealtPart | None] = field(default_factory=dict)  # None: the round's own
    reached: dict[Value, list[frozenset[Pin]]] = field(default_factory=dict)
    written: set[Value] = field(default_factory=set)

    def pin(self, array: Value) -> Pin:
        pins = frozenset.intersection(*self.reached[array])
        if not pins:
            raise CannotLower("a stored array is used outside the iteration's own index")
        return min(pins)

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.node(node)

    def node(self, node: Node) -> None:
        if node.op.kind is Kind.CONTROL:
            self.control(node)
        elif node.op is SPAN:
            self.view(node)
        elif node.op is SPAN_TRANSPOSE:
            part = self.part(node.args[0])
            self.parts[node.outputs[0]] = part and DealtPart(part.array, part.axes[::-1], part.pins)
        elif node.op is not EXTENT:
            self.compute(node)

    def control(self, node: Node) -> None:
        """Which array a variable of it is may differ from round to round."""
        carried = [*node.outputs, *(param for body in node.bodies for param in body.params)]
        if any(isinstance(value.type, DynArrayType | ArrayType) for value in carried):
            raise CannotLower("an array is carried to the next iteration, or chosen by a branch")
        for body in node.bodies:
            self.nodes(body.nodes)

    def view(self, node: Node) -> None:
        part = self.part(node.args[0])
        self.parts[node.outputs[0]] = part and self.indexed(part, node.args[1])

    def compute(self, node: Node) -> None:
        """Elements by an index, or all of a part."""
        if node.op is RANGE_ITEM and node.args[2] is self.count:
            start, step, _ = node.args
            if type(start) is int and type(step) is int and start >= 0 and step > 0:
                self.items[node.outputs[0]] = start, step
        by_index = node.op is GETITEM or node.op.name == "setitem"
        for value in leaves((node.args, tuple(node.kwargs.values()))):
            if type(value) is not Value or not isinstance(value.type, DynArrayType | ArrayType):
                continue
            part = self.part(value)
            if part is None:
                continue
            if by_index and value is node.args[0]:
                part = self.indexed(part, node.args[1])
            self.reached.setdefault(part.array, []).append(part.pins)
        if node.op.stores:
            target = self.part(node.args[0])
            if target is not None:
                self.written.add(target.array)
        if local_stack.is_of(node):
            raise CannotLower("a list grows in it")
        for out in node.outputs:
            if node.op.kind is Kind.VIEW and not isinstance(out.type, ScalarType):
                raise CannotLower(f"{node.op.words}{line_of(node.where)} makes a view")
            self.parts[out] = None

    def part(self, value: Value) -> DealtPart | None:
        if value not in self.parts:
            kind = value.type
            if not isinstance(kind, ArrayType):
                raise CannotLower("an array is made before it and changed in it")
            self.parts[value] = DealtPart(value, tuple(range(kind.ndim)))
        return self.parts[value]

    def indexed(self, part: DealtPart, key: Any) -> DealtPart:
        pins, axes = set(part.pins), []
        left = iter(part.axes)
        for one in key if type(key) is tuple else (key,):
            axis = NEW if one is None else next(left, None)
            if axis is None:
                raise CannotLower("an array has more indices than axes")
            if one is None or type(one) is tuple:
                axes.append(axis)
            elif type(one) is Value and one in self.items and axis != NEW:
                pins.add((axis, *self.items[one]))
        return DealtPart(part.array, (*axes, *left), frozenset(pins))
