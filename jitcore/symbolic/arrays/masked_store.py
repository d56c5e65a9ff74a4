"""`a[mask] = x` on symbolic values: every element stored, those outside of the mask as they were.

    a[mask] = x     a = np.where(mask, x, a)               an array of the region's own
                    np.copyto(a, x, where=mask)            any other

NumPy goes through the elements that the mask selects one by one; a kernel through all of them at
once, and in one loop with what made the mask. The dtype must not change: what a store would cast
is left to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.op import Inferred, Unsupported
from jitcore.ir.ops import OPS
from jitcore.ir.ops.array import MASKED_STORE
from jitcore.ir.types import PYFLOAT, PYINT, ArrayType, ScalarType
from jitcore.symbolic.arrays.masked_select import first_like, give_up, lane, loud_steps
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row, leaf
from jitcore.symbolic.values import Known, Masked, Traced, Var
from jitcore.symbolic.wrap import realize

WHERE = OPS["where"]
EXACT = 1 << 11  # all ints up to here are numbers of every float type


def masked_store(vm: Machine, array: Traced, key: Var, value: Var) -> bool:
    """Do it, where a mask of the array's own shape selects what becomes this scalar, or what was
    computed of elements that it had selected."""
    key, value = realize(vm, key), realize(vm, value)
    if not is_mask_of(key, array):
        return False
    if (
        isinstance(value, Masked)
        and isinstance(key, Traced)
        and value.mask is first_like(vm, key.value)
    ):
        if value.stores != loud_steps(vm):
            give_up(value)
        value = Traced(lane(value, value))
    elif not is_scalar(value) or not fits(value, array.value.type.dtype):  # type: ignore[union-attr]
        return False
    t, stored = array.value.type, type_stored(vm, array, key, value)
    if not isinstance(stored, ArrayType) or stored.dtype != t.dtype:  # type: ignore[union-attr]
        return False
    private = vm.is_fresh(array.value) and stored == t
    if not private:
        if t.dtype.itemsize == 1 and not is_own(vm, key):  # type: ignore[union-attr]
            return False
        emit_row(vm, MASKED_STORE, (array, key, value), {})
        return True
    made = emit_row(vm, WHERE, (key, value, array), {})
    assert isinstance(made, Traced)
    array.value = made.value  # nobody else sees it: it is another array from here on
    vm.fresh.add(made.value)
    return True


def is_own(vm: Machine, mask: Var) -> bool:
    """Made in the region: its memory is no other array's."""
    return isinstance(mask, Traced) and vm.is_fresh(mask.value)


def is_mask_of(key: Var, array: Traced) -> bool:
    t, own = array.value.type, key.value.type if isinstance(key, Traced) else None
    if not isinstance(own, ArrayType) or not isinstance(t, ArrayType) or not t.writeable:
        return False
    return own.dtype.kind == "b" and own.shape == t.shape and t.ndim > 0 and t.numeric


def is_scalar(value: Var) -> bool:
    if isinstance(value, Traced):
        return isinstance(value.value.type, ScalarType)
    return isinstance(value, Known) and type(value.obj) in (bool, int, float, complex)


def fits(value: Var, dtype: np.dtype[Any]) -> bool:
    """Of Python numbers, those that a store, np.copyto and np.where take in the same way."""
    if isinstance(value, Traced):
        t = value.value.type
        return t != PYINT if dtype.kind in "iu" else t != PYFLOAT or dtype.char in "dD"
    assert isinstance(value, Known)
    number = value.obj
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return type(number) is not int or bool(limits.min <= number <= limits.max)
    if dtype.kind == "b" or type(number) in (bool, int):
        return bool(abs(number) <= EXACT)
    return abs(number) <= float(np.finfo(dtype).max) or not np.isfinite(number)


def type_stored(vm: Machine, array: Traced, key: Var, value: Var) -> Inferred:
    tree = (leaf(vm, key), leaf(vm, value), leaf(vm, array))
    try:
        return WHERE.infer(tree, {})
    except Unsupported:
        return None
