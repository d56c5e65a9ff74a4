"""A slice of an array in a native loop → its start, count and step: constants, or nodes."""

from __future__ import annotations

from typing import Any

from jitcore.ir.graph import Value
from jitcore.ir.ops import OPS
from jitcore.ir.ops.dyn_array import EXTENT, FEW, SLICE_COUNT, SLICE_START, SLICE_STEP, dims_of
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.symbolic.loops.loop_state import CannotCapture, scalar
from jitcore.symbolic.machine import Machine


def goes_up(step: Any) -> bool:
    return type(step) is Value or step > 0


def known_extent(kind: ArrayType | DynArrayType, axis: int, part: slice) -> int | None:
    """None: only run time knows it."""
    n = dims_of(kind)[axis]
    bounds = (part.start, part.stop, part.step)
    if n is None or any(one is not None and type(one) is not int for one in bounds):
        return None
    if part.step == 0:
        raise CannotCapture("this loop takes a slice with a step of 0")
    return len(range(*part.indices(n)))


def with_all_axes(tree: Any, ndim: int) -> list[Any]:
    """One part for each axis, and None for new ones."""
    parts = list(tree) if type(tree) is tuple else [tree]
    given = sum(part is not None and part is not Ellipsis for part in parts)
    if sum(part is Ellipsis for part in parts) > 1 or given > ndim:
        raise CannotCapture("this loop has more indices than the array has axes")
    missing = [slice(None)] * (ndim - given)
    at = next((k for k, part in enumerate(parts) if part is Ellipsis), None)
    return [*parts, *missing] if at is None else [*parts[:at], *missing, *parts[at + 1 :]]


def is_whole(part: Any) -> bool:
    if type(part) is int:
        return True
    kind = part.type if type(part) is Value else None
    return isinstance(kind, ScalarType) and kind.dtype.kind in "iu"


def start_count_step(
    vm: Machine, array: Value, axis: int, part: slice, known: int | None
) -> tuple[Any, Any, Any]:
    """A slice as (start, count, step), of Python's ints. A few items are a constant in C."""
    bounds = [one if one is None else whole(vm, one) for one in (part.start, part.stop)]
    step = step_of(vm, part.step)
    up = goes_up(step)
    few = known is not None and known <= FEW
    if few and bounds[0] is None and up:
        return 0, known, step
    extent = scalar(vm, EXTENT, array, axis)
    if bounds == [None, None] and type(step) is int and step == 1:
        return 0, extent, 1
    start = scalar(vm, SLICE_START, extent, *bounds, step)
    if up and bounds[0] is None:
        start = 0
    return start, known if few else scalar(vm, SLICE_COUNT, extent, *bounds, step), step


def step_of(vm: Machine, step: Any) -> Any:
    """A step that varies must be positive: otherwise the native loop is left."""
    if type(step) is Value:
        return scalar(vm, SLICE_STEP, whole(vm, step))
    step = 1 if step is None else step
    if type(step) is not int or step == 0 or abs(step) > 1 << 31:
        raise CannotCapture("this loop takes a slice whose step is 0, very large, or not an int")
    return step


def whole(vm: Machine, bound: Any) -> Any:
    """NumPy's ints are bounds too: they have __index__."""
    if type(bound) is int and abs(bound) < 1 << 62:
        return bound
    if type(bound) is Value and is_whole(bound):
        python = isinstance(bound.type, ScalarType) and bound.type.python
        return bound if python else scalar(vm, OPS["op.int"], bound)
    raise CannotCapture("this loop takes a slice whose bounds are not ints")
