"""Functions by which a program speaks to the compiler. Outside compiled code they do next to
nothing."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any, Literal, TypeVar, overload

import jitcore._C as _C

F = TypeVar("F", bound=Callable[..., Any])
COMPILED: type = _C.Dispatcher  # of what jitcore.compile returns


def graph_break() -> None:
    """Force a break here: what stands before and after is compiled apart."""


def is_compiling() -> bool:
    """False. For programs that ask other compilers: what is compiled does as CPython would."""
    return False


class Disabled:
    """`disable` as a context manager: calls made inside run in CPython."""

    def __enter__(self) -> None:
        _C.busy_enter()

    def __exit__(self, *exc: object) -> None:
        _C.busy_leave()


@overload
def disable(fn: F, /, *, recursive: bool = True) -> F: ...
@overload
def disable() -> Disabled: ...
@overload
def disable(*, recursive: Literal[False]) -> Callable[[F], F]: ...
def disable(fn: Any = None, /, *, recursive: bool = True) -> Any:
    """Leave a function, and all that it calls, to CPython; without an argument, a context
    manager.

    fn         a callable
    recursive  False: only the function's own code is left; what it calls is compiled where it
               would be. Then fn must be written in Python, and comes back as it is (without it, a
               decorator): say so before it is first called, as what was compiled with it stays

    TypeError for what cannot be called, or where recursive=False finds no Python code.
    """
    if fn is None:
        return Disabled() if recursive else functools.partial(disable, recursive=False)
    if not callable(fn):
        raise TypeError(f"jitcore.disable expects a callable, not {type(fn).__name__}")
    if recursive:
        return left_alone(fn)
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    if type(code) is not CodeType:
        raise TypeError(f"jitcore.disable: recursive=False finds no Python code in {fn!r}")
    key = id(code)
    left[key] = weakref.ref(code, functools.partial(left.pop, key))
    return getattr(fn, "eager", fn) if isinstance(fn, COMPILED) else fn


left: dict[int, weakref.ref[CodeType]] = {}  # by identity: code objects compare by value


def is_left(code: CodeType) -> bool:
    """Is its own code CPython's, though not what it calls?"""
    ref = left.get(id(code))
    return ref is not None and ref() is code


def left_alone(fn: Callable[..., Any]) -> Any:
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        with Disabled():
            return fn(*args, **kwargs)

    return call


LEFT_ALONE: CodeType = left_alone(print).__code__  # all that `disable` returns runs this code
