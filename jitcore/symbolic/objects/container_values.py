"""Live tuple, list, dict or namedtuple → symbolic value, whose items are guarded when used."""

from __future__ import annotations

from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import HasType, Keys, Length, TypeVersion
from jitcore.guards.source import Item, Key, Source
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.instance_values import shared_value, unknown_value
from jitcore.symbolic.objects.namedtuples import is_namedtuple
from jitcore.symbolic.values import Dict, Lazy, List, Tuple, Var

MAX_KEYS = 64  # of a dict
MAX_ITEMS = 256  # of a list or tuple: each item that is looked at has a guard
CONSTANT_KEYS = (str, int, bool, float, bytes, type(None))
NAMESPACE = frozenset(("__builtins__", "__loader__"))  # keys of globals and of modules


def tuple_value(vm: Machine, obj: tuple[Any, ...], origin: Source) -> Var:
    if len(obj) > MAX_ITEMS:
        return unknown_value(vm, obj, origin)
    vm.guard(HasType(origin, tuple))
    vm.guard(Length(origin, len(obj)))
    return Tuple(tuple(Lazy(Item(origin, i), x) for i, x in enumerate(obj)), origin)


def list_value(vm: Machine, obj: list[Any], origin: Source) -> Var:
    if any(vm.live.get(other) is obj for other in vm.blind):
        vm.stop(breaks.CONTAINER_MUTATION, f"{origin} was appended to")
    if len(obj) > MAX_ITEMS:
        return unknown_value(vm, obj, origin)

    def make() -> Var:
        vm.guard(HasType(origin, list))
        vm.guard(Length(origin, len(obj)))
        return List([Lazy(Item(origin, i), x) for i, x in enumerate(obj)], origin)

    return shared_value(vm, obj, origin, make)


def dict_value(vm: Machine, obj: dict[Any, Any], origin: Source) -> Var:
    if not all(type(key) in CONSTANT_KEYS for key in obj) or len(obj) > MAX_KEYS:
        return unknown_value(vm, obj, origin)
    if obj is vm.start.globals or not NAMESPACE.isdisjoint(obj):  # Keys() would fail often
        return unknown_value(vm, obj, origin)

    def make() -> Var:
        vm.guard(HasType(origin, dict))
        vm.guard(Keys(origin, tuple(obj)))
        return Dict({key: Lazy(Key(origin, key, type(key)), x) for key, x in obj.items()}, origin)

    return shared_value(vm, obj, origin, make)


def namedtuple_value(vm: Machine, obj: Any, origin: Source) -> Var:
    cls = type(obj)
    if not is_namedtuple(cls) or len(obj) > MAX_ITEMS:
        return unknown_value(vm, obj, origin)
    vm.guard(HasType(origin, cls))
    vm.guard(TypeVersion(cls))
    vm.guard(Length(origin, len(obj)))
    items = tuple(Lazy(Item(origin, i), x) for i, x in enumerate(obj))
    return Tuple(items, origin, cls)
