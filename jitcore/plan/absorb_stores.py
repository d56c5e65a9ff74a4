"""Capture → the same with stores in the windows whose results they store: kernels make them.

    Window: … v = x + y        Window: … v = x + y
    Loud:   a[1:-1] = v    →           w = a[1:-1]; store v, w
    Window: …                  Window: …

Operations in place that follow one another (`x *= y; x += 1`) are one store, of what they make
together. Alone, and on large floats, NumPy is as fast: a kernel must keep what was there.

A store that no kernel can make stays a loud step (`refused`, by its number among the segments).
The second half of `a[1:] += v`, which stores the view into the place that it is a view of, is
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Unsupported, out_argument
from jitcore.ir.ops import OPS
from jitcore.ir.ops.array import GETITEM, MASKED_STORE, SETITEM
from jitcore.ir.ops.ufunc import UFUNC
from jitcore.ir.types import ArrayType, ScalarType, Shape
from jitcore.ir.value import Value, values
from jitcore.kernels.store_rules import STORE
from jitcore.kernels.view_offsets import ViewOffset, is_plain, lasting, placed
from jitcore.plan.copy_overlaps import copied
from jitcore.symbolic.state import Capture, EffectStep, LoopRegion, Segment, Window

WHERE = OPS["where"]
IN_A_ROW = ((1 << 15, 2), (1 << 20, 3), (1 << 62, 5))  # bytes of floats, operations: see `pays`
OTHER_UFUNCS = frozenset(("power", "matmul"))  # whose operator is not always the ufunc


@dataclass(frozen=True, slots=True)
class Absorbed:
    capture: Capture
    stores: dict[Value, int]  # what a kernel must store → the number of the loud step


def absorbed(capture: Capture, refused: Collection[int]) -> Absorbed:
    if not any(isinstance(segment, EffectStep) for segment in capture.segments):
        return Absorbed(capture, {})
    segments: list[Segment] = []
    stores: dict[Value, int] = {}
    places: dict[Value, ViewOffset] = {}
    for number, segment in enumerate(capture.segments):
        if isinstance(segment, Window):
            places |= placed(segment.nodes, lasting(places))
            segments.append(segment)
        elif isinstance(segment, LoopRegion):
            segments.append(segment)
        elif is_idle(segment.node, places):
            drop_empty(segments)
        elif number in refused:
            segments.append(segment)
        else:
            window = grown(capture, number, segments, places)
            if window is None:
                segments.append(segment)
                continue
            stores[window.nodes[-1].outputs[0]] = number
            segments[-1] = window
    if segments == [*capture.segments]:  # the very same
        return Absorbed(capture, {})
    stores = {value: number for value, number in stores.items() if value in written(segments)}
    return Absorbed(replace(capture, segments=tuple(segments)), stores)


def written(segments: Sequence[Segment]) -> set[Value]:
    windows = (one for one in segments if isinstance(one, Window))
    return {node.outputs[0] for one in windows for node in one.nodes if node.op is STORE}


def grown(
    capture: Capture, number: int, segments: list[Segment], places: Mapping[Value, ViewOffset]
) -> Window | None:
    """The last window with this store. It is two windows in one, if both store to one place."""
    loud, last = capture.segments[number], segments[-1]
    assert isinstance(loud, EffectStep) and isinstance(
        last, Window
    )  # windows and loud steps take turns
    before = segments[-2] if len(segments) > 1 else None
    if isinstance(before, Window):
        nodes = once_more(loud.node, before.nodes, last.nodes, places)
        window = under(before, nodes, loud.errstate)
        if window is not None:
            segments.pop()
            return window
    lone = pays(in_place(loud.node)[2], in_a_row(capture.segments[number:], places))
    more = stored_by(loud.node, last.nodes, places, lone)
    if not more:
        return None
    own = {**places, **placed(more, lasting(places))}
    nodes = copied([*last.nodes, *more], made_before(capture, number), own)
    return under(last, nodes, loud.errstate)


def made_before(capture: Capture, number: int) -> Iterator[Node]:
    windows = (one for one in capture.segments[:number] if isinstance(one, Window))
    return (node for one in windows for node in one.nodes)


def under(window: Window, nodes: list[Node], errstate: int) -> Window | None:
    """The window with these nodes, of which the new ones come from a step under such a state; None
    where there are none, or flags would be raised under two."""
    had = set(map(id, window.nodes))
    if not nodes:
        return None
    if is_silent([node for node in nodes if id(node) not in had]):
        return replace(window, nodes=nodes)
    if window.errstate not in (None, errstate):
        return None
    return replace(window, nodes=nodes, errstate=errstate)


def is_silent(nodes: Sequence[Node]) -> bool:
    others = [one for one in nodes if one.op is not STORE]
    return all(one.op.effect_of(one.args, one.kwargs) is Effect.SILENT for one in others)


def drop_empty(segments: list[Segment]) -> None:
    """The window after this one does as well."""
    last = segments[-1]
    if isinstance(last, Window) and not last.nodes and len(segments) > 1:
        segments.pop()


def is_idle(node: Node, places: Mapping[Value, ViewOffset]) -> bool:
    """NumPy copies no array to itself."""
    if node.op is not SETITEM:
        return False
    container, index, value = node.args
    view = viewed(container, index, node)
    if view is None or type(value) is not Value or value.type != view.outputs[0].type:
        return False
    (at,) = placed([view], places).values()
    return (places.get(value) or ViewOffset(value, 0)) == at


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


def stored_by(
    node: Node, before: Sequence[Node], places: Mapping[Value, ViewOffset], lone: bool
) -> list[Node]:
    """The nodes of the store, the last one being STORE; none where it is not for kernels. `lone`:
    also one of whose operands none was made before."""
    made = {value for one in before if one.op.kind is Kind.MAP for value in one.outputs}
    if node.op is SETITEM:
        container, index, value = node.args
        view = viewed(container, index, node)
        if view is None or type(value) is not Value or value not in made:
            return []
        target = view.outputs[0]
        return [view, store(value, target, node)] if shape(value) == shape(target) else []
    if node.op is MASKED_STORE:
        return [] if made.isdisjoint(values(node.args)) else selected(node)
    ufunc, args, target = in_place(node)
    if ufunc is None or type(target) is not Value or (made.isdisjoint(values(args)) and not lone):
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
    return value.type.shape if isinstance(value.type, ArrayType | ScalarType) else None


def store(value: Value, target: Value, node: Node) -> Node:
    return Node(STORE, (value, target), {}, (Value(target.type),), (), node.where)


# ---- several in a row ---------------------------------------------------------------------------


def place_of(value: Any, places: Mapping[Value, ViewOffset]) -> ViewOffset | None:
    return places.get(value) or ViewOffset(value, 0) if type(value) is Value else None


def in_a_row(segments: Sequence[Segment], places: Mapping[Value, ViewOffset]) -> int:
    """How many operations in place follow one another, with nothing but views of arrays between."""
    places, found = dict(places), 0
    first: ViewOffset | None = None
    for segment in segments:
        if isinstance(segment, Window):
            own = lasting(placed(segment.nodes, lasting(places)))
            if len(own) < len(segment.nodes):
                break
            places |= own
        elif not isinstance(segment, EffectStep):
            break
        elif not is_idle(segment.node, places):
            at = place_of(in_place(segment.node)[2], places)
            first = first or at
            if at is None or at != first:
                break
            found += 1
    return found


def pays(target: Any, count: int) -> bool:
    """Is a kernel for so many operations in place faster than NumPy, though what was there is kept
    meanwhile?"""
    t = target.type if type(target) is Value else None
    if not isinstance(t, ArrayType) or not is_plain(t):
        return False
    if t.dtype.kind in "biu":
        return count >= 2
    bytes = t.size * t.dtype.itemsize
    return count >= next(least for most, least in IN_A_ROW if bytes <= most)


def once_more(
    node: Node, before: Sequence[Node], between: Sequence[Node], places: Mapping[Value, ViewOffset]
) -> list[Node]:
    """The nodes of `before`, which end in a store, and of what changes the same place at once; none
    where that is not so."""
    ufunc, args, target = in_place(node)
    if ufunc is None or type(target) is not Value or not before or before[-1].op is not STORE:
        return []
    first, stored_to = before[-1].args
    at = place_of(target, places)
    if at != place_of(stored_to, places) or target.type != stored_to.type or at is None:
        return []
    views = lasting(places).keys()
    if any(value not in views for one in between for value in one.outputs):
        return []
    others = [arg for arg in args if arg is not target]
    found = [place_of(other, places) for other in others]
    if any(other is not None and other.array is at.array for other in found):
        return []
    own = tuple(first if arg is target else arg for arg in args)
    more = calculated(ufunc, own, target, node)
    return [*before[:-1], *between, *more] if more else []
