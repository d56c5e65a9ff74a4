"""Large arrays in a routine: kernels, in the body's own regions, use all cores for them.

    z = z[stay]        has another length in each round: for no region, so a routine has them, too
    z[m] = z[m] ** 2   z[m] stands for all of z in a region, if z is real (arrays/masked_select.py)

So a routine first goes on with large arrays. At its end it is known whether anything was done with
what masks select that only a routine does; if not, or only by a loop within, it was in vain. Where
a large array was met on one way of a branch only, the walk begins anew, with such ways left to
CPython.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from jitcore.ir.graph import Value, values
from jitcore.ir.op import Kind, Op
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.symbolic.arrays.masked_select import may_be_cheap
from jitcore.symbolic.loops.loop_state import CannotCapture, working

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine

AXES = 4
LARGEST = 1 << 16  # elements that a view may have
LARGEST_CALLED = 1 << 13  # or an array that NumPy's own function takes, or a mask selects from
LARGEST_OF_ALL = 1 << 23  # a round looks for signals once
SMALL_ONLY = 1 << 40  # added to a loop's header: large arrays are not for it


class LargeOnAWay(Exception):
    """Only a branch of the loop has large arrays."""


def reject_large(vm: Machine, given: list[Value], most: int = LARGEST) -> None:
    for one in given:
        kind = one.type
        if isinstance(kind, ArrayType) and kind.ndim > AXES:
            raise CannotCapture(f"this loop uses an array of more than {AXES} axes")
        if isinstance(kind, ArrayType) and kind.ndim == 0:
            raise CannotCapture("this loop uses an array without axes")
        if isinstance(kind, ArrayType):
            measure(vm, kind.size, most)
        if isinstance(kind, DynArrayType):
            measure(vm, prod(dim or 1 for dim in kind.dims), most)


def measure(vm: Machine, count: int, most: int = LARGEST) -> None:
    """An array of so many elements, or more."""
    if count <= most:
        return
    work = working(vm)
    if work.small_only or count > LARGEST_OF_ALL:
        raise CannotCapture(too_large(most))
    work.large = min(work.large or most, most)
    work.large_outside |= work.inner == 0
    work.large_on_a_way |= work.ways > 0


def too_large(most: int) -> str:
    return f"this loop's body uses arrays above {most:,} elements"


def finish(vm: Machine) -> None:
    """Of a routine that has been walked."""
    work = working(vm)
    within = work.large_outside and not work.varies_outside  # then inner loops are routines
    if not work.large or (work.varies and not within):
        return
    raise LargeOnAWay if work.large_on_a_way else CannotCapture(too_large(work.large))


# ---- what masks select --------------------------------------------------------------------------


def selected(vm: Machine, made: Value, array: Value, key: Any) -> None:
    """`made` is `array[key]`, with arrays in the key."""
    uses(vm, (array, key))
    if is_mask(key):
        working(vm).selected[made] = key


def is_mask(key: Any) -> bool:
    kind = key.type if type(key) is Value else None
    return isinstance(kind, ArrayType | DynArrayType) and kind.dtype.kind == "b"


def computed(vm: Machine, row: Op, made: Value, args: Any) -> None:
    chosen = working(vm).selected
    of = {chosen[one] for one in values(args) if one in chosen}
    if row.kind is Kind.MAP and len(of) == 1:
        chosen[made] = of.pop()
        vary(vm, not may_be_cheap(row, kind_of(made)))
    else:
        vary(vm, bool(of))


def kind_of(value: Value) -> str:
    kind = value.type
    return kind.dtype.kind if isinstance(kind, ArrayType | DynArrayType) else ""


def found(vm: Machine, args: Any, depends: bool) -> None:
    """What a call gives is as long as it finds things in a large array, if that `depends` on what
    is in it."""
    many = any(isinstance(v.type, ArrayType) and v.type.size > LARGEST_CALLED for v in values(args))
    many |= any(isinstance(v.type, DynArrayType) and None in v.type.dims for v in values(args))
    vary(vm, depends and many)


def put(vm: Machine, array: Value, key: Any, value: Any) -> None:
    """`array[key] = value`"""
    chosen = working(vm).selected
    if type(value) is not Value or chosen.get(value, key) is not key:
        uses(vm, (value,))
    uses(vm, (array, key))


def uses(vm: Machine, given: Any) -> None:
    """In a way that needs to know how many there are."""
    vary(vm, not working(vm).selected.keys().isdisjoint(values(given)))


def vary(vm: Machine, does: bool) -> None:
    """Something is done that needs to know how many a mask selects."""
    work = working(vm)
    work.varies |= does
    work.varies_outside |= does and work.inner == 0
