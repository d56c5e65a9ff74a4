"""Calls of classes and of instances.

An instance of a plain class is known structure: its __init__ is inlined, and the exits build the
object. So is a namedtuple. `__call__` of an instance is inlined.
"""

from __future__ import annotations

import contextlib
import functools
import types

from jitcore.fallback import breaks
from jitcore.guards.guard import IsObject, TypeVersion
from jitcore.guards.source import Const, FunctionPart
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.attrs import instance_dict, set_attr
from jitcore.symbolic.objects.calls import CALL_HOOKS, bind, call, model
from jitcore.symbolic.objects.class_attrs import is_data_descriptor, lookup
from jitcore.symbolic.objects.exceptions import new_exception
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.objects.instance_values import is_plain_instance
from jitcore.symbolic.objects.namedtuples import count_of, is_namedtuple
from jitcore.symbolic.values import NOTHING, Func, Known, Lazy, Object, Partial, Super, Tuple, Var
from jitcore.symbolic.wrap import realize


def call_instance(
    vm: Machine, fn: Var, args: tuple[Var, ...], kwargs: dict[str, Var]
) -> Var | None:
    if not isinstance(fn, Object):
        return None
    raw = lookup(fn.cls, "__call__")
    if not issubclass(type(raw), FUNCTIONS):
        kind = breaks.NOT_CALLABLE if raw is NOTHING else breaks.UNKNOWN_CALLABLE
        vm.stop(kind, describe(fn))
    vm.guard(TypeVersion(fn.cls))
    return call(vm, function_in(vm, raw), (fn, *args), kwargs)


def call_class(vm: Machine, fn: Var, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var | None:
    if not isinstance(fn, Known) or not issubclass(type(fn.obj), type):
        return None
    cls = fn.obj
    if is_simple_class(cls):
        return new_instance(vm, cls, args, kwargs)
    if issubclass(cls, BaseException):
        return new_exception(vm, cls, args, kwargs)
    if not is_namedtuple(cls):
        vm.stop(breaks.CLASS_CALL, cls.__qualname__)
    new = lookup(cls, "__new__")
    new = new.__func__ if type(new) is staticmethod else new
    if not isinstance(new, types.FunctionType) or count_of(new) is None:
        vm.stop(breaks.CLASS_CALL, cls.__qualname__)
    vm.guard(TypeVersion(cls))
    vm.guard(IsObject(FunctionPart(Const(new), "code"), new.__code__))
    defaults = Lazy(FunctionPart(Const(new), "defaults"), new.__defaults__)
    func = Func(new.__code__, new.__globals__, "__new__", cls.__qualname__, defaults)
    bound = bind(vm, func, (fn, *args), kwargs)
    return Tuple(tuple(var for var in bound[1:] if var is not None), None, cls)


MANAGERS = (contextlib.nullcontext, contextlib.suppress)  # of a metaclass that changes no call


def is_simple_class(cls: type) -> bool:
    """Calling it makes an empty instance and runs its __init__, and nothing else."""
    return (
        (type(cls) is type or cls in MANAGERS)
        and is_plain_instance(cls)
        and cls.__new__ is object.__new__  # type: ignore[comparison-overlap]
        and not hasattr(cls, "__del__")
        and isinstance(lookup(cls, "__init__"), FUNCTIONS)
    )


def new_instance(vm: Machine, cls: type, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    vm.guard(TypeVersion(cls))
    made = Object(None, cls, None)
    init = lookup(cls, "__init__")
    returned = call(vm, function_in(vm, init), (made, *args), kwargs)
    if not isinstance(returned, Known) or returned.obj is not None:
        vm.stop(breaks.PYTHON_RAISES, "TypeError: __init__() should return None")
    return made


@model(object.__setattr__)
def object_setattr(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """What the __init__ of a frozen dataclass calls: past the class's own __setattr__."""
    owner, name = (realize(vm, var) for var in args[:2])
    if len(args) != 3 or not isinstance(owner, Object) or not isinstance(name, Known):
        vm.stop(breaks.ATTRIBUTE_WRITE, "object.__setattr__()")
    raw = lookup(owner.cls, name.obj)
    if raw is not NOTHING and is_data_descriptor(raw):
        vm.stop(breaks.ATTRIBUTE_WRITE, f"{name.obj} is a descriptor of {owner.cls.__name__}")
    if instance_dict(owner) is None:
        vm.stop(breaks.ATTRIBUTE_WRITE, f"{owner.cls.__name__} object has no __dict__")
    set_attr(vm, owner, name.obj, args[2])
    return Known(None)


CALL_HOOKS.extend((call_instance, call_class))


@model(super)
def call_super(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """`super()`: __class__ is the last free variable, self the first argument."""
    frame = vm.frames[-1]
    if args:
        cls = realize(vm, args[0])
        if len(args) != 2 or not isinstance(cls, Known) or not issubclass(type(cls.obj), type):
            vm.stop(breaks.ATTRIBUTE, "super() with these arguments")
        return Super(cls.obj, args[1])
    code = frame.code.code
    if "__class__" not in code.co_freevars or not code.co_argcount:
        vm.stop(breaks.ATTRIBUTE, "super() outside a method")
    at = len(frame.locals) - len(code.co_freevars) + code.co_freevars.index("__class__")
    slot, owner = frame.locals[at], frame.locals[0]
    cell = realize(vm, slot) if slot is not None else None
    content = getattr(cell, "content", None)
    cls = realize(vm, content) if content is not None else Known(None)
    if not isinstance(cls, Known) or not issubclass(type(cls.obj), type) or owner is None:
        vm.stop(breaks.ATTRIBUTE, "super() without its class")
    return Super(cls.obj, owner)


@model(functools.partial)
def call_partial(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    if not args:
        vm.stop(breaks.BAD_ARGUMENTS, "partial()")
    return Partial(args[0], args[1:], dict(kwargs))
