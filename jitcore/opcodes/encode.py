"""Instruction lists → bytes: code, exception table, location table (CPython: Objects/locations.md,
Objects/exception_handling_notes.txt)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from jitcore.opcodes.instr import Position

NO_LOCATION, NO_COLUMNS, LONG_FORM = 15, 13, 14


@lru_cache(maxsize=1024)
def varint(value: int) -> bytes:
    """Six bits a byte, low bits first, bit 6 set on all but the last: the location table's."""
    out = bytearray()
    while value >= 64:
        out.append(64 | (value & 63))
        value >>= 6
    out.append(value)
    return bytes(out)


def signed_varint(value: int) -> bytes:
    return varint((-value << 1) | 1 if value < 0 else value << 1)


def big_varint(value: int, first: bool = False) -> bytes:
    """Six bits a byte, high bits first; bit 7 marks the start of a row: the exception table's."""
    digits = [value & 63]
    while value := value >> 6:
        digits.append((value & 63) | 64)
    digits.reverse()
    if first:
        digits[0] |= 128
    return bytes(digits)


def pack_exception_table(rows: Iterable[tuple[int, int, int, int, bool]]) -> bytes:
    """Rows (start, end, target, depth, lasti), offsets in bytes."""
    out = bytearray()
    for start, end, target, depth, lasti in sorted(rows):
        out += big_varint(start // 2, True) + big_varint((end - start) // 2)
        out += big_varint(target // 2) + big_varint(depth << 1 | lasti)
    return bytes(out)


def pack_linetable(items: Iterable[tuple[Position, int]], first_line: int) -> bytes:
    """Items (position, code units)."""
    out = bytearray()
    line = first_line
    for position, units in items:
        while units > 0:
            chunk = min(units, 8)
            units -= chunk
            entry, line = _location(position, line, chunk)
            out += entry
    return bytes(out)


@lru_cache(maxsize=4096)
def _location(position: Position, line: int, units: int) -> tuple[bytes, int]:
    start, end, column, end_column = position
    if start is None:
        return bytes((128 | NO_LOCATION << 3 | units - 1,)), line
    delta = signed_varint(start - line)
    if end is None or column is None or end_column is None:
        return bytes((128 | NO_COLUMNS << 3 | units - 1,)) + delta, start
    rest = varint(end - start) + varint(column + 1) + varint(end_column + 1)
    return bytes((128 | LONG_FORM << 3 | units - 1,)) + delta + rest, start
