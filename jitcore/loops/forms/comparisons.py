"""Comparisons of numbers in C. None raises a flag, as none of NumPy's or Python's warns."""

from __future__ import annotations

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.types import ScalarType
from jitcore.loops.c_types import is_int, number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import FORMS, Form, both, within

QUIET = {"<": "isless", "<=": "islessequal", ">": "isgreater", ">=": "isgreaterequal"}


def comparison(sign: str) -> Form:
    def made(w: LoopEmitter, node: Node) -> str:
        kinds = [number(arg) for arg in node.args]
        if any(kind.dtype.kind == "c" for kind in kinds):
            return compared_complex(w, node, sign)
        if any(kind.dtype.kind == "f" for kind in kinds):
            return compared_floats(w, node, sign, kinds)
        a, b = (w.text(arg) for arg in node.args)
        large = [kind.dtype.char in "LQ" for kind in kinds]
        if all(large) or not any(large):
            return f"{a} {sign} {b}" if all(large) else f"(i64){a} {sign} (i64){b}"
        signed = b if large[0] else a
        if any(not kind.python and kind.dtype.kind == "i" for kind in kinds):
            raise CannotLower("int64 and uint64 compared")
        w.leave_if(node, f"(i64){signed} < 0")
        return f"(u64){a} {sign} (u64){b}"

    return made


def compared_floats(w: LoopEmitter, node: Node, sign: str, kinds: list[ScalarType]) -> str:
    """Python compares an int and a float as they are; so does a float of either where it is
    exact."""
    narrow = all(
        kind.dtype.char == "f" or (kind.python and kind.dtype.kind in "fi") for kind in kinds
    )
    narrow = narrow and any(kind.dtype.char == "f" for kind in kinds)
    if any(not kind.python and kind.dtype.char == "f" for kind in kinds) and any(
        is_int(kind) and not kind.python for kind in kinds
    ):
        raise CannotLower("float32 compared with an int of NumPy")
    to = ScalarType(np.dtype(np.float32 if narrow else np.float64))
    for arg in node.args:
        if is_int(number(arg)) and number(arg).python:
            within(w, node, arg)
    a, b = both(w, node, to)
    return f"{a} {sign} {b}" if sign in ("==", "!=") else f"__builtin_{QUIET[sign]}({a}, {b})"


def compared_complex(w: LoopEmitter, node: Node, sign: str) -> str:
    if sign not in ("==", "!=") or any(number(arg).dtype.char != "D" for arg in node.args):
        raise CannotLower(f"{sign} of complex numbers")
    a, b = (w.text(arg) for arg in node.args)
    same = f"({a}.re == {b}.re && {a}.im == {b}.im)"
    return same if sign == "==" else f"!{same}"


for _name, _sign in (
    ("lt", "<"),
    ("le", "<="),
    ("eq", "=="),
    ("ne", "!="),
    ("gt", ">"),
    ("ge", ">="),
):
    FORMS[f"op.{_name}"] = comparison(_sign)
