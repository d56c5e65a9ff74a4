"""raise, except, finally, with: exceptions that are raised and caught in captured frames.

    RAISE_VARARGS ─▶ unwind ─▶ PUSH_EXC_INFO  CHECK_EXC_MATCH … POP_EXCEPT | RERAISE

No exit lies between PUSH_EXC_INFO and POP_EXCEPT: there CPython has an exception being handled.
Inside a `with` block the bound __exit__ lies on the stack; exits rebuild it by a recipe.
"""

from __future__ import annotations

from typing import Any

from jitcore.fallback import breaks
from jitcore.guards.guard import TypeVersion
from jitcore.opcodes.canon import Canon
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.calls import call, is_modelled
from jitcore.symbolic.objects.class_attrs import lookup
from jitcore.symbolic.objects.exceptions import new_exception
from jitcore.symbolic.objects.function_parts import FUNCTIONS, function_in
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.placeholders import Hidden
from jitcore.symbolic.state import Frame
from jitcore.symbolic.unwind import throw
from jitcore.symbolic.values import Exc, Known, Method, Object, Tuple, Var
from jitcore.symbolic.wrap import realize


@opcode("RAISE_VARARGS")
def raise_varargs(vm: Machine, frame: Frame, canon: Canon) -> None:
    if canon.arg == 0:
        raise_again(vm)
    if canon.arg == 2:
        cause = realize(vm, frame.stack.pop())
        if not (isinstance(cause, Known) and cause.obj is None):
            made(vm, cause)
    exc = made(vm, realize(vm, frame.stack.pop()))
    throw(vm, exc, breaks.RAISE, exc.cls.__qualname__)


def raise_again(vm: Machine) -> None:
    if not vm.handled:
        vm.stop(breaks.RAISE, "raise")
    exc = vm.handled[-1]
    throw(vm, exc, breaks.RAISE, exc.cls.__qualname__)


def made(vm: Machine, var: Var) -> Exc:
    """What is raised: an exception, or a class, which is called."""
    if isinstance(var, Known) and issubclass(type(var.obj), type):
        var = new_exception(vm, var.obj, (), {})
    if not isinstance(var, Exc):
        vm.stop(breaks.RAISE, describe(var))
    return var


@opcode("PUSH_EXC_INFO", "exc -- before exc")
def push_exc_info(vm: Machine, frame: Frame, canon: Canon, exc: Var) -> tuple[Var, Var]:
    vm.handled.append(captured(vm, exc, canon))
    return Hidden(), exc


def captured(vm: Machine, var: Var, canon: Canon) -> Exc:
    if not isinstance(var, Exc):
        vm.stop(breaks.UNSUPPORTED_OPCODE, canon.op)
    return var


@opcode("POP_EXCEPT", "before --")
def pop_except(vm: Machine, frame: Frame, canon: Canon, before: Var) -> None:
    if not isinstance(before, Hidden):
        vm.stop(breaks.UNSUPPORTED_OPCODE, canon.op)
    vm.handled.pop()


@opcode("CHECK_EXC_MATCH", "exc classes -- exc found")
def check_exc_match(
    vm: Machine, frame: Frame, canon: Canon, exc: Var, classes: Var
) -> tuple[Var, Var]:
    mro = captured(vm, exc, canon).cls.__mro__
    return exc, Known(any([each in mro for each in caught(vm, classes)]))


def caught(vm: Machine, classes: Var) -> list[type]:
    """The classes that an except clause names."""
    classes = realize(vm, classes)
    items: list[object] = [classes]
    match classes:
        case Tuple(parts, cls=cls) if cls is tuple:
            items = [realize(vm, part) for part in parts]
        case Known(obj) if type(obj) is tuple:
            items = [Known(part) for part in obj]
    found = [item.obj for item in items if isinstance(item, Known)]
    if len(found) < len(items) or not all(
        isinstance(each, type) and issubclass(each, BaseException) for each in found
    ):
        vm.stop(breaks.UNSUPPORTED_OPCODE, f"except {describe(classes)}")
    return found


@opcode("RERAISE")
def reraise(vm: Machine, frame: Frame, canon: Canon) -> None:
    exc = captured(vm, frame.stack.pop(), canon)
    throw(vm, exc, breaks.RAISE, exc.cls.__qualname__)


@opcode("BEFORE_WITH", "manager -- leave entered")
def before_with(vm: Machine, frame: Frame, canon: Canon, manager: Var) -> tuple[Var, Var]:
    """A manager whose methods are Python functions: __enter__ is interpreted here, __exit__ where
    the block ends."""
    manager = realize(vm, manager)
    if not isinstance(manager, Object):
        vm.stop(breaks.WITH, describe(manager))
    enter, leave = (lookup(manager.cls, name) for name in ("__enter__", "__exit__"))
    if not isinstance(enter, FUNCTIONS) or not isinstance(leave, FUNCTIONS):
        vm.stop(breaks.WITH, describe(manager))
    vm.guard(TypeVersion(manager.cls))
    bound = Method(method_of(vm, leave), manager)
    return bound, call(vm, method_of(vm, enter), (manager,), {})


def method_of(vm: Machine, fn: Any) -> Var:
    """The class's own; of one that is modelled nothing is looked at."""
    return Known(fn) if is_modelled(fn) else function_in(vm, fn)


@opcode("WITH_EXCEPT_START")
def with_except_start(vm: Machine, frame: Frame, canon: Canon) -> None:
    leave, exc = frame.stack[-4], captured(vm, frame.stack[-1], canon)
    frame.stack.append(call(vm, leave, (Known(exc.cls), exc, Hidden()), {}))
