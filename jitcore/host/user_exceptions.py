"""Is an exception the program's own, raised where our code ran?

partial(f, …) ─▶ f    obj.method ─▶ its function    obj ─▶ type(obj).__call__    a class ─▶ __init__
"""

from __future__ import annotations

import functools
import signal
import traceback
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, WrapperDescriptorType
from typing import Any

SIGNALS = tuple(map(int, signal.valid_signals()))
DEEPEST = 20  # callables in callables; they may go round
WRAPPED: dict[type, str] = {
    functools.partial: "func",
    MethodType: "__func__",
    staticmethod: "__func__",
    classmethod: "__func__",
}


def is_users(error: BaseException) -> bool:
    """Raised by the handler of a signal that came meanwhile: nobody would raise it again."""
    handlers = {code for n in SIGNALS for code in codes_of(signal.getsignal(n))}
    ran = {frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)}
    return not handlers.isdisjoint(ran)


def codes_of(called: Any, depth: int = 0) -> Iterator[CodeType]:
    """What a call of it may run first. Nothing of the user's is run to find out: an attribute of
    an object may be computed, and so may its class be."""
    cls = type(called)
    if cls is FunctionType:
        yield called.__code__
    elif cls is not WrapperDescriptorType and depth < DEEPEST:
        for part in parts_of(called, cls):
            yield from codes_of(part, depth + 1)


def parts_of(called: Any, cls: type) -> Iterator[Any]:
    yield looked_up(cls, "__call__")
    for kind, name in WRAPPED.items():
        if issubclass(cls, kind):
            yield vars(kind)[name].__get__(called)
    if issubclass(cls, type):
        yield from (looked_up(called, name) for name in ("__new__", "__init__"))


def looked_up(cls: type, name: str) -> Any:
    """In the class and those above it: not in its metaclass, as that of signal.SIG_DFL."""
    for one in type.__dict__["__mro__"].__get__(cls):
        own = type.__dict__["__dict__"].__get__(one)
        if name in own:
            return own[name]
    return None
