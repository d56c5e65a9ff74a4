"""Stores into parts of arrays in a routine: `a[i, :j] = x`, `a[m] = x`, `a += x`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jitcore.ir.graph import Value, values
from jitcore.ir.op import Op, leaf_type
from jitcore.ir.ops.dyn_array import SPAN_PUT, SPAN_STORE
from jitcore.ir.types import ArrayType, DynArrayType, ObjectType, ScalarType
from jitcore.symbolic.loops import size_limits
from jitcore.symbolic.loops.array_views import computed, index, selects, view
from jitcore.symbolic.loops.local_arrays import base_of
from jitcore.symbolic.loops.loop_state import CannotCapture, append, working
from jitcore.symbolic.values import Traced, Var

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine


def store(vm: Machine, array: Value, key: Var, value: Any) -> None:
    """`array[key] = value`, of a part."""
    tree = index(vm, key)
    if selects(tree):
        put(vm, array, tree, value)
        return
    changed = type(value) is Value and value in vm.parts.in_place
    target = vm.parts.views.get(value) if changed else None
    if target is not None and target[0] is array and same_key(target[1], tree):
        return  # what `array[key] += x` does at last
    writable(vm, array)
    place = view(vm, array, tree)
    assert isinstance(place, Traced)
    stored(vm, place.value, value)


def put(vm: Machine, array: Value, tree: Any, value: Any) -> None:
    """By NumPy: nothing can fail once it has begun to write values of the same type."""
    into, of = array.type, leaf_type(value)
    assert isinstance(into, DynArrayType | ArrayType)
    if isinstance(of, ScalarType):
        same = of.dtype == into.dtype or (type(value) is Value and fits(of, into))
        same = same or (type(value) is not Value and is_exact(value, into))
    else:
        same = isinstance(of, DynArrayType | ArrayType) and of.dtype == into.dtype
    if not same:
        raise CannotCapture(
            "this loop stores values of another dtype by a mask or an array of indices"
        )
    size_limits.put(vm, array, tree, value)
    size_limits.reject_large(vm, values((array, tree, value)), size_limits.LARGEST_CALLED)
    writable(vm, array)
    append(vm, SPAN_PUT, (array, tree, value), {}, None)
    written(vm, array)


def fits(of: ScalarType, into: ArrayType | DynArrayType) -> bool:
    """Of these any number is one of the array's, here: an int has 64 bits."""
    return of.python and of.dtype.kind in "bif" and into.dtype.char in "dD"


def is_exact(value: Any, into: ArrayType | DynArrayType) -> bool:
    kinds = {"b": (bool,), "i": (bool, int), "f": (bool, int, float), "c": (bool, int, float)}
    if type(value) not in kinds.get(into.dtype.kind, ()):
        return False
    return abs(value) < 100 or (type(value) is float and into.dtype.char in "dD")


def writable(vm: Machine, target: Value) -> None:
    base = base_of(vm, target)
    if isinstance(base.type, ArrayType) and not base.type.writeable:
        raise CannotCapture("this loop writes into a read-only array")


def written(vm: Machine, target: Value) -> None:
    """CPython may not repeat what comes before, unless that makes the array, too."""
    work, base = working(vm), base_of(vm, target)
    if work.mark is None or vm.parts.born.get(base) is not work.mark:
        work.commit()


def stored(vm: Machine, place: Value, value: Any) -> None:
    into, of = place.type, leaf_type(value)
    assert isinstance(into, DynArrayType | ArrayType)
    if isinstance(of, ObjectType):
        raise CannotCapture("this loop stores something other than numbers into a view of an array")
    if isinstance(of, DynArrayType | ArrayType) and of.ndim > into.ndim:
        raise CannotCapture("this loop stores an array into a view that has fewer axes")
    append(vm, SPAN_STORE, (place, value), {}, None)
    written(vm, place)


def same_key(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if type(a) is tuple:
        return len(a) == len(b) and all(map(same_key, a, b))
    if type(a) is slice:
        return same_key((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    return a is b or (type(a) is int and a == b)


def in_place(vm: Machine, op: Op, target: Value, value: Any) -> None:
    """`target op= value`: computed as if into a new array, then stored."""
    kind = target.type
    assert isinstance(kind, DynArrayType | ArrayType)
    writable(vm, target)
    made = computed(vm, op, (target, value), {})
    result = made.value.type if isinstance(made, Traced) else None
    if (
        not isinstance(result, DynArrayType)
        or result.dtype != kind.dtype
        or result.ndim != kind.ndim
    ):
        raise CannotCapture(
            "this loop has an in-place operation whose result has another dtype or rank"
        )
    assert isinstance(made, Traced)
    stored(vm, target, made.value)
    vm.parts.in_place.add(target)
