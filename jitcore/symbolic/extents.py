"""What the program is told of an array's extents: constants, and written down, or numbers that run
time knows.

In a capture for all sizes (`Start.sizes`) the extents of an input are inputs themselves. Any other
answer goes to `Machine.looked`: such a capture is of use where it is the same at all sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from jitcore.guards.source import Extent
from jitcore.ir.types import PYINT, ArrayType, ScalarType
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Sized
from jitcore.symbolic.values import Known, Run, Tuple, Var

T = TypeVar("T")


def told(vm: Machine, owner: Run, name: str, fact: Callable[[Any], Any]) -> Var:
    """`name` of an array or number, by its type."""
    kind = owner.value.type
    assert isinstance(kind, ArrayType | ScalarType)
    sized = vm.start.sizes.get(owner.origin) if owner.origin is not None else None
    if sized is not None and name in SIZES:
        made = SIZES[name](vm, owner, sized)
        if made is not None:
            return made
    return Known(seen(vm, fact(kind)))


def seen(vm: Machine, answer: T) -> T:
    vm.looked.append(answer)
    return answer


def extent(vm: Machine, owner: Run, sized: Sized, axis: int) -> Var:
    assert owner.origin is not None
    n = sized.type.shape[axis]
    if axis not in sized.axes:
        return Known(n)
    source = Extent(owner.origin, axis)
    found = vm.realized.get(source)
    if found is None:
        made = Run(vm.input(source, PYINT), source, n, frozenset((source,)))
        found = vm.realized[source] = made
    return found


def length(vm: Machine, owner: Run, sized: Sized) -> Var | None:
    return extent(vm, owner, sized, 0) if sized.type.ndim else None


def size(vm: Machine, owner: Run, sized: Sized) -> Var | None:
    return extent(vm, owner, sized, 0) if sized.type.ndim == 1 else None


def shape(vm: Machine, owner: Run, sized: Sized) -> Var:
    return Tuple(tuple(extent(vm, owner, sized, axis) for axis in range(sized.type.ndim)))


SIZES: dict[str, Callable[[Machine, Run, Sized], Var | None]] = {
    "len": length,
    "size": size,
    "shape": shape,
}
