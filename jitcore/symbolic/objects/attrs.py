"""Attributes: `owner.name` read, stored and deleted, by what the owner is.

module        its dict, guarded by identity of what is found
instance      type first (version guard), then the instance dict, as object.__getattribute__ does
class         its MRO, under the version guard
array         rows of the op table
super()       the MRO after a class
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakKind
from jitcore.fallback.exit import Do
from jitcore.guards.guard import Absent, name_of
from jitcore.guards.safe_lookup import own_attributes
from jitcore.guards.source import Attr, ModuleAttr, Slot
from jitcore.ir.ops.array import ATTRIBUTES, METHODS
from jitcore.ir.ops.complex import PARTS
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.symbolic.arrays.shape_facts import told
from jitcore.symbolic.break_rows import row_of_operands
from jitcore.symbolic.describe import describe
from jitcore.symbolic.loops import append_list, array_views, local_stack
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row
from jitcore.symbolic.objects.blind_append import unseen
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.objects.class_attrs import (
    SIMPLE,
    class_attr,
    class_value,
    is_data_descriptor,
    lookup,
    missing,
    super_attr,
)
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.objects.namedtuples import item_of
from jitcore.symbolic.objects.namespaces import reads
from jitcore.symbolic.values import (
    NOTHING,
    Bound,
    Dict,
    Exc,
    Known,
    Lazy,
    List,
    Object,
    Set,
    Super,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import present, realize

NUMBERS = (int, float, complex)
OF_NUMBERS = ("real", "imag", "numerator", "denominator")
SAFE_OWNERS = (np.dtype, np.ufunc, types.BuiltinFunctionType, np.finfo, np.iinfo, range, slice)
CLASSES: dict[type, type] = {List: list, Dict: dict, Set: set}
HANDS_OUT_MEMORY = ("ctypes", "data", "__array_interface__", "__array_struct__")


def load_attr(vm: Machine, owner: Var, name: str) -> Var:
    bound = unseen(vm, owner, name)
    if bound is None and vm.work is not None:
        bound = append_list.bound(vm, owner, name) or local_stack.bound(owner, name)
    if bound is not None:
        return bound
    owner = realize(vm, owner)
    match owner:
        case Known(obj):
            return _of_known(vm, owner, obj, name)
        case Traced(value) if isinstance(value.type, (ArrayType, ScalarType)):
            return _of_run(vm, owner, value.type, name)
        case Traced(value) if isinstance(value.type, DynArrayType):
            found = array_views.attribute(vm, value, name)
            return Bound(owner, name) if found is None else found
        case Object():
            return _of_instance(vm, owner, name)
        case Exc():
            return _of_exception(vm, owner, name)
        case Tuple(items, cls=cls) if (at := item_of(cls, name)) is not None and at < len(items):
            return items[at]
        case Super(cls, instance):
            return super_attr(vm, cls, instance, name)
        case List() | Dict() | Set():
            return _bound(vm, owner, CLASSES[type(owner)], name)
        case Tuple(cls=cls):
            return _bound(vm, owner, cls, name)
    kind = row_of_operands(vm, (owner,), breaks.ATTRIBUTE)
    vm.stop(kind, f".{name} of {describe(owner)}")


def _of_known(vm: Machine, owner: Known, obj: Any, name: str) -> Var:
    if issubclass(type(obj), types.ModuleType):
        if name not in obj.__dict__ or owner.origin is None:
            lazy = "__getattr__" in obj.__dict__ or owner.origin is None
            kind = breaks.ATTRIBUTE if lazy else breaks.MISSING_ATTRIBUTE
            vm.stop(kind, f"module {name_of(obj)} has no {name} in its dict")
        own = obj.__dict__ is vm.start.globals
        if own and (name in vm.globals_set or name in vm.start.code.slot_of):
            vm.stop(breaks.ATTRIBUTE, f"a global name that was just assigned ({name})")
        reads(vm, owner.origin, obj)
        return present(vm, Lazy(ModuleAttr(owner.origin, name), obj.__dict__[name]))
    if issubclass(type(obj), type):
        return class_attr(vm, obj, name)
    if issubclass(type(obj), SAFE_OWNERS):
        try:
            return Known(getattr(obj, name))
        except AttributeError:
            vm.stop(breaks.MISSING_ATTRIBUTE, f".{name} of {type(obj).__name__}")
    if type(obj) in NUMBERS and name in OF_NUMBERS:
        return Known(getattr(obj, name))
    if type(obj) in SIMPLE:
        return _bound(vm, owner, type(obj), name)
    vm.stop(breaks.ATTRIBUTE, f".{name} of {type(obj).__name__}")


def _of_instance(vm: Machine, owner: Object, name: str) -> Var:
    found = owner.attrs.get(name)
    if found is not None:
        return found
    raw = lookup(owner.cls, name)
    if name in owner.attrs and is_gone(raw):
        vm.stop(breaks.MISSING_ATTRIBUTE, f"{name} was deleted")
    if name in owner.attrs:
        return class_value(vm, raw, Known(owner.cls), owner, name)
    if raw is object.__dict__["__class__"]:
        return Known(owner.cls)
    if issubclass(type(raw), types.MemberDescriptorType):
        return _slot(vm, owner, raw, name)
    if is_data_descriptor(raw):
        return class_value(vm, raw, Known(owner.cls), owner, name)
    inside = instance_dict(owner)
    if inside is not None and owner.origin is not None and name in inside:
        var = owner.attrs[name] = Lazy(Attr(owner.origin, name), inside[name])
        return present(vm, var)
    if inside is not None and owner.origin is not None:
        vm.guard(Absent(Attr(owner.origin, name)))
    if raw is NOTHING and inside is None and owner.cls.__dictoffset__:
        vm.stop(breaks.MISSING_ATTRIBUTE, f"{owner.cls.__name__} object has no {name}")
    if raw is NOTHING:
        missing(vm, f"{owner.cls.__name__} object has no {name}")
    return class_value(vm, raw, Known(owner.cls), owner, name)


def is_gone(raw: Any) -> bool:
    """An attribute that was deleted: `raw` is what the class has of that name."""
    return raw is NOTHING or issubclass(type(raw), types.MemberDescriptorType)


def _of_exception(vm: Machine, owner: Exc, name: str) -> Var:
    found = owner.attrs.get(name)
    if found is not None:
        return found
    raw = lookup(owner.cls, name)
    if raw is BaseException.__dict__["args"] and owner.args is not None:
        return Tuple(owner.args)
    if raw is NOTHING:
        vm.stop(breaks.ATTRIBUTE, f".{name} of {describe(owner)}")
    return class_value(vm, raw, Known(owner.cls), owner, name)


def _slot(vm: Machine, owner: Object, raw: types.MemberDescriptorType, name: str) -> Var:
    if owner.origin is None:
        vm.stop(breaks.MISSING_ATTRIBUTE, f"{name} is not set")
    if vars(raw.__objclass__).get(name) is not raw:
        vm.stop(breaks.DESCRIPTOR, f"{name} is the slot of another name, or class")
    try:
        value = raw.__get__(owner.obj)
    except AttributeError:
        vm.stop(breaks.MISSING_ATTRIBUTE, f"{name} is not set")
    var = owner.attrs[name] = Lazy(Slot(owner.origin, name, raw.__objclass__), value)
    return present(vm, var)


def instance_dict(owner: Object) -> dict[str, Any] | None:
    """The attributes that the instance has of its own, None if it cannot have any."""
    if owner.origin is None:
        return {} if owner.cls.__dictoffset__ else None
    found = own_attributes(owner.obj)
    return found if type(found) is dict else None


def _of_run(vm: Machine, owner: Traced, kind: ArrayType | ScalarType, name: str) -> Var:
    if isinstance(kind, ScalarType) and kind.python:
        return _of_number(vm, owner, kind.pytype, name)
    fact = ATTRIBUTES.get(name)
    if fact is not None and fact.constant is not None:
        return told(vm, owner, name, fact.constant)
    if fact is not None and fact.row is not None:
        return emit_row(vm, fact.row, (owner,), {})
    if name in METHODS and not (isinstance(kind, ScalarType) and METHODS[name].stores):
        return Bound(owner, name)
    row = row_of_array_attribute(name)
    if row is breaks.MISSING_ATTRIBUTE and isinstance(kind, ArrayType):
        missing(vm, f".{name} of {describe(owner)}")
    vm.stop(row, f".{name} of {describe(owner)}")


def _of_number(vm: Machine, owner: Traced, cls: type, name: str) -> Var:
    """Of Python's. The real part of a float or int is that number itself."""
    if cls is complex and name in PARTS:
        return emit_row(vm, PARTS[name], (owner,), {})
    if cls in (int, float) and name in PARTS:
        return owner if name == "real" else Known(cls(0))
    return _bound(vm, owner, cls, name)


def _bound(vm: Machine, owner: Var, cls: type, name: str) -> Var:
    """A method, looked up again at the exits, where it must not fail."""
    if not callable(getattr(cls, name, None)):
        if hasattr(cls, name):
            vm.stop(breaks.ATTRIBUTE, f".{name} of {describe(owner)}")
        missing(vm, f".{name} of {describe(owner)}")
    return Bound(owner, name)


def row_of_array_attribute(name: str) -> BreakKind:
    if name in HANDS_OUT_MEMORY:
        return breaks.MEMORY_ESCAPES
    return breaks.ATTRIBUTE if hasattr(np.ndarray, name) else breaks.MISSING_ATTRIBUTE


def row_of_write(vm: Machine, owner: Var) -> BreakKind:
    if isinstance(owner, Traced) and isinstance(owner.value.type, ArrayType):
        return breaks.ARRAY_CHANGED
    return row_of_operands(vm, (owner,), breaks.ATTRIBUTE_WRITE)


def store_attr(vm: Machine, owner: Var, name: str, value: Var | None) -> None:
    """Held back until the exits; only where it cannot fail or run user code."""
    owner = realize(vm, owner)
    if isinstance(owner, Exc) and value and not is_data_descriptor(lookup(owner.cls, name)):
        owner.attrs[name] = value
        return
    if not isinstance(owner, Object):
        vm.stop(row_of_write(vm, owner), f".{name} of {describe(owner)}")
    cls = owner.cls
    if cls.__setattr__ is not object.__setattr__ or cls.__delattr__ is not object.__delattr__:  # type: ignore[comparison-overlap]
        vm.stop(breaks.CUSTOM_ATTRIBUTE, f"{cls.__name__} has a __setattr__ of its own")
    raw = lookup(cls, name)
    slot = issubclass(type(raw), types.MemberDescriptorType)
    setter = raw.fset if type(raw) is property else None
    if value is not None and isinstance(setter, FUNCTIONS):
        call(vm, function_in(vm, setter), (owner, value), {})
        return
    if is_data_descriptor(raw) and not slot:
        vm.stop(breaks.ATTRIBUTE_WRITE, f"{name} is a descriptor of {cls.__name__}")
    if not slot and instance_dict(owner) is None:
        vm.stop(breaks.ATTRIBUTE_WRITE, f"{cls.__name__} object has no __dict__")
    if value is None:
        load_attr(vm, owner, name)
        if owner.attrs.get(name) is None:
            vm.stop(breaks.MISSING_ATTRIBUTE, f"{name} is the class's")
    set_attr(vm, owner, name, value)


def set_attr(vm: Machine, owner: Object, name: str, value: Var | None) -> None:
    """Past a __setattr__ of the class's own: the caller knows that there is none, or went past
    it."""
    vm.wrote(owner)
    if owner.origin is None:
        if value is None:
            del owner.attrs[name]
        else:
            owner.attrs[name] = value
        return
    if value is None:
        vm.hold(Do.CALL, Known(object.__delattr__), owner, Known(name))
    else:
        vm.hold(Do.CALL, Known(object.__setattr__), owner, Known(name), value)
    owner.attrs[name] = value
    vm.mutated.add(owner.origin)
