"""Attributes of classes: what the MRO gives, under the version guard of the class."""

from __future__ import annotations

import types
from typing import Any, NoReturn

from jitcore.fallback import breaks
from jitcore.guards.guard import TypeVersion
from jitcore.symbolic.break_rows import row_of_call
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.unwind import throw
from jitcore.symbolic.values import NOTHING, Exc, Known, Method, Object, Var
from jitcore.symbolic.wrap import realize

SIMPLE = (str, int, float, bool, bytes, type(None), complex)
CONSTANTS = (*SIMPLE, types.BuiltinFunctionType, type, types.ModuleType)
SLOT_WRAPPERS = (types.WrapperDescriptorType, types.MethodDescriptorType)


def class_attr(vm: Machine, cls: type, name: str) -> Var:
    if type(cls) is not type:
        vm.stop(breaks.ATTRIBUTE, f"{cls.__name__}.{name}: the class has a metaclass")
    raw = lookup(cls, name)
    vm.guard(TypeVersion(cls))
    if is_data_descriptor(lookup(type, name)):
        vm.stop(breaks.ATTRIBUTE, f"{cls.__name__}.{name}")
    if raw is NOTHING and hasattr(type, name):
        vm.stop(breaks.MISSING_ATTRIBUTE, f"{cls.__name__} has no {name}")
    if raw is NOTHING:
        missing(vm, f"{cls.__name__} has no {name}")
    return class_value(vm, raw, Known(cls), None, name)


def class_value(vm: Machine, raw: Any, cls: Var, instance: Var | None, name: str) -> Var:
    """What a raw class attribute gives when read through an instance, or through the class. A
    subclass of property, or a metaclass, may have a __get__ of its own."""
    kind = type(raw)
    if kind in FUNCTIONS:
        func = function_in(vm, raw)
        return func if instance is None else Method(func, instance)
    if kind is staticmethod and type(raw.__func__) in (*FUNCTIONS, *CONSTANTS):
        return class_value(vm, raw.__func__, cls, None, name)
    if kind is classmethod and isinstance(raw.__func__, FUNCTIONS):
        return Method(function_in(vm, raw.__func__), cls)
    if kind is property and instance is not None and isinstance(raw.fget, FUNCTIONS):
        return call(vm, function_in(vm, raw.fget), (instance,), {})
    if kind in CONSTANTS:
        return Known(raw)
    if kind in SLOT_WRAPPERS and instance is None:
        return Known(raw)
    if issubclass(type(raw), types.MethodDescriptorType):
        vm.stop(row_of_call(raw), f"{raw.__objclass__.__qualname__}.{name}()")
    runs = breaks.DESCRIPTOR if hasattr(type(raw), "__get__") else breaks.ATTRIBUTE
    vm.stop(runs, f".{name}, a {type(raw).__name__} of its class")


def super_attr(vm: Machine, cls: type, instance: Var, name: str) -> Var:
    instance = realize(vm, instance)
    bound: Var | None = instance
    match instance:
        case Object(cls=own) | Exc(cls=own):
            start, through = own, Known(own)
        case Known(obj) if issubclass(type(obj), type):
            start, through, bound = obj, Known(obj), None
        case _:
            vm.stop(breaks.ATTRIBUTE, f"super() of {describe(instance)}")
    mro = start.__mro__
    if cls not in mro:
        vm.stop(breaks.PYTHON_RAISES, "TypeError: super(type, obj): obj is not an instance of type")
    for base in mro[mro.index(cls) + 1 :]:
        if name in base.__dict__:
            vm.guard(TypeVersion(start))
            raw = base.__dict__[name]
            slot = issubclass(type(raw), types.WrapperDescriptorType)
            if name == "__init__" and slot and (base is object or isinstance(bound, Exc)):
                return Known(raw) if bound is None else Method(Known(raw), bound)
            return class_value(vm, raw, through, bound, name)
    vm.stop(breaks.ATTRIBUTE, f"super() has no {name}")


def lookup(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return NOTHING


def is_data_descriptor(raw: Any) -> bool:
    return raw is not NOTHING and (
        hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__")
    )


def missing(vm: Machine, text: str) -> NoReturn:
    throw(vm, Exc(AttributeError, None), breaks.MISSING_ATTRIBUTE, text)
