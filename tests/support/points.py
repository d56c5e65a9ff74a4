"""Points with scripted transfers, put into code."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

from jitcore import _C
from jitcore.fallback.splice import splice
from jitcore.opcodes.decode import Code, decode

RETURN, JUMP, RAISE = 1, 2, 3


def offset_of(code: CodeType, op: str, nth: int = 0, line: int | None = None) -> int:
    """Byte offset of the nth instruction of that name (prefix), `line` counted from the def."""
    found = [
        i.offset
        for i in decode(code).instrs
        if i.op.startswith(op)
        and (line is None or (i.position[0] or 0) - code.co_firstlineno == line)
    ]
    return found[nth]


def slot(code: CodeType, name: str) -> int:
    return decode(code).local_names.index(name)


def put(code: CodeType, points: dict[int, list[Any]]) -> dict[int, Any]:
    """Installs a C* with points that have these entries."""
    decoded: Code = decode(code)
    made = {}
    for offset, entries in points.items():
        assert offset in decoded.allowed, (offset, sorted(decoded.allowed))
        made[offset] = _C.Point(offset, decoded.depths[offset])
        for entry in entries:
            made[offset].add(entry)
    spliced = splice(decoded, made)
    _C.install(code, spliced.code, spliced.at_point, spliced.at_instr)
    return made


def null_everywhere(fn: FunctionType | CodeType, share: int = 256) -> dict[int, Any]:
    code = fn if isinstance(fn, CodeType) else fn.__code__
    for const in code.co_consts:
        if isinstance(const, CodeType):
            null_everywhere(const, share)
    return put(code, {o: [_C.NullEntry(o, share, 7 + o)] for o in decode(code).allowed})
