"""Iterators that a routine counts: over ranges and arrays, enumerate() and zip() of such.

Iter Enumerate Zip ── where a loop begins ──▶ Counted   how many items are left, and the k-th one
on CPython's stack ── wrap.py ─────────────▶
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Value
from jitcore.ir.ops import OPS
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.ops.loop import ITEMS_BEFORE, ITEMS_FROM, LEAST, RANGE_COUNT, RANGE_ITEM
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.symbolic.loops.array_views import item
from jitcore.symbolic.loops.loop_state import CannotCapture, scalar
from jitcore.symbolic.loops.sequences import count, item_of, kind_of_items, may_read, sequence
from jitcore.symbolic.loops.union_value import kinds, of_parts, parts
from jitcore.symbolic.machine import Machine, is_array
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.state import Frame
from jitcore.symbolic.value_parts import inside
from jitcore.symbolic.values import (
    ArrayItems,
    Counted,
    Enumerate,
    EnumerateItems,
    Generator,
    Items,
    Iter,
    Known,
    List,
    Range,
    RangeItems,
    SequenceItems,
    Traced,
    Tuple,
    Var,
    Zip,
    ZipItems,
)
from jitcore.symbolic.wrap import realize

LARGE = 1 << 61  # bounds of ranges whose items need no check


# ---- what is known while compiling --------------------------------------------------------------


def may_count(vm: Machine, it: Var) -> bool:
    match it:
        case Counted():
            return True
        case Iter(over=Range(settled=None)):
            return True
        case Iter(over=Known(range())):
            return True
        case Iter(over=Traced(value)) if isinstance(value.type, ArrayType | DynArrayType):
            return value.type.ndim > 0
        case Iter(over=over, passing=False, backward=False):
            return may_read(vm, over)
        case Enumerate(over):
            return may_count(vm, over)
        case Zip(iters):
            return bool(iters) and all(may_count(vm, one) for one in iters)
    return False


def known_rounds(it: Var) -> int | None:
    """How many items are left; None where only run time knows."""
    match it:
        case Iter(over=Known(range() as over), at=at):
            return max(len(over) - at, 0)
        case Iter(over=Traced(value), at=at) if isinstance(value.type, ArrayType):
            return max(value.type.shape[0] - at, 0)
        case Iter(over=List(held) | Tuple(held), at=at):
            return max(len(held) - at, 0)
        case Iter(over=Known(str() | bytes() as text), at=at):
            return max(len(text) - at, 0)
        case Enumerate(inner):
            return known_rounds(inner)
        case Zip(iters):
            counts = [known_rounds(one) for one in iters]
            known = [one for one in counts if one is not None]
            return min(known) if len(known) == len(counts) else None
    return None


# ---- the iterator that a loop begins with -------------------------------------------------------


def counted(vm: Machine, frame: Frame) -> Counted:
    """Of the iterator on top of the frame's stack."""
    it = realize(vm, frame.stack[-1])
    if isinstance(it, Counted):
        return it if it.count is not None else replace(it, count=count_of(vm, it.over))
    is_own = isinstance(it, Iter) and it.private
    if not is_own and is_held(vm, frame, list(tree(it))):
        raise CannotCapture("this loop goes over an iterator that other code may use, too")
    over = items(vm, it)
    return Counted(over, count_of(vm, over), 0, bool(known_rounds(it)))


def tree(it: Var) -> Iterator[Var]:
    """The iterator, and those that it takes items of."""
    yield it
    match it:
        case Enumerate(over):
            yield from tree(over)
        case Zip(iters):
            for one in iters:
                yield from tree(one)


def is_held(vm: Machine, frame: Frame | None, iters: list[Var]) -> bool:
    """Could anybody else take an item of these? What is on top of the frame's stack does not count.
    What a model holds, or a generator that waits, is not seen from here."""
    wanted = set(map(id, iters))
    if len(wanted) < len(iters) or vm.opaque or vm.spoiled:
        return True
    todo: list[object] = [held.parts for held in vm.effects]
    todo += [vm.globals_set, vm.by_id, vm.realized, vm.cells_by_id, vm.handled]
    for one in vm.frames:
        todo += [one.locals, one.stack[:-1] if one is frame else one.stack, one.cells, one.func]
    seen: set[int] = set()
    while todo:
        var = todo.pop()
        if id(var) in wanted or isinstance(var, Generator):
            return True
        if id(var) not in seen:
            seen.add(id(var))
            todo.extend(inside(var))
    return False


def items(vm: Machine, it: Var) -> Items:
    """All that an iterator has not yet given."""
    match it:
        case Iter(over=Range() as over, backward=backward):
            return backward_stride(vm, stride(vm, over)) if backward else stride(vm, over)
        case Iter(over=Known(range() as over), at=at, backward=backward):
            left = (over[::-1] if backward else over)[at:]
            if max(map(abs, (over.start, over.stop, over.step, left.start, left.stop))) > LARGE:
                raise CannotCapture("this loop goes over a range with very large bounds")
            return RangeItems(left.start, left.stop, left.step, len(left))
        case Iter(over=Traced(value) as array, at=at, backward=backward) if is_items(value):
            if not backward:
                return ArrayItems(array, at)
            return ArrayItems(array, scalar(vm, RANGE_ITEM, length(vm, value), -1, at + 1), -1)
        case Iter(over=over, at=at, passing=False, backward=False) if may_read(vm, over):
            return SequenceItems(over, at)
        case Enumerate(over, start):
            if abs(start) > LARGE:
                raise CannotCapture("this loop's enumerate() starts at a very large number")
            return EnumerateItems(start, items(vm, over))
        case Zip(iters, strict):
            counts = {known_rounds(one) for one in iters}
            if strict and (len(counts) > 1 or None in counts):
                raise CannotCapture("this loop uses zip(strict=True) on lengths that vary")
            return ZipItems(tuple(items(vm, one) for one in iters))
    raise CannotCapture(
        "this loop goes over neither a range nor an array nor a sequence of numbers"
    )


def is_items(value: Value) -> bool:
    return is_array(value) or is_span(value)


def stride(vm: Machine, over: Range) -> RangeItems:
    start, stop, step = (whole(vm, one) for one in (over.start, over.stop, over.step))
    if type(step) is not Value and step == 0:
        raise CannotCapture("this loop's range has a step of 0")
    if any(type(one) is int and abs(one) > LARGE for one in (start, stop, step)):
        raise CannotCapture("this loop goes over a range with very large bounds")
    return RangeItems(start, stop, step, scalar(vm, RANGE_COUNT, start, stop, step))


def backward_stride(vm: Machine, over: RangeItems) -> RangeItems:
    """As range.__reversed__ makes it."""
    if type(over.step) is Value:
        raise CannotCapture("this loop goes over reversed() of a range whose step varies")
    last = scalar(vm, RANGE_ITEM, over.count, -1, 1)
    start = scalar(vm, RANGE_ITEM, over.start, over.step, last)
    stop = scalar(vm, RANGE_ITEM, over.start, -over.step, 1)
    return RangeItems(start, stop, -over.step, over.count)


def whole(vm: Machine, bound: Var) -> Any:
    """An int of NumPy's is a Python int in a range."""
    found = kinds(vm, bound)
    one, *_ = parts(vm, bound, found)
    if len(found) > 1 or not isinstance(found[0], ScalarType) or found[0].dtype.kind not in "iu":
        raise CannotCapture("this loop's range has a bound that is not an int")
    return one if found[0].python else scalar(vm, OPS["op.int"], one)


def length(vm: Machine, array: Value) -> Any:
    return scalar(vm, ITEMS_FROM, array, 0)


def members(vm: Machine, over: Var) -> Value:
    found = sequence(vm, over)
    assert found is not None
    return found


def count_of(vm: Machine, over: Items) -> Any:
    match over:
        case RangeItems(count=known):
            return known
        case ArrayItems(array, first, step):
            return scalar(vm, ITEMS_FROM if step > 0 else ITEMS_BEFORE, array.value, first)
        case SequenceItems(inner, first):
            return count(vm, members(vm, inner), first)
        case EnumerateItems(_, inner):
            return count_of(vm, inner)
        case ZipItems(several):
            first, *others = (count_of(vm, one) for one in several)
            return reduce(lambda a, b: scalar(vm, LEAST, a, b), others, first)


# ---- its items ----------------------------------------------------------------------------------


def item_at(vm: Machine, over: Items, k: Any) -> Var:
    """The k-th of those that were left at first."""
    match over:
        case RangeItems(start, _, step):
            return number_at(vm, start, step, k)
        case ArrayItems(array, first, step):
            return item(vm, array, number_at(vm, first, step, k))
        case SequenceItems(inner, first):
            at = leaf(vm, number_at(vm, first, 1, k))
            return item_of(vm, members(vm, inner), kind_of_items(vm, inner), at)
        case EnumerateItems(first, inner):
            return Tuple((number_at(vm, first, 1, k), item_at(vm, inner, k)))
        case ZipItems(several):
            return Tuple(tuple(item_at(vm, one, k) for one in several))


def number_at(vm: Machine, start: Any, step: Any, k: Any) -> Var:
    if Value in (type(k), type(start), type(step)):
        return of_parts([scalar(vm, RANGE_ITEM, start, step, k)])
    return Known(start + step * k)
