"""An iterator that a loop in C moves on → another one at the same place, for the rehearsal.

Of the kinds that csrc/guards/iterators.c reads: others are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.verify.deep_equal import ITERATORS

KEYS: type = type(iter({}))  # of a dict that may be changed meanwhile


def twins(objects: Iterable[Any]) -> list[Any]:
    """What is one iterator among them, also inside of another, is one again."""
    made: dict[int, Any] = {}
    return [twin(obj, made) for obj in objects]


def twin(obj: Any, made: dict[int, Any]) -> Any:
    """The object itself, if it is no such iterator."""
    if type(obj) not in ITERATORS or type(obj) is KEYS:
        return obj
    if id(obj) in made:
        return made[id(obj)]
    make, args, *state = obj.__reduce__()
    if type(obj) is enumerate:
        args = twin(args[0], made), *args[1:]
    elif type(obj) is zip:
        args = tuple(twin(arg, made) for arg in args)
    found = made[id(obj)] = make(*args)
    if state and state[0] is not None:
        found.__setstate__(state[0])
    return found
