"""An exception that is known while compiling: from where it is raised to the handler of a captured
frame.

    throw ─▶ Raising ─▶ unwind, frame by frame ─▶ the handler's first instruction

Only an exception that nobody looks at closely is captured. Where one that was raised would have to
exist (with a traceback, as what is being handled), the place that raised it is left to CPython.
An exception out of a callback is a break: no model or iteration is left half done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakKind
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.signals import Raising
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Exc, Known

# Calling one of these, with any arguments by position, keeps them and does nothing else.
PLAIN = (
    *(BaseException, Exception, ArithmeticError, AssertionError, AttributeError, BufferError),
    *(EOFError, FloatingPointError, GeneratorExit, IndexError, KeyError, KeyboardInterrupt),
    *(LookupError, NameError, NotImplementedError, OverflowError, RecursionError, ReferenceError),
    *(RuntimeError, StopAsyncIteration, StopIteration, SystemError, TypeError, UnboundLocalError),
    *(ValueError, ZeroDivisionError),
)
TEXTS = (str, int, float, bool, type(None), bytes)
LONG_TEXT = 600  # how long a text of digits may be is a setting


def throw(vm: Machine, exc: Exc, kind: BreakKind, detail: str) -> NoReturn:
    """Raise in the frame; a break right here, where nobody would catch it."""
    if not any(frame.code.handler_of(offset_of(frame)) for frame in vm.frames):
        vm.stop(kind, detail)
    if exc.raised_at < 0:
        exc.raised_at, exc.kind, exc.detail = vm.walked[-1], kind, detail
    raise Raising(exc)


def fails(vm: Machine, cls: type[BaseException], detail: str) -> NoReturn:
    """CPython would raise this, with a text that is not known."""
    throw(vm, Exc(cls, None), breaks.PYTHON_RAISES, f"{cls.__name__}: {detail}")


def missing_key(vm: Machine, key: Any) -> NoReturn:
    throw(vm, Exc(KeyError, (Known(key),)), breaks.PYTHON_RAISES, f"KeyError: {key!r}")


def fails_as(vm: Machine, error: Exception, asked: Iterable[Any] = ()) -> NoReturn:
    """CPython raised this when it was asked the same."""
    detail = f"{type(error).__name__}: {error}"
    texts = [x for x in asked if isinstance(x, (str, bytes))]
    if type(error) not in PLAIN or not all(map(short, (*error.args, *texts))):
        vm.stop(breaks.PYTHON_RAISES, detail)
    args = tuple(Known(arg) for arg in error.args)
    throw(vm, Exc(type(error), args), breaks.PYTHON_RAISES, detail)


def short(arg: object) -> bool:
    return type(arg) in TEXTS and not (isinstance(arg, (str, bytes)) and len(arg) > LONG_TEXT)


def offset_of(frame: Frame) -> int:
    assert frame.instr is not None
    return frame.instr.offset


def unwind(vm: Machine, frame: Frame, raising: Raising) -> bool:
    """To the frame's handler, with the stack that it finds; False where it has none."""
    exc, offset = raising.exc, offset_of(frame)
    if id(frame) not in exc.frames:
        exc.frames.add(id(frame))
        frame.raised = offset
    if frame.yields is not None:
        vm.stop(breaks.GENERATOR_CALL, f"{exc.detail} in a generator")
    handler = frame.code.handler_of(offset)
    if handler is None and frame is vm.outer:
        leave(vm, exc, exc.detail)
    if handler is None:
        return False
    del frame.stack[handler.depth :]
    if handler.lasti:
        frame.stack.append(Known(offset // 2))
    frame.stack.append(exc)
    frame.kw_names, frame.unit_continues = (), False
    frame.handler = handler.target
    vm.jump(frame, handler.target)
    return True


def leave(vm: Machine, exc: Exc, why: str) -> NoReturn:
    """The exception must exist: what raised it, or made it, is left to CPython."""
    vm.blamed = exc
    vm.stop(exc.kind, why)


@contextmanager
def modelled(vm: Machine) -> Iterator[None]:
    """What runs inside is no bytecode. It may itself raise; what it calls may not raise past it,
    since what is half done then is not known."""
    vm.opaque += 1
    try:
        yield
    except Raising as raising:
        if vm.opaque > 1:
            vm.stop(raising.exc.kind, raising.exc.detail)
        raise
    finally:
        vm.opaque -= 1


@contextmanager
def whole(vm: Machine) -> Iterator[None]:
    """The same, and it does not raise."""
    vm.opaque += 1
    try:
        yield
    except Raising as raising:
        vm.stop(raising.exc.kind, raising.exc.detail)
    finally:
        vm.opaque -= 1


def kept_by(frame: Frame) -> Exc | None:
    """An exception in a variable of a frame that is in its traceback: both stay alive."""
    for var in frame.locals:
        content = getattr(var, "content", var)
        if isinstance(content, Exc) and id(frame) in content.frames:
            return content
    return None
