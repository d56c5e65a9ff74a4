"""Builtin functions about numbers, and `math`, on symbolic values.

Constants are folded; on run-time numbers a node calls the function itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.ir.types import PYCOMPLEX, PYFLOAT, ArrayType, DynArrayType, ScalarType, type_of
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.models.sequences import plain
from jitcore.symbolic.nodes import call_builtin, number_type
from jitcore.symbolic.objects import operators
from jitcore.symbolic.objects.calls import callable_name, model
from jitcore.symbolic.truth import truth
from jitcore.symbolic.values import Known, Object, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
Words = dict[str, Var]
BOOL, INT, FLOAT = (ScalarType(np.dtype(cls), python=True) for cls in (bool, int, float))


@model(bool)
def bool_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if not args:
        return Known(False)
    found = truth(vm, args[0])
    if found is not None:
        return Known(found)
    return call_builtin(vm, bool, args, type_of(True))


@model(int)
def int_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return convert(vm, int, args, kwargs)


@model(float)
def float_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return convert(vm, float, args, kwargs)


@model(complex)
def complex_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return convert(vm, complex, args, kwargs)


def convert(vm: Machine, cls: type, args: Args, kwargs: Words) -> Var:
    plain(vm, cls.__name__, kwargs)
    vars = tuple(realize(vm, arg) for arg in args)
    if operators.foldable(*vars):
        return operators.folded(vm, cls, *(v.obj for v in vars))  # type: ignore[union-attr]
    if len(vars) == 1 and is_number(vars[0]):
        return call_builtin(vm, cls, vars, type_of(cls(0)))
    if vm.work is not None and cls is complex and all(number_type(vm, v) for v in vars):
        return call_builtin(vm, cls, vars, PYCOMPLEX)
    vm.stop(breaks.UNKNOWN_BUILTIN, f"{cls.__name__}() of {describe(vars[0])}")


def is_number(var: Var) -> bool:
    """A run-time scalar, or an array of one element: what int() and float() take."""
    if not isinstance(var, Traced):
        return False
    kind = var.value.type
    if isinstance(kind, ArrayType):
        return kind.shape == () and kind.dtype.kind in "biuf"
    return isinstance(kind, ScalarType) and kind.dtype.kind in "biuf"


@model(abs, operator.abs)
def abs_(vm: Machine, args: Args, kwargs: Words) -> Var:
    value = realize(vm, args[0])
    if operators.foldable(value):
        return operators.folded(vm, abs, value.obj)  # type: ignore[union-attr]
    if isinstance(value, Traced) and isinstance(
        value.value.type, ArrayType | ScalarType | DynArrayType
    ):
        if not getattr(value.value.type, "python", False):
            return operators.unary(vm, "abs", value)
        if value.value.type.dtype.kind in "if":
            return call_builtin(vm, abs, args, value.value.type)
        if value.value.type.dtype.kind == "c" and vm.work is not None:
            return call_builtin(vm, abs, args, PYFLOAT)
    vm.stop(breaks.UNKNOWN_BUILTIN, f"abs() of {describe(value)}")


@model(divmod)
def divmod_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 2:
        vm.stop(breaks.BAD_ARGUMENTS, "divmod()")
    vars = [realize(vm, a) for a in args]
    if any(isinstance(v, Object) for v in vars):
        vm.stop(breaks.UNKNOWN_BUILTIN, "divmod()")
    return Tuple((operators.binary(vm, "//", *vars), operators.binary(vm, "%", *vars)))


@model(round)
def round_(vm: Machine, args: Args, kwargs: Words) -> Var:
    vars = tuple(realize(vm, arg) for arg in args)
    if operators.foldable(*vars) and not kwargs:
        return operators.folded(vm, round, *(v.obj for v in vars))  # type: ignore[union-attr]
    kind = number_type(vm, vars[0])
    if kind is None or kind.dtype.kind not in "iuf" or kwargs or not operators.foldable(*vars[1:]):
        vm.stop(breaks.UNKNOWN_BUILTIN, "round() of a run-time value")
    digits = vars[1].obj if len(vars) > 1 else None  # type: ignore[union-attr]
    return call_builtin(vm, round, vars, type_of(0) if digits is None else kind)


@model(pow, operator.pow)
def pow_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 2 or kwargs:
        vm.stop(breaks.UNKNOWN_BUILTIN, "pow() with a modulus")
    return operators.binary(vm, "**", *args)


def folder(fn: Callable[..., Any]) -> Callable[[Machine, Args, Words], Var]:
    """A pure function of constants."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vars = tuple(realize(vm, arg) for arg in args)
        if kwargs or not operators.foldable(*vars):
            vm.stop(breaks.UNKNOWN_BUILTIN, f"{callable_name(fn)} of run-time values")
        return operators.folded(vm, fn, *(v.obj for v in vars))  # type: ignore[union-attr]

    return run


for fn in (str, repr, hash, chr, hex, bin, oct, ascii, format, math.prod):
    model(fn)(folder(fn))


def math_function(
    fn: Callable[..., Any], kind: ScalarType = FLOAT
) -> Callable[[Machine, Args, Words], Var]:
    """math.*: the same libm calls, made by CPython's own function on run-time floats."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vars = tuple(realize(vm, arg) for arg in args)
        if operators.foldable(*vars) and not kwargs:
            return operators.folded(vm, fn, *(v.obj for v in vars))  # type: ignore[union-attr]
        if not kwargs and all(is_number(v) or operators.foldable(v) for v in vars):
            return call_builtin(vm, fn, vars, kind)
        vm.stop(breaks.UNKNOWN_BUILTIN, callable_name(fn))

    return run


FLOAT_MATH = [
    "sqrt",
    "exp",
    "log",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "pow",
    "hypot",
    "fabs",
    "copysign",
    "fmod",
    "degrees",
    "radians",
    "erf",
    "erfc",
    "gamma",
    "lgamma",
    "cbrt",
    "exp2",
]
for name in FLOAT_MATH:
    model(getattr(math, name))(math_function(getattr(math, name)))
for name in ("floor", "ceil", "trunc"):
    model(getattr(math, name))(math_function(getattr(math, name), INT))
for name in ("isfinite", "isinf", "isnan"):
    model(getattr(math, name))(math_function(getattr(math, name), BOOL))
for name in ("gcd", "factorial", "comb", "isqrt"):
    model(getattr(math, name))(folder(getattr(math, name)))

OPERATOR_FUNCTIONS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^",
}  # fmt: skip


def operator_function(text: str) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        if len(args) != 2 or kwargs:
            vm.stop(breaks.BAD_ARGUMENTS, f"operator {text}")
        return operators.binary(vm, text, *args)

    return run


for name, text in OPERATOR_FUNCTIONS.items():
    model(getattr(operator, name))(operator_function(text))
