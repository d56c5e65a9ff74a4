"""How many arguments the modelled builtins take: with any others CPython raises a TypeError, and so
must be asked.

Some builtins have no signature for `inspect`, and those that have one say nothing of keywords that
only C knows.
"""

from __future__ import annotations

import functools
import operator
import sys
from typing import Any

from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Arity:
    least: int  # by position
    most: int
    words: frozenset[str] | None = frozenset()  # None: any

    def takes(self, count: int, words: frozenset[str]) -> bool:
        if not self.least <= count <= self.most:
            return False
        if self.words is None:
            return True
        whole = max(self.most, self.least + len(self.words))  # a word may have a position, too
        return words <= self.words and count + len(words) <= whole


MANY = sys.maxsize
ROWS: tuple[tuple[int, int, tuple[str, ...], tuple[object, ...]], ...] = (
    (0, 1, (), (bool, list, tuple, set)),
    (0, 2, (), (super,)),
    (0, MANY, ("strict",), (zip,)),
    (1, 1, (), (abs, operator.abs, all, any, callable, len, reversed)),
    (1, 1, ("key", "reverse"), (sorted,)),
    (1, 2, ("ndigits",), (round,)),
    (1, 2, (), (iter, next)),
    (1, 2, ("start",), (enumerate, sum)),
    (1, 3, (), (range, slice, type)),
    (1, MANY, ("key", "default"), (min, max)),
    (2, 2, (), (divmod, filter, hasattr, isinstance, issubclass, operator.pow)),
    (2, 3, (), (getattr, functools.reduce)),
    (2, MANY, (), (map,)),
    (3, 3, (), (setattr, object.__setattr__)),
)
ARITIES: dict[int, Arity] = {
    id(fn): Arity(least, most, frozenset(words)) for least, most, words, fns in ROWS for fn in fns
} | {id(dict): Arity(0, 1, None)}


def takes(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call with these arguments gets past CPython's own look at them."""
    row = ARITIES.get(id(fn))
    return row is None or row.takes(len(args), frozenset(kwargs))
