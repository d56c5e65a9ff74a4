"""Builtin functions about objects: classes, attributes, and what looks at the world."""

from __future__ import annotations

import sys
from collections.abc import Callable

from jitcore.fallback import breaks
from jitcore.guards.guard import Absent
from jitcore.guards.source import Attr
from jitcore.ir.types import ObjectType
from jitcore.symbolic.describe import class_of as described_class
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.objects.attrs import instance_dict, is_gone, load_attr, store_attr
from jitcore.symbolic.objects.calls import callable_name, model
from jitcore.symbolic.objects.class_attrs import lookup
from jitcore.symbolic.objects.instance_values import HEAPTYPE
from jitcore.symbolic.values import (
    NOTHING,
    CompiledFunction,
    Func,
    Known,
    Method,
    Object,
    Traced,
    Var,
)
from jitcore.symbolic.wrap import realize

Args = tuple[Var, ...]
Words = dict[str, Var]


@model(isinstance)
def isinstance_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner, classes = realize(vm, args[0]), leaf(vm, args[1])
    cls = class_of(vm, owner)
    for each in classes if isinstance(classes, tuple) else (classes,):
        if type(each) is not type:
            vm.stop(breaks.UNKNOWN_BUILTIN, "isinstance() with a class that has a metaclass")
    found = issubclass(cls, classes)
    if not found and not shows_its_class(cls):
        vm.stop(breaks.UNKNOWN_BUILTIN, f"isinstance() of {cls.__name__}, which defines __class__")
    return Known(found)


def shows_its_class(cls: type) -> bool:
    """isinstance() asks an instance for its __class__, too."""
    answers = next(base for base in cls.__mro__ if "__getattribute__" in base.__dict__)
    written = answers.__flags__ & HEAPTYPE
    return not written and lookup(cls, "__class__") is object.__dict__["__class__"]


@model(issubclass)
def issubclass_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner, classes = leaf(vm, args[0]), leaf(vm, args[1])
    for each in (owner, *(classes if isinstance(classes, tuple) else (classes,))):
        if type(each) is not type:
            vm.stop(breaks.UNKNOWN_BUILTIN, "issubclass()")
    return Known(issubclass(owner, classes))


@model(type)
def type_(vm: Machine, args: Args, kwargs: Words) -> Var:
    if len(args) != 1:
        vm.stop(breaks.CLASS_DEFINITION, "type() with three arguments")
    return Known(class_of(vm, realize(vm, args[0])))


def class_of(vm: Machine, var: Var) -> type:
    cls = described_class(var)
    if cls is None:
        vm.stop(breaks.RUNTIME_VALUE, f"the class of {describe(var)}")
    return cls


@model(callable)
def callable_(vm: Machine, args: Args, kwargs: Words) -> Var:
    owner = realize(vm, args[0])
    if isinstance(owner, (Func, CompiledFunction, Method)):
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
    if isinstance(owner, Traced) and not isinstance(owner.value.type, ObjectType):
        return hasattr(cls, name)
    if isinstance(owner, Object) and name in owner.attrs:
        return owner.attrs[name] is not None or not is_gone(lookup(cls, name))
    if isinstance(owner, Object):
        raw = lookup(cls, name)
        inside = instance_dict(owner) or {}
        if issubclass(type(raw), property):
            vm.stop(breaks.ATTRIBUTE, f"hasattr() of a property ({name})")
        if name not in inside and raw is NOTHING:
            if owner.origin is not None:
                vm.guard(Absent(Attr(owner.origin, name)))
            return False
        load_attr(vm, owner, name)
        return True
    vm.stop(breaks.ATTRIBUTE, f"hasattr() of {describe(owner)}")


TALKS: tuple[object, ...] = (input, open, breakpoint)
INTROSPECTS: tuple[object, ...] = (locals, vars, dir, eval, exec, globals, sys._getframe)


def refuse(kind: breaks.BreakKind, name: str) -> Callable[[Machine, Args, Words], Var]:
    def run(vm: Machine, args: Args, kwargs: Words) -> Var:
        vm.stop(kind, name)

    return run


for io in TALKS:
    model(io)(refuse(breaks.IO, f"{callable_name(io)}()"))
for look in INTROSPECTS:
    model(look)(refuse(breaks.INTROSPECTION, f"{callable_name(look)}()"))
model(id)(refuse(breaks.OUTSIDE_WORLD, "id()"))
