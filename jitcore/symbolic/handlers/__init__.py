"""Importing this fills the table of handlers: canonical opcode ─▶ effect on the symbolic frame.

    stack.py       values moved about           names.py     locals, cells, globals
    operators.py   unary, binary, comparisons   build.py     tuples, lists, dicts, strings
    calls.py       calls, attributes            control.py   jumps, branches, loops, yields
    match.py       pattern matching             raising.py   raise, except, finally, with
    left.py        instructions left to CPython, each with its break row

A handler may assume canonical instructions (jitcore/opcodes/canon.py): no version is asked for.
"""

from jitcore.symbolic.handlers import (
    build,
    calls,
    control,
    left,
    match,
    names,
    operators,
    raising,
    stack,
)

__all__ = ["build", "calls", "control", "left", "match", "names", "operators", "raising", "stack"]
