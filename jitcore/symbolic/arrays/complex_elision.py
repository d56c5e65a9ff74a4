"""Complex products whose operands NumPy exchanges.

    a * np.exp(b)     NumPy's operator writes into a large operand that nobody else has, and calls
                      multiply(temporary, a): temp_elide.c

Two products are rounded, one of them once with the sum that follows: so the bits of a complex
product are not those of the exchanged one. Of other operations they are. Where it is not known
whether anybody else has the operand, CPython multiplies.
"""

from __future__ import annotations

from math import prod

import numpy as np

from jitcore.fallback import breaks
from jitcore.ir.builder import ELIDED_BYTES
from jitcore.ir.graph import Value
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType, Type, type_of
from jitcore.symbolic.loops.loop_state import CannotCapture
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.value_parts import inside
from jitcore.symbolic.values import Generator, Known, Traced, Var


def are_exchanged(vm: Machine, lhs: Var, rhs: Var) -> bool:
    """`lhs * rhs`, of which one at least is an array."""
    left, right = type_in(lhs), type_in(rhs)
    if not (is_complex(left) and is_complex(right)) or not may_take(right, left):
        return False
    assert isinstance(rhs, Traced)
    if isinstance(right, DynArrayType):
        reject_large(vm, lhs, rhs)
        return False
    found = is_temporary(vm, rhs.value)
    if found is False:
        return False
    first = isinstance(lhs, Traced) and may_take(left, right) and is_temporary(vm, lhs.value)
    if first is True:
        return False
    if found is True and first is False:
        return True
    vm.stop(
        breaks.NUMPY_UNSUPPORTED, "a * b of large complex arrays, whose operands NumPy may swap"
    )


def type_in(var: Var) -> Type | None:
    """A number that is real or imaginary rounds nothing twice: its order is all one."""
    match var:
        case Traced(value):
            return value.type
        case Known(obj) if isinstance(obj, complex) and obj.real and obj.imag:
            return type_of(obj)
    return None


def reject_large(vm: Machine, lhs: Var, rhs: Traced) -> None:
    """In a loop it may be unknown how many elements there are; NumPy takes those of one shape."""
    if rhs.value in vm.parts.views or not isinstance(rhs.value.type, DynArrayType):
        return
    if is_held(vm, rhs.value):
        return
    counts = [most_elements(vm, one.value) for one in (lhs, rhs) if isinstance(one, Traced)]
    size = rhs.value.type.dtype.itemsize
    if all(count is None or count * size >= ELIDED_BYTES for count in counts):
        raise CannotCapture("this loop multiplies large complex arrays")


def most_elements(vm: Machine, value: Value) -> int | None:
    while value in vm.parts.views:
        value, _ = vm.parts.views[value]
    match value.type:
        case ArrayType(size=size):
            return size
        case DynArrayType(dims=dims) if None not in dims:
            return prod(dim or 0 for dim in dims)
    return None


def is_complex(kind: Type | None) -> bool:
    return isinstance(kind, ArrayType | DynArrayType | ScalarType) and kind.dtype.kind == "c"


def may_take(kind: Type | None, other: Type | None) -> bool:
    """May NumPy write a product with the other into an array of this type?"""
    if isinstance(kind, DynArrayType):
        known = prod(dim or 1 for dim in kind.dims)
        return None in kind.dims or known * kind.dtype.itemsize >= ELIDED_BYTES
    if not isinstance(kind, ArrayType) or kind.size * kind.dtype.itemsize < ELIDED_BYTES:
        return False
    if isinstance(other, ArrayType):
        fits = other.shape in ((), kind.shape)
    else:
        fits = isinstance(other, ScalarType) and other.python  # NumPy's have a product of their own
    return fits and np.can_cast(other.dtype, kind.dtype)  # type: ignore[union-attr]


def is_temporary(vm: Machine, value: Value) -> bool | None:
    """Has nobody else the array, nor its memory? None: it is not known."""
    if not vm.builder.may_be_temporary(value):
        return False
    held = is_held(vm, value)
    if held is False:
        return True if value in vm.builder.owning else None
    return False if held else None


def is_held(vm: Machine, value: Value) -> bool | None:
    """By a variable, or anything else but what calls the operator."""
    todo: list[object] = [held.parts for held in vm.effects]
    todo += [vm.globals_set, vm.by_id, vm.realized, vm.cells_by_id, vm.handled]
    for one in vm.frames:
        todo += [one.locals, one.stack, one.cells, one.func]
    seen: set[int] = set()
    unseen = vm.opaque > 0
    while todo:
        var = todo.pop()
        if isinstance(var, Traced) and var.value is value:
            return True
        unseen = unseen or isinstance(var, Generator)
        if id(var) not in seen:
            seen.add(id(var))
            todo.extend(inside(var))
    return None if unseen else False
