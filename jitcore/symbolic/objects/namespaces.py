"""One dict of names may be reached by several ways: as an object's attributes and as its own dict,
by two objects that share one, as a module's or a function's globals. Each way is a value of a
capture, with what was read and stored so far. So where one is written the others must be apart from
it: what is one with it ends the region, and guards say of the rest that they are not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import Apart
from jitcore.guards.safe_lookup import same_names
from jitcore.guards.source import FrameGlobals, Source
from jitcore.symbolic.machine import Machine

Names = dict[Source, Any]


def about_to_write(vm: Machine, origin: Source | None) -> None:
    """To what came from there; None: it was made here, and is nobody else's."""
    if origin is not None:
        told_apart(vm, origin, known(vm))


def reads(vm: Machine, source: Source, obj: Any) -> None:
    """Names are looked up there, in a module or in the dict of globals."""
    if source not in vm.names:
        vm.names[source] = obj
        met(vm, source)


def met(vm: Machine, origin: Source) -> None:
    changed = written(vm)
    if changed:
        told_apart(vm, origin, changed)


def known(vm: Machine) -> Names:
    objects = {source: obj for source, obj in vm.mutable.items() if has_names(obj)}
    return {**vm.names, **objects}


def has_names(obj: Any) -> bool:
    return type(obj) is dict or type(obj).__dictoffset__ != 0


def written(vm: Machine) -> set[Source]:
    """A module's own names are written where it is left."""
    own = bool(vm.globals_set or vm.start.code.names)
    return vm.mutated | ({FrameGlobals()} if own else set())


def told_apart(vm: Machine, origin: Source, others: Iterable[Source]) -> None:
    """Modules and globals that are one: attrs.py knows."""
    names = known(vm)
    for other in others:
        as_names = origin in vm.names and other in vm.names
        if origin == other or as_names or not {origin, other} <= names.keys():
            continue
        if same_names(names[origin], names[other]):
            vm.stop(breaks.CONTAINER_MUTATION, f"{origin} and {other} share one dict")


def guard_apart(vm: Machine) -> None:
    changed = written(vm)
    for (a, x), (b, y) in combinations(known(vm).items(), 2):
        if not changed.isdisjoint((a, b)) and not same_names(x, y):
            vm.guard(Apart(a, b))
