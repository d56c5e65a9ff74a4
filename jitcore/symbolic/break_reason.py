"""An object that has no symbolic value, or a call that the op table refuses → the row of the break
table that says what stands in the way."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FunctionType
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakKind, BreakSignal
from jitcore.guards.source import Source
from jitcore.ir.op import Unsupported
from jitcore.ir.types import ObjectType
from jitcore.ir.value import Value
from jitcore.symbolic.machine import Machine

RANDOM_CLASSES = (
    ("random", "Random"),
    ("numpy.random", "Generator"),
    ("numpy.random", "RandomState"),
)
PROTOCOLS = ("__array_ufunc__", "__array_function__", "__array__")


def row_of_unsupported(vm: Machine, refusal: Unsupported, given: Iterable[Value]) -> BreakKind:
    """Of an operation on these values, which no row takes."""
    return row_of_values(vm, given, row_of_refusal(refusal))


def row_of_values(vm: Machine, values: Iterable[Value], otherwise: BreakKind) -> BreakKind:
    """The first that says by itself why it is not captured."""
    found = (row_of_value(vm, value) for value in values)
    return next((kind for kind in found if kind is not None), otherwise)


def row_of_value(vm: Machine, value: Value) -> BreakKind | None:
    if not isinstance(value.type, ObjectType):
        return None
    origin = origin_of(vm, value)
    if value.type.cls is np.ndarray and origin is not None:
        return row_of_array(vm.live[origin])
    return row_of_class(value.type.cls) if value.type.cls is not None else None


def origin_of(vm: Machine, value: Value) -> Source | None:
    return next((source for source, each in vm.inputs.items() if each is value), None)


def row_of_array(array: np.ndarray[Any, Any]) -> BreakKind:
    """Of an array that is no ArrayType: objects in it, or a dtype that the types do not know."""
    return breaks.DTYPE_OBJECT if holds_objects(array.dtype) else breaks.DTYPE_UNSUPPORTED


def holds_objects(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "O" or (dtype.kind == "V" and dtype.hasobject)


def random_classes() -> tuple[type, ...]:
    """Of the modules that the program has imported."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in RANDOM_CLASSES)
    return tuple(cls for cls in found if isinstance(cls, type))


def row_of_class(cls: type) -> BreakKind | None:
    if issubclass(cls, np.ndarray):
        return breaks.SUBCLASS if cls is not np.ndarray else None
    if issubclass(cls, random_classes()):
        return breaks.RANDOM
    methods = {name for base in cls.__mro__[:-1] for name in base.__dict__}
    if not methods.isdisjoint(PROTOCOLS) and cls.__module__ != "numpy":
        return breaks.ARRAY_PROTOCOL
    written = {
        name
        for base in cls.__mro__[:-1]
        for name in ("__getattr__", "__getattribute__")
        if isinstance(base.__dict__.get(name), FunctionType)
    }
    return breaks.CUSTOM_ATTRIBUTE if written else None


def row_of_refusal(refusal: Unsupported) -> BreakKind:
    """Of the op table."""
    return breaks.NUMPY_RAISES if refusal.__cause__ else breaks.NUMPY_UNSUPPORTED


def refused(refusal: Unsupported) -> BreakSignal:
    return BreakSignal(row_of_refusal(refusal), str(refusal))
