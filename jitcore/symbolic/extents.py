"""What the program is told of an array's extents: constants, and written down, or numbers that run
time knows.

In a capture for all sizes (`Start.sizes`) the extents of an input are inputs themselves. Any other
answer goes to `Machine.looked`: such a capture is of use where it is the same at all sizes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from jitcore.guards.source import Extent
from jitcore.ir.types import PYINT, ArrayType, ScalarType
from jitcore.symbolic.machine import Machine, Particular, is_extent
from jitcore.symbolic.state import Sized
from jitcore.symbolic.values import Known, Run, Tuple, Var

LINEAR = (operator.add, operator.sub, operator.mul)
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
        vm.lengths.add(made.value)
    return found


def derived(vm: Machine, out: Run, fn: Callable[..., Any], args: tuple[Var, ...]) -> None:
    """Sums of extents, and a constant times one: least and greatest where extents are, so that the
    samples at corners have seen them. Of a product of two the least may lie between."""
    linear = fn is not operator.mul or any(isinstance(arg, Known) for arg in args)
    if fn in LINEAR and linear and all(is_length(vm, arg) for arg in args):
        vm.lengths.add(out.value)


def is_length(vm: Machine, var: Var) -> bool:
    match var:
        case Known(obj):
            return type(obj) is int
        case Run(value):
            return value in vm.lengths
    return False


def reject_lengths(vm: Machine, args: tuple[Var, ...]) -> None:
    """NumPy is asked what such a function makes, by making it: not at sizes that nobody has."""
    for arg in args if vm.start.sizes else ():
        for one in arg.items if isinstance(arg, Tuple) else (arg,):
            if isinstance(one, Run) and one.value in vm.lengths:
                raise Particular("an array that is made by an extent")


def is_known(vm: Machine, fn: Callable[..., Any], deps: frozenset[Any]) -> bool:
    """May what `fn` gives be computed now? A power of an extent is a number without end."""
    return fn in LINEAR or not vm.start.sizes or not any(map(is_extent, deps))


def shaping(vm: Machine, var: Run) -> Any:
    """A number that a shape, or a part of an array, is made with. Of an extent it is no fact: where
    it matters in another way than to a kernel's numbers, samples differ."""
    return var.hint if var.value in vm.lengths else vm.concrete(var)


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
