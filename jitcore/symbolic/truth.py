"""`bool(value)`, where it is decided while compiling; None where it is known only at run time."""

from __future__ import annotations

import operator

from jitcore.ir.types import ArrayType, CharacterType, ScalarType
from jitcore.symbolic.arrays.shape_facts import BRANCH, compared, decided
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import (
    NOTHING,
    Bound,
    Cell,
    CompiledFunction,
    Dict,
    Func,
    Known,
    List,
    Method,
    Object,
    Set,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize

ALWAYS_TRUE = (Func, CompiledFunction, Method, Bound, Cell)
SIMPLE = (
    str,
    bytes,
    int,
    float,
    complex,
    bool,
    tuple,
    frozenset,
    range,
    type(None),
    type,
    type(...),
)


def truth(vm: Machine, var: Var) -> bool | None:
    var = realize(vm, var)
    match var:
        case Known(obj):
            return _of_constant(obj)
        case Tuple(items) | List(items):
            return bool(items)
        case Dict(items):
            return bool(items)
        case Set(items):
            return bool(items)
        case Object(cls=cls):
            plain = not hasattr(cls, "__bool__") and not hasattr(cls, "__len__")
            return True if plain else None
        case Traced(value) if vm.lengths.get(value) == ():
            return compared(vm, operator.ne, var, Known(0))
        case Traced(value) if value in vm.lengths:
            return decided(vm, operator.ne, var, Known(0))
        case Traced(value) if value in vm.tests:
            return decided(vm, *vm.tests[value])
        case Traced(value, hint=hint) if hint is not NOTHING and not vm.in_loop:
            return bool(vm.concrete(var, BRANCH))
        case Traced(value) if isinstance(value.type, (ArrayType, ScalarType)):
            return None
        case Traced(value) if isinstance(value.type, CharacterType):
            return True
    return True if isinstance(var, ALWAYS_TRUE) else None


def _of_constant(obj: object) -> bool | None:
    if issubclass(type(obj), SIMPLE):
        return bool(obj)
    return True if callable(obj) or type(obj).__name__ == "module" else None
