"""A dispatcher whose entry holds whenever every parameter is bound, and returns them."""

from __future__ import annotations

from array import array
from typing import Any

from jitcore import _C
from jitcore.guards.program import compile_guards
from jitcore.guards.source import Local

CO_VARARGS, CO_VARKEYWORDS = 4, 8


def parameters(code: Any) -> int:
    stars = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return int(code.co_argcount + code.co_kwonlyargcount + stars)


def entry_for(fn: Any) -> Any:
    count = parameters(fn.__code__)
    sources = [Local(i, fn.__code__.co_varnames[i]) for i in range(count)]
    program = compile_guards((), sources)
    build, leave = _C.PLAN_OPS["BUILD_TUPLE"][0], _C.PLAN_OPS["EXIT"][0]
    words = array("i", (build, count, count, *range(count), leave, 1))
    exits = (
        (0, -1, False, 0, (), (), (), _C.PLAN_NULL),
        (1, -1, False, len(words) - 2, (), (), (), count),
    )
    return _C.Entry(
        fn.__name__, count + 1, program.words, program.consts, program.reasons, words, (), exits
    )


def compiled(fn: Any) -> Any:
    dispatcher = _C.Dispatcher(fn)
    dispatcher._add_frameless(entry_for(fn))
    return dispatcher
