"""C + region points → C*: our own assembler.

    in C               in C*
                       LOAD_CONST point; UNARY_INVERT; POP_JUMP_IF_TRUE leave
    instruction        instruction
    (end)              leave: LOAD_CONST None; RETURN_VALUE | INTERPRETER_EXIT
                       RETURN_VALUE, where frames go on that only have to return

Instructions, handler depths, lasti flags, locals and positions stay as they are; jumps, the
exception table and the location table are moved. The stack does not grow: a point stands only where
there is room for one value more. A jump to the instruction lands on its point. (The `bytecode`
package recomputes handler depths and reorders locals, which makes wrong programs of points inside
expressions under `try` and `with`.)
"""

from __future__ import annotations

import dis
import opcode
from array import array
from collections.abc import Mapping
from types import CodeType

from jitcore.host.fast_dataclass import dataclass
from jitcore.opcodes import tables
from jitcore.opcodes.decode import Code, decode
from jitcore.opcodes.encode import pack_exception_table, pack_linetable
from jitcore.opcodes.instr import NOWHERE, Instr, Position


@dataclass(frozen=True, slots=True)
class Spliced:
    """C*, and where C's code units went: to the point before the instruction, and to itself."""

    code: CodeType
    at_point: array[int]
    at_instr: array[int]


@dataclass(slots=True)
class CodeItem:
    op: int
    arg: int
    position: Position
    caches: int
    target: CodeItem | None = None
    target_offset: int = -1
    backward: bool = False
    units: int = 1  # EXTENDED_ARG included
    at: int = 0  # byte offset in C*

    @property
    def end(self) -> int:
        return self.at + 2 * (self.units + self.caches)


def splice(decoded: Code, points: Mapping[int, object]) -> Spliced:
    code = decoded.code
    consts = list(code.co_consts)
    leave = [
        item("LOAD_CONST", none_index(consts), NOWHERE),
        item(tables.LEAVE, 0, NOWHERE),
        item("RETURN_VALUE", 0, NOWHERE),
    ]
    items: list[CodeItem] = []
    landing: dict[int, CodeItem] = {}
    originals: dict[int, CodeItem] = {}
    previous = None
    for instr in decoded.instrs:
        own = item(instr.op, instr.arg, instr.position)
        if instr.target is not None:
            own.target_offset, own.backward = instr.target, "JUMP_BACKWARD" in instr.op
        first = own
        if instr.offset in points:
            consts.append(points[instr.offset])
            point = point_items(len(consts) - 1, instr.position, leave[0])
            items.extend(point)
            first = point[0]
        elif tables.THROW_LOOKS_BACK and needs_fence(decoded, instr, previous):
            first = item("NOP", 0, instr.position)
            items.append(first)
        landing[instr.offset], originals[instr.offset] = first, own
        previous = instr
        items.append(own)
    items.extend(leave)
    link(items, landing)
    layout(items)
    end = leave[0].at
    new = code.replace(
        co_code=assemble(items),
        co_consts=tuple(consts),
        co_exceptiontable=pack_exception_table(moved_handlers(decoded, landing, end)),
        co_linetable=pack_linetable(
            ((i.position, i.units + i.caches) for i in items), code.co_firstlineno
        ),
    )
    units = len(code.co_code) // 2
    return Spliced(new, unit_map(units, landing), unit_map(units, originals))


def needs_fence(decoded: Code, instr: Instr, previous: Instr | None) -> bool:
    """The unit before has another handler, which an exception thrown here would find."""
    if previous is None or not tables.may_stand(instr.op, previous.op):
        return False
    return decoded.handler_of(instr.offset) is not decoded.handler_of(previous.offset)


def item(name: str, arg: int, position: Position) -> CodeItem:
    number = dis.opmap[name]
    return CodeItem(number, arg, position, tables.CACHES[number])


def point_items(const: int, position: Position, leave: CodeItem) -> list[CodeItem]:
    jump = item(tables.JUMP_IF_TRUE, 0, position)
    jump.target = leave
    return [item("LOAD_CONST", const, position), item("UNARY_INVERT", 0, position), jump]


def none_index(consts: list[object]) -> int:
    for i, const in enumerate(consts):
        if const is None:
            return i
    consts.append(None)
    return len(consts) - 1


def link(items: list[CodeItem], landing: dict[int, CodeItem]) -> None:
    for each in items:
        if each.target_offset >= 0:
            each.target = landing[each.target_offset]


def layout(items: list[CodeItem]) -> None:
    """Offsets and jump arguments, growing EXTENDED_ARG until nothing changes."""
    growing = True
    while growing:
        growing = False
        at = 0
        for each in items:
            each.at = at
            at = each.end
        for each in items:
            if each.target is not None:
                distance = each.target.at - each.end
                each.arg = (-distance if each.backward else distance) // 2
            units = 1 + (each.arg > 0xFF) + (each.arg > 0xFFFF) + (each.arg > 0xFFFFFF)
            if units > each.units:
                each.units, growing = units, True


def assemble(items: list[CodeItem]) -> bytes:
    out = bytearray()
    for each in items:
        for shift in range(8 * (each.units - 1), 0, -8):
            out += bytes((opcode.EXTENDED_ARG, (each.arg >> shift) & 0xFF))
        out += bytes((each.op, each.arg & 0xFF)) + bytes(2 * each.caches)
    return bytes(out)


def moved_handlers(
    decoded: Code, landing: dict[int, CodeItem], end: int
) -> list[tuple[int, int, int, int, bool]]:
    def moved(offset: int) -> int:
        return landing[offset].at if offset in landing else end

    return [
        (moved(h.start), moved(h.end), moved(h.target), h.depth, h.lasti) for h in decoded.handlers
    ]


def unit_map(units: int, where: dict[int, CodeItem]) -> array[int]:
    """By C's code unit; -1 inside an instruction."""
    found = array("i", [-1]) * units
    for offset, each in where.items():
        found[offset // 2] = each.at // 2
    return found


def allowed(code: CodeType) -> frozenset[int]:
    return decode(code).allowed
