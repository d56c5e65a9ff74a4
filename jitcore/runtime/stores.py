"""Capture → the same with stores in the windows whose results they store: kernels make them.

    Window: … v = x + y        Window: … v = x + y
    Loud:   a[1:-1] = v    →           w = a[1:-1]; store v, w
    Window: …                  Window: …

A store that no kernel can make stays a loud step (`refused`, by its number among the segments).
The second half of `a[1:] += v`, which stores the view into the place that it is a view of, is
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jitcore.codegen.stores import STORE
from jitcore.codegen.views import Place, is_plain, lasting, placed
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, Unsupported, out_argument
from jitcore.ir.ops import OPS
from jitcore.ir.ops_array import GETITEM, MASKED_STORE, SETITEM
from jitcore.ir.ops_ufunc import UFUNC
from jitcore.ir.types import ArrayType, ObjectType, Shape
from jitcore.ir.value import Value
from jitcore.symbolic.state import Capture, Segment, Window

WHERE = OPS["where"]
OTHER_UFUNCS = frozenset(("power", "matmul"))  # whose operator is not always the ufunc


@dataclass(frozen=True, slots=True)
class Absorbed:
    capture: Capture
    stores: dict[Value, int]  # what a kernel must store → the number of the loud step


def absorbed(capture: Capture, refused: Collection[int]) -> Absorbed:
    segments: list[Segment] = []
    stores: dict[Value, int] = {}
    places: dict[Value, Place] = {}
    for number, segment in enumerate(capture.segments):
        if isinstance(segment, Window):
            places |= placed(segment.nodes, lasting(places))
            segments.append(segment)
        elif is_idle(segment.node, places):
            drop_empty(segments)
        else:
            window = segments[-1]
            assert isinstance(window, Window)  # windows and loud steps take turns
            more = [] if number in refused else stored_by(segment.node, window.nodes, places)
            if not more:
                segments.append(segment)
                continue
            segments[-1] = Window(window.start, [*window.nodes, *more])
            stores[more[-1].outputs[0]] = number
    return Absorbed(replace(capture, segments=tuple(segments)), stores)


def drop_empty(segments: list[Segment]) -> None:
    """The window after this one does as well."""
    last = segments[-1]
    if isinstance(last, Window) and not last.nodes and len(segments) > 1:
        segments.pop()


def is_idle(node: Node, places: Mapping[Value, Place]) -> bool:
    """NumPy copies no array to itself."""
    if node.op is not SETITEM:
        return False
    container, index, value = node.args
    view = viewed(container, index, node)
    if view is None or type(value) is not Value or value.type != view.outputs[0].type:
        return False
    (at,) = placed([view], places).values()
    return (places.get(value) or Place(value, 0)) == at


def viewed(container: Any, index: Any, node: Node) -> Node | None:
    """The node that makes the view that is stored into."""
    try:
        t = GETITEM.infer((container, index), {})
    except Unsupported:
        return None
    if not isinstance(t, ArrayType):
        return None
    view = Node(GETITEM, (container, index), {}, (Value(t),), (), node.where)
    return view if placed([view], {}) else None


# ---- the forms of a store -----------------------------------------------------------------------


def stored_by(node: Node, before: Sequence[Node], places: Mapping[Value, Place]) -> list[Node]:
    """The nodes of the store, the last one being STORE; none where it is not for kernels."""
    made = {value for one in before if one.op.kind is Kind.MAP for value in one.outputs}
    if node.op is SETITEM:
        container, index, value = node.args
        view = viewed(container, index, node)
        if view is None or value not in made:
            return []
        target = view.outputs[0]
        return [view, store(value, target, node)] if shape(value) == shape(target) else []
    if node.op is MASKED_STORE:
        return [] if made.isdisjoint(node.args) else selected(node)
    ufunc, args, target = in_place(node)
    if ufunc is None or type(target) is not Value or made.isdisjoint(args):
        return []
    return calculated(ufunc, args, target, node)


def selected(node: Node) -> list[Node]:
    """All of the target is written, outside of the mask what it holds already."""
    target, mask, value = node.args
    try:
        t = WHERE.infer((mask, value, target), {})
    except Unsupported:
        return []
    if not isinstance(t, ArrayType) or t.shape != target.type.shape or t.dtype != target.type.dtype:
        return []
    whole = Value(t)
    choice = Node(WHERE, (mask, value, target), {}, (whole,), (), node.where)
    return [choice, store(whole, target, node)]


def in_place(node: Node) -> tuple[Any, tuple[Any, ...], Any]:
    """`a += b` and np.add(x, y, out=a): the ufunc, its operands, and a."""
    op = node.op
    if op.ufunc is None or op.ufunc.__name__ in OTHER_UFUNCS or op.ufunc.nout != 1:
        return None, (), None
    if op.kind is Kind.STORE and op.returns == 0 and not node.kwargs and len(node.args) == 2:
        return op.ufunc, node.args, node.args[0]
    if op.kind is Kind.MAP and node.kwargs.keys() <= {"out"}:
        return op.ufunc, node.args[: op.ufunc.nin], out_argument(op, node.args, node.kwargs)
    return None, (), None


def calculated(ufunc: Any, args: tuple[Any, ...], target: Value, node: Node) -> list[Node]:
    """Where the result has the target's type; NumPy casts others in buffers."""
    row = UFUNC.get(ufunc.__name__)
    try:
        t = row.infer(args, {}) if row is not None else None
    except Unsupported:
        return []
    if not isinstance(t, ArrayType) or not is_plain(target.type):
        return []
    assert row is not None and isinstance(target.type, ArrayType)
    if (t.shape, t.dtype) != (target.type.shape, target.type.dtype):
        return []
    value = Value(t)
    return [Node(row, args, {}, (value,), (), node.where), store(value, target, node)]


def shape(value: Value) -> Shape | None:
    return None if isinstance(value.type, ObjectType) else value.type.shape


def store(value: Value, target: Value, node: Node) -> Node:
    return Node(STORE, (value, target), {}, (Value(target.type),), (), node.where)
