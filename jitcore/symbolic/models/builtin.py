"""Builtin functions on symbolic values.

A model computes what is known while compiling; on run-time numbers it makes a node that calls the
builtin itself.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.guards.guard import Absent
from jitcore.guards.source import Attr
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import ArrayType, ObjectType, ScalarType, Type, type_of
from jitcore.symbolic import operators
from jitcore.symbolic.attrs import describe, instance_dict, load_attr, lookup, store_attr
from jitcore.symbolic.calls import call, callable_name, model
from jitcore.symbolic.handlers.build import constants, key_of, make_slice
from jitcore.symbolic.iterate import following, items_of, iterator, length
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import hinted, leaf
from jitcore.symbolic.truth import truth
from jitcore.symbolic.values import (
    NOTHING,
    Dict,
    Enumerate,
    Filter,
    Func,
    Iter,
    Known,
    List,
    Map,
    Method,
    Object,
    Run,
    Set,
    Tuple,
    Var,
    Zip,
)
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
Words = dict[str, Var]


def opaque(fn: Callable[..., Any], kind: Type) -> Op:
    """A row for a builtin on run-time numbers, whose result is of a known type."""
    return Op(fn.__name__, fn, Kind.OPAQUE, Effect.FLAGS, lambda op, args, kwargs: kind)


def plain(vm: Machine, name: str, kwargs: Words) -> None:
    if kwargs:
        vm.stop(breaks.BAD_ARGUMENTS, f"{name}() with keywords")


@model(len)
def len_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) == 1 and not kwargs:
        owner = realize(vm, args[0])
        if isinstance(owner, Set):
            return Known(len(owner.items))
        count = length(vm, owner)
        if count is not None:
            return Known(count)
    vm.stop(breaks.UNKNOWN_BUILTIN, "len()")


@model(range)
def range_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "range", kwargs)
    numbers = []
    for arg in args:
        arg = realize(vm, arg)
        if isinstance(arg, Run) and not isinstance(arg.value.type, ScalarType):
            vm.stop(breaks.RUNTIME_VALUE, "range()")
        numbers.append(vm.concrete(arg))
    return operators.folded(vm, range, *numbers)


@model(slice)
def slice_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "slice", kwargs)
    parts = (Known(None), *args) if len(args) == 1 else args
    return make_slice(vm, *parts)


@model(enumerate)
def enumerate_(vm: Machine, args: Args, kwargs: Words) -> Var:
    start = kwargs.get("start", args[1] if len(args) > 1 else Known(0))
    return Enumerate(iterator(vm, args[0]), vm.concrete(realize(vm, start)))


@model(zip)
def zip_(vm: Machine, args: Args, kwargs: Words) -> Var:
    strict = bool(kwargs) and truth(vm, kwargs["strict"]) is True
    return Zip(tuple(iterator(vm, arg) for arg in args), strict)


@model(map)
def map_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "map", kwargs)
    return Map(args[0], tuple(iterator(vm, arg) for arg in args[1:]))


@model(filter)
def filter_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "filter", kwargs)
    return Filter(args[0], iterator(vm, args[1]))


@model(iter)
def iter_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 1:
        vm.stop(breaks.UNKNOWN_BUILTIN, "iter() with a sentinel")
    return iterator(vm, args[0])


@model(next)
def next_(vm: Machine, args: Args, kwargs: Words) -> Var:
    it = realize(vm, args[0])
    value = following(vm, it)
    if value is not None:
        return value
    if len(args) > 1:
        return args[1]
    vm.stop(breaks.PYTHON_RAISES, "StopIteration")


@model(reversed)
def reversed_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return Iter(Tuple(tuple(reversed(items_of(vm, args[0])))), passing=True)


@model(list)
def list_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "list", kwargs)
    return List(items_of(vm, args[0]) if args else [])


@model(tuple)
def tuple_(vm: Machine, args: Args, kwargs: Words) -> Var:
    plain(vm, "tuple", kwargs)
    return Tuple(tuple(items_of(vm, args[0])) if args else ())


@model(set)
def set_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return Set({key_of(vm, item) for item in items_of(vm, args[0])} if args else set())


@model(dict)
def dict_(vm: Machine, args: Args, kwargs: Words) -> Var:
    made = Dict({})
    if args:
        first = realize(vm, args[0])
        if isinstance(first, Dict):
            made.items.update(first.items)
        else:
            for pair in items_of(vm, first):
                key, value = items_of(vm, pair)
                made.items[key_of(vm, key)] = value
    made.items.update(kwargs)
    return made


@model(isinstance)
def isinstance_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner, classes = realize(vm, args[0]), leaf(vm, args[1])
    cls = class_of(vm, owner)
    for each in classes if isinstance(classes, tuple) else (classes,):
        if type(each) is not type:
            vm.stop(breaks.UNKNOWN_BUILTIN, "isinstance() with a class that has a metaclass")
    return Known(issubclass(cls, classes))


@model(issubclass)
def issubclass_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner, classes = leaf(vm, args[0]), leaf(vm, args[1])
    if type(owner) is not type or type(classes) is not type:
        vm.stop(breaks.UNKNOWN_BUILTIN, "issubclass()")
    return Known(issubclass(owner, classes))


@model(type)
def type_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 1:
        vm.stop(breaks.CLASS_DEFINITION, "type() with three arguments")
    return Known(class_of(vm, realize(vm, args[0])))


def class_of(vm: Machine, var: Var) -> type:
    match var:
        case Known(obj):
            return type(obj)
        case Object(cls=cls):
            return cls
        case Tuple(cls=cls):
            return cls
        case List() | Dict() | Set():
            return {List: list, Dict: dict, Set: set}[type(var)]
        case Func():
            return type(class_of)
        case Method():
            return type(vm.stop)
        case Run(value):
            kind = value.type
            if isinstance(kind, ArrayType):
                return np.ndarray
            if isinstance(kind, ScalarType):
                return type(kind.dtype.type(0).item()) if kind.python else kind.dtype.type
            if kind.cls is not None:
                return kind.cls
    vm.stop(breaks.RUNTIME_VALUE, f"the class of {describe(var)}")


@model(callable)
def callable_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner = realize(vm, args[0])
    if isinstance(owner, (Func, Method)):
        return Known(True)
    if isinstance(owner, Known):
        return Known(callable(owner.obj))
    vm.stop(breaks.UNKNOWN_BUILTIN, "callable()")


@model(getattr)
def getattr_(vm: Machine, args: Args, kwargs: Words) -> Var:
    name = attribute_name(vm, args[1])
    if len(args) == 3 and not has_attr(vm, args[0], name):
        return args[2]
    return load_attr(vm, args[0], name)


@model(hasattr)
def hasattr_(vm: Machine, args: Args, kwargs: Words) -> Var:
    return Known(has_attr(vm, args[0], attribute_name(vm, args[1])))


@model(setattr)
def setattr_(vm: Machine, args: Args, kwargs: Words) -> Var:
    store_attr(vm, args[0], attribute_name(vm, args[1]), args[2])
    return Known(None)


def attribute_name(vm: Machine, var: Var) -> str:
    var = realize(vm, var)
    if isinstance(var, Known) and type(var.obj) is str:
        return var.obj
    vm.stop(breaks.RUNTIME_VALUE, "the name of an attribute")


def has_attr(vm: Machine, owner: Var, name: str) -> bool:
    owner = realize(vm, owner)
    cls = class_of(vm, owner)
    if isinstance(owner, Run) and not isinstance(owner.value.type, ObjectType):
        return hasattr(cls, name)
    if isinstance(owner, Object) and name in owner.attrs:
        return owner.attrs[name] is not None
    if isinstance(owner, Object):
        raw = lookup(cls, name)
        inside = instance_dict(owner) or {}
        if isinstance(raw, property):
            vm.stop(breaks.ATTRIBUTE, f"hasattr() of a property ({name})")
        if name not in inside and raw is NOTHING:
            if owner.origin is not None:
                vm.guard(Absent(Attr(owner.origin, name)))
            return False
        load_attr(vm, owner, name)
        return True
    vm.stop(breaks.ATTRIBUTE, f"hasattr() of {describe(owner)}")


@model(bool)
def bool_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if not args:
        return Known(False)
    found = truth(vm, args[0])
    if found is not None:
        return Known(found)
    return numeric(vm, bool, args, type_of(True))


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
        return numeric(vm, cls, vars, type_of(cls(0)))
    vm.stop(breaks.UNKNOWN_BUILTIN, f"{cls.__name__}() of {describe(vars[0])}")


def is_number(var: Var) -> bool:
    """A run-time scalar, or an array of one element: what int() and float() take."""
    if not isinstance(var, Run):
        return False
    kind = var.value.type
    if isinstance(kind, ArrayType):
        return kind.shape == () and kind.dtype.kind in "biuf"
    return isinstance(kind, ScalarType) and kind.dtype.kind in "biuf"


def numeric(vm: Machine, fn: Callable[..., Any], args: Args, kind: Type) -> Var:
    vars = tuple(realize(vm, arg) for arg in args)
    tree = tuple(leaf(vm, v) for v in vars)
    out = vm.emit(opaque(fn, kind), tree, {})
    return hinted(vm, out, fn, vars)


@model(abs, operator.abs)
def abs_(vm: Machine, args: Args, kwargs: Words) -> Var:
    value = realize(vm, args[0])
    if operators.foldable(value):
        return operators.folded(vm, abs, value.obj)  # type: ignore[union-attr]
    if isinstance(value, Run) and isinstance(value.value.type, (ArrayType, ScalarType)):
        if not getattr(value.value.type, "python", False):
            return operators.unary(vm, "abs", value)
        if value.value.type.dtype.kind in "if":
            return numeric(vm, abs, args, value.value.type)
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
    vm.stop(breaks.UNKNOWN_BUILTIN, "round() of a run-time value")


@model(pow, operator.pow)
def pow_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 2 or kwargs:
        vm.stop(breaks.UNKNOWN_BUILTIN, "pow() with a modulus")
    return operators.binary(vm, "**", *args)


def extreme(name: str, text: str) -> Callable[[Machine, Args, Words], Var]:
    """min and max of what compares while compiling."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        plain(vm, name, kwargs)
        items = items_of(vm, args[0]) if len(args) == 1 else list(args)
        if not items:
            vm.stop(breaks.PYTHON_RAISES, f"ValueError: {name}() of an empty sequence")
        best = items[0]
        for item in items[1:]:
            better = truth(vm, operators.compare(vm, text, item, best))
            if better is None:
                vm.stop(breaks.UNKNOWN_BUILTIN, f"{name}() of run-time values")
            best = item if better else best
        return best

    return run


model(min)(extreme("min", "<"))
model(max)(extreme("max", ">"))


@model(sum)
def sum_(vm: Machine, args: Args, kwargs: Words) -> Var:
    """CPython's own order; floats are left to it, since 3.12 adds them with compensation."""
    total: Var = kwargs.get("start", args[1] if len(args) > 1 else Known(0))
    items = items_of(vm, args[0])
    for item in items:
        if class_of(vm, realize(vm, item)) in (float, complex):
            vm.stop(breaks.UNKNOWN_BUILTIN, "sum() of Python floats")
    for item in items:
        total = operators.binary(vm, "+", total, item)
    return total


def quantifier(name: str, stops_at: bool) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        for item in items_of(vm, args[0]):
            found = truth(vm, item)
            if found is None:
                vm.stop(breaks.UNKNOWN_BUILTIN, f"{name}() of run-time values")
            if found is stops_at:
                return Known(stops_at)
        return Known(not stops_at)

    return run


model(any)(quantifier("any", True))
model(all)(quantifier("all", False))


@model(sorted)
def sorted_(vm: Machine, args: Args, kwargs: Words) -> Var:
    items = [realize(vm, item) for item in items_of(vm, args[0])]
    if kwargs or not operators.foldable(*items):
        vm.stop(breaks.UNKNOWN_BUILTIN, "sorted() of run-time values")
    try:
        return List([Known(x) for x in sorted(constants(items))])
    except TypeError as error:
        vm.stop(breaks.PYTHON_RAISES, str(error))


@model(functools.reduce)
def reduce_(vm: Machine, args: Args, kwargs: Words) -> Var:
    items = items_of(vm, args[1])
    if len(args) > 2:
        items.insert(0, args[2])
    if not items:
        vm.stop(breaks.PYTHON_RAISES, "TypeError: reduce() of an empty sequence")
    total = items[0]
    for item in items[1:]:
        total = call(vm, args[0], (total, item), {})
    return total


def folder(fn: Callable[..., Any]) -> Callable[[Machine, Args, Words], Var]:
    """A pure function of constants."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vars = tuple(realize(vm, arg) for arg in args)
        if kwargs or not operators.foldable(*vars):
            vm.stop(breaks.UNKNOWN_BUILTIN, f"{callable_name(fn)} of run-time values")
        return operators.folded(vm, fn, *(v.obj for v in vars))  # type: ignore[union-attr]

    return run


for fn in (str, repr, hash, chr, ord, hex, bin, oct, ascii, format, math.prod):
    model(fn)(folder(fn))


def math_function(fn: Callable[..., Any]) -> Callable[[Machine, Args, Words], Var]:
    """math.*: the same libm calls, made by CPython's own function on run-time floats."""

    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vars = tuple(realize(vm, arg) for arg in args)
        if operators.foldable(*vars) and not kwargs:
            return operators.folded(vm, fn, *(v.obj for v in vars))  # type: ignore[union-attr]
        if not kwargs and all(is_number(v) or operators.foldable(v) for v in vars):
            return numeric(vm, fn, vars, type_of(0.0))
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
for name in ("floor", "ceil", "isfinite", "isinf", "isnan", "gcd", "factorial", "comb", "isqrt"):
    model(getattr(math, name))(folder(getattr(math, name)))

OPERATOR_FUNCTIONS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^",
}  # fmt: skip


def operator_function(text: str) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        return operators.binary(vm, text, *args)

    return run


for name, text in OPERATOR_FUNCTIONS.items():
    model(getattr(operator, name))(operator_function(text))

PRINTS: tuple[object, ...] = (print, input, open, breakpoint)
INTROSPECTS: tuple[object, ...] = (locals, vars, dir, eval, exec, globals, builtins.compile, id)


def refuse(kind: breaks.BreakKind, name: str) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vm.stop(kind, name)

    return run


for io in PRINTS:
    model(io)(
        refuse(
            breaks.PRINT if callable_name(io) == "print" else breaks.IO,
            f"{callable_name(io)}()",
        )
    )
for look in INTROSPECTS:
    model(look)(refuse(breaks.INTROSPECTION, f"{callable_name(look)}()"))
