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
from jitcore.guards.guard import (
    Equals,
    HasType,
    IsArray,
    IsObject,
    Keys,
    Length,
    SameObject,
    TypeVersion,
)
from jitcore.guards.plain import answers_itself, has_plain_names
from jitcore.guards.source import (
    CellContent,
    Item,
    IteratorPart,
    Key,
    Local,
    MethodFunc,
    MethodSelf,
    PartialPart,
    Source,
    Stack,
)
from jitcore.ir.graph import Value
from jitcore.ir.types import PYINT, ArrayType, ObjectType, ScalarType, type_of
from jitcore.marks import COMPILED
from jitcore.symbolic.fields import is_namedtuple
from jitcore.symbolic.functions import closure_cell, compiled_value, function_value
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.namespaces import met
from jitcore.symbolic.values import (
    Abreast,
    Counted,
    Dict,
    Elements,
    Items,
    Known,
    Lazy,
    List,
    Members,
    Method,
    Numbered,
    Object,
    Partial,
    Range,
    Run,
    Stride,
    Tuple,
    Var,
)

MAX_KEYS = 64  # of a dict
MAX_ITEMS = 256  # of a list or tuple: each that is looked at has a guard
CONSTANT_KEYS = (str, int, bool, float, bytes, type(None))
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
        vm.work.fixed_items |= isinstance(vm.realized.get(var.origin.base), List)
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
        vm.stop(breaks.CUSTOM_ATTRIBUTE, "an object that answers by itself, or its class does")
    for cls, general in GENERAL:
        if issubclass(type(obj), cls):  # isinstance() would ask a proxy for its __class__
            return general(vm, obj, origin)
    if is_plain_instance(type(obj)) and has_plain_names(obj):
        return _instance(vm, obj, origin)
    return _unknown(vm, obj, origin)


def _same(vm: Machine, obj: Any, origin: Source, make: Callable[[], Var]) -> Var:
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


def _array(vm: Machine, obj: np.ndarray[Any, Any], origin: Source) -> Var:
    kind = type_of(obj)
    if not isinstance(kind, ArrayType):
        return _unknown(vm, obj, origin)
    sized = vm.start.sizes.get(origin)
    kind = kind if sized is None else sized.type
    vm.guard(IsArray(origin, kind))
    value = vm.input(origin, kind)
    if isinstance(origin, Stack):
        vm.builder.temporary(value)
    return Run(value, origin)


def _scalar(vm: Machine, obj: Any, origin: Source) -> Var:
    kind = type_of(obj)
    vm.guard(HasType(origin, type(obj)))
    if not isinstance(kind, ScalarType):
        return Run(vm.input(origin, ObjectType(type(obj))), origin)
    if type(obj) is int:
        return Run(vm.input(origin, kind), origin, obj, frozenset((origin,)))
    return Run(vm.input(origin, kind), origin)


def _iterator(vm: Machine, obj: Any, origin: Source) -> Var:
    """One that CPython's loop has begun. One with a name might be asked for its next item."""
    items = begun(vm, obj, origin) if isinstance(origin, Stack) else None
    return _unknown(vm, obj, origin) if items is None else Counted(items)


def begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    """What is left of it. None: not what csrc/iterators.c takes items of."""
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
    return Stride(start, stop, step, count, origin)


def _array_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    step = -1 if type(obj) is reversed else 1
    over = obj.__reduce__()[1][0]
    kind = type_of(over) if type(over) is np.ndarray else None
    if not isinstance(kind, ArrayType) or kind.ndim == 0:
        return None
    array = realize(vm, Lazy(IteratorPart(origin, "over"), over))
    assert isinstance(array, Run)
    return Elements(array, whole_part(vm, origin, "index"), step, origin)


def _sequence_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    over = obj.__reduce__()[1][0]
    if type(over) not in (list, tuple, str, bytes, bytearray):
        return None
    inner = realize(vm, Lazy(IteratorPart(origin, "over"), over))
    return Members(inner, whole_part(vm, origin, "index"), origin)


def _enumerate_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    inner = begun(vm, obj.__reduce__()[1][0], IteratorPart(origin, "over"))
    return inner and Numbered(whole_part(vm, origin, "index"), inner, origin)


def _zip_begun(vm: Machine, obj: Any, origin: Source) -> Items | None:
    _, iters, *strict = obj.__reduce__()
    if strict or not iters or len(set(map(id, iters))) != len(iters):
        return None
    vm.guard(HasType(origin, zip))
    vm.guard(Length(origin, len(iters)))
    parts = [begun(vm, one, IteratorPart(origin, i)) for i, one in enumerate(iters)]
    found = tuple(part for part in parts if part is not None)
    return Abreast(found, origin) if len(found) == len(parts) else None


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
    return (_equal if plain else _unknown)(vm, obj, origin)


def _equal(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(Equals(origin, obj))
    return Known(obj, origin)


def _identical(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(IsObject(origin, obj))
    return Known(obj, origin)


def _class(vm: Machine, obj: Any, origin: Source) -> Var:
    if answers_itself(obj):
        vm.stop(breaks.CUSTOM_ATTRIBUTE, "a class with names that are no plain str")
    return _identical(vm, obj, origin)


def _tuple(vm: Machine, obj: tuple[Any, ...], origin: Source) -> Var:
    if len(obj) > MAX_ITEMS:
        return _unknown(vm, obj, origin)
    vm.guard(HasType(origin, tuple))
    vm.guard(Length(origin, len(obj)))
    return Tuple(tuple(Lazy(Item(origin, i), x) for i, x in enumerate(obj)), origin)


def _list(vm: Machine, obj: list[Any], origin: Source) -> Var:
    if any(vm.live.get(other) is obj for other in vm.blind):
        vm.stop(breaks.CONTAINER_MUTATION, f"{origin} was appended to")
    if len(obj) > MAX_ITEMS:
        return _unknown(vm, obj, origin)

    def make() -> Var:
        vm.guard(HasType(origin, list))
        vm.guard(Length(origin, len(obj)))
        return List([Lazy(Item(origin, i), x) for i, x in enumerate(obj)], origin)

    return _same(vm, obj, origin, make)


NAMESPACE = frozenset(("__builtins__", "__loader__"))  # what globals and modules have


def _dict(vm: Machine, obj: dict[Any, Any], origin: Source) -> Var:
    if not all(type(key) in CONSTANT_KEYS for key in obj) or len(obj) > MAX_KEYS:
        return _unknown(vm, obj, origin)
    if obj is vm.start.globals or not NAMESPACE.isdisjoint(obj):  # Keys() would fail often
        return _unknown(vm, obj, origin)

    def make() -> Var:
        vm.guard(HasType(origin, dict))
        vm.guard(Keys(origin, tuple(obj)))
        return Dict({key: Lazy(Key(origin, key, type(key)), x) for key, x in obj.items()}, origin)

    return _same(vm, obj, origin, make)


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
        return _unknown(vm, obj, origin)
    return Partial(func, args.items, kwargs.items)


def _namedtuple(vm: Machine, obj: Any, origin: Source) -> Var:
    cls = type(obj)
    if not is_namedtuple(cls) or len(obj) > MAX_ITEMS:
        return _unknown(vm, obj, origin)
    vm.guard(HasType(origin, cls))
    vm.guard(TypeVersion(cls))
    vm.guard(Length(origin, len(obj)))
    items = tuple(Lazy(Item(origin, i), x) for i, x in enumerate(obj))
    return Tuple(items, origin, cls)


def _instance(vm: Machine, obj: Any, origin: Source) -> Var:
    def make() -> Var:
        vm.guard(HasType(origin, type(obj)))
        vm.guard(TypeVersion(type(obj)))
        return Object(obj, type(obj), origin)

    return _same(vm, obj, origin, make)


def is_plain_instance(cls: type) -> bool:
    """Attributes of such an instance can be read and written without running user code."""
    return (
        bool(cls.__flags__ & HEAPTYPE)
        and cls.__getattribute__ is object.__getattribute__  # type: ignore[comparison-overlap]
        and not any("__getattr__" in base.__dict__ for base in cls.__mro__)
        and all(base is object or base.__flags__ & HEAPTYPE for base in cls.__mro__)
    )


HEAPTYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _unknown(vm: Machine, obj: Any, origin: Source) -> Var:
    vm.guard(HasType(origin, type(obj)))
    return Run(vm.input(origin, ObjectType(type(obj))), origin)


WRAPPERS: dict[type, Callable[[Machine, Any, Source], Var]] = {
    np.ndarray: _array,
    int: _scalar,
    float: _scalar,
    complex: _scalar,
    tuple: _tuple,
    list: _list,
    dict: _dict,
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
    (tuple, _namedtuple),
)
