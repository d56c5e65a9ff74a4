"""Iteration over what is known while compiling: the next item, all items, how many are left.

Iter       a sequence and a position          Enumerate Zip Map Filter   over other iterators
Generator  its body is interpreted up to the next yield, as CPython does: effects keep their order
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from jitcore.fallback import breaks
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.symbolic.arrays.shape_facts import seen
from jitcore.symbolic.describe import describe
from jitcore.symbolic.loops import array_views
from jitcore.symbolic.loops.loop_state import working
from jitcore.symbolic.loops.sequences import is_sequence
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.truth import truth
from jitcore.symbolic.unwind import fails, whole
from jitcore.symbolic.values import (
    Dict,
    Enumerate,
    Filter,
    Generator,
    Iter,
    Known,
    List,
    Map,
    Range,
    Set,
    Traced,
    Tuple,
    Var,
    View,
    Zip,
)
from jitcore.symbolic.wrap import realize

ITERATORS = (Iter, Enumerate, Zip, Map, Filter, Generator)
MAX_ITEMS = 256
VIEWS: dict[str, Callable[[Dict], tuple[Var, ...]]] = {
    "keys": lambda d: tuple(Known(key) for key in d.items),
    "values": lambda d: tuple(d.items.values()),
    "items": lambda d: tuple(Tuple((Known(key), value)) for key, value in d.items.items()),
}


def iterator(vm: Machine, over: Var) -> Var:
    """What `iter(over)` is, symbolically."""
    if isinstance(over, Range) and over.settled is None:
        return adopted(vm, Iter(over))
    over = realize(vm, over)
    if isinstance(over, ITERATORS):
        return over
    size = length(vm, over)
    counted = isinstance(over, Traced) and (is_sequence(over.value.type) or is_span(over.value))
    if size is None and counted:
        return adopted(vm, Iter(over))
    if size is None:
        vm.stop(breaks.LOOP_UNKNOWN, f"over {describe(over)}")
    return adopted(vm, Iter(View(over, "keys") if isinstance(over, Dict) else over, 0, size))


def adopted(vm: Machine, it: Var) -> Var:
    """A new iterator. In a loop's body only such ones may be advanced."""
    if vm.work is not None:
        working(vm).adopt(it)
    return it


def length(vm: Machine, over: Var) -> int | None:
    """How many items a sequence has, if it is one whose items are known."""
    match over:
        case Tuple(items) | List(items):
            return len(items)
        case Dict(items) | View(Dict(items)):
            return len(items)
        case Known(range() as obj) if obj and abs(obj[-1] - obj[0]) // abs(obj.step) >= sys.maxsize:
            return None  # len() raises
        case Known(obj) if type(obj) in (tuple, str, range, bytes, list):
            return len(obj)
        case Traced(value) if isinstance(value.type, ArrayType) and value.type.shape:
            return seen(vm, value.type.shape[0])
        case Traced(value) if isinstance(value.type, DynArrayType) and value.type.dims:
            return value.type.dims[0]
    return None


def item(vm: Machine, over: Var, index: int) -> Var:
    match over:
        case Tuple(items) | List(items):
            return items[index]
        case View(owner, name):
            return VIEWS[name](owner)[index]
        case Known(obj):
            return Known(obj[index])
        case Traced() if vm.work is not None:
            return array_views.item(vm, over, Known(index))
        case Traced():
            return emit_row(vm, GETITEM, (over, Known(index)), {})
    raise AssertionError(over)


def remaining(vm: Machine, it: Var) -> int | None:
    """An upper bound of the items left; those of a generator are counted as they come."""
    match it:
        case Generator():
            return 0
        case Iter(over, at):
            over = it.over = realize(vm, over)
            total = length(vm, over)
            return None if total is None else max(total - at, 0)
        case Enumerate(over):
            return remaining(vm, over)
        case Zip(iters):
            counts = [remaining(vm, each) for each in iters]
            known = [n for n in counts if n is not None]
            return min(known) if len(known) == len(counts) and known else None
        case Map(_, iters):
            return remaining(vm, Zip(iters))
        case Filter(_, over):
            return remaining(vm, over)
    return None


def following(vm: Machine, it: Var) -> Var | None:
    """`next(it)`, or None at the end."""
    if vm.work is not None:
        working(vm).advance(it)
    if any(it is each for each in vm.spoiled):
        vm.stop(breaks.LOOP_UNKNOWN, "an iterator at an unknown position")
    match it:
        case Generator(resume, taken=taken):
            if taken >= MAX_ITEMS:
                vm.stop(
                    breaks.LOOP_LONG,
                    f"more than {MAX_ITEMS} items are too many to unroll: CPython runs this line",
                )
            it.taken += 1
            return resume()
        case Iter(over, at, size):
            over = it.over = realize(vm, over)
            total = length(vm, over)
            if isinstance(over, View) and size != total:
                fails(vm, RuntimeError, "a dict that changes while it is iterated over")
            if total is None:
                vm.stop(breaks.LOOP_UNKNOWN, f"the next item of {describe(over)}")
            if at >= total:
                if isinstance(over, List):  # an iterator at its end stays there
                    it.over, it.at = List([]), 0
                return None
            it.at += 1
            return item(vm, over, total - 1 - at if it.backward else at)
        case Enumerate(over, count):
            value = following(vm, over)
            if value is None:
                return None
            it.count += 1
            return Tuple((Known(count), value))
        case Zip(iters, strict):
            return _zip(vm, iters, strict)
        case Map(func, iters):
            row = _zip(vm, iters, False)
            return call(vm, func, row.items, {}) if isinstance(row, Tuple) else None
        case Filter(func, over):
            return _filter(vm, func, over)
    vm.stop(breaks.LOOP_UNKNOWN, f"the next item of {describe(it)}")


def _zip(vm: Machine, iters: tuple[Var, ...], strict: bool) -> Var | None:
    row: list[Var] = []
    for each in iters:
        value = following(vm, each)
        if value is None:
            if strict and any(remaining(vm, o) or isinstance(o, Generator) for o in iters):
                vm.stop(breaks.PYTHON_RAISES, "zip(strict=True) over different lengths")
            return None
        row.append(value)
    return Tuple(tuple(row)) if row else None


def _filter(vm: Machine, func: Var, over: Var) -> Var | None:
    while True:
        value = following(vm, over)
        if value is None:
            return None
        func = realize(vm, func)
        test = (
            value if isinstance(func, Known) and func.obj is None else call(vm, func, (value,), {})
        )
        keep = truth(vm, test)
        if keep is None:
            vm.stop(breaks.BRANCH, "filter() by a run-time value")
        if keep:
            return value


def items_of(vm: Machine, over: Var) -> list[Var]:
    """All items, in order; iterators are exhausted by it."""
    over = realize(vm, over)
    match over:
        case Tuple(items) | List(items):
            return list(items)
        case Set(items):
            vm.stop(breaks.LOOP_UNKNOWN, "the order of a set")
    it = iterator(vm, over)
    left = remaining(vm, it)
    if left is None:
        vm.stop(breaks.LOOP_UNKNOWN, f"all items of {describe(over)}")
    if left > MAX_ITEMS:
        vm.stop(
            breaks.LOOP_LONG,
            f"more than {MAX_ITEMS} items are too many to unroll: CPython runs this line",
        )
    found: list[Var] = []
    with whole(vm):
        while (value := following(vm, it)) is not None:
            found.append(value)
    return found
