"""`x[:, i : i + 5, j]` in a loop that is CPython's → a part that begins elsewhere in each round.
So does `x[i]` in a place that has been compiled for another i before, or for other items of i's
list.

    slice(i, i + n)     its ends as sums of what was loaded: {i: 1}, 0 and {i: 1, n: 1}, 0
    the difference      {n: 1}, 0: n becomes a guard, the span is known
    part(x, (:, slice(i, i + 5), j), (None, 5, None))

Only where a number among the indices is another in each round; what stays the same is a constant of
the entry, and its place in memory is known when compiling.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from jitcore.guards.source import Item, Local, Source, Stack
from jitcore.ir.graph import Node, Value
from jitcore.ir.infer.moving_view import Spans
from jitcore.ir.ops.array import GETITEM, PART, SETITEM
from jitcore.ir.types import PYINT, ArrayType, ScalarType
from jitcore.opcodes.tables import writes
from jitcore.symbolic.arrays.shape_facts import seen
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.state import EffectStep, Window
from jitcore.symbolic.values import NOTHING, Known, Lazy, Slice, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

Sum = tuple[dict[Value, int], int]  # how often each value, and a constant
VIEWS = (GETITEM, PART)
DEEP = 8  # operations that an end of a slice is followed through


def moving_item(vm: Machine, container: Traced, key: Var) -> Var | None:
    """Read a part that moves; None where it does not."""
    found = moving(vm, container.value.type, key)
    if found is None:
        return None
    return part_of(vm, container, *found)


def part_of(vm: Machine, container: Traced, index: tuple[Any, ...], spans: Spans) -> Var:
    if any(span is not None for span in spans):
        return vm.emit(PART, (container.value, index, spans), {})
    return vm.emit(GETITEM, (container.value, index), {})


def moving_store(vm: Machine, container: Traced, key: Var, value: Var) -> bool:
    """Write one: into the view of it, which a kernel can do. The second half of `a[i] += x` stores
    the view where it lies, which is nothing."""
    found = moving(vm, container.value.type, key)
    if found is None:
        return False
    index, spans = found
    stored = leaf(vm, value)
    if is_view_of(vm, stored, container.value, index) and was_written(vm, stored):
        return True
    view = part_of(vm, container, index, spans)
    if isinstance(view, Traced) and isinstance(view.value.type, ArrayType):
        vm.emit(SETITEM, (view.value, ..., stored), {})
    else:
        vm.emit(SETITEM, (container.value, index, stored), {})
    return True


def was_written(vm: Machine, view: Any) -> bool:
    """Just now: so the array is not read-only."""
    loud = (one.node for one in vm.segments if isinstance(one, EffectStep))
    return any(node.op.stores and node.args[0] is view for node in loud)


def is_view_of(vm: Machine, stored: Any, array: Value, index: tuple[Any, ...]) -> bool:
    if type(stored) is not Value or not isinstance(stored.type, ArrayType):
        return False
    made = maker(vm, stored)
    if made is None or made.op not in VIEWS or made.args[0] is not array:
        return False
    return made.args[1] in (index, *(index if len(index) == 1 else ()))


def moving(vm: Machine, t: Any, key: Var) -> tuple[tuple[Any, ...], Spans] | None:
    """The index, and the spans of its slices that move."""
    parts = [realize(vm, part) for part in (key.items if isinstance(key, Tuple) else (key,))]
    if (
        not (vm.in_loop or vm.start.varied)
        or not isinstance(t, ArrayType)
        or not all(map(is_basic, parts))
    ):
        return None
    if not t.aligned:  # of such NumPy's views may be of either sort
        return None
    changing = changed_in_loops(vm)
    moves = any(varies(vm, number, changing) for part in parts for number in numbers(part))
    if not moves and not any(has_varied(vm, part) for part in parts):
        return None
    spans: list[int | None] = []
    for axis, part in zip(axes(parts, t.ndim), parts, strict=True):
        span = None
        if isinstance(part, Slice) and any(varies(vm, n, changing) for n in numbers(part)):
            n = seen(vm, t.shape[axis]) if 0 <= axis < t.ndim else None
            span = None if n is None else span_of(vm, part, n, changing)
            if span is None:
                return None
        spans.append(span)
    index = (argument(vm, part, span) for part, span in zip(parts, spans, strict=True))
    return tuple(index), tuple(spans)


def argument(vm: Machine, part: Var, span: int | None) -> Any:
    if isinstance(part, Slice) and span is not None:
        return slice(*(leaf(vm, end) for end in part.parts))
    return leaf(vm, part)


def is_basic(part: Var) -> bool:
    match part:
        case Slice(ends):
            return all(isinstance(end, Known | Traced | Lazy) for end in ends)
        case Known(obj):
            return obj is None or obj is Ellipsis or type(obj) in (int, slice)
        case Traced(value):
            t = value.type
            return isinstance(t, ScalarType) and t.dtype.kind in "iu"
    return False


def axes(parts: list[Var], ndim: int) -> Iterator[int]:
    """The array's axis that each part is for."""
    taken = [part for part in parts if not (isinstance(part, Known) and part.obj in (None, ...))]
    axis = 0
    for part in parts:
        yield axis
        if isinstance(part, Known) and part.obj is Ellipsis:
            axis += ndim - len(taken)
        elif not (isinstance(part, Known) and part.obj is None):
            axis += 1


def numbers(part: Var) -> Iterator[Var]:
    if isinstance(part, Slice):
        yield from part.parts
    else:
        yield part


def changed_in_loops(vm: Machine) -> frozenset[int]:
    """The slots of variables that change in the loops that the region lies in."""
    code, start = vm.start.code, vm.start.offset
    around = [loop for loop in code.loops.values() if start in loop.body]
    offsets = {at for loop in around for at in loop.body}
    return frozenset(i for at in offsets for i in writes(code.instrs[code.by_offset[at]]))


def varies(vm: Machine, number: Var, changing: frozenset[int]) -> bool:
    """Is it another in each round?"""
    number = realize(vm, number)
    if not isinstance(number, Traced):
        return False
    if number.hint is NOTHING:
        return True
    return any(changes(origin, changing) for origin in number.deps)


def changes(source: Source, changing: frozenset[int]) -> bool:
    return isinstance(source, Stack) or (isinstance(source, Local) and source.index in changing)


def has_varied(vm: Machine, index: Var) -> bool:
    """Has it been another before, or another item of its list? The ends of slices stay as they
    are."""
    deps = index.deps if isinstance(index, Traced) else ()
    texts = (str(one) for o in deps for one in (o, *((o.base,) if isinstance(o, Item) else ())))
    return not vm.start.varied.isdisjoint(texts)


# ---- how far the ends of a slice lie apart ------------------------------------------------------


def span_of(vm: Machine, part: Slice, extent: int, changing: frozenset[int]) -> int | None:
    """None where it may be another in the next round, or they lie beyond the array now."""
    start, stop, step = (realize(vm, end) for end in part.parts)
    first, last = now(start), now(stop)
    forward = isinstance(step, Known) and (
        step.obj is None or (type(step.obj) is int and step.obj > 0)
    )
    if not forward or first is None or last is None or not 0 <= first < last <= extent:
        return None
    terms, constant = difference(sum_of(vm, leaf(vm, stop)), sum_of(vm, leaf(vm, start)))
    loaded = {value: source for source, value in vm.inputs.items()}
    for value, many in terms.items():
        source = loaded.get(value)
        if source is None or source not in vm.realized or changes(source, changing):
            return None
        constant += many * vm.concrete(vm.realized[source], "is the extent of a part")
    return constant if constant == last - first else None


def now(end: Var) -> int | None:
    match end:
        case Known(obj) if type(obj) is int:
            return obj
        case Traced(value, hint=hint) if value.type == PYINT and type(hint) is int:
            return hint
    return None


def difference(a: Sum, b: Sum) -> Sum:
    return plus(a, times(b, -1))


def plus(a: Sum, b: Sum) -> Sum:
    terms = {value: a[0].get(value, 0) + b[0].get(value, 0) for value in {**a[0], **b[0]}}
    return {value: n for value, n in terms.items() if n}, a[1] + b[1]


def times(a: Sum, n: int) -> Sum:
    return {value: n * m for value, m in a[0].items() if n * m}, a[1] * n


def sum_of(vm: Machine, end: Any, deep: int = DEEP) -> Sum:
    """Of Python's ints, which have no bounds: exactly so."""
    if type(end) is not Value:
        return {}, end
    node = maker(vm, end) if deep else None
    if node is None or len(node.args) != 2 or not all(map(is_int, node.args)):
        return {end: 1}, 0
    a, b = (sum_of(vm, arg, deep - 1) for arg in node.args)
    if node.op.target is operator.add:
        return plus(a, b)
    if node.op.target is operator.sub:
        return difference(a, b)
    if node.op.target is operator.mul and not (a[0] and b[0]):
        return times(b, a[1]) if b[0] else times(a, b[1])
    return {end: 1}, 0


def is_int(arg: Any) -> bool:
    return type(arg) is int or (type(arg) is Value and arg.type == PYINT)


def maker(vm: Machine, value: Value) -> Node | None:
    windows = (segment for segment in vm.segments if isinstance(segment, Window))
    return next((n for one in windows for n in one.nodes if value in n.outputs), None)
