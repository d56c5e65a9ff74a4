"""Functions that are there → their parts, each guarded when it is used."""

from __future__ import annotations

import operator
import types
from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import HasType, IsObject, SameObject
from jitcore.guards.source import (
    ClosureContent,
    Const,
    FrameBuiltins,
    FrameGlobals,
    FunctionPart,
    Item,
    Source,
)
from jitcore.host.own_code import is_own
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import Cell, CompiledFunction, Func, Lazy, Var
from jitcore.user.directives import COMPILED

FUNCTIONS = (types.FunctionType, COMPILED)
builtins_of = operator.attrgetter("__builtins__")


def function_value(vm: Machine, obj: types.FunctionType, origin: Source) -> Func:
    """A Python function by its parts, each guarded when it is used: code here, the others
    lazily."""
    vm.guard(HasType(origin, types.FunctionType))
    vm.guard(IsObject(FunctionPart(origin, "code"), obj.__code__))
    own_globals = obj.__globals__ is vm.start.globals
    vm.guard(SameObject(FunctionPart(origin, "globals"), FrameGlobals(), own_globals))
    if not own_globals:
        vm.guard(IsObject(FunctionPart(origin, "globals"), obj.__globals__))
    if type(obj.__globals__) is not dict:  # it may answer with code of its own
        vm.stop(breaks.UNGUARDABLE, f"{origin}, whose globals are not a plain dict")
    if not is_own(obj.__code__, obj.__globals__):  # ours have theirs: pristine.py
        if builtins_of(obj) is not vm.start.builtins:
            vm.stop(breaks.UNGUARDABLE, f"{origin}, which has its own builtins")
        vm.guard(SameObject(FunctionPart(origin, "builtins"), FrameBuiltins(), True))
    closure = FunctionPart(origin, "closure")
    cells = tuple(
        closure_cell(vm, cell, Item(closure, i), ClosureContent(origin, i))
        for i, cell in enumerate(obj.__closure__ or ())
    )
    defaults = Lazy(FunctionPart(origin, "defaults"), obj.__defaults__)
    kwdefaults = Lazy(FunctionPart(origin, "kwdefaults"), obj.__kwdefaults__)
    return Func(
        obj.__code__,
        obj.__globals__,
        obj.__name__,
        obj.__qualname__,
        defaults,
        kwdefaults,
        cells,
        origin,
        obj,
        own_globals,
    )


def compiled_value(vm: Machine, obj: Any, origin: Source) -> Var:
    """Its function is looked at when it is called."""
    vm.guard(HasType(origin, COMPILED))
    return CompiledFunction(obj, origin)


def function_in(vm: Machine, raw: Any) -> Func | CompiledFunction:
    """One of FUNCTIONS that a class has, whose version is guarded."""
    if type(raw) is COMPILED:
        return CompiledFunction(raw, Const(raw))
    return function_value(vm, raw, Const(raw))


def closure_cell(vm: Machine, cell: types.CellType, origin: Source, content: Source) -> Cell:
    found = vm.cells_by_id.get(id(cell))
    if found is not None:
        if found.origin is not None and found.origin != origin:
            vm.guard(SameObject(found.origin, origin, True))
        return found
    try:
        inside: Var | None = Lazy(content, cell.cell_contents)
    except ValueError:
        inside = None
    made = vm.cells_by_id[id(cell)] = Cell(inside, origin)
    vm.mutable[origin] = cell
    return made
