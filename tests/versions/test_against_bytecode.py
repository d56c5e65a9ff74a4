"""Our decoding, packing and tables against the package `bytecode`, over the standard library."""

from __future__ import annotations

import dis
from functools import partial
from itertools import pairwise
from types import CodeType

from bytecode import BinaryOp, Bytecode, Compare, ConcreteInstr, Instr, Intrinsic1Op
from support.by_bytecode import assembled, handlers_of, rows_of
from support.library import library

from jitcore.opcodes import tables
from jitcore.opcodes.canon import OPERATORS, Canon, canonical
from jitcore.opcodes.decode import decode
from jitcore.opcodes.encode import pack_exception_table, pack_linetable

MODULES = """contextlib asyncio/tasks asyncio/base_events dataclasses argparse inspect tarfile
    traceback test/test_patma test/test_generators test/test_coroutines test/test_except_star"""
CODES = library(MODULES)
DECODED = [decode(code) for code in CODES]
SIGNS = dict(zip(("LT", "LE", "EQ", "NE", "GT", "GE"), dis.cmp_op, strict=True))


def test_instructions_and_positions() -> None:
    for code, decoded in zip(CODES, DECODED, strict=True):
        rows = rows_of(code)
        assert [(i.offset, i.op, i.arg, i.target, i.position) for i in decoded.instrs] == rows
        starts = [row.offset for row in rows] + [len(code.co_code)]
        assert [(i.offset, i.end) for i in decoded.instrs] == [*pairwise(starts)]


def test_exception_tables_there_and_back() -> None:
    for code, decoded in zip(CODES, DECODED, strict=True):
        rows = [(h.start, h.end, h.target, h.depth, h.lasti) for h in decoded.handlers]
        assert rows == handlers_of(code)
        assert pack_exception_table(rows) == assembled(code).co_exceptiontable


def test_positions_there_and_back() -> None:
    for code, decoded in zip(CODES, DECODED, strict=True):
        items = [(i.position, (i.end - i.offset) // 2) for i in decoded.instrs]
        packed = code.replace(co_linetable=pack_linetable(items, code.co_firstlineno))
        assert [*packed.co_positions()] == [*assembled(code).co_positions()]
        assert rows_of(packed) == rows_of(code)


def instr(op: str) -> ConcreteInstr:
    one = partial(ConcreteInstr, op)
    try:
        return one(0)
    except ValueError:  # it has no argument
        return one()


def test_where_nothing_falls_through() -> None:
    """INTERPRETER_EXIT is never written by a compiler, and `bytecode` says nothing of it."""
    names = {op for op, number in dis.opmap.items() if number < 256 and "INSTRUMENTED" not in op}
    ends = {op for op in names if instr(op).is_final()}
    assert tables.NO_FALL_THROUGH & names == ends | {"INTERPRETER_EXIT"} & names


def test_jumps_and_stack_effects() -> None:
    """Of RETURN_GENERATOR it says what dis says; ours counts what a resumed generator is sent."""
    seen = {(i.op, i.arg): i.target for decoded in DECODED for i in decoded.instrs}
    for (op, arg), target in seen.items():
        theirs, number = instr(op), dis.opmap[op]
        assert theirs.has_jump() == (target is not None)
        given = arg if theirs.require_arg() else None
        if given is not None:
            theirs.arg = arg
        for jumps in (False, True):
            ours = tables.stack_effect(op, number, given, jumps)
            assert ours == theirs.stack_effect(jumps) + tables.EFFECTS.get(op, 0)
    assert len(seen) > 1000


def test_operands_mean_the_same() -> None:
    """Comparisons, operators, names, constants and pairs of locals, in the order of the code."""
    kinds = set()
    for code in library("contextlib inspect test/test_patma"):
        theirs = [each for each in Bytecode.from_code(code) if isinstance(each, Instr)]
        if any(each.name == "EXTENDED_ARG" for each in theirs):
            continue
        for one, each in zip(decode(code).instrs, theirs, strict=True):
            canon = max(canonical(code, one), key=lambda part: part.argval is not None)
            meaning = meant(code, canon, each)
            if meaning is not None:
                assert meaning[0] == meaning[1], (code, canon, each)
                kinds.add(type(each.arg).__name__)
    assert {"Compare", "BinaryOp", "str"} <= kinds


def meant(code: CodeType, canon: Canon, each: Instr) -> tuple[object, object] | None:
    """Ours and theirs; None: it has no operand of a kind that both explain."""
    match each.arg:
        case Compare():
            return canon.argval, SIGNS[each.arg.name.removesuffix("_CAST")]
        case BinaryOp():
            return canon.argval, OPERATORS[each.arg.value]
        case str(name) if canon.argval is not None and isinstance(canon.argval, str):
            return canon.argval, name
        case (bool(), str(name)):
            return canon.argval, name
        case (str(first), str()) if canon.op in ("LOAD_FAST", "STORE_FAST"):
            return code.co_varnames[canon.arg], first
    return None


def test_intrinsics_are_named_alike() -> None:
    for number, name in tables.INTRINSICS.items():
        assert Intrinsic1Op(number).name == f"INTRINSIC_{name}"
