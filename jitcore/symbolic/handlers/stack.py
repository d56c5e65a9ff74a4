"""Opcodes that only move values about."""

from __future__ import annotations

from jitcore.opcodes.canon import Canon
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.placeholders import NULL, Null
from jitcore.symbolic.state import Frame
from jitcore.symbolic.unwind import kept_by, leave
from jitcore.symbolic.values import Known, Var


@opcode("NOP", "--")
@opcode("RESUME", "--")
@opcode("PRECALL", "--")
@opcode("END_FOR", "--")  # FOR_ITER jumps past it
def nothing(vm: Machine, frame: Frame, canon: Canon) -> None:
    pass


@opcode("POP_TOP", "value --")
def pop_top(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    vm.let_go(value)


@opcode("PUSH_NULL", "-- null")
def push_null(vm: Machine, frame: Frame, canon: Canon) -> Null:
    return NULL


@opcode("COPY")
def copy(vm: Machine, frame: Frame, canon: Canon) -> None:
    frame.stack.append(frame.stack[-canon.arg])


@opcode("SWAP")
def swap(vm: Machine, frame: Frame, canon: Canon) -> None:
    stack = frame.stack
    stack[-1], stack[-canon.arg] = stack[-canon.arg], stack[-1]


@opcode("LOAD_CONST", "-- value")
def load_const(vm: Machine, frame: Frame, canon: Canon) -> Var:
    return Known(canon.argval)


@opcode("RETURN_VALUE", "value --")
def return_value(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    kept = kept_by(frame)
    if kept is not None:
        leave(vm, kept, "it is kept")
    frame.result = value
