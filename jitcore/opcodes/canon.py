"""Native instruction → canonical ones. Here version differences end.

Canon(op, arg, argval, target, layout)

LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR STORE_FAST DELETE_FAST LOAD_CLOSURE   arg: slot
LOAD_DEREF STORE_DEREF DELETE_DEREF MAKE_CELL                                       arg: slot
LOAD_CONST argval · LOAD_GLOBAL STORE_GLOBAL DELETE_GLOBAL LOAD_ATTR STORE_ATTR … argval: name
LOAD_METHOD LOAD_SUPER_ATTR CALL CALL_KW CALL_FUNCTION_EX   layout: "null-first" or "null-last", the
                 order of the callable and NULL on the stack; LOAD_SUPER_ATTR with layout None
                 loads a plain attribute
BINARY_OP argval "+", "+=" … · COMPARE_OP argval "<" … · KW_NAMES argval names
JUMP_FORWARD JUMP_BACKWARD POP_JUMP_IF_* FOR_ITER      target: byte offset in C; FOR_ITER's is where
                 CPython goes on when the iterator is exhausted, which has then been popped
FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE LIST_TO_TUPLE UNARY_POSITIVE TO_BOOL …
"""

from __future__ import annotations

import opcode
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from jitcore.host.private_names import binary_operators
from jitcore.opcodes import tables
from jitcore.opcodes.instr import Instr

OPERATORS = tuple(symbol for _, symbol in binary_operators)


class Canon(NamedTuple):
    op: str
    arg: int = 0
    argval: Any = None
    target: int = -1
    layout: str | None = None


Row = Callable[[CodeType, Instr], tuple[Canon, ...]]


def canonical(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    row = ROWS.get(instr.op)
    if row is not None:
        return row(code, instr)
    target = instr.target if instr.target is not None else -1
    return (Canon(instr.op, instr.arg, instr.arg, target),)


def const(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon("LOAD_CONST", instr.arg, code.co_consts[instr.arg]),)


def return_const(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (*const(code, instr), Canon("RETURN_VALUE"))


def named(op: str, shift: int = 0) -> Row:
    def row(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
        return (Canon(op, instr.arg, code.co_names[instr.arg >> shift]),)

    return row


def pair(first: str, second: str) -> Row:
    """A super-instruction over two locals, four bits each."""

    def row(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
        return (Canon(first, instr.arg >> 4), Canon(second, instr.arg & 15))

    return row


def renamed(op: str) -> Row:
    def row(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
        target = instr.target if instr.target is not None else -1
        return (Canon(op, instr.arg, instr.arg, target),)

    return row


def load_global(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    load = Canon("LOAD_GLOBAL", instr.arg, code.co_names[instr.arg >> 1])
    if not instr.arg & 1:
        return (load,)
    null = Canon("PUSH_NULL")
    return (null, load) if tables.LAYOUT == "null-first" else (load, null)


def load_attr(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    """3.12 and later: the low bit says method form."""
    name = code.co_names[instr.arg >> 1]
    if instr.arg & 1:
        return (Canon("LOAD_METHOD", instr.arg, name, layout=tables.LAYOUT),)
    return (Canon("LOAD_ATTR", instr.arg, name),)


def load_method(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon("LOAD_METHOD", instr.arg, code.co_names[instr.arg], layout=tables.LAYOUT),)


def load_super_attr(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    layout = tables.LAYOUT if instr.arg & 1 else None
    return (Canon("LOAD_SUPER_ATTR", instr.arg, code.co_names[instr.arg >> 2], layout=layout),)


def call(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon(instr.op, instr.arg, layout=tables.LAYOUT),)


def kw_names(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon("KW_NAMES", instr.arg, code.co_consts[instr.arg]),)


def binary_op(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon("BINARY_OP", instr.arg, OPERATORS[instr.arg]),)


def compare_op(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    compare = Canon("COMPARE_OP", instr.arg, opcode.cmp_op[instr.arg >> tables.COMPARE_SHIFT])
    wants_bool = tables.COMPARE_BOOL and instr.arg & tables.COMPARE_BOOL
    return (compare, Canon("TO_BOOL")) if wants_bool else (compare,)


def for_iter(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    assert instr.target is not None
    return (Canon("FOR_ITER", instr.arg, target=instr.target + tables.FOR_ITER_SKIPS),)


def format_value(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    """3.11 and 3.12: conversion in the low bits, then whether a spec lies on the stack."""
    spec, conversion = instr.arg & 4, instr.arg & 3
    if not conversion:
        return (Canon("FORMAT_WITH_SPEC" if spec else "FORMAT_SIMPLE"),)
    if spec:
        return (Canon("SWAP", 2), Canon("CONVERT_VALUE", conversion), Canon("SWAP", 2),
                Canon("FORMAT_WITH_SPEC"))  # fmt: skip
    return (Canon("CONVERT_VALUE", conversion), Canon("FORMAT_SIMPLE"))


def intrinsic_1(code: CodeType, instr: Instr) -> tuple[Canon, ...]:
    return (Canon(tables.INTRINSICS.get(instr.arg, "CALL_INTRINSIC_1"), instr.arg),)


COMMON: dict[str, Row] = {
    "LOAD_CONST": const,
    "RETURN_CONST": return_const,
    "LOAD_GLOBAL": load_global,
    "LOAD_SUPER_ATTR": load_super_attr,
    "CALL": call,
    "CALL_KW": call,
    "CALL_FUNCTION_EX": call,
    "KW_NAMES": kw_names,
    "BINARY_OP": binary_op,
    "COMPARE_OP": compare_op,
    "FOR_ITER": for_iter,
    "FORMAT_VALUE": format_value,
    "CALL_INTRINSIC_1": intrinsic_1,
    "LOAD_METHOD": load_method,
    "LOAD_FAST_LOAD_FAST": pair("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": pair("STORE_FAST", "STORE_FAST"),
    "STORE_FAST_LOAD_FAST": pair("STORE_FAST", "LOAD_FAST"),
    **{op: named(op) for op in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR",
                                "IMPORT_NAME", "IMPORT_FROM", "LOAD_NAME", "STORE_NAME",
                                "DELETE_NAME")},
}  # fmt: skip
EXTRA: dict[str, Row] = {old: renamed(new) for old, new in tables.RENAMED.items()}
ROWS: dict[str, Row] = {
    **COMMON,
    **EXTRA,
    "LOAD_ATTR": load_attr if tables.ATTR_METHOD_BIT else named("LOAD_ATTR"),
}
