"""Live object → symbolic value, with the guards that make it true next time.

One row per kind of object in WRAPPERS, by exact type; what has no row is a run-time value of its
class. Same object, same value: containers and instances that reach the region by two ways are one.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.guards.guard import Equals, HasType, IsArray, IsObject, Length
from jitcore.guards.safe_lookup import answers_itself, has_plain_names
from jitcore.guards.source import (
    CellContent,
    Item,
    IteratorPart,
    Local,
    MethodFunc,
    MethodSelf,
    PartialPart,
    Source,
    Stack,
)
from jitcore.ir.graph import Value
from jitcore.ir.types import PYINT, ArrayType, ObjectType, ScalarType, type_of
from jitcore.symbolic.loops.loop_state import working
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.container_values import (
    CONSTANT_KEYS,
    dict_value,
    list_value,
    namedtuple_value,
    tuple_value,
)
from jitcore.symbolic.objects.function_parts import closure_cell, compiled_value, function_value
from jitcore.symbolic.objects.instance_values import (
    instance_value,
    is_plain_instance,
    unknown_value,
)
from jitcore.symbolic.values import (
    ArrayItems,
    Counted,
    Dict,
    EnumerateItems,
    Items,
    Known,
    Lazy,
    List,
    Method,
    Partial,
    Range,
    RangeItems,
    SequenceItems,
    Traced,
    Tuple,
    Var,
    ZipItems,
)
from jitcore.user.directives import COMPILED

KNOWN_TYPES = (
    types.ModuleType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    np.ufunc,
    type(np.sum),
)
EQUAL_TYPES = (str, bytes, bool, type(None), type(...), type(NotImplemented), range)


def realize(vm: Machine, var: Var) -> Var:
    """Look at a lazy value: what it is becomes a guard."""
    if not isinstance(var, Lazy):
        return settled(vm, var) if isinstance(var, Range) else var
    found = vm.realized.get(var.origin)
    if vm.work is not None and type(var.origin) is Item:
        working(vm).fixed_items |= isinstance(vm.realized.get(var.origin.base), List)
    if var.origin in vm.blind:
        vm.stop(breaks.CONTAINER_MUTATION, f"{var.origin} was appended to")
    if found is None:
        vm.live[var.origin] = var.obj
        found = vm.realized[var.origin] = _wrap(vm, var.obj, var.origin)
    return found


def present(vm: Machine, var: Var) -> Var:
    """Next time, too, the name must have a value, even if nobody looks at it."""
    if isinstance(var, Lazy):
        vm.wanted.setdefault(var.origin)
    return var


def settled(vm: Machine, var: Range) -> Known:
    """A range that something else than a loop looks at has bounds that are facts."""
    if var.settled is None:
        ends = (realize(vm, part) for part in (var.start, var.stop, var.step))
        parts = (vm.concrete(end, "is an end of a range") for end in ends)
        try:
            var.settled = Known(range(*parts))
        except (TypeError, ValueError) as error:
            vm.stop(breaks.PYTHON_RAISES, f"{type(error).__name__}: {error}")
    return var.settled


def _wrap(vm: Machine, obj: Any, origin: Source) -> Var:
    row = WRAPPERS.get(type(obj))
    if row is not None:
        return row(vm, obj, origin)
    if answers_itself(obj):
        vm.stop(breaks.CUSTOM_ATTRIBUTE, "the object's own, or its metaclass's")
    for cls, general in GENERAL:
        if issubclass(type(obj), cls):  # isinstance() would ask a proxy for its __class__
            return general(vm, obj, origin)
    if is_plain_instance(type(obj)) and has_plain_names(obj):
        return instance_value(vm, obj, origin)
    return unknown_value(vm, obj, origin)


def _array(vm: Machine, obj: np.ndarray[Any, Any], origin: Source) -> Var:
    kind = type_of(obj)
    if not isinstance(kind, ArrayType):
        return unknown_value(vm, obj, origin)
    sized = vm.start.sizes.get(origin)
    kind = kind if sized is None else sized.type
    vm.guard(IsArray(origin, kind))
    value = vm.input(origin, kind)
    if isinstance(origin, Stack):
        vm.builder.temporary(value)
    return Traced(value, origin)


def _scalar(vm: Machine, obj: Any, origin: Source) -> Var:
    kind = type_of(obj)
    vm.guard(HasType(origin, type(obj)))
    if not isinstance(kind, ScalarType):
        return Traced(vm.input(origin, ObjectType(type(obj))), origin)
    if type(obj) is int:
        return Traced(vm.input(origin, kind), origin, obj, frozenset((origin,)))
    return Traced(vm.input(origin, kind), origin)


def _iterator(vm: Machine, obj: Any, origin: Source) -> Var:
    """One that CPython's loop has begun. One with a name might be asked for its next item."""
    items = begun(vm, obj, origin) if isinstance(origin, Stack) else None
    return unknown_value(vm, obj, origin) if items is None else Counted(items)


def begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    """What is left of it. None: not what csrc/guards/iterators.c takes items of."""
    made = BEGUN[type(obj)](vm, obj, origin) if type(obj) in BEGUN else None
    if made is not None:
        vm.guard(HasType(origin, type(obj)))
    return made


def whole_part(vm: Machine, origin: Source, part: str) -> Value:
    return vm.input(IteratorPart(origin, part), PYINT)


def _range_begun(vm: Machine, obj: Any, origin: Source) -> Items:
    start, stop, step, count = (
        whole_part(vm, origin, part) for part in ("start", "stop", "step", "count")
    )
    return RangeItems(start, stop, step, count, origin)


def _array_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    step = -1 if type(obj) is reversed else 1
    over = obj.__reduce__()[1][0]
    kind = type_of(over) if type(over) is np.ndarray else None
    if not isinstance(kind, ArrayType) or kind.ndim == 0:
        return None
    array = realize(vm, Lazy(IteratorPart(origin, "over"), over))
    assert isinstance(array, Traced)
    return ArrayItems(array, whole_part(vm, origin, "index"), step, origin)


def _sequence_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    over = obj.__reduce__()[1][0]
    if type(over) not in (list, tuple, str, bytes, bytearray):
        return None
    inner = realize(vm, Lazy(IteratorPart(origin, "over"), over))
    return SequenceItems(inner, whole_part(vm, origin, "index"), origin)


def _enumerate_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    inner = begun(vm, obj.__reduce__()[1][0], IteratorPart(origin, "over"))
    return inner and EnumerateItems(whole_part(vm, origin, "index"), inner, origin)


def _zip_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    _, iters, *strict = obj.__reduce__()
    if strict or not iters or len(set(map(id, iters))) != len(iters):
        return None
    vm.guard(HasType(origin, zip))
    vm.guard(Length(origin, len(iters)))
    parts = [begun(vm, one, IteratorPart(origin, i)) for i, one in enumerate(iters)]
    found = tuple(part for part in parts if part is not None)
    return ZipItems(found, origin) if len(found) == len(parts) else None


SEQUENCES: tuple[Any, ...] = ([], (), "", "\u0100", b"", bytearray())
BEGUN: dict[type, Callable[[Machine, Any, Source], Items | None]] = {
    type(iter(range(0))): _range_begun,
    type(iter(np.empty(0))): _array_begun,
    reversed: _array_begun,
    **dict.fromkeys((type(iter(made)) for made in SEQUENCES), _sequence_begun),
    enumerate: _enumerate_begun,
    zip: _zip_begun,
}


def _slice(vm: Machine, obj: slice, origin: Source) -> Var:
    """A slice may hold anything: an entry keeps only what is a constant."""
    plain = all(type(part) in CONSTANT_KEYS for part in (obj.start, obj.stop, obj.step))
    return (_equal if plain else unknown_value)(vm, obj, origin)


def _equal(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(Equals(origin, obj))
    return Known(obj, origin)


def _identical(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(IsObject(origin, obj))
    return Known(obj, origin)


def _class(vm: Machine, obj: Any, origin: Source) -> Var:
    if answers_itself(obj):
        vm.stop(breaks.CUSTOM_ATTRIBUTE, "a class whose names are not plain strings")
    return _identical(vm, obj, origin)


def _cell(vm: Machine, obj: types.CellType, origin: Source) -> Var:
    if not isinstance(origin, Local):  # an inlined comprehension has put it aside, on the stack
        vm.stop(breaks.UNGUARDABLE, "a variable of a nested function, hidden by a comprehension")
    return closure_cell(vm, obj, origin, CellContent(origin.index, origin.name))


def _method(vm: Machine, obj: types.MethodType, origin: Source) -> Var:
    vm.guard(HasType(origin, types.MethodType))
    return Method(
        realize(vm, Lazy(MethodFunc(origin), obj.__func__)),
        Lazy(MethodSelf(origin), obj.__self__),
    )


def _partial(vm: Machine, obj: functools.partial[Any], origin: Source) -> Var:
    vm.guard(HasType(origin, functools.partial))
    args = realize(vm, Lazy(PartialPart(origin, "args"), obj.args))
    kwargs = realize(vm, Lazy(PartialPart(origin, "keywords"), obj.keywords))
    func = Lazy(PartialPart(origin, "func"), obj.func)
    if not isinstance(args, Tuple) or not isinstance(kwargs, Dict):
        return unknown_value(vm, obj, origin)
    return Partial(func, args.items, kwargs.items)


WRAPPERS: dict[type, Callable[[Machine, Any, Source], Var]] = {
    np.ndarray: _array,
    int: _scalar,
    float: _scalar,
    complex: _scalar,
    tuple: tuple_value,
    list: list_value,
    dict: dict_value,
    types.FunctionType: function_value,
    COMPILED: compiled_value,
    types.CellType: _cell,
    types.MethodType: _method,
    functools.partial: _partial,
    **dict.fromkeys(EQUAL_TYPES, _equal),
    slice: _slice,
    **dict.fromkeys(BEGUN, _iterator),
    **dict.fromkeys(KNOWN_TYPES, _identical),
    type: _class,
}
GENERAL: tuple[tuple[type, Callable[[Machine, Any, Source], Var]], ...] = (
    (np.generic, _scalar),
    (np.dtype, _identical),
    (enum.Enum, _identical),
    (types.ModuleType, _identical),
    (type, _identical),
    (tuple, namedtuple_value),
)
