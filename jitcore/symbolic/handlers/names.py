"""Locals, cells, globals, and the names of a module, which are both."""

from __future__ import annotations

from jitcore.fallback import breaks
from jitcore.fallback.exit import Do
from jitcore.guards.guard import Absent
from jitcore.guards.source import (
    Builtin,
    FrameBuiltins,
    FrameGlobals,
    FunctionPart,
    Global,
    Key,
    Local,
    Source,
)
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.namespaces import about_to_write, reads
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.placeholders import Null
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Cell, Func, Known, Lazy, Var
from jitcore.symbolic.wrap import present, realize


@opcode("LOAD_FAST", "-- value")
@opcode("LOAD_FAST_CHECK", "-- value")
@opcode("LOAD_CLOSURE", "-- value")
def load_fast(vm: Machine, frame: Frame, canon: Canon) -> Var:
    var = frame.locals[canon.arg]
    if var is None:
        vm.stop(breaks.UNBOUND, frame_name(frame, canon.arg))
    return present(vm, var)


def frame_name(frame: Frame, index: int) -> str:
    code = frame.code.code
    names = code.co_varnames + tuple(c for c in code.co_cellvars if c not in code.co_varnames)
    names += code.co_freevars
    return names[index] if index < len(names) else f"slot {index}"


@opcode("LOAD_FAST_AND_CLEAR", "-- value")
def load_fast_and_clear(vm: Machine, frame: Frame, canon: Canon) -> Var:
    var = frame.locals[canon.arg]
    if var is None and frame is vm.outer and frame.initial[canon.arg] is None:
        vm.guard(Absent(Local(canon.arg, frame_name(frame, canon.arg))))
    frame.locals[canon.arg] = None
    return Null() if var is None else var


@opcode("STORE_FAST", "value --")
def store_fast(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    vm.let_go(frame.locals[canon.arg])
    frame.locals[canon.arg] = None if isinstance(value, Null) else value


@opcode("DELETE_FAST", "--")
def delete_fast(vm: Machine, frame: Frame, canon: Canon) -> None:
    var = frame.locals[canon.arg]
    if var is None:
        vm.stop(breaks.UNBOUND, frame_name(frame, canon.arg))
    present(vm, var)
    vm.let_go(var)
    frame.locals[canon.arg] = None


@opcode("MAKE_CELL", "--")
def make_cell(vm: Machine, frame: Frame, canon: Canon) -> None:
    frame.locals[canon.arg] = Cell(frame.locals[canon.arg])


@opcode("COPY_FREE_VARS", "--")
def copy_free_vars(vm: Machine, frame: Frame, canon: Canon) -> None:
    assert frame.func is not None
    first = len(frame.locals) - len(frame.func.closure)
    frame.locals[first:] = frame.func.closure


def cell_at(vm: Machine, frame: Frame, index: int) -> Cell:
    slot = frame.locals[index]
    cell = realize(vm, slot) if slot is not None else None
    if not isinstance(cell, Cell):
        vm.stop(breaks.UNBOUND, frame_name(frame, index))
    return cell


@opcode("LOAD_DEREF", "-- value")
def load_deref(vm: Machine, frame: Frame, canon: Canon) -> Var:
    content = cell_at(vm, frame, canon.arg).content
    if content is None:
        vm.stop(breaks.UNBOUND, frame_name(frame, canon.arg))
    return present(vm, content)


@opcode("STORE_DEREF", "value --")
def store_deref(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    write_cell(vm, cell_at(vm, frame, canon.arg), value)


@opcode("DELETE_DEREF", "--")
def delete_deref(vm: Machine, frame: Frame, canon: Canon) -> None:
    cell = cell_at(vm, frame, canon.arg)
    if cell.content is None:
        vm.stop(breaks.UNBOUND, frame_name(frame, canon.arg))
    present(vm, cell.content)
    write_cell(vm, cell, None)


def write_cell(vm: Machine, cell: Cell, value: Var | None) -> None:
    cell.content = value
    vm.wrote(cell)
    if cell.origin is not None:
        vm.hold(Do.SET_CELL, cell, Null() if value is None else value)
        vm.mutated.add(cell.origin)


@opcode("LOAD_NAME", "-- value")
def load_name(vm: Machine, frame: Frame, canon: Canon) -> Var:
    return name_in_slot(vm, canon.argval, canon.arg)


def name_in_slot(vm: Machine, name: str, slot: int) -> Var:
    var = vm.outer.locals[slot]
    if var is None:
        vm.stop(breaks.NAMESPACE, name)
    reads(vm, FrameGlobals(), vm.start.globals)
    return present(vm, var)


@opcode("STORE_NAME", "value --")
def store_name(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    """A new name is CPython's to bind: so names come in the order that it gives them."""
    if frame is not vm.outer or frame.locals[canon.arg] is None:
        vm.stop(breaks.NAMESPACE, canon.argval)
    reads(vm, FrameGlobals(), frame.globals)
    store_fast(vm, frame, canon, value)


@opcode("LOAD_GLOBAL", "-- value")
def load_global(vm: Machine, frame: Frame, canon: Canon) -> Var:
    name: str = canon.argval
    own = frame.globals is vm.start.globals
    slot = vm.start.code.slot_of.get(name) if own else None
    if slot is not None:
        return name_in_slot(vm, name, slot)
    if own and name in vm.globals_set:
        found = vm.globals_set[name]
        if found is None:
            vm.stop(breaks.UNBOUND, f"global {name}")
        return found
    source = global_source(vm, frame, name)
    if name in frame.globals:
        return present(vm, Lazy(source, frame.globals[name]))
    if name not in frame.builtins:
        vm.stop(breaks.UNBOUND, f"global {name}")
    vm.guard(Absent(source))
    reads(vm, FrameBuiltins(), frame.builtins)
    return present(vm, Lazy(Builtin(name), frame.builtins[name]))


def global_source(vm: Machine, frame: Frame, name: str) -> Source:
    if frame.globals is vm.start.globals:
        reads(vm, FrameGlobals(), frame.globals)
        return Global(name)
    func = frame.func
    if func is not None and func.origin is None:
        func = enclosing(vm, frame)
    if func is None or func.origin is None:
        vm.stop(breaks.UNBOUND, f"the globals of an inlined function ({name})")
    names = FunctionPart(func.origin, "globals")
    reads(vm, names, frame.globals)
    return Key(names, name, str)


def enclosing(vm: Machine, frame: Frame) -> Func | None:
    """The nearest caller with the same globals and an origin: a function made in an inlined
    call."""
    for other in reversed(vm.frames):
        if other.globals is frame.globals and other.func and other.func.origin is not None:
            return other.func
    return None


@opcode("STORE_GLOBAL", "value --")
def store_global(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    set_global(vm, frame, canon.argval, value)


@opcode("DELETE_GLOBAL", "--")
def delete_global(vm: Machine, frame: Frame, canon: Canon) -> None:
    load_global(vm, frame, canon)
    if canon.argval not in frame.globals:
        vm.stop(breaks.UNBOUND, f"global {canon.argval}")
    set_global(vm, frame, canon.argval, None)


def set_global(vm: Machine, frame: Frame, name: str, value: Var | None) -> None:
    others = frame.globals is not vm.start.globals or vm.start.code.names
    if others or type(frame.globals) is not dict:
        vm.stop(breaks.GLOBAL_WRITE, name)
    reads(vm, FrameGlobals(), frame.globals)
    about_to_write(vm, FrameGlobals())
    if value is None:
        vm.hold(Do.DEL_GLOBAL, Known(name))
    else:
        vm.hold(Do.SET_GLOBAL, Known(name), value)
    vm.globals_set[name] = value
    vm.writes += 1
