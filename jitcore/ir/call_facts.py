"""Arguments → what of them decides how an operation is done: something that can be looked up.

x: f8[3]{8}, 2.0, x     (f8[3]{8}, (float, "2.0", 2.0), f8[3]{8}, "dd")

Equal dtypes may be of two chars, which tell NumPy's loops apart; 0.0 and -0.0 are equal, and 1 and
True. Answers that hang on more than that have no facts.
"""

from __future__ import annotations

from typing import Any

from jitcore.ir.types import ObjectType
from jitcore.ir.value import Value

ANSWERS = 4096  # that are kept of each question

Facts = tuple[Any, ...]

_EXACT = frozenset((bool, int))
_NUMBERS = frozenset((bool, int, float, complex))


def facts_of(args: tuple[Any, ...]) -> Facts | None:
    """Of values that are arrays or numbers, and of Python's numbers."""
    found: list[Any] = []
    chars = ""
    for arg in args:
        cls = type(arg)
        if cls is Value:
            t = arg.type
            if isinstance(t, ObjectType):
                return None
            found.append(t)
            chars += t.dtype.char
        elif cls in _NUMBERS:
            found.append((cls, "" if cls in _EXACT else repr(arg), arg))
        else:
            return None
    found.append(chars)
    return tuple(found)


def like(facts: Facts) -> tuple[Any, ...]:
    """Arguments with these facts."""
    return tuple([one[2] if type(one) is tuple else Value(one) for one in facts[:-1]])
