"""Calls of what the program has made a promise about: jitcore/user/assumptions.py.

constant    assumed_constant.py
allowed     an effect step (docs/architecture.md): at its place, once; it raises there.
            The region ends after it, and the next one looks at everything anew: so nothing that
            the callable does is missed. What would be held back beyond it ends the region before
"""

from __future__ import annotations

from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import IsObject, name_of
from jitcore.guards.source import Const, Source
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import UNKNOWN, DynArrayType, ObjectType
from jitcore.ir.value import Value
from jitcore.symbolic.arrays.masked_select import give_up
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.assumed_constant import assumed, object_of
from jitcore.symbolic.signals import RegionEnd
from jitcore.symbolic.values import (
    CompiledFunction,
    Func,
    Known,
    Lazy,
    Masked,
    Object,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize
from jitcore.user.assumptions import ALLOWED, CONSTANT, held

Args = tuple[Var, ...]
Words = dict[str, Var]
PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))


def promised(vm: Machine, fn: Var, args: Args, kwargs: Words) -> Var | None:
    """None: nothing was promised of it."""
    obj, origin = named(vm, fn)
    if obj is None or not (obj in ALLOWED or obj in CONSTANT):
        return None
    origin = Const(obj) if origin is None else origin
    vm.guard(IsObject(origin, obj))
    if obj in CONSTANT:
        return assumed(vm, obj, origin, args, kwargs)
    return allowed(vm, obj, args, kwargs)


def named(vm: Machine, fn: Var) -> tuple[Any, Source | None]:
    match fn:
        case Lazy(origin, obj) | CompiledFunction(obj, origin) | Known(obj, origin):
            return obj, origin
        case Func(obj=obj, origin=origin) | Object(obj=obj, origin=origin):
            return obj, origin
        case Traced(origin=origin) if origin is not None:
            return vm.live.get(origin), origin
    return None, None


def allowed(vm: Machine, obj: Any, args: Args, kwargs: Words) -> Var:
    name = name_of(obj)
    if vm.work is not None or vm.inlined:
        vm.stop(breaks.LOUD_INLINED, f"{name}(), allowed by jitcore.allow_in_graph")
    if vm.config.verify:
        vm.stop(breaks.UNKNOWN_CALLABLE, f"{name}(), in verify mode")
    if holds_back(vm):
        raise RegionEnd
    tree = tuple(argument(vm, arg) for arg in args)
    words = {key: argument(vm, arg) for key, arg in kwargs.items()}
    op = Op(
        f"allowed.{name}", held(obj), Kind.OPAQUE, Effect.LOUD, effect_rule=lambda *_: Effect.LOUD
    )
    given = Value(UNKNOWN)
    node = Node(op, tree, words, (given,), (), vm.place())
    vm.fresh -= set(node.inputs)
    vm.loud(node)
    vm.cut_here = True
    return Traced(given)


def holds_back(vm: Machine) -> bool:
    """Is there an effect that only an exit would perform? The names of a module are such."""
    outer = vm.outer
    names = outer.code.slot_of.values()
    return bool(vm.effects) or any(outer.locals[i] is not outer.initial[i] for i in names)


def argument(vm: Machine, var: Var) -> Any:
    """The very object that the call would have: nobody knows what becomes of it."""
    var = realize(vm, var)
    origin = getattr(var, "origin", None)
    match var:
        case Traced(value) if not isinstance(value.type, DynArrayType):
            return value
        case Masked():
            give_up(var)
        case Known(obj) if type(obj) in PLAIN:
            return obj
        case _ if origin is not None:
            return vm.input(origin, ObjectType(type(object_of(vm, var, origin))))
        case Tuple(items, cls=cls) if cls is tuple:
            return tuple(argument(vm, item) for item in items)
    vm.stop(breaks.TYPE_UNSUPPORTED, f"{describe(var)} made in this function, as an argument")
