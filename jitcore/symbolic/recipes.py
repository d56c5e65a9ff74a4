"""Symbolic value → recipe: how an exit makes the object.

A recipe is made once per value and exit, so what is one object in the symbolic state is one
object again.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.fallback import breaks, exit
from jitcore.fallback.exit import Built, Computed, Empty, Loaded, Make, Recipe
from jitcore.host.private_names import extobj_contextvar, make_extobj
from jitcore.ir.graph import Value
from jitcore.ir.types import DynArrayType
from jitcore.symbolic.arrays.masked_select import give_up, loud_steps
from jitcore.symbolic.describe import describe
from jitcore.symbolic.loops import array_views
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.placeholders import Hidden, Null, Token
from jitcore.symbolic.unwind import leave
from jitcore.symbolic.values import (
    ArrayItems,
    Bound,
    Cell,
    CompiledFunction,
    Counted,
    Dict,
    Enumerate,
    EnumerateItems,
    Exc,
    Filter,
    Func,
    Generator,
    Items,
    Iter,
    Known,
    Lazy,
    List,
    Map,
    Masked,
    Method,
    Object,
    Partial,
    Range,
    RangeItems,
    SequenceItems,
    Set,
    Slice,
    Super,
    TaggedUnion,
    Traced,
    Tuple,
    Var,
    View,
    Zip,
    ZipItems,
)

EMPTY = Empty()


class Recipes:
    """Recipes of one exit; also used while the effects of that exit are written down."""

    def __init__(self, vm: Machine) -> None:
        self.vm = vm
        self.made: dict[int, Recipe] = {}
        self.making: set[int] = set()
        self.handed_out: set[Value] = set()

    def of(self, var: Var) -> Recipe:
        found = self.made.get(id(var))
        if found is None:
            if id(var) in self.making:
                self.vm.stop(breaks.CONTAINER_MUTATION, f"{describe(var)} that holds itself")
            self.making.add(id(var))
            found = self.made[id(var)] = self.make(var)
        return found

    def many(self, vars: Any) -> tuple[Recipe, ...]:
        return tuple(self.of(var) for var in vars)

    def make(self, var: Var) -> Recipe:
        match var:
            case Lazy(origin):
                self.vm.wanted.setdefault(origin)
                return Loaded(origin)
            case Null():
                return EMPTY
            case Traced(value):
                return self.value(value)
            case Object(origin=origin) if origin is not None:
                return self.loaded(origin)
            case Known(obj, origin):
                return self.loaded(origin) if origin is not None else exit.KnownObject(obj)
            case CompiledFunction(origin=origin):
                return self.loaded(origin)
            case List() | Dict() | Tuple() | Func() | Cell() if var.origin is not None:
                return self.loaded(var.origin)
            case Bound(owner, name):
                return self.call(getattr, self.of(owner), exit.KnownObject(name))
            case _:
                return MAKERS[type(var)](self, var)

    def value(self, value: Any) -> Recipe:
        """Of a graph value, or a constant."""
        if type(value) is not Value:
            return exit.KnownObject(value)
        view = array_views.recipe(self.vm, value, self.value)
        if view is not None:
            return view
        self.handed_out.add(value)
        is_view = isinstance(value.type, DynArrayType) and value.type.view
        return self.column(value) if is_view else Computed(value)

    def column(self, value: Value) -> Recipe:
        """A view of an array that nobody else has, as NumPy gives it: of an empty one the steps are
        those of others, too."""
        columns = self.vm.parts.columns.get(value, (value,))
        self.handed_out.update(columns)
        whole: Recipe = Computed(value)
        if len(columns) > 1:
            parts = Built(Make.TUPLE, tuple(map(Computed, columns)))
            whole = self.call(np.stack, parts, exit.KnownObject(1))
        whole = self.call(
            np.ndarray.reshape, whole, exit.KnownObject(-1), exit.KnownObject(len(columns))
        )
        at = exit.KnownObject((slice(None), columns.index(value)))
        return self.call(operator.getitem, whole, at)

    def loaded(self, origin: Any) -> Recipe:
        self.vm.wanted.setdefault(origin)
        return Loaded(origin)

    def call(self, fn: object, *parts: Recipe) -> Recipe:
        return Built(Make.CALL, (exit.KnownObject(fn), *parts))


def _tuple(r: Recipes, var: Tuple) -> Recipe:
    items = Built(Make.TUPLE, r.many(var.items))
    if var.cls is tuple:
        return items
    return r.call(tuple.__new__, exit.KnownObject(var.cls), items)


def _dict(r: Recipes, var: Dict) -> Recipe:
    parts = [p for key, item in var.items.items() for p in (exit.KnownObject(key), r.of(item))]
    return Built(Make.DICT, tuple(parts))


def _iter(r: Recipes, var: Iter) -> Recipe:
    moved = isinstance(var.over, View) and (var.at or var.size != len(var.over.owner.items))
    if var.passing or moved or any(var is each for each in r.vm.spoiled):
        r.vm.stop(breaks.ITERATOR_SHARED, describe(var))
    made = r.call(reversed if var.backward else iter, r.of(var.over))
    if not var.at:
        return made
    return Built(Make.TAKEN if var.backward else Make.ADVANCED, (made, exit.KnownObject(var.at)))


def _counted(r: Recipes, var: Counted) -> Recipe:
    made = _items(r, var.over)
    if type(var.taken) is int and not var.taken:
        return made
    return Built(Make.TAKEN, (made, r.value(var.taken)))


def _items(r: Recipes, over: Items) -> Recipe:
    """The iterator as it was at first."""
    if over.origin is not None:
        return r.loaded(over.origin)
    match over:
        case RangeItems(start, stop, step):
            return r.call(iter, r.call(range, *map(r.value, (start, stop, step))))
        case ArrayItems(array, first, step):
            made = r.call(iter if step > 0 else reversed, r.of(array))
            return made if first == 0 else Built(Make.ADVANCED, (made, r.value(first)))
        case SequenceItems(inner, first):
            made = r.call(iter, r.of(inner))
            return made if first == 0 else Built(Make.ADVANCED, (made, r.value(first)))
        case EnumerateItems(first, inner):
            return r.call(enumerate, _items(r, inner), r.value(first))
        case ZipItems(parts):
            return r.call(zip, *(_items(r, part) for part in parts))


def _either(r: Recipes, var: TaggedUnion) -> Recipe:
    both = Built(Make.TUPLE, (r.value(var.a), r.value(var.b)))
    return r.call(operator.getitem, both, r.value(var.tag))


def _function(r: Recipes, var: Func) -> Recipe:
    if not var.own_globals:
        r.vm.stop(breaks.FUNCTION_ESCAPES, f"function {var.qualname} of another module")
    closure = Built(Make.TUPLE, r.many(var.closure)) if var.closure else EMPTY
    return Built(
        Make.FUNCTION,
        (
            exit.KnownObject(var.code),
            r.of(var.defaults) if var.defaults is not None else EMPTY,
            r.of(var.kwdefaults) if var.kwdefaults is not None else EMPTY,
            closure,
        ),
    )


def _refuse(r: Recipes, var: Var) -> Recipe:
    r.vm.stop(row_of_left(var), describe(var))


def row_of_left(var: Var) -> breaks.BreakKind:
    """The row of a value that exists in the region only, and cannot be handed to CPython."""
    match var:
        case Generator(name="<genexpr>"):
            return breaks.GENERATOR_ESCAPES
        case Generator():
            return breaks.GENERATOR_CALL
        case Zip():
            return breaks.ITERATOR_SHARED
        case Super():
            return breaks.TYPE_UNSUPPORTED
    return breaks.FUNCTION_ESCAPES


def _exception(r: Recipes, var: Exc) -> Recipe:
    if var.raised_at >= 0 or var.args is None or var.attrs:
        leave(r.vm, var, "it is kept")
    return r.call(var.cls, *r.many(var.args))


def _instance(r: Recipes, var: Object) -> Recipe:
    parts = [
        p
        for name, x in var.attrs.items()
        if x is not None
        for p in (exit.KnownObject(name), r.of(x))
    ]
    return Built(Make.INSTANCE, (exit.KnownObject(var.cls), *parts))


def _masked(r: Recipes, var: Masked) -> Recipe:
    """Where a loud step fails, the array is still what it was; elsewhere it may have changed, or
    CPython would do again what the region has done."""
    if not r.vm.failing or var.stores != loud_steps(r.vm):
        give_up(var)
    return r.call(var.fn, *r.many(var.parts))


def _token(r: Recipes, var: Token) -> Recipe:
    if var.spent:
        _refuse(r, var)
    made = r.call(functools.partial(make_extobj, **var.words))
    return r.call(extobj_contextvar.set, made)


MAKERS: dict[type, Callable[[Recipes, Any], Recipe]] = {
    Tuple: _tuple,
    List: lambda r, v: Built(Make.LIST, r.many(v.items)),
    Dict: _dict,
    Set: lambda r, v: Built(Make.SET, tuple(exit.KnownObject(x) for x in v.items)),
    View: lambda r, v: r.call(getattr(dict, v.name), r.of(v.owner)),
    Slice: lambda r, v: Built(Make.SLICE, r.many(v.parts)),
    Object: _instance,
    Cell: lambda r, v: Built(Make.CELL, (r.of(v.content) if v.content is not None else EMPTY,)),
    Func: _function,
    Method: lambda r, v: Built(Make.METHOD, (r.of(v.func), r.of(v.owner))),
    Iter: _iter,
    Range: lambda r, v: r.call(range, r.of(v.start), r.of(v.stop), r.of(v.step)),
    Counted: _counted,
    TaggedUnion: _either,
    Zip: lambda r, v: r.call(zip, *r.many(v.iters)) if not v.strict else _refuse(r, v),
    Enumerate: lambda r, v: r.call(enumerate, r.of(v.over), exit.KnownObject(v.count)),
    Map: lambda r, v: r.call(map, r.of(v.func), *r.many(v.iters)),
    Filter: lambda r, v: r.call(filter, r.of(v.func), r.of(v.over)),
    Generator: _refuse,
    Super: _refuse,
    Partial: _refuse,
    Exc: _exception,
    Masked: _masked,
    Hidden: _refuse,
    Token: _token,
}
