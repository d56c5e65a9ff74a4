"""An object and its own dict are two values of a capture, each with what was read and stored so
far. Where one of them is written they must not be one: a dict that might be the object's ends the
region, and guards say of the others that they are none, by a name that one of the two has."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from jitcore.fallback import breaks
from jitcore.guards.guard import Absent, HasType
from jitcore.guards.plain import own_attributes
from jitcore.guards.source import Attr
from jitcore.symbolic.values import Dict, Object, Var

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine


def about_to_write(vm: Machine, var: Var) -> None:
    match var:
        case Object(origin=origin) if origin is not None:
            told_apart(vm, [var], given(vm, Dict))
        case Dict(origin=origin) if origin is not None:
            told_apart(vm, given(vm, Object), [var])


def met(vm: Machine, var: Var) -> None:
    """After something was written."""
    match var:
        case Object():
            told_apart(vm, [var], [d for d in given(vm, Dict) if d.origin in vm.mutated])
        case Dict():
            told_apart(vm, [o for o in given(vm, Object) if o.origin in vm.mutated], [var])


def given(vm: Machine, kind: type) -> list[Any]:
    known: list[Any] = [var for var in vm.by_id.values() if type(var) is kind]
    return [var for var in known if var.origin is not None]


def told_apart(vm: Machine, owners: list[Any], dicts: list[Any]) -> None:
    for owner, d in product(owners, dicts):
        names, keys = sides(vm, owner, d)
        if not (names or keys):
            what = f"{d.origin}, which may be what has the attributes of {owner.origin}"
            vm.stop(breaks.CONTAINER_MUTATION, what)


def sides(vm: Machine, owner: Object, d: Dict) -> tuple[list[str], list[str]]:
    """Names that only the object has, keys that only the dict has."""
    own = own_attributes(owner.obj) or {}
    obj = vm.mutable[d.origin]  # type: ignore[index]
    names = [name for name in own if name not in obj]
    return names, [key for key in obj if type(key) is str and key not in own]


def guard_apart(vm: Machine) -> None:
    """By what the region reads anyway, if it can be."""
    for owner, d in product(given(vm, Object), given(vm, Dict)):
        if owner.origin not in vm.mutated and d.origin not in vm.mutated:
            continue
        names, keys = sides(vm, owner, d)
        if any(Attr(owner.origin, name) in vm.realized for name in names):
            continue
        if keys:
            vm.guard(Absent(Attr(owner.origin, keys[0])))
        else:
            own = own_attributes(owner.obj) or {}
            vm.guard(HasType(Attr(owner.origin, names[0]), type(own[names[0]])))
