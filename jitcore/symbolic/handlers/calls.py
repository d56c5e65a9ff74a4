"""Calls, functions made, attributes.

The callable and NULL lie on the stack in the version's own order; canonical CALL says which.
"""

from __future__ import annotations

import types

from jitcore.fallback import breaks
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.handlers.build import pop_many
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.attrs import load_attr, store_attr
from jitcore.symbolic.objects.calls import call
from jitcore.symbolic.objects.iterate import items_of
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.placeholders import NULL, Null
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Cell, Dict, Func, Known, Super, Var
from jitcore.symbolic.wrap import realize


def callee(first: Var, second: Var) -> tuple[Var, tuple[Var, ...]]:
    """The two slots below the arguments → the callable, and self if there is one.

    null-first: NULL, callable | method, self      null-last: callable, NULL | method, self
    """
    if isinstance(first, Null):
        return second, ()
    if isinstance(second, Null):
        return first, ()
    return first, (second,)


@opcode("KW_NAMES", "--")
def kw_names(vm: Machine, frame: Frame, canon: Canon) -> None:
    frame.kw_names = canon.argval


@opcode("CALL")
def call_op(vm: Machine, frame: Frame, canon: Canon) -> None:
    args = pop_many(frame, canon.arg)
    first, second = pop_many(frame, 2)
    names, frame.kw_names = frame.kw_names, ()
    frame.stack.append(called(vm, first, second, args, names))


@opcode("CALL_KW")
def call_kw(vm: Machine, frame: Frame, canon: Canon) -> None:
    names = frame.stack.pop()
    assert isinstance(names, Known)
    args = pop_many(frame, canon.arg)
    first, second = pop_many(frame, 2)
    frame.stack.append(called(vm, first, second, args, names.obj))


def called(vm: Machine, first: Var, second: Var, args: list[Var], names: tuple[str, ...]) -> Var:
    fn, owner = callee(first, second)
    cut = len(args) - len(names)
    words = dict(zip(names, args[cut:], strict=True))
    return call(vm, fn, (*owner, *args[:cut]), words)


@opcode("CALL_FUNCTION_EX")
def call_function_ex(vm: Machine, frame: Frame, canon: Canon) -> None:
    words: Var = frame.stack.pop() if canon.arg & 1 else Dict({})
    args = frame.stack.pop()
    first, second = pop_many(frame, 2)
    fn, _ = callee(first, second)
    words = realize(vm, words)
    if not isinstance(words, Dict) or not all(isinstance(key, str) for key in words.items):
        vm.stop(breaks.BAD_ARGUMENTS, "** of something that is not a dict of names")
    frame.stack.append(call(vm, fn, tuple(items_of(vm, args)), dict(words.items)))


@opcode("LOAD_ATTR", "owner -- value")
def load_attr_op(vm: Machine, frame: Frame, canon: Canon, owner: Var) -> Var:
    return load_attr(vm, owner, canon.argval)


@opcode("LOAD_METHOD")
def load_method(vm: Machine, frame: Frame, canon: Canon) -> None:
    """Method form of LOAD_ATTR: we always leave a bound method and NULL, in the version's own
    order."""
    value = load_attr(vm, frame.stack.pop(), canon.argval)
    push_callable(frame, value, canon.layout)


def push_callable(frame: Frame, value: Var, layout: str | None) -> None:
    frame.stack.extend((NULL, value) if layout == "null-first" else (value, NULL))


@opcode("STORE_ATTR", "value owner --")
def store_attr_op(vm: Machine, frame: Frame, canon: Canon, value: Var, owner: Var) -> None:
    store_attr(vm, owner, canon.argval, value)


@opcode("DELETE_ATTR", "owner --")
def delete_attr_op(vm: Machine, frame: Frame, canon: Canon, owner: Var) -> None:
    store_attr(vm, owner, canon.argval, None)


@opcode("LOAD_SUPER_ATTR")
def load_super_attr(vm: Machine, frame: Frame, canon: Canon) -> None:
    callee_, cls, owner = (realize(vm, v) for v in pop_many(frame, 3))
    if not (isinstance(callee_, Known) and callee_.obj is super):
        vm.stop(breaks.ATTRIBUTE, "super is not the builtin")
    if not (isinstance(cls, Known) and issubclass(type(cls.obj), type)):
        vm.stop(breaks.ATTRIBUTE, "super() of something that is not a class")
    value = load_attr(vm, Super(cls.obj, owner), canon.argval)
    if canon.layout is None:
        frame.stack.append(value)
    else:
        push_callable(frame, value, canon.layout)


@opcode("MAKE_FUNCTION")
def make_function(vm: Machine, frame: Frame, canon: Canon) -> None:
    """3.11 and 3.12 take the parts here, by flags; 3.13 sets them afterwards."""
    code = frame.stack.pop()
    assert isinstance(code, Known) and isinstance(code.obj, types.CodeType)
    func = Func(
        code.obj,
        frame.globals,
        code.obj.co_name,
        code.obj.co_qualname,
        own_globals=frame.globals is vm.start.globals,
    )
    for flag in (8, 4, 2, 1):
        if canon.arg & flag:
            set_part(vm, func, flag, frame.stack.pop())
    frame.stack.append(func)


@opcode("SET_FUNCTION_ATTRIBUTE", "part func -- res")
def set_function_attribute(vm: Machine, frame: Frame, canon: Canon, part: Var, func: Var) -> Var:
    if not isinstance(func, Func) or func.origin is not None:
        vm.stop(breaks.FUNCTION_ESCAPES, "a function that CPython has begun to make")
    set_part(vm, func, canon.arg, part)
    return func


def set_part(vm: Machine, func: Func, flag: int, part: Var) -> None:
    match flag:
        case 1:
            func.defaults = part
        case 2:
            func.kwdefaults = part
        case 8:
            func.closure = tuple(closure_cells(vm, part))
        case _:
            vm.stop(breaks.FUNCTION_ESCAPES, f"{func.qualname} has annotations")


def closure_cells(vm: Machine, part: Var) -> list[Cell]:
    cells = [realize(vm, var) for var in items_of(vm, part)]
    if not all(isinstance(cell, Cell) for cell in cells):
        vm.stop(breaks.UNBOUND, "the closure of a function")
    return cells  # type: ignore[return-value]
