"""Arrays that a routine makes: their layout, and the names that they have.

In C they stand in buffers of C order, and a loop has one name for what each round makes anew. So it
must be known that NumPy, too, would have made C order, and that nothing else refers to the array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from jitcore.ir.graph import Value
from jitcore.ir.infer.elementwise import iterator_strides
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.types import ArrayType, DynArrayType, standard_strides
from jitcore.symbolic.loops.loop_state import CannotCapture
from jitcore.symbolic.value_parts import inside
from jitcore.symbolic.values import Generator, List, Traced, Tuple, Var

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine


def base_of(vm: Machine, array: Value) -> Value:
    while array in vm.parts.views:
        array, _ = vm.parts.views[array]
    return array


# ---- layout -------------------------------------------------------------------------------------


def in_c_order(vm: Machine, array: Value) -> bool:
    """Does NumPy give this layout to what it computes of the array, element by element?"""
    kind = array.type
    if isinstance(kind, ArrayType):
        return straight(kind)
    if isinstance(kind, DynArrayType) and kind.ndim < 2:
        return True
    return array in vm.parts.in_c_order


@cache
def straight(kind: ArrayType) -> bool:
    made = iterator_strides([kind], kind.dtype, kind.shape) if kind.ndim > 1 else None
    return made is None or made == standard_strides(kind.dtype, kind.shape)


def reject_unordered(vm: Machine, arrays: list[Value]) -> None:
    """What was computed has the order of a buffer here. NumPy's may be another: other bits."""
    for one in arrays:
        base = base_of(vm, one)
        if is_span(base) and base.type.ndim > 1 and not in_c_order(vm, base):  # type: ignore[union-attr]
            raise CannotCapture("this loop makes an array whose memory layout is not known")


def reject_strided(vm: Machine, arrays: Iterable[Value]) -> None:
    if not vm.parts.columns.keys().isdisjoint(arrays):
        raise CannotCapture(
            "a variable of this loop may be an array that is not contiguous, or another"
        )


def same_order(vm: Machine, made: Var, given: Iterable[Var | None]) -> None:
    """Of what one of several arrays is."""
    for value in spans_in(made):
        reject_strided(vm, [one for var in given for one in spans_in(var)])
        if all(in_c_order(vm, one) for var in given for one in spans_in(var)):
            vm.parts.in_c_order.add(value)


# ---- names --------------------------------------------------------------------------------------


def spans_in(var: Var | None) -> list[Value]:
    """The arrays that were made in a routine to which a variable refers."""
    match var:
        case Traced(value) if is_span(value):
            return [value]
        case Tuple(items) | List(items):
            return [value for one in items for value in spans_in(one)]
    return []


def names_of(vm: Machine, holders: Sequence[object]) -> Counter[Value]:
    """How many names each array has: in the frames around this one, and in these holders of it."""
    todo: list[object] = [held.parts for held in vm.effects]
    todo += [vm.globals_set, vm.cells_by_id, vm.handled, *holders]
    for frame in vm.frames[:-1]:
        todo += [frame.locals, frame.stack]
    for frame in vm.frames:
        todo += [frame.cells, frame.func]
    names: Counter[Value] = Counter()
    seen: set[int] = set()
    while todo:
        holder = todo.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        if isinstance(holder, Generator):
            raise CannotCapture(
                "a generator may hold an array that this loop hands to its next iteration"
            )
        for one in inside(holder):
            if isinstance(one, Traced) and isinstance(one.value.type, DynArrayType | ArrayType):
                names[base_of(vm, one.value)] += 1
            else:
                todo.append(one)
    return names


def only_named_once(vm: Machine, given: Iterable[Var | None], holders: Sequence[object]) -> None:
    """What is carried on becomes another array, so each is to have one name."""
    wanted = [value for var in given for value in spans_in(var)]
    if wanted:
        names = names_of(vm, holders)
        if any(names[value] > 1 for value in wanted):
            raise CannotCapture("this loop hands an array with two names to its next iteration")
