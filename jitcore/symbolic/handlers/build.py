"""Tuples, lists, sets, dicts, slices, strings: built, extended, unpacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from jitcore.fallback import breaks
from jitcore.fallback.exit import Do
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.describe import describe
from jitcore.symbolic.loops import append_list
from jitcore.symbolic.loops.loop_state import CannotCapture
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects import strings
from jitcore.symbolic.objects.container_values import CONSTANT_KEYS
from jitcore.symbolic.objects.iterate import items_of
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.state import Frame
from jitcore.symbolic.unwind import PLAIN, fails
from jitcore.symbolic.values import Dict, Exc, Known, Lazy, List, Set, Slice, Tuple, Var
from jitcore.symbolic.wrap import realize

T = TypeVar("T")
FORMATTABLE = (str, int, float, bool, type(None), bytes)
CONVERSIONS: dict[int, Callable[[Any], Any]] = {0: lambda x: x, 1: str, 2: repr, 3: ascii}


def pop_many(frame: Frame, count: int) -> list[Var]:
    cut = len(frame.stack) - count
    items = frame.stack[cut:]
    del frame.stack[cut:]
    return items


@opcode("BUILD_TUPLE")
def build_tuple(vm: Machine, frame: Frame, canon: Canon) -> None:
    frame.stack.append(Tuple(tuple(pop_many(frame, canon.arg))))


@opcode("BUILD_LIST")
def build_list(vm: Machine, frame: Frame, canon: Canon) -> None:
    frame.stack.append(List(pop_many(frame, canon.arg)))


@opcode("BUILD_SET")
def build_set(vm: Machine, frame: Frame, canon: Canon) -> None:
    items = pop_many(frame, canon.arg)
    frame.stack.append(Set({key_of(vm, item) for item in items}))


@opcode("BUILD_MAP")
def build_map(vm: Machine, frame: Frame, canon: Canon) -> None:
    flat = pop_many(frame, 2 * canon.arg)
    made = Dict({})
    for key, value in zip(flat[::2], flat[1::2], strict=True):
        made.items[key_of(vm, key)] = value
    frame.stack.append(made)


@opcode("BUILD_CONST_KEY_MAP")
def build_const_key_map(vm: Machine, frame: Frame, canon: Canon) -> None:
    keys = frame.stack.pop()
    assert isinstance(keys, Known)
    values = pop_many(frame, canon.arg)
    frame.stack.append(Dict(dict(zip(keys.obj, values, strict=True))))


@opcode("BUILD_SLICE")
def build_slice(vm: Machine, frame: Frame, canon: Canon) -> None:
    parts = pop_many(frame, canon.arg)
    frame.stack.append(make_slice(vm, *parts))


def constants(vars: Sequence[Var]) -> list[Any]:
    """The objects of values that are all known."""
    objects = [var.obj for var in vars if isinstance(var, Known)]
    assert len(objects) == len(vars)
    return objects


def make_slice(vm: Machine, start: Var, stop: Var, step: Var | None = None) -> Var:
    parts = tuple(realize(vm, p) for p in (start, stop, step if step is not None else Known(None)))
    if all(isinstance(p, Known) for p in parts):
        return Known(slice(*constants(parts)))
    return Slice(parts)  # type: ignore[arg-type]


def key_of(vm: Machine, var: Var) -> Any:
    """A constant that hashes as CPython's key would."""
    var = realize(vm, var)
    match var:
        case Known(obj) if type(obj) in CONSTANT_KEYS:
            return obj
        case Tuple(items, cls=cls) if cls is tuple:
            return tuple(key_of(vm, item) for item in items)
    if hasattr(var, "hint"):
        return vm.concrete(var, "is a key")
    vm.stop(breaks.CONTAINER_TYPE, f"{describe(var)} as a key or set element")


def top(frame: Frame, depth: int) -> Var:
    return frame.stack[-depth]


def made_here(vm: Machine, frame: Frame, canon: Canon, cls: type[T]) -> T:
    """The container that is being filled, if the region made it."""
    target = top(frame, canon.arg)
    if not isinstance(target, cls) or getattr(target, "origin", None) is not None:
        vm.stop(breaks.CONTAINER_MUTATION, "a comprehension that CPython began")
    return target


@opcode("LIST_APPEND", "item --")
def list_append(vm: Machine, frame: Frame, canon: Canon, item: Var) -> None:
    target = top(frame, canon.arg)
    if vm.work is not None and append_list.may_grow(vm, target):
        append_list.append(vm, target, item)
        return
    if isinstance(target, Lazy):  # a comprehension that CPython runs: its length is not looked at
        vm.hold(Do.CALL, Known(list.append), target, item)
        vm.blind.add(target.origin)
        return
    assert isinstance(target, List)
    grown(vm)
    target.items.append(item)
    if target.origin is not None:
        vm.hold(Do.CALL, Known(list.append), target, item)


@opcode("LIST_EXTEND", "more --")
def list_extend(vm: Machine, frame: Frame, canon: Canon, more: Var) -> None:
    target = made_here(vm, frame, canon, List)
    grown(vm)
    target.items.extend(items_of(vm, more))


@opcode("SET_ADD", "item --")
def set_add(vm: Machine, frame: Frame, canon: Canon, item: Var) -> None:
    target = made_here(vm, frame, canon, Set)
    grown(vm)
    target.items.add(key_of(vm, item))


@opcode("SET_UPDATE", "more --")
def set_update(vm: Machine, frame: Frame, canon: Canon, more: Var) -> None:
    target = made_here(vm, frame, canon, Set)
    more = realize(vm, more)
    if isinstance(more, Known) and isinstance(more.obj, frozenset):
        grown(vm)
        target.items.update(more.obj)
        return
    grown(vm)
    target.items.update(key_of(vm, item) for item in items_of(vm, more))


@opcode("MAP_ADD", "key value --")
def map_add(vm: Machine, frame: Frame, canon: Canon, key: Var, value: Var) -> None:
    target = made_here(vm, frame, canon, Dict)
    grown(vm)
    target.items[key_of(vm, key)] = value


@opcode("DICT_UPDATE", "more --")
def dict_update(vm: Machine, frame: Frame, canon: Canon, more: Var) -> None:
    merge(vm, frame, canon, more, False)


@opcode("DICT_MERGE", "more --")
def dict_merge(vm: Machine, frame: Frame, canon: Canon, more: Var) -> None:
    merge(vm, frame, canon, more, True)


def merge(vm: Machine, frame: Frame, canon: Canon, more: Var, unique: bool) -> None:
    target, more = top(frame, canon.arg), realize(vm, more)
    if not isinstance(more, Dict) or not isinstance(target, Dict) or target.origin is not None:
        vm.stop(breaks.CONTAINER_TYPE, "** of something that is not a plain dict")
    if unique and not target.items.keys().isdisjoint(more.items):
        vm.stop(breaks.BAD_ARGUMENTS, "a keyword argument given twice")
    grown(vm)
    target.items.update(more.items)


@opcode("LIST_TO_TUPLE", "items -- made")
def list_to_tuple(vm: Machine, frame: Frame, canon: Canon, items: Var) -> Var:
    return Tuple(tuple(items_of(vm, items)))


@opcode("UNPACK_SEQUENCE")
def unpack_sequence(vm: Machine, frame: Frame, canon: Canon) -> None:
    items = items_of(vm, frame.stack[-1])
    if len(items) != canon.arg:
        text = f"unpacking {len(items)} values into {canon.arg}"
        if isinstance(realize(vm, frame.stack[-1]), (Tuple, List)):
            fails(vm, ValueError, text)
        vm.stop(breaks.PYTHON_RAISES, text)
    frame.stack.pop()
    frame.stack.extend(reversed(items))


@opcode("UNPACK_EX")
def unpack_ex(vm: Machine, frame: Frame, canon: Canon) -> None:
    before, after = canon.arg & 0xFF, canon.arg >> 8
    items = items_of(vm, frame.stack[-1])
    if len(items) < before + after:
        vm.stop(
            breaks.PYTHON_RAISES, f"unpacking {len(items)} values into at least {before + after}"
        )
    frame.stack.pop()
    end = len(items) - after
    parts = [*items[:before], List(list(items[before:end])), *items[end:]]
    frame.stack.extend(reversed(parts))


@opcode("BUILD_STRING")
def build_string(vm: Machine, frame: Frame, canon: Canon) -> None:
    parts = [realize(vm, p) for p in pop_many(frame, canon.arg)]
    text = strings.joined(vm, parts)
    frame.stack.append(text if text is not None else Known("".join(constants(parts))))


@opcode("FORMAT_SIMPLE", "value -- text")
def format_simple(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return formatted(vm, value, Known(""))


@opcode("FORMAT_WITH_SPEC", "value spec -- text")
def format_with_spec(vm: Machine, frame: Frame, canon: Canon, value: Var, spec: Var) -> Var:
    return formatted(vm, value, spec)


@opcode("CONVERT_VALUE", "value -- text")
def convert_value(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    return Known(CONVERSIONS[canon.arg](constant_text(vm, value)))


def formatted(vm: Machine, value: Var, spec: Var) -> Var:
    value, spec = realize(vm, value), realize(vm, spec)
    if not isinstance(spec, Known):
        vm.stop(breaks.FORMAT, describe(spec))
    text = strings.formatted(vm, value, spec.obj)
    if text is not None:
        return text
    try:
        return Known(format(constant_text(vm, value), spec.obj))
    except (ValueError, TypeError):
        vm.stop(breaks.PYTHON_RAISES, "format of a constant")


def exception_text(vm: Machine, exc: Exc) -> Any:
    """An exception of a builtin class, whose text its arguments decide: one like it."""
    if exc.args is None or exc.cls not in PLAIN or exc.attrs:
        vm.stop(breaks.FORMAT, exc.cls.__qualname__)
    return exc.cls(*(constant_text(vm, arg) for arg in exc.args))


def constant_text(vm: Machine, var: Var) -> Any:
    var = realize(vm, var)
    if isinstance(var, Known) and type(var.obj) in FORMATTABLE:
        return var.obj
    if isinstance(var, Exc):
        return exception_text(vm, var)
    vm.stop(breaks.FORMAT, describe(var))


def grown(vm: Machine) -> None:
    """Before a container in the making changes: what is walked once stands for many rounds of a
    loop, and a way that is given up must have changed nothing."""
    if vm.work is not None:
        raise CannotCapture("this loop fills a list, tuple, dict or set")
