"""Functions by which a program speaks to the compiler. Outside compiled code they do next to
nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, overload

from jitcore import _C

F = TypeVar("F", bound=Callable[..., Any])


def graph_break() -> None:
    """Force a break here: what stands before and after is compiled apart."""


def is_compiling() -> bool:
    """Whether this call is being captured into a graph. CPython's answer is always False."""
    return False


class Disabled:
    """`disable` as a context manager: calls made inside run in CPython."""

    def __enter__(self) -> None:
        _C.busy_enter()

    def __exit__(self, *exc: object) -> None:
        _C.busy_leave()


@overload
def disable(fn: F, /) -> F: ...
@overload
def disable() -> Disabled: ...
def disable(fn: Any = None, /) -> Any:
    """Leave a function, and all that it calls, to CPython; without an argument, a context
    manager.

    TypeError for what cannot be called.
    """
    if fn is None:
        return Disabled()
    if not callable(fn):
        raise TypeError(f"jitcore.disable expects a callable, not {type(fn).__name__}")
    return left_alone(fn)


def left_alone(fn: Callable[..., Any]) -> Any:
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        with Disabled():
            return fn(*args, **kwargs)

    return call


LEFT_ALONE: CodeType = left_alone(print).__code__  # all that `disable` returns runs this code
