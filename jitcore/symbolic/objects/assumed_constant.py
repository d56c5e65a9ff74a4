"""A call of what jitcore.assume_constant_result names → what it gives, asked while compiling.

    callable, arguments as they are ─ called, once in a capture ─▶ constant
                                                                   object under guards, held weakly
                                                                   array, NumPy's number: held

What cannot be held so, or is not given quietly, is a break: CPython makes the call.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.guards.guard import IsObject, name_of
from jitcore.guards.source import Const, FunctionPart, Kept, Source
from jitcore.host.user_exceptions import is_users
from jitcore.symbolic.describe import describe, with_article
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import NOTHING, Known, Lazy, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))
CONTAINERS = (list, dict, set, frozenset, bytearray)
LONGEST = 60  # characters of a result that is told
Asked = dict[Any, tuple[Any, Any]]


def assumed(
    vm: Machine, obj: Any, origin: Source, args: tuple[Var, ...], kwargs: dict[str, Var]
) -> Var:
    name = f"{name_of(obj)}()"
    if type(obj) is FunctionType:
        vm.guard(IsObject(FunctionPart(origin, "code"), obj.__code__))
    given = [argument(vm, name, arg) for arg in args]
    words = {key: argument(vm, name, arg) for key, arg in kwargs.items()}
    what = obj, *given, *words.values()
    key = places(vm), *map(id, what), *words
    if key not in vm.assumed:
        vm.assumed[key] = what, asked(vm, name, obj, given, words)
    return held(vm, name, vm.assumed[key][1])


def promises(vm: Machine) -> tuple[str, ...]:
    """What was asked while this was captured, and what it gave, as a user would say it."""
    each = (f"{name_of(what[0])}() gave {brief(result)}" for what, result in vm.assumed.values())
    return tuple(dict.fromkeys(each))


def brief(result: Any) -> str:
    text = repr(result) if type(result) in PLAIN else with_article(type(result).__name__)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def places(vm: Machine) -> tuple[Any, ...]:
    return tuple((id(f.code.code), f.instr and f.instr.offset) for f in vm.frames)


def argument(vm: Machine, name: str, var: Var) -> Any:
    """As it is now, under guards."""
    var = realize(vm, var)
    origin = getattr(var, "origin", None)
    match var:
        case Known(obj):
            return obj
        case Traced(hint=hint) if hint is not NOTHING:
            return vm.concrete(var, "is given to a function whose result is assumed to be constant")
        case Traced():
            vm.stop(breaks.RUNTIME_VALUE, f"{describe(var)}, given to {name}")
        case Tuple(items, cls=cls) if origin is None and cls is tuple:
            return tuple(argument(vm, name, item) for item in items)
        case _ if origin is not None and not vm.effects:
            obj = object_of(vm, var, origin)
            vm.guard(IsObject(origin, obj))
            return obj
    vm.stop(breaks.RUNTIME_VALUE, f"{describe(var)} made in this function, given to {name}")


def object_of(vm: Machine, var: Var, origin: Source) -> Any:
    """Of a value that exists. What a class has was not looked up by its source."""
    return vm.live[origin] if origin in vm.live else getattr(var, "obj", None)


def asked(vm: Machine, name: str, obj: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        with np.errstate(all="raise"):
            return obj(*args, **kwargs)
    except BaseException as error:  # SystemExit, too, is for CPython to raise
        if isinstance(error, KeyboardInterrupt) or is_users(error):
            raise
        text = f"{name}, which raises {type(error).__name__}"
    vm.stop(breaks.UNKNOWN_CALLABLE, text)


def held(vm: Machine, name: str, result: Any) -> Var:
    cls = type(result)
    if cls in PLAIN:
        return Known(result)
    if cls is tuple:
        return Tuple(tuple(held(vm, name, item) for item in result))
    if issubclass(cls, CONTAINERS) or (cls is np.ndarray and result.dtype.hasobject):
        vm.stop(
            breaks.UNKNOWN_CALLABLE,
            f"{name}, whose result, {with_article(cls.__name__)}, can change",
        )
    kept = cls is np.ndarray or issubclass(cls, np.generic)
    return realize(vm, Lazy(Kept(result) if kept else Const(result), result))
