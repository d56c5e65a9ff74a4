"""A code object as the package `bytecode` decodes it, in our terms: offsets in bytes."""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from bytecode import ConcreteBytecode, ConcreteInstr

Handler = tuple[int, int, int, int, bool]  # start, end, target, depth, lasti


class Row(NamedTuple):
    """What Instr has, but for its end, which is where the next one begins."""

    offset: int
    op: str
    arg: int
    target: int | None
    position: tuple[int | None, ...]


def rows_of(code: CodeType) -> list[Row]:
    found, at = [], 0
    for each in ConcreteBytecode.from_code(code):
        assert isinstance(each, ConcreteInstr)
        if each.name != "CACHE":
            target, place = each.get_jump_target(at // 2), each.location
            assert place is not None
            position = (place.lineno, place.end_lineno, place.col_offset, place.end_col_offset)
            arg = int(each.arg) if each.require_arg() else 0
            found.append(Row(at, each.name, arg, None if target is None else 2 * target, position))
        at += each.size
    return found


def handlers_of(code: CodeType) -> list[Handler]:
    return [
        (2 * e.start_offset, 2 * e.stop_offset + 2, 2 * e.target, e.stack_depth, e.push_lasti)
        for e in ConcreteBytecode.from_code(code).exception_table
    ]


def assembled(code: CodeType) -> CodeType:
    """By `bytecode` from what it has decoded, its stack depths untouched."""
    return ConcreteBytecode.from_code(code).to_code(
        code.co_stacksize, compute_exception_stack_depths=False
    )
