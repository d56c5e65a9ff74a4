"""Arrays that a routine's loops carry from round to round, and what becomes of them after it.

A variable that is one and the same array in all rounds is a fixed one, changed in place perhaps.
One that is another array in each round is carried: C then has one name for all of them, and so no
other name may be the same array's. Where only the first round has an array from before the routine,
that round comes before the loop; an array that nobody else has is copied instead.
"""

from __future__ import annotations

from jitcore.ir.graph import Value
from jitcore.ir.ops import OPS
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.symbolic.loops import local_stack, size_limits
from jitcore.symbolic.loops.array_views import computed
from jitcore.symbolic.loops.branches import End, leaves
from jitcore.symbolic.loops.local_arrays import (
    in_c_order,
    names_of,
    only_named_once,
    reject_strided,
    reject_unordered,
    spans_in,
)
from jitcore.symbolic.loops.loop_node import LoopBody
from jitcore.symbolic.loops.loop_state import CannotCapture, working
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame, ResumePoint
from jitcore.symbolic.values import Traced, Var
from jitcore.symbolic.wrap import realize


def array_of(vm: Machine, var: Var | None) -> Value | None:
    """The array that a variable is, which is there before the routine."""
    var = None if var is None else realize(vm, var)
    there = isinstance(var, Traced) and isinstance(var.value.type, ArrayType)
    return var.value if isinstance(var, Traced) and there else None


def stays(vm: Machine, shape: LoopBody, i: int, var: Var | None) -> bool:
    """Is the variable the same array at the end of each round, changed in place perhaps?"""
    ends = [way.locals[i] for way in leaves(shape.tree) if way.end in (End.ROUND, End.OUT)]
    return all(array_of(vm, one) is array_of(vm, var) for one in ends)


def copy_private(vm: Machine, frame: Frame, mark: ResumePoint | None) -> bool:
    """An array that only this variable has becomes one of the routine's own."""
    found = False
    working(vm).mark = mark
    for i in working(vm).moved:
        array = array_of(vm, frame.locals[i])
        held = names_of(vm, [frame.locals, frame.stack])
        if array is not None and vm.is_fresh(array) and held[array] == 1 and not vm.opaque:
            frame.locals[i] = computed(vm, OPS["ndarray.copy"], (array,), {})
            found = True
    return found


def arrays_apart(vm: Machine, frame: Frame, shape: LoopBody) -> None:
    """What is carried becomes another array: of the one that it was nobody else may know."""
    slots = [i for i, one in shape.carried.items() if isinstance(one[0], DynArrayType)]
    if not slots:
        return
    around = [frame.locals[i] for i in frame.code.live[frame.code.instrs[frame.index].offset]]
    only_named_once(vm, [frame.locals[i] for i in slots], [around, frame.stack])
    before = {id(v) for var in (*frame.locals, *frame.stack) for v in spans_in(var)}
    for way in leaves(shape.tree):
        if way.end not in (End.ROUND, End.OUT):
            continue
        given = [way.locals[i] for i in slots]
        live = [way.locals[i] for i in frame.code.live[way.at]]
        only_named_once(vm, given, [live, way.stack])
        values = [value for var in given for value in spans_in(var)]
        reject_strided(vm, values)
        size_limits.uses(vm, values)
        later = way.end is End.ROUND
        if later and any(id(v) in before for var in given for v in spans_in(var)):
            raise CannotCapture("this loop sets a variable to an array that was made before it")
        for i, param in zip(slots, spans_of(shape), strict=True):
            if not all(in_c_order(vm, v) for v in spans_in(way.locals[i])):
                vm.parts.in_c_order.discard(param)
    first = [value for i in slots for value in spans_in(frame.locals[i])]
    if not all(in_c_order(vm, one) for one in (*first, *spans_of(shape))):
        raise CannotCapture(
            "this loop carries an array of unknown memory layout from one iteration to the next"
        )


def spans_of(shape: LoopBody) -> list[Value]:
    return [param for param in shape.params if isinstance(param.type, DynArrayType)]


def drop_spans(vm: Machine, frame: Frame) -> None:
    """Parts of arrays are known inside a routine only: if they are used after it, another region
    begins there."""
    live = frame.code.live[frame.code.instrs[frame.index].offset]
    for i, var in enumerate(frame.locals):
        if spans_in(var) or local_stack.handed_over(vm, var):
            if i in live:
                handed_over(vm, var)
            else:
                frame.locals[i] = None
    for var in frame.stack:
        handed_over(vm, var)


def handed_over(vm: Machine, var: Var | None) -> None:
    working(vm).hands_over |= local_stack.handed_over(vm, var)
    for value in spans_in(var):
        working(vm).hands_over = True
        reject_unordered(vm, [value])
