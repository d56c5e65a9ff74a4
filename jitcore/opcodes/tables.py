"""The table of the running CPython: one of py311, py312, py313; and what they share."""

from __future__ import annotations

import dis
import opcode
import sys

from jitcore.host.private_names import cache_entries
from jitcore.opcodes import py311, py312, py313
from jitcore.opcodes.instr import Instr

TABLES = {(3, 11): py311, (3, 12): py312, (3, 13): py313}
table = TABLES[sys.version_info[:2]]

LAYOUT = table.LAYOUT
LEAVE = table.LEAVE
COMPARE_SHIFT = table.COMPARE_SHIFT
COMPARE_BOOL = table.COMPARE_BOOL
FOR_ITER_SKIPS = table.FOR_ITER_SKIPS
ATTR_METHOD_BIT = table.ATTR_METHOD_BIT
INTRINSICS = table.INTRINSICS
RENAMED = table.RENAMED
THROW_LOOKS_BACK = table.THROW_LOOKS_BACK
JUMP_IF_TRUE = table.JUMP_IF_TRUE
EFFECTS = table.EFFECTS

NO_FALL_THROUGH = frozenset(
    [
        "RETURN_VALUE",
        "RETURN_CONST",
        "RAISE_VARARGS",
        "RERAISE",
        "JUMP_FORWARD",
        "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT",
        "INTERPRETER_EXIT",
    ]
)
# Inside SEND … JUMP_BACKWARD_NO_INTERRUPT and after KW_NAMES the state is CPython's own.
FORBIDDEN = frozenset(
    [
        "RESUME",
        "PRECALL",
        "CALL",
        "CALL_KW",
        "RETURN_GENERATOR",
        "MAKE_CELL",
        "COPY_FREE_VARS",
        "YIELD_VALUE",
        "SEND",
        "JUMP_BACKWARD_NO_INTERRUPT",
        "END_SEND",
        "CLEANUP_THROW",
        "END_FOR",
        "END_ASYNC_FOR",
        "RERAISE",
        "CACHE",
    ]
)
FORBIDDEN_AFTER = frozenset(["YIELD_VALUE", "SEND", "KW_NAMES", "PRECALL"])


def may_stand(op: str, previous: str) -> bool:
    """A point (or anything else that is not C's) may stand between these two instructions."""
    if previous == "END_FOR" and FOR_ITER_SKIPS > 2:  # FOR_ITER jumps over END_FOR and POP_TOP
        return False
    return op not in FORBIDDEN and previous not in FORBIDDEN_AFTER


def _cache_units() -> tuple[int, ...]:
    if isinstance(cache_entries, dict):
        return tuple(int(cache_entries.get(name, 0)) for name in opcode.opname)
    return tuple(map(int, cache_entries))


CACHES = _cache_units()  # code units behind each instruction, by its number
JUMPS = frozenset(opcode.hasjrel)


def stack_effect(name: str, number: int, arg: int | None, jumps: bool) -> int:
    own = EFFECTS.get(name)
    return own if own is not None else dis.stack_effect(number, arg, jump=jumps)


READS = frozenset(
    [
        "LOAD_FAST",
        "LOAD_FAST_CHECK",
        "LOAD_FAST_AND_CLEAR",
        "DELETE_FAST",
        "LOAD_CLOSURE",
        "LOAD_DEREF",
        "STORE_DEREF",
        "DELETE_DEREF",
        "LOAD_CLASSDEREF",
        "LOAD_FROM_DICT_OR_DEREF",
        "MAKE_CELL",
    ]
)


def reads(instr: Instr) -> frozenset[int]:
    if instr.op in READS:
        return frozenset((instr.arg,))
    if instr.op == "LOAD_FAST_LOAD_FAST":
        return frozenset((instr.arg >> 4, instr.arg & 15))
    if instr.op == "STORE_FAST_LOAD_FAST" and instr.arg >> 4 != instr.arg & 15:
        return frozenset((instr.arg & 15,))
    return frozenset()


def writes(instr: Instr) -> frozenset[int]:
    if instr.op in ("STORE_FAST", "DELETE_FAST"):
        return frozenset((instr.arg,))
    if instr.op == "STORE_FAST_STORE_FAST":
        return frozenset((instr.arg >> 4, instr.arg & 15))
    if instr.op == "STORE_FAST_LOAD_FAST":
        return frozenset((instr.arg >> 4,))
    return frozenset()
