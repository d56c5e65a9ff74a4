"""Functions of one number or two in C: signs, truth, conversions, `math`."""

from __future__ import annotations

import math

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.loops.c_types import c_type, is_int, number, result
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import Form, form, target, within


@form("op.neg")
def negative(w: LoopEmitter, node: Node) -> str:
    kind, name, a = result(node).dtype.kind, c_type(result(node)), w.text(node.args[0])
    if kind == "i":
        out = w.scratch(name)
        w.leave_if(node, f"__builtin_sub_overflow(({name})0, ({name}){a}, &{out})")
        return out
    if kind == "f":
        return f"-{a}"
    if kind == "c":
        return f"({name}){{-{a}.re, -{a}.im}}"
    raise CannotLower(f"- of {result(node)}")


@form("op.pos")
def positive(w: LoopEmitter, node: Node) -> str:
    if number(node.args[0]) != result(node):
        raise CannotLower("+ of a bool")
    return w.text(node.args[0])


@form("op.invert")
def invert(w: LoopEmitter, node: Node) -> str:
    kind = number(node.args[0])
    if kind.dtype.kind not in "iu" or kind != result(node):
        raise CannotLower(f"~ of {kind}")
    return f"({c_type(kind)})~{w.text(node.args[0])}"


@form("op.abs")
@target(abs)
def absolute(w: LoopEmitter, node: Node) -> str:
    (arg,) = node.args
    kind, name, a = number(arg), c_type(result(node)), w.text(arg)
    if kind.dtype.kind == "f":
        return f"__builtin_fabs{'f' if name == 'f32' else ''}({a})"
    if kind.dtype.kind == "u":
        return a
    if kind.dtype.kind == "i":
        least = np.iinfo(kind.dtype).min
        w.leave_if(node, f"{a} == ({name}){least + 1}LL - 1")
        return f"({name})({a} < 0 ? -{a} : {a})"
    if kind.dtype.kind == "c" and kind.dtype.char == "D":
        w.leave_if(node, f"!__builtin_isfinite({a}.re) || !__builtin_isfinite({a}.im)")
        out = w.kept("f64", f"rt_hypot({a}.re, {a}.im)")
        w.leave_if(node, f"!__builtin_isfinite({out})")
        return out
    raise CannotLower(f"abs() of {kind}")


@form("op.truth")
@target(bool)
def truth(w: LoopEmitter, node: Node) -> str:
    return w.true(node.args[0])


@form("op.not_")
def negate(w: LoopEmitter, node: Node) -> str:
    return f"!({w.true(node.args[0])})"


@form("op.int")
@target(int, math.trunc)
def to_int(w: LoopEmitter, node: Node) -> str:
    return rounded(w, node, "")


@target(math.floor)
def floor(w: LoopEmitter, node: Node) -> str:
    return rounded(w, node, "__builtin_floor")


@target(math.ceil)
def ceil(w: LoopEmitter, node: Node) -> str:
    return rounded(w, node, "__builtin_ceil")


@target(round)
def round_(w: LoopEmitter, node: Node) -> str:
    if len(node.args) != 1:
        raise CannotLower("round() to digits")
    return rounded(w, node, "__builtin_rint")


def rounded(w: LoopEmitter, node: Node, how: str) -> str:
    """To a Python int."""
    arg = node.args[0]
    kind, text = number(arg), w.text(arg)
    if len(node.args) != 1 or kind.dtype.kind == "c":
        raise CannotLower(f"an int of {kind}")
    if not kind.python and kind.dtype.char != "d" and not is_int_of(node):
        raise CannotLower(f"{node.op.words}() of {kind}")  # by a method, or by way of a float
    if kind.dtype.kind != "f":
        if kind.dtype.char in "LQ":
            w.leave_if(node, f"{text} >> 63")
        return f"(i64){text}"
    a = w.kept("f64", f"{how}((f64){text})")
    w.leave_if(node, f"!({a} > -0x1p62 && {a} < 0x1p62)")
    return f"(i64){a}"


def is_int_of(node: Node) -> bool:
    return node.op.name == "op.int" or node.op.target is int


@form("op.float")
@target(float)
def to_float(w: LoopEmitter, node: Node) -> str:
    kind = number(node.args[0])
    if kind.dtype.kind == "c":
        raise CannotLower("float() of a complex number")
    return f"(f64){w.text(node.args[0])}"


@target(complex)
def to_complex(w: LoopEmitter, node: Node) -> str:
    """Of two real numbers; `complex(x, y)` of complex ones adds."""
    if any(number(arg).dtype.kind == "c" for arg in node.args) or len(node.args) > 2:
        raise CannotLower("complex() of complex numbers")
    for arg in node.args:
        if is_int(number(arg)):
            within(w, node, arg)
    parts = [f"(f64){w.text(arg)}" for arg in node.args]
    return f"(c128){{{parts[0]}, {parts[1] if len(parts) > 1 else '0'}}}"


@form("complex.real", "complex.imag")
def part_of_complex(w: LoopEmitter, node: Node) -> str:
    return f"{w.text(node.args[0])}.{node.op.name[8:10]}"


@form("complex.conjugate")
def conjugate(w: LoopEmitter, node: Node) -> str:
    a = w.text(node.args[0])
    return f"({c_type(result(node))}){{{a}.re, -{a}.im}}"


# ---- math ---------------------------------------------------------------------------------------

# Of libm, as CPython calls them. A result that is not finite is CPython's: an error, or not.
LIBM = (
    *("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos"),
    *("atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "fabs"),
    *("copysign", "fmod", "erf", "erfc", "cbrt", "exp2"),
)


OF_TWO = frozenset(("atan2", "pow", "copysign", "fmod"))


def libm(name: str) -> Form:
    def made(w: LoopEmitter, node: Node) -> str:
        if len(node.args) != 1 + (name in OF_TWO):
            raise CannotLower(f"math.{name} of {len(node.args)} numbers")
        args = []
        for arg in node.args:
            if number(arg).dtype.kind not in "iufb":
                raise CannotLower(f"math.{name} of {number(arg)}")
            if is_int(number(arg)):
                within(w, node, arg)
            args.append(w.kept("f64", f"(f64){w.text(arg)}"))
        for arg in args:
            w.leave_if(node, f"!__builtin_isfinite({arg})")
        call = "__builtin_sqrt" if name == "sqrt" else f"rt_{name}"
        out = w.kept("f64", f"{call}({', '.join(args)})")
        w.leave_if(node, f"!__builtin_isfinite({out})")
        return out

    return made


for _name in LIBM:
    if hasattr(math, _name):
        target(getattr(math, _name))(libm(_name))


@target(math.isfinite, math.isinf, math.isnan)
def class_of_float(w: LoopEmitter, node: Node) -> str:
    if number(node.args[0]).dtype.kind not in "iufb":
        raise CannotLower("a complex number")
    names = {id(fn): f"__builtin_{fn.__name__}" for fn in (math.isfinite, math.isinf, math.isnan)}
    return f"{names[id(node.op.target)]}((f64){w.text(node.args[0])}) != 0"


def scaled(factor: str) -> Form:
    def made(w: LoopEmitter, node: Node) -> str:
        (arg,) = node.args
        if number(arg).dtype.kind not in "iufb":
            raise CannotLower("degrees of a complex number")
        return f"(f64){w.text(arg)} * {factor}"

    return made


target(math.degrees)(scaled("(180.0 / 3.141592653589793)"))
target(math.radians)(scaled("(3.141592653589793 / 180.0)"))
