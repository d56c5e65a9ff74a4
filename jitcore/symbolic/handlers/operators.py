"""Unary, binary and comparison operators, subscripts, `is`, `in`, `not`, bool()."""

from __future__ import annotations

from jitcore.opcodes.canon import Canon
from jitcore.symbolic.handlers.build import make_slice
from jitcore.symbolic.loops.loop_region import branches_to_loop
from jitcore.symbolic.loops.loop_state import Arm
from jitcore.symbolic.loops.membership import among
from jitcore.symbolic.loops.union_value import if_none, of_parts
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects import comparisons, operators, subscripts
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Known, Var


@opcode("BINARY_OP", "lhs rhs -- res")
def binary_op(vm: Machine, frame: Frame, canon: Canon, lhs: Var, rhs: Var) -> Var:
    return operators.binary(vm, canon.argval, lhs, rhs)


@opcode("COMPARE_OP", "lhs rhs -- res")
def compare_op(vm: Machine, frame: Frame, canon: Canon, lhs: Var, rhs: Var) -> Var:
    settled = not (vm.start.sizes and before_loop(vm, frame))
    return comparisons.compare(vm, canon.argval, lhs, rhs, settled)


@opcode("UNARY_NEGATIVE", "value -- res")
def unary_negative(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return operators.unary(vm, "neg", value)


@opcode("UNARY_POSITIVE", "value -- res")
def unary_positive(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return operators.unary(vm, "pos", value)


@opcode("UNARY_INVERT", "value -- res")
def unary_invert(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return operators.unary(vm, "invert", value)


@opcode("UNARY_NOT", "value -- res")
def unary_not(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return operators.negate(vm, value)


@opcode("TO_BOOL", "value -- res")
def to_bool(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return operators.to_bool(vm, value, before_loop(vm, frame))


def before_loop(vm: Machine, frame: Frame) -> bool:
    """Is it for a branch with loops on its ways?"""
    jump = frame.code.instrs[frame.index]
    if vm.work is not None or jump.target is None or not jump.op.startswith("POP_JUMP"):
        return False
    return branches_to_loop(vm, frame, jump.offset, Arm(jump.target), Arm(jump.end))


@opcode("IS_OP", "lhs rhs -- res")
def is_op(vm: Machine, frame: Frame, canon: Canon, lhs: Var, rhs: Var) -> Var:
    found = if_none(vm, lhs) if isinstance(rhs, Known) and rhs.obj is None else None
    if found is not None:
        tag, _, _, is_none = found
        var = of_parts([tag])
        return var if is_none != bool(canon.arg) else operators.negate(vm, var)
    return Known(comparisons.identical(vm, lhs, rhs) != bool(canon.arg))


@opcode("CONTAINS_OP", "item container -- res")
def contains_op(vm: Machine, frame: Frame, canon: Canon, item: Var, container: Var) -> Var:
    found = among(vm, item, container) if vm.work is not None else None
    if found is not None:
        return operators.negate(vm, found) if canon.arg else found
    return Known(comparisons.contains(vm, item, container) != bool(canon.arg))


@opcode("BINARY_SUBSCR", "container key -- res")
def binary_subscr(vm: Machine, frame: Frame, canon: Canon, container: Var, key: Var) -> Var:
    return subscripts.getitem(vm, container, key)


@opcode("BINARY_SLICE", "container start end -- res")
def binary_slice(
    vm: Machine, frame: Frame, canon: Canon, container: Var, start: Var, end: Var
) -> Var:
    return subscripts.getitem(vm, container, make_slice(vm, start, end))


@opcode("STORE_SUBSCR", "value container key --")
def store_subscr(
    vm: Machine, frame: Frame, canon: Canon, value: Var, container: Var, key: Var
) -> None:
    subscripts.setitem(vm, container, key, value)


@opcode("STORE_SLICE", "value container start end --")
def store_slice(
    vm: Machine, frame: Frame, canon: Canon, value: Var, container: Var, start: Var, end: Var
) -> None:
    subscripts.setitem(vm, container, make_slice(vm, start, end), value)


@opcode("DELETE_SUBSCR", "container key --")
def delete_subscr(vm: Machine, frame: Frame, canon: Canon, container: Var, key: Var) -> None:
    subscripts.delitem(vm, container, key)
