"""Where an exit can be looked at: a region point before its instruction, or, where the stack has no
room for one, some loads earlier.

    LOAD_GLOBAL print      ◁ a point may stand here
    LOAD_FAST y
    CALL 1                 ◁ the region is left here
"""

from __future__ import annotations

from jitcore.opcodes.decode import Code

LOADS = frozenset(
    """LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_LOAD_FAST LOAD_CONST LOAD_GLOBAL
    LOAD_NAME LOAD_DEREF PUSH_NULL KW_NAMES PRECALL NOP""".split()
)
CALLS = frozenset(
    ("PRECALL", "CALL", "CALL_KW")
)  # regions do not begin before them, but points may
NAMED = frozenset(("KW_NAMES", "PRECALL"))  # but not after these
RETURNS = "RETURN_VALUE"


def place_before(code: Code, start: int, offset: int) -> int | None:
    """None: there is none. A point stands at `start`, where the region begins."""
    targets = {instr.target for instr in code.instrs}
    targets |= {handler.target for handler in code.handlers}
    at = code.by_offset[offset]
    while code.instrs[at].offset != start and not has_room(code, at):
        here = code.instrs[at].offset
        if here in targets or at == 0 or code.instrs[at - 1].op not in LOADS:
            return None
        at -= 1
    return code.instrs[at].offset


def has_room(code: Code, at: int) -> bool:
    instr, offset = code.instrs[at], code.instrs[at].offset
    if offset in code.allowed:
        return True
    named = code.instrs[at - 1].op in NAMED
    room = code.depths.get(offset, code.code.co_stacksize) < code.code.co_stacksize
    return instr.op in CALLS and not named and room and offset > code.start >= 0


def returns_at(code: Code, offset: int) -> bool:
    """What lies on the stack is what the frame ends with."""
    return code.instrs[code.by_offset[offset]].op == RETURNS


def comes_once(code: Code, start: int, offset: int) -> bool:
    """No way from one to the other goes round a loop, nor is the other in one that begins later."""
    entered = (b for b in code.loops.values() if offset in b.body and start not in b.body)
    if offset < start or any(entered):
        return False
    between = (i for i in code.instrs if start <= i.offset < offset)
    return not any("BACKWARD" in i.op or (i.target or offset) < i.offset for i in between)
