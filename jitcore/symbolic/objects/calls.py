"""A call, by what is called: a model, a row of the op table, a Python function to inline, a
class, a break.

call ─▶ Known     ─▶ MODELS by callable · row_of · pure on constants · class
        Func      ─▶ bind arguments, inline
        Compiled  ─▶ the function that was compiled, the same way
        Method    ─▶ the same with self
        Bound     ─▶ METHOD_MODELS by (kind of owner, name)
        Partial   ─▶ call with more arguments
        Object    ─▶ its __call__
"""

from __future__ import annotations

import types
from collections.abc import Callable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from typing import Any

import numpy as np

from jitcore.fallback import breaks
from jitcore.guards.guard import IsObject
from jitcore.host.own_code import is_own
from jitcore.ir.ops import row_of
from jitcore.symbolic.arity import takes
from jitcore.symbolic.break_reason import row_of_class
from jitcore.symbolic.break_rows import named, row_of_call, row_of_operands
from jitcore.symbolic.describe import class_of, describe, with_article
from jitcore.symbolic.loops import append_list, local_stack
from jitcore.symbolic.loops.union_value import distributed, has_either
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import emit_row
from jitcore.symbolic.objects.allowed_calls import promised
from jitcore.symbolic.objects.blind_append import append, is_unseen
from jitcore.symbolic.objects.compiled import function_of
from jitcore.symbolic.objects.inlined import generator, inline
from jitcore.symbolic.unwind import modelled
from jitcore.symbolic.values import (
    Bound,
    CompiledFunction,
    Dict,
    Func,
    Generator,
    Known,
    Lazy,
    Method,
    Partial,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize
from jitcore.user.directives import LEFT_ALONE, is_left

Args = tuple[Var, ...]
Model = Callable[[Machine, Args, dict[str, Var]], Var]

MODELS: dict[int, tuple[object, Model]] = {}
CODE_MODELS: dict[types.CodeType, Callable[[Machine, Func, Args, dict[str, Var]], Var]] = {}
METHOD_MODELS: dict[str, Callable[[Machine, Var, str, tuple[Var, ...], dict[str, Var]], Var]] = {}
CALL_HOOKS: list[Callable[[Machine, Var, tuple[Var, ...], dict[str, Var]], Var | None]] = []


def model(*callables: object) -> Callable[[Model], Model]:
    """Register what a call of these means, by identity (some callables do not hash)."""

    def register(run: Model) -> Model:
        for fn in callables:
            MODELS[id(fn)] = (fn, run)
        return run

    return register


def call(vm: Machine, fn: Var, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    done = promised(vm, fn, args, kwargs)
    if done is not None:
        return done
    fn = realize(vm, fn)
    if isinstance(fn, CompiledFunction):
        fn = function_of(vm, fn)
    if vm.work is not None and not isinstance(fn, Func) and has_either(args):
        return distributed(vm, lambda *each: call(vm, fn, each, kwargs), *args)
    match fn:
        case Known(obj):
            return _call_known(vm, obj, args, kwargs)
        case Func(obj=obj, origin=origin) if obj is not None and is_modelled(obj):
            if origin is not None:
                vm.guard(IsObject(origin, obj))
            return _call_known(vm, obj, args, kwargs)
        case Func(obj=obj):
            left = named(obj)
            if left is not None:
                vm.stop(left, f"{callable_name(obj)}()")
            return call_function(vm, fn, args, kwargs)
        case Method(func, owner):
            if not isinstance(func, Func | CompiledFunction):
                refuse_of(vm, owner)
            return call(vm, func, (owner, *args), kwargs)
        case Partial(func, more, words):
            return call(vm, func, (*more, *args), {**words, **kwargs})
        case Bound(owner, _) if len(args) == 1 and not kwargs and is_unseen(vm, owner):
            assert isinstance(owner, Lazy)
            return append(vm, owner, *args)
        case Bound(Traced() as owner, name) if vm.work is not None and local_stack.is_pile(owner):
            return local_stack.call(vm, owner, name, args, kwargs)
        case Bound(owner, "append") if vm.work is not None and append_list.may_grow(vm, owner):
            if len(args) != 1 or kwargs:
                vm.stop(breaks.BAD_ARGUMENTS, "list.append()")
            return append_list.append(vm, owner, *args)
        case Bound(owner, name):
            owner = realize(vm, owner)
            with modelled(vm):
                return METHOD_MODELS[type(owner).__name__](vm, owner, name, args, kwargs)
        case _:
            for hook in CALL_HOOKS:
                out = hook(vm, fn, args, kwargs)
                if out is not None:
                    return out
    cls = class_of(fn)
    if cls is not None and not any("__call__" in base.__dict__ for base in cls.__mro__):
        vm.stop(breaks.NOT_CALLABLE, describe(fn))
    vm.stop(row_of_operands(vm, (fn,), breaks.UNKNOWN_CALLABLE), describe(fn))


def refuse_of(vm: Machine, owner: Var) -> None:
    """What is bound to a source of random numbers draws some."""
    cls = class_of(realize(vm, owner))
    if cls is not None and row_of_class(cls) is breaks.RANDOM:
        vm.stop(breaks.RANDOM, f"a method of {with_article(cls.__name__)}")


def is_modelled(obj: Any) -> bool:
    """A Python function of NumPy's or ours whose meaning is in a table."""
    found = MODELS.get(id(obj))
    return (found is not None and found[0] is obj) or row_of(obj) is not None


def _call_known(vm: Machine, obj: Any, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    found = MODELS.get(id(obj))
    if found is not None and found[0] is obj:
        if not takes(obj, args, kwargs):
            vm.stop(breaks.BAD_ARGUMENTS, f"{callable_name(obj)}()")
        with modelled(vm):
            return found[1](vm, args, kwargs)
    made = append_list.as_array(vm, obj, args, kwargs)
    if made is not None:
        return made
    row = row_of(obj)
    if row is not None:
        return emit_row(vm, row, args, kwargs)
    left = named(obj)
    if left is not None:
        vm.stop(left, f"{callable_name(obj)}()")
    for hook in CALL_HOOKS:
        out = hook(vm, Known(obj), args, kwargs)
        if out is not None:
            return out
    vm.stop(row_of_call(obj), f"{callable_name(obj)}()")


def callable_name(obj: Any) -> str:
    if issubclass(type(obj), np.ufunc):
        return f"ufunc {obj.__name__}"
    module = getattr(obj, "__module__", None)
    name = getattr(obj, "__qualname__", None) or type(obj).__name__
    return name if module in (None, "builtins") else f"{module}.{name}"


def call_function(vm: Machine, func: Func, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    flags = func.code.co_flags
    if func.code in CODE_MODELS:
        return CODE_MODELS[func.code](vm, func, args, kwargs)
    if flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        vm.stop(breaks.COROUTINE_CALL, f"{func.qualname}()")
    if func.code is LEFT_ALONE or is_left(func.code):
        vm.stop(breaks.DISABLED, f"{func.qualname}()")
    if is_own(func.code, func.globals):
        vm.stop(breaks.UNKNOWN_CALLABLE, f"{func.qualname}(), jitcore's own")
    locals = bind(vm, func, args, kwargs)
    if flags & CO_GENERATOR:
        return Generator(generator(vm, func, locals), func.name)
    return inline(vm, func, locals)


def bind(
    vm: Machine, func: Func, args: tuple[Var, ...], kwargs: dict[str, Var]
) -> list[Var | None]:
    """Arguments → locals, as CPython's initialize_locals does; a mismatch is left to CPython."""
    code = func.code
    total = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:total]
    locals: list[Var | None] = [None] * code.co_nlocals
    given = min(len(args), code.co_argcount)
    locals[:given] = args[:given]
    rest: dict[str, Var] = {}
    for name, var in kwargs.items():
        at = (
            names.index(name, code.co_posonlyargcount)
            if name in names[code.co_posonlyargcount :]
            else -1
        )
        if at >= 0 and locals[at] is None:
            locals[at] = var
        elif at < 0 and code.co_flags & CO_VARKEYWORDS:
            rest[name] = var
        else:
            vm.stop(breaks.BAD_ARGUMENTS, f"{func.qualname}() with argument {name!r}")
    slot = total
    if code.co_flags & CO_VARARGS:
        locals[slot] = Tuple(tuple(args[given:]))
        slot += 1
    elif len(args) > given:
        vm.stop(breaks.BAD_ARGUMENTS, f"{func.qualname}() with {len(args)} positional arguments")
    if code.co_flags & CO_VARKEYWORDS:
        locals[slot] = Dict(dict(rest))
    _defaults(vm, func, locals)
    missing = [name for name, var in zip(names, locals, strict=False) if var is None]
    if missing:
        vm.stop(breaks.BAD_ARGUMENTS, f"{func.qualname}() without {', '.join(missing)}")
    return locals


def _defaults(vm: Machine, func: Func, locals: list[Var | None]) -> None:
    code = func.code
    if any(v is None for v in locals[: code.co_argcount]) and func.defaults is not None:
        defaults = realize(vm, func.defaults)
        if isinstance(defaults, Tuple):
            first = code.co_argcount - len(defaults.items)
            for i, var in enumerate(defaults.items, first):
                if i >= 0 and locals[i] is None:
                    locals[i] = var
    total = code.co_argcount + code.co_kwonlyargcount
    if any(v is None for v in locals[code.co_argcount : total]) and func.kwdefaults is not None:
        words = realize(vm, func.kwdefaults)
        if isinstance(words, Dict):
            for i in range(code.co_argcount, total):
                if locals[i] is None:
                    locals[i] = words.items.get(code.co_varnames[i])
