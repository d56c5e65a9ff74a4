"""Operations on numbers, one by one, in C: as CPython and NumPy's scalars compute them.

FORMS      name of a row → form(writer, node), which gives the C expression of the result
BY_TARGET  the same for rows that are made for a builtin: int, math.sin

arithmetic.py, comparisons.py, functions.py, elements.py and ufuncs.py fill them. A form writes only
what plain C gets right for every operand, and leaves the routine where it would not: an int beyond
64 bits, a zero to divide by, a warning. CPython then repeats the operation in its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.types import ScalarType
from jitcore.ir.value import Value
from jitcore.loops.c_types import c_type, number, result
from jitcore.loops.emitter import LoopEmitter

Form = Callable[[LoopEmitter, Node], str]
FORMS: dict[str, Form] = {}
BY_TARGET: dict[int, tuple[object, Form]] = {}
EXACT = 1 << 53  # ints up to here are floats


def form(*names: str) -> Callable[[Form], Form]:
    def register(made: Form) -> Form:
        for name in names:
            FORMS[name] = made
        return made

    return register


def target(*callables: object) -> Callable[[Form], Form]:
    def register(made: Form) -> Form:
        for one in callables:
            BY_TARGET[id(one)] = (one, made)
        return made

    return register


# ---- types --------------------------------------------------------------------------------------


# ---- operands -----------------------------------------------------------------------------------


def converted(w: LoopEmitter, node: Node, arg: Any, to: ScalarType) -> str:
    """An operand as a number of the type that the operation is done in."""
    kind, text = number(arg), w.text(arg)
    if kind.dtype == to.dtype:
        return text
    source, goal = kind.dtype.kind, to.dtype.kind
    if goal == "c":
        part = "f32" if to.dtype.char == "F" else "f64"
        if source == "c" and part == "f32" and type(arg) is not Value:
            raise CannotLower("a complex constant as complex64")
        if source == "c":
            return f"(({c_type(to)}){{({part}){text}.re, ({part}){text}.im}})"
        return f"(({c_type(to)}){{{real(w, node, arg, to)}, 0}})"
    if source == "c":
        raise CannotLower("a complex number as a real one")
    if goal == "f":
        return real(w, node, arg, to)
    if goal in "iu":
        return whole(w, node, arg, to)
    raise CannotLower(f"{kind} as {to}")


def real(w: LoopEmitter, node: Node, arg: Any, to: ScalarType) -> str:
    kind, text = number(arg), w.text(arg)
    narrow = to.dtype.char in "fF"
    if narrow and kind.python and kind.dtype.kind in "if":
        if kind.dtype.kind == "i":
            within(w, node, arg)
        return narrowed(w, node, arg, text)
    if narrow and kind.dtype.char == "d":
        return narrowed(w, node, arg, text)
    if narrow and kind.dtype.kind in "iu" and kind.dtype.itemsize > 2:
        raise CannotLower(f"{kind} as float32")
    name = "f32" if narrow else "f64"
    # gcc 12 makes 0.0 - (double)i into -(double)i, which is -0.0 for 0; not where i is a variable
    return w.kept(name, f"({name}){text}") if type(arg) is Value else f"({name}){text}"


def narrowed(w: LoopEmitter, node: Node, arg: Any, text: str) -> str:
    """As float32. NumPy warns where that is too small for it."""
    if type(arg) is not Value:
        with np.errstate(over="ignore"):
            fits = bool(np.isinf(np.float32(arg)) == np.isinf(float(arg)))
        if not fits:
            raise CannotLower(f"{arg} as float32")
        return f"(f32)(f64){text}"
    out = w.kept("f32", f"(f32)(f64){text}")
    w.leave_if(node, f"__builtin_isinf({out}) && !__builtin_isinf((f64){text})")
    return out


def whole(w: LoopEmitter, node: Node, arg: Any, to: ScalarType) -> str:
    kind, text = number(arg), w.text(arg)
    if kind.dtype.kind == "f":
        raise CannotLower("a float as an int")
    name = c_type(to)
    if kind.python and kind.dtype.kind == "i" and to.dtype != np.dtype(np.int64):
        if type(arg) is int:
            limits = np.iinfo(to.dtype)
            if not limits.min <= arg <= limits.max:
                raise CannotLower(f"{arg} as {to}")
        else:
            bad = f"{text} < 0" if name == "u64" else f"({name}){text} != {text}"
            w.leave_if(node, bad)
    return f"({name}){text}"


def within(w: LoopEmitter, node: Node, arg: Any) -> None:
    """Beyond 2**53 it would matter how an int becomes a float."""
    if type(arg) is int:
        if abs(arg) > EXACT:
            raise CannotLower("a large int as a float")
    elif number(arg).dtype.itemsize == 8 and number(arg).dtype.kind in "iu":
        text = w.text(arg)
        w.leave_if(node, f"{text} > {EXACT}LL || {text} < -{EXACT}LL")


def both(w: LoopEmitter, node: Node, to: ScalarType | None = None) -> tuple[str, str]:
    to = to or result(node)
    a, b = (converted(w, node, arg, to) for arg in node.args)
    return a, b


# ---- ranges -------------------------------------------------------------------------------------


@form("range.count")
def range_count(w: LoopEmitter, node: Node) -> str:
    start, stop, _ = map(w.text, node.args)
    large = 1 << 61
    for arg in node.args[:2]:
        if type(arg) is not int:
            w.leave_if(node, f"{w.text(arg)} > {large}LL || {w.text(arg)} < -{large}LL")
    if type(node.args[2]) is not int:
        return f"rt_range_count({', '.join(map(w.text, node.args))})"
    low, high = (start, stop) if node.args[2] > 0 else (stop, start)
    size = abs(node.args[2])
    return f"{low} < {high} ? ({high} - {low} + {size - 1}LL) / {size}LL : 0"


@form("range.step")
def range_step(w: LoopEmitter, node: Node) -> str:
    step, large = w.text(node.args[0]), 1 << 61
    w.leave_if(node, f"{step} == 0 || {step} > {large}LL || {step} < -{large}LL")
    return step


@form("range.item")
def range_item(w: LoopEmitter, node: Node) -> str:
    start, step, k = map(w.text, node.args)
    return f"{start} + {step} * {k}"


@form("range.next")
def range_next(w: LoopEmitter, node: Node) -> str:
    return f"{w.text(node.args[0])} + 1"


@form("least")
def least(w: LoopEmitter, node: Node) -> str:
    a, b = map(w.text, node.args)
    return f"{a} < {b} ? {a} : {b}"


@form("left")
def left(w: LoopEmitter, node: Node) -> str:
    taken, count = map(w.text, node.args)
    return f"{taken} < {count}"


def form_of(node: Node) -> Form | None:
    found = BY_TARGET.get(id(node.op.target))
    if node.op.name in FORMS:
        return FORMS[node.op.name]
    return found[1] if found is not None and found[0] is node.op.target else None
