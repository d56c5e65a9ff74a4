"""Instructions that are left to CPython, each with its row of the break table."""

from __future__ import annotations

from collections.abc import Callable

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakKind
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.state import Frame

LEFT: dict[BreakKind, tuple[str, ...]] = {
    breaks.AWAIT: ("GET_AWAITABLE", "SEND", "END_SEND", "CLEANUP_THROW", "ASYNC_GEN_WRAP"),
    breaks.ASYNC: ("GET_AITER", "GET_ANEXT", "END_ASYNC_FOR", "BEFORE_ASYNC_WITH"),
    breaks.YIELD: ("GET_YIELD_FROM_ITER",),
    breaks.IMPORT: ("IMPORT_NAME", "IMPORT_FROM", "IMPORT_STAR"),
    breaks.CLASS_DEFINITION: ("LOAD_BUILD_CLASS",),
    breaks.NAMESPACE: (
        *("DELETE_NAME", "SETUP_ANNOTATIONS", "LOAD_LOCALS"),
        *("LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS"),
    ),
    breaks.PATTERN: ("MATCH_CLASS",),
    breaks.UNSUPPORTED_OPCODE: (
        *("PRINT_EXPR", "CALL_INTRINSIC_1", "ENTER_EXECUTOR"),
        *("CHECK_EG_MATCH", "PREP_RERAISE_STAR", "CALL_INTRINSIC_2"),
        *("EXIT_INIT_CHECK", "INTERPRETER_EXIT"),
    ),
}


def detail(name: str, canon: Canon) -> str:
    """The name in the source text, where the instruction has one; an instruction's own says little
    to most users."""
    if isinstance(canon.argval, str):
        return canon.argval
    return name if name in LEFT[breaks.UNSUPPORTED_OPCODE] else ""


def left(kind: BreakKind, name: str) -> Callable[[Machine, Frame, Canon], None]:
    def run(vm: Machine, frame: Frame, canon: Canon) -> None:
        vm.stop(kind, detail(name, canon))

    return run


for kind, names in LEFT.items():
    for name in names:
        opcode(name)(left(kind, name))
