"""An elementwise operation on parts of arrays → its dtypes, and its text in C for one element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.loops.c_types import number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact, Layout
from jitcore.loops.forms.scalars import converted
from jitcore.loops.forms.ufuncs import NATIVE, expression
from jitcore.toolchain.abi import C_TYPES

EITHER = frozenset((np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or))


def is_part(arg: Any) -> bool:
    return type(arg) is Value and isinstance(arg.type, DynArrayType | ArrayType)


def is_either(node: Node) -> bool:
    """Where one operand may be the answer, a C compiler does not compute the other, nor its
    flags."""
    return node.op.ufunc in EITHER and node.op.kind is Kind.MAP


def text_of(node: Node, dtypes: tuple[np.dtype[Any], ...], args: list[str]) -> str | None:
    if node.op.name == "where":  # no branch may hide the flags of either side
        return f"rt_select_{C_TYPES[dtypes[-1].char]}(({args[0]}) != 0, {args[1]}, {args[2]})"
    return expression(node, dtypes, args)


def written(
    w: LoopEmitter, node: Node, dtypes: tuple[np.dtype[Any], ...], args: list[str]
) -> str | None:
    """The text, for the line that comes next."""
    if node.op.name == "where":
        w.note(Fact.SELECTS)
    return text_of(node, dtypes, args)


# ---- dtypes -------------------------------------------------------------------------------------


def choice_dtypes(node: Node) -> tuple[np.dtype[Any], ...]:
    (out,) = node.outputs
    dtype = out.type.dtype  # type: ignore[union-attr]
    if len(node.args) != 3 or node.kwargs or dtype.char not in NATIVE:
        raise CannotLower("np.where of views of these dtypes")
    return np.dtype(bool), dtype, dtype, dtype


def loop_dtypes(node: Node) -> tuple[np.dtype[Any], ...]:
    ufunc = node.op.ufunc
    elementwise = node.op.kind is Kind.MAP  # of np.add.outer np.add is the ufunc, too
    if (
        not elementwise
        or ufunc is None
        or node.kwargs
        or len(node.outputs) != ufunc.nout
        or len(node.args) != ufunc.nin
    ):
        raise CannotLower(f"{node.op.words} of views")
    given: list[Any] = []
    for arg in node.args:
        kind = arg.type if is_part(arg) else number(arg)
        weak = isinstance(kind, ScalarType) and kind.python and kind.dtype.kind != "b"
        given.append(kind.pytype if weak else kind.dtype)
    dtypes: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    made = [out.type.dtype for out in node.outputs]  # type: ignore[union-attr]
    if any(d.char not in NATIVE for d in dtypes) or [*dtypes[ufunc.nin :]] != made:
        raise CannotLower(f"{node.op.words} of views of these dtypes")
    return dtypes


# ---- operands -----------------------------------------------------------------------------------


def hoisted(w: LoopEmitter, node: Node, arg: Any, dtype: np.dtype[Any]) -> str:
    """A number as an operand: converted once."""
    if dtype.kind == "b":
        return w.kept("u8", w.true(arg))
    return w.kept(C_TYPES[dtype.char], converted(w, node, arg, ScalarType(dtype)))


def named(w: LoopEmitter, text: str, dtype: np.dtype[Any]) -> str:
    """A row's expression may have an operand twice."""
    if text.isidentifier():
        return text
    name = w.fresh("e")
    w.line(f"const {C_TYPES[dtype.char]} {name} = {text};")
    return name


def cast(text: str, of: np.dtype[Any], to: np.dtype[Any]) -> str:
    if of == to:
        return text
    if "e" in (of.char, to.char):
        raise CannotLower("float16 as another type")  # C has its bits as an int
    if to.kind == "b" and of.kind in "iuf":
        return f"(({text}) != 0)"
    if not np.can_cast(of, to, "safe"):
        raise CannotLower(f"{of} as {to}")
    name = C_TYPES[to.char]
    if to.kind == "c":
        part = "f32" if to.char == "F" else "f64"
        if of.kind == "c":
            raise CannotLower("complex64 as complex128")
        return f"(({name}){{({part})({text}), 0}})"
    return f"({name})({text})"


def load(of: Layout, at: Sequence[str]) -> str:
    at = at[len(at) - len(of.extents) :]
    terms = [
        f" + {i} * {step}"
        for i, step, one in zip(at, of.steps, of.ones, strict=True)
        if not one and step != "0"
    ]
    text = f"*(const {C_TYPES[of.dtype.char]} *)({of.pointer}{''.join(terms)})"
    return f"({text} != 0)" if of.dtype.kind == "b" else text


def address(of: Layout, at: Sequence[str]) -> str:
    """Where the row begins that the outer indices `at` lead to."""
    outer = of.steps[:-1]
    ones = of.ones[:-1]
    at = at[len(at) - len(outer) :]
    terms = [f" + {k} * {s}" for k, s, one in zip(at, outer, ones, strict=True) if not one]
    return f"{of.pointer}{''.join(terms)}"
