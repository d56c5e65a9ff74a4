"""What a program promises of its callables: looked at when something is compiled.

allow_in_graph(fn)          it does not look at its caller's frame: a graph may call it
assume_constant_result(fn)  a call of it gives the same each time

By identity, weakly where that is possible: a promise ends with its callable.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any, TypeVar

import jitcore._C as _C

F = TypeVar("F", bound=Callable[..., Any])
held = _C.hold


class Promised:
    """The callables of one promise."""

    def __init__(self) -> None:
        self._rows: dict[int, Callable[[], Any]] = {}

    def add(self, fn: Any) -> None:
        key = id(fn)

        try:
            self._rows[key] = weakref.ref(fn, partial(self._rows.pop, key))
        except TypeError:  # a ufunc, say
            self._rows[key] = lambda: fn

    def __contains__(self, fn: Any) -> bool:
        found = self._rows.get(id(fn))
        return found is not None and found() is fn


ALLOWED, CONSTANT = Promised(), Promised()


def allow_in_graph(fn: F, /) -> F:
    """Say that a callable may be called from within a graph.

    fn  a function in Python or C, a ufunc, an object with `__call__`; as a decorator, or before
        compiled code calls it first. It comes back as it is

    Its calls are no breaks then, also with fullgraph=True: a graph calls fn at its place, once,
    with the very objects that the program gives it, and the next graph begins with what comes back,
    which may be anything. What fn raises, warns of, prints or changes comes as without jitcore; its
    own code has graphs as any function's. The promise is that fn does not look at the variables of
    its caller's frame (sys._getframe): they are not there while a graph runs.

    A call with a list, a dict or an object that the graph itself has made is a break as before; so
    is one in a function that is inlined (J409: that function has graphs of its own), in a loop that
    would be C (which is CPython's then, with graphs in its body), and in verify mode.

    TypeError for what cannot be called, and for a bound method, which is another object each time:
    name the function in its class.
    """
    ALLOWED.add(checked(fn, "allow_in_graph"))
    return fn


def assume_constant_result(fn: F, /) -> F:
    """Say that a callable gives the same at each place where compiled code calls it.

    fn  a function in Python or C, or an object with `__call__`; as a decorator, or before compiled
        code calls it first. It comes back as it is

    Where a graph would call fn, it is called while that is compiled, with the arguments of that
    call, and what it gives is a constant of the graph: fn does not run again there, until the place
    is compiled anew. It may run more than once meanwhile, and must do nothing else than give its
    result. Unlike all else that jitcore compiles, nothing finds out whether the promise is kept:
    where fn would give something else later, the program goes on with what it gave. Guards see that
    the name still means this very object, with the code that it had, and that arguments are the
    same: numbers and texts by value, objects by identity.

    The result may be a number, a text, None, an array or a number of NumPy's, a tuple of these, a
    function, a class, a module or an instance; of an array or an instance each call gives the same
    one. A list, a dict or a set is a break, and so are an exception, a warning, and an array or a
    float that only run time knows among the arguments: then CPython makes the call.

    TypeError for what cannot be called, and for a bound method: name the function in its class.
    """
    CONSTANT.add(checked(fn, "assume_constant_result"))
    return fn


def checked(fn: Any, name: str) -> Any:
    if not callable(fn):
        raise TypeError(f"jitcore.{name} expects a callable, not {type(fn).__name__}")
    if type(fn) is MethodType:
        raise TypeError(f"jitcore.{name}: name the function in the class, not a bound method")
    return fn
