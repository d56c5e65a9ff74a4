"""Exceptions are made: those of a builtin class keep their arguments and do nothing else; an
__init__ of the user's is interpreted."""

from __future__ import annotations

import types

from jitcore.fallback import breaks
from jitcore.guards.guard import TypeVersion
from jitcore.guards.source import Const
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import call_function, model
from jitcore.symbolic.objects.class_attrs import lookup
from jitcore.symbolic.objects.function_parts import function_value
from jitcore.symbolic.objects.instance_values import HEAPTYPE
from jitcore.symbolic.unwind import PLAIN
from jitcore.symbolic.values import Exc, Known, Var

SPECIAL = ("__new__", "__setattr__", "__delattr__", "__getattribute__", "__getattr__", "__del__")


def is_plain(cls: type[BaseException]) -> bool:
    """A builtin class of the plain ones, or a subclass that changes nothing of how instances come
    to be, but for an __init__."""
    if type(cls) is not type:
        return False
    written = [base for base in cls.__mro__[:-1] if base.__flags__ & HEAPTYPE]
    builtin = [base for base in cls.__mro__[:-1] if not base.__flags__ & HEAPTYPE]
    return all(base in PLAIN for base in builtin) and not any(
        name in base.__dict__ for base in written for name in SPECIAL
    )


def new_exception(vm: Machine, cls: type, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Exc:
    if not issubclass(cls, BaseException) or not is_plain(cls):
        vm.stop(breaks.RAISE, cls.__qualname__)
    if cls.__flags__ & HEAPTYPE:
        vm.guard(TypeVersion(cls))
    made = Exc(cls, args, made_at=vm.walked[-1])
    init = lookup(cls, "__init__")
    if isinstance(init, types.FunctionType):
        func = function_value(vm, init, Const(init))
        returned = call_function(vm, func, (made, *args), kwargs)
        if not isinstance(returned, Known) or returned.obj is not None:
            vm.stop(breaks.PYTHON_RAISES, "TypeError: __init__() should return None")
    elif kwargs or not isinstance(init, types.WrapperDescriptorType):
        vm.stop(breaks.RAISE, cls.__qualname__)
    return made


@model(*(cls.__dict__["__init__"] for cls in PLAIN if "__init__" in cls.__dict__))
def builtin_init(vm: Machine, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """What an __init__ of the user's calls."""
    if not args or not isinstance(args[0], Exc) or kwargs:
        vm.stop(breaks.RAISE, "__init__()")
    args[0].args = args[1:]
    return Known(None)
