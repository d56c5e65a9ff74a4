"""Which types the nodes of a loop in C have, told anew: a bug report's own words are not believed.

Within loops what is computed of arrays are spans, whose extents only run time knows, and NumPy is
asked with samples (symbolic/loops/array_views.py does so when it captures them). What C takes
for granted is checked here: that a part of an array lies within it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from jitcore.ir.graph import Graph, Node, Value, values, walk
from jitcore.ir.op import Kind, Op, Unsupported, leaf_type
from jitcore.ir.ops.dyn_array import (
    EXTENT,
    MADE,
    SLICE_COUNT,
    SLICE_START,
    SPAN,
    SPAN_ITEM,
    SPAN_PUT,
    SPAN_STORE,
    SPAN_TAKE,
    SPAN_TRANSPOSE,
    asked,
    dims_of,
)
from jitcore.ir.ops.local_stack import PILE, PILE_CLEAR, PILE_COUNT, PILE_ITEM, PILE_POP, PILE_PUSH
from jitcore.ir.ops.loop import ITEMS_BEFORE, ITEMS_FROM, ORD, SEQ_APPEND, SEQ_ITEM, SEQ_STORE
from jitcore.ir.types import (
    CHARACTER,
    NONE,
    PYBOOL,
    PYINT,
    ArrayType,
    CharacterType,
    DynArrayType,
    ObjectType,
    ScalarType,
    StackType,
    Type,
)
from jitcore.ir.verify import Rule, by_row
from jitcore.symbolic.loops.array_views import PRODUCTS
from jitcore.symbolic.loops.loop_state import CannotCapture
from jitcore.symbolic.loops.opaque_calls import result_of_call

Types = tuple[Type, ...]
Makers = Mapping[Value, Node]
ELEMENTS = frozenset(("getitem", "setitem"))  # rows that know spans themselves
COMPARED = frozenset(("op.eq", "op.ne"))


def rules_for(graph: Graph) -> Rule:
    makers = {value: node for node in walk(graph.body) for value in node.outputs}
    return partial(types_of, makers)


def types_of(makers: Makers, node: Node) -> Types:
    """Of a call's results. Unsupported: they may not be so, or nobody knows."""
    try:
        own = OWN.get(node.op)
        if own is not None:
            return own(makers, node)
        if COMPARED.issuperset((node.op.name,)) and all(map(is_character, node.args)):
            return (PYBOOL,)
        return of_spans(node) if has_spans(node) else by_row(node)
    except (CannotCapture, AssertionError, IndexError, AttributeError, TypeError) as error:
        raise Unsupported(str(error) or type(error).__name__) from error


def has_spans(node: Node) -> bool:
    if node.op.name in ELEMENTS:
        return False
    found = (*values((node.args, node.kwargs)), *node.outputs)
    return any(isinstance(value.type, DynArrayType) for value in found)


def of_spans(node: Node) -> Types:
    """As when they were captured."""
    row, args, _, kind = asked(node.op, node.args, node.kwargs)
    if row.kind not in (Kind.MAP, Kind.REDUCE) and row.name not in (*MADE, *PRODUCTS):
        return tuple(result_of_call(row, args, dict(node.kwargs)).kinds)
    if not isinstance(kind, DynArrayType | ScalarType):
        raise Unsupported(f"{row.name} of a shape or type that varies")
    return (kind,)


def is_character(leaf: Any) -> bool:
    return isinstance(leaf_type(leaf), CharacterType) or (type(leaf) is str and len(leaf) == 1)


def array_of(leaf: Any) -> ArrayType | DynArrayType:
    kind = leaf_type(leaf)
    if not isinstance(kind, ArrayType | DynArrayType):
        raise Unsupported(f"{kind} is no array")
    return kind


def is_int(leaf: Any) -> bool:
    kind = leaf_type(leaf)
    return isinstance(kind, ScalarType) and kind.dtype.kind in "iu"


# ---- parts of arrays ----------------------------------------------------------------------------


def part(makers: Makers, node: Node) -> Types:
    array, key, dims = node.args
    kind = array_of(array)
    found: list[int | None] = []
    axis = 0
    for one in key:
        if type(one) is tuple:
            found.append(Sliced(makers, array, axis, dims_of(kind)[axis]).count(*one))
        elif one is None:
            found.append(1)
        elif not is_int(one):  # which is compared with the extent when it runs
            raise Unsupported("a part of an array by what is no int")
        axis += one is not None
    if axis != kind.ndim or tuple(found) != dims:
        raise Unsupported("a part of an array that has other extents")
    return (DynArrayType(kind.dtype, dims),)


class Sliced:
    """One axis of an array, of `n` items where that is known."""

    def __init__(self, makers: Makers, array: Any, axis: int, n: int | None) -> None:
        self.makers, self.array, self.axis, self.n = makers, array, axis, n

    def count(self, start: Any, count: Any, step: Any) -> int | None:
        """How many items a slice has, where that is known. Unsupported: they may lie beyond."""
        if start == 0 and step == 1 and self.is_all(count):
            return self.n
        if start == 0 and all(type(one) is int for one in (count, step)) and step > 0:
            inside = self.n is not None and count >= 0 and (count - 1) * step < self.n
            return self.checked(inside, count)
        first, last = self.bounds(start, SLICE_START, step), self.bounds(count, SLICE_COUNT, step)
        ends = first or last
        same = ends is not None and (last or first) == ends
        begins = first is not None or (start == 0 and ends is not None and ends[0] is None)
        upward = first is not None or type(step) is Value or step > 0
        known = self.known(ends, step)
        few = last is not None or (type(count) is int and count == known)
        return self.checked(same and begins and upward and few, known)

    def checked(self, right: bool, count: int | None) -> int | None:
        if not right:
            raise Unsupported("a part of an array that may lie beyond it")
        return count

    def is_all(self, count: Any) -> bool:
        made = self.makers.get(count) if type(count) is Value else None
        if made is None:
            return type(count) is int and count == self.n
        return made.op is EXTENT and made.args[0] is self.array and made.args[1] == self.axis

    def bounds(self, value: Any, op: Op, step: Any) -> tuple[Any, Any] | None:
        """The slice's, where the value was computed of this axis, with this step."""
        made = self.makers.get(value) if type(value) is Value else None
        if made is None or made.op is not op or not self.is_all(made.args[0]):
            return None
        return made.args[1:3] if made.args[3] is step or made.args[3] == step else None

    def known(self, ends: tuple[Any, Any] | None, step: Any) -> int | None:
        if self.n is None or ends is None or type(step) is not int:
            return None
        if any(end is not None and type(end) is not int for end in ends):
            return None
        return len(range(*slice(*ends, step).indices(self.n)))


def extent(makers: Makers, node: Node) -> Types:
    array, axis = node.args
    if type(axis) is not int or not 0 <= axis < array_of(array).ndim:
        raise Unsupported("an axis that there is not")
    return (PYINT,)


def taken(makers: Makers, node: Node) -> Types:
    array, index = map(array_of, node.args)
    if array.ndim != 1 or not isinstance(index, DynArrayType) or index.dtype.char not in "bBhHiIlq":
        raise Unsupported("elements by what are no ints")
    return (DynArrayType(array.dtype, index.dims),)


def stored(makers: Makers, node: Node) -> Types:
    target = array_of(node.args[0])
    kind = leaf_type(node.args[1])
    if isinstance(kind, ScalarType):
        return ()
    given = dims_of(array_of(node.args[1]))
    pairs = zip(reversed(given), reversed(dims_of(target)), strict=False)
    fits = all(a in (None, 1) or b is None or a == b for a, b in pairs)
    if len(given) > target.ndim or not fits:
        raise Unsupported("a store of what does not fit")
    return ()


def turned(makers: Makers, node: Node) -> Types:
    kind = array_of(node.args[0])
    return (DynArrayType(kind.dtype, dims_of(kind)[::-1]),)


def selected(makers: Makers, node: Node) -> Types:
    return tuple(result_of_call(node.op, node.args, dict(node.kwargs)).kinds)


# ---- lists and texts ----------------------------------------------------------------------------


def class_of(leaf: Any, *classes: type) -> type:
    kind = leaf_type(leaf)
    cls = kind.cls if type(kind) is ObjectType else None
    if cls not in classes:
        raise Unsupported(f"{kind} is no list or text")
    return cls


def counted(makers: Makers, node: Node) -> Types:
    if not isinstance(leaf_type(node.args[0]), ArrayType | DynArrayType):
        class_of(node.args[0], list, tuple, str, bytes, bytearray)
    return (PYINT,)


def item(makers: Makers, node: Node) -> Types:
    """Of a list or tuple: C looks at each item's type when it reads it."""
    cls = class_of(node.args[0], list, tuple, str, bytes, bytearray)
    (out,) = node.outputs
    if not is_int(node.args[1]) or not (cls not in (list, tuple) or is_number(out)):
        raise Unsupported("an item of another type")
    return (out.type if cls in (list, tuple) else CHARACTER if cls is str else PYINT,)


def is_number(leaf: Any) -> bool:
    return isinstance(leaf_type(leaf), ScalarType)


def stored_item(makers: Makers, node: Node) -> Types:
    cls = class_of(node.args[0], list, bytearray)
    kind = leaf_type(node.args[2])
    if not is_int(node.args[1]) or not (kind == PYINT or (cls is list and is_number(node.args[2]))):
        raise Unsupported("a store of what is no number")
    return ()


def appended(makers: Makers, node: Node) -> Types:
    class_of(node.args[0], list)
    if not is_number(node.args[1]) and not is_character(node.args[1]):
        raise Unsupported("an item that is no number")
    return ()


def code_point(makers: Makers, node: Node) -> Types:
    if not is_character(node.args[0]):
        raise Unsupported("ord() of what is no character")
    return (PYINT,)


# ---- piles --------------------------------------------------------------------------------------


def pile_of(leaf: Any) -> StackType:
    kind = leaf_type(leaf)
    if not isinstance(kind, StackType) or not kind.kinds:
        raise Unsupported(f"{kind} is no list of a loop's own")
    return kind


def is_item(leaf: Any, kind: StackType) -> bool:
    parts = leaf if kind.tuples and type(leaf) is tuple else (leaf,)
    return tuple(map(leaf_type, parts)) == kind.kinds


def pile(makers: Makers, node: Node) -> Types:
    kind = pile_of(node.outputs[0])
    if not all(is_item(leaf, kind) for leaf in node.args):
        raise Unsupported("items of several types in one list")
    return (kind,)


def pushed(makers: Makers, node: Node) -> Types:
    if not is_item(node.args[1], pile_of(node.args[0])):
        raise Unsupported("items of several types in one list")
    return ()


def popped(makers: Makers, node: Node) -> Types:
    return pile_of(node.args[0]).kinds


OWN: Mapping[Op, Callable[[Makers, Node], Types]] = {
    SPAN: part,
    EXTENT: extent,
    SPAN_TAKE: taken,
    SPAN_STORE: stored,
    SPAN_TRANSPOSE: turned,
    SPAN_ITEM: selected,
    SPAN_PUT: lambda makers, node: (),
    ITEMS_FROM: counted,
    ITEMS_BEFORE: counted,
    SEQ_ITEM: item,
    SEQ_STORE: stored_item,
    SEQ_APPEND: appended,
    ORD: code_point,
    PILE: pile,
    PILE_PUSH: pushed,
    PILE_POP: popped,
    PILE_ITEM: popped,
    PILE_COUNT: lambda makers, node: (PYINT,) if pile_of(node.args[0]) else (NONE,),
    PILE_CLEAR: lambda makers, node: () if pile_of(node.args[0]) else (NONE,),
}
