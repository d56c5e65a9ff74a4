"""`a[b]`, read, written and deleted, on symbolic values."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any, cast

from jitcore.fallback import breaks
from jitcore.fallback.exit import Do
from jitcore.guards.guard import TypeVersion
from jitcore.ir.ops.array import GETITEM, SETITEM
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.ir.value import Value
from jitcore.symbolic.arrays.masked_select import selected
from jitcore.symbolic.arrays.masked_store import is_mask_of, masked_store
from jitcore.symbolic.arrays.moving_view import moving_item, moving_store
from jitcore.symbolic.break_rows import refuse
from jitcore.symbolic.describe import describe
from jitcore.symbolic.handlers.build import key_of
from jitcore.symbolic.loops import array_stores, array_views, local_stack, sequences
from jitcore.symbolic.loops.loop_state import is_element
from jitcore.symbolic.loops.union_value import distributed
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row, is_array_like, leaf
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.objects.class_attrs import lookup
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.objects.operators import folded
from jitcore.symbolic.unwind import fails, missing_key
from jitcore.symbolic.values import (
    NOTHING,
    Dict,
    Known,
    List,
    Object,
    Slice,
    TaggedUnion,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize

AN_INDEX = "is an index"


def getitem(vm: Machine, container: Var, key: Var) -> Var:
    container = realize(vm, container)
    found = in_routine(vm, container, realize(vm, key)) if vm.work is not None else None
    if found is not None:
        return found
    match container:
        case Traced() if is_array_like(vm, container):
            return _array_item(vm, container, key)
        case Dict(items):
            name = key_of(vm, key)
            if name not in items:
                missing_key(vm, name)
            return items[name]
        case Known(obj) if type(obj) in (str, bytes, tuple, range):
            return folded(vm, operator.getitem, obj, index_of(vm, key))
        case Tuple(items) | List(items):
            return _sequence_item(vm, container, items, index_of(vm, key))
        case Object(cls=cls):
            raw = lookup(cls, "__getitem__")
            if issubclass(type(raw), FUNCTIONS):
                vm.guard(TypeVersion(cls))
                return call(vm, function_in(vm, raw), (container, key), {})
    refuse(vm, (container,), breaks.CONTAINER_TYPE, f"{describe(container)}[…]")


def in_routine(vm: Machine, container: Var, key: Var) -> Var | None:
    """None: it is no list, tuple or string."""
    found = local_stack.item(vm, container, key)
    return sequences.item(vm, container, key) if found is None else found


def _array_item(vm: Machine, container: Traced, key: Var) -> Var:
    row = GETITEM
    key = realize(vm, key)
    if vm.work is not None:
        return array_views.item(vm, container, key)
    if isinstance(key, Traced) and is_mask_of(key, container):
        return selected(vm, container, key, operator.getitem)
    if isinstance(key, Traced) and key.hint is not NOTHING and vm.in_loop:
        return vm.emit(row, (container.value, key.value), {})
    part = moving_item(vm, container, key)
    return part or emit_row(vm, row, (container, key), {})


def index_of(vm: Machine, key: Var) -> Any:
    key = realize(vm, key)
    match key:
        case Known(obj):
            return obj
        case Slice(parts):
            return slice(*(vm.concrete(realize(vm, p), AN_INDEX) for p in parts))
        case Traced():
            return vm.concrete(key, AN_INDEX)
    vm.stop(breaks.CONTAINER_TYPE, f"indexed by {describe(key)}")


def _sequence_item(vm: Machine, container: Var, items: Any, index: Any) -> Var:
    try:
        found: Any = items[index]
    except IndexError:
        fails(vm, IndexError, "index out of range")
    except (TypeError, ValueError) as error:
        vm.stop(breaks.PYTHON_RAISES, f"{type(error).__name__}: {error}")
    if isinstance(index, slice):
        return List(found) if isinstance(container, List) else Tuple(found)
    return cast(Var, found)


def setitem(vm: Machine, container: Var, key: Var, value: Var) -> None:
    container = realize(vm, container)
    if vm.work is not None and store_item(vm, container, key, value):
        return
    match container:
        case Traced(run) if isinstance(run.type, ArrayType | DynArrayType):
            if vm.work is not None:
                store_element(vm, run, key, realize(vm, value))
                return
            if masked_store(vm, container, key, value):
                return
            if moving_store(vm, container, key, value):
                return
            emit_row(vm, SETITEM, (container, key, value), {})
        case Dict(items):
            name = key_of(vm, key)
            items[name] = value
            replay(vm, container, dict.__setitem__, Known(name), value)
        case List(items):
            index = index_of(vm, key)
            if not isinstance(index, int):
                vm.stop(breaks.CONTAINER_TYPE, "assignment to a slice of a list")
            if not -len(items) <= index < len(items):
                fails(vm, IndexError, "list assignment index out of range")
            items[index] = value
            replay(vm, container, list.__setitem__, Known(index), value)
        case _:
            refuse(vm, (container,), breaks.CONTAINER_TYPE, f"{describe(container)}[…] = …")


def store_item(vm: Machine, container: Var, key: Var, value: Var) -> bool:
    """Into a list or bytearray that exists."""
    value = realize(vm, value)
    if sequences.sequence(vm, container) is None:
        return False
    if isinstance(value, TaggedUnion):
        distributed(vm, partial(setitem, vm, container, key), value)
        return True
    return sequences.store(vm, container, realize(vm, key), value)


def store_element(vm: Machine, array: Value, key: Var, value: Var) -> None:
    if isinstance(value, TaggedUnion):
        distributed(vm, partial(store_element, vm, array, key), value)
        return
    element = array_views.index(vm, key)
    if is_element(array, element):
        array_stores.writable(vm, array)
        vm.emit(SETITEM, (array, element, leaf(vm, value)), {})
    else:
        array_stores.store(vm, array, key, leaf(vm, value))


def delitem(vm: Machine, container: Var, key: Var) -> None:
    container = realize(vm, container)
    match container:
        case Dict(items):
            name = key_of(vm, key)
            if name not in items:
                missing_key(vm, name)
            del items[name]
            replay(vm, container, dict.__delitem__, Known(name))
        case _:
            vm.stop(breaks.CONTAINER_TYPE, f"del {describe(container)}[…]")


def replay(vm: Machine, container: Var, method: object, *args: Var) -> None:
    """A container that the frame can see: the same call is made on the real one at the exits."""
    origin = container.origin  # type: ignore[union-attr]
    vm.wrote(container)
    if origin is not None:
        vm.hold(Do.CALL, Known(method), container, *args)
        vm.mutated.add(origin)
