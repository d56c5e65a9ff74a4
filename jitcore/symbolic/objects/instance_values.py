"""Live instance → symbolic value: one value for each object with an identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.guards.guard import HasType, SameObject, TypeVersion
from jitcore.guards.source import Source
from jitcore.ir.types import ObjectType
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.namespaces import met
from jitcore.symbolic.values import Object, Traced, Var

HEAPTYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def shared_value(vm: Machine, obj: Any, origin: Source, make: Callable[[], Var]) -> Var:
    """A mutable object: one value for every way that leads to it."""
    found = vm.by_id.get(id(obj))
    if found is not None:
        first = getattr(found, "origin", None)
        if first is not None and first != origin:
            vm.guard(SameObject(first, origin, True))
        return found
    vm.mutable[origin] = obj
    var = vm.by_id[id(obj)] = make()
    met(vm, origin)
    return var


def instance_value(vm: Machine, obj: Any, origin: Source) -> Var:
    def make() -> Var:
        vm.guard(HasType(origin, type(obj)))
        vm.guard(TypeVersion(type(obj)))
        return Object(obj, type(obj), origin)

    return shared_value(vm, obj, origin, make)


def is_plain_instance(cls: type) -> bool:
    """Attributes of the instances can be read and written without running user code."""
    return (
        bool(cls.__flags__ & HEAPTYPE)
        and cls.__getattribute__ is object.__getattribute__  # type: ignore[comparison-overlap]
        and not any("__getattr__" in base.__dict__ for base in cls.__mro__)
        and all(base is object or base.__flags__ & HEAPTYPE for base in cls.__mro__)
    )


def unknown_value(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(HasType(origin, type(obj)))
    return Traced(vm.input(origin, ObjectType(type(obj))), origin)
