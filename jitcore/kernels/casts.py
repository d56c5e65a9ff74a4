"""NumPy's casts → C."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.c_expression import CExpression, CKind
from jitcore.toolchain.abi import c_type
from jitcore.toolchain.literals import literal

LEAST_I64 = -(1 << 63)
TRUTH = CExpression("({0} != 0)")


def cast_code(source: np.dtype[Any], target: np.dtype[Any]) -> tuple[CExpression, str]:
    """Not of float16, nor from complex to real. The condition is that under which C defines it."""
    to = c_type(target)
    if source.kind == "c":
        part = c_type(np.dtype(target.char.lower()))
        return CExpression(f"(({to}){{{{({part}){{0}}.re, ({part}){{0}}.im}}}})"), ""
    if target.kind == "c":
        part = c_type(np.dtype(target.char.lower()))
        return CExpression(f"(({to}){{{{({part}){truth(source)}, 0}}}})"), ""
    if target.kind == "b":
        return TRUTH, ""
    if source.kind == "f" and target.kind == "i" and target.itemsize == 8:
        least = literal(np.int64(LEAST_I64))
        whole = CExpression(f"rt_whole_{c_type(source)}({{0}})", CKind.CONVERTS)
        return whole, f"({{1}} != {least} || {{0}} == -0x1p63)"
    if source.kind == "f" and target.kind in "iu":
        return CExpression(f"({to}){{0}}"), in_range(source, target)
    return CExpression(f"({to}){truth(source)}"), ""


def truth(source: np.dtype[Any]) -> str:
    """A bool counts as 0 or 1, whatever its byte."""
    return "({0} != 0)" if source.kind == "b" else "{0}"


def in_range(source: np.dtype[Any], target: np.dtype[Any]) -> str:
    """low - 1 < x < high, truncation being towards zero; low <= x where low - 1 is no float."""
    signed = target.kind == "i"
    low = -(2.0 ** (8 * target.itemsize - 1)) if signed else 0.0
    high = 2.0 ** (8 * target.itemsize - signed)
    below = float(source.type(low - 1))
    least = f"{{0}} >= {low.hex()}" if below == low else f"{{0}} > {below.hex()}"
    return f"{least} && {{0}} < {high.hex()}"
