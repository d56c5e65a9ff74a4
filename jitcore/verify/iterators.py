"""An iterator that a loop in C moves on → another one at the same place, for the rehearsal.

Of the kinds that csrc/iterators.c reads: others are left as they are.
"""

from __future__ import annotations

from typing import Any

from jitcore.verify.same import ITERATORS

KEYS: type = type(iter({}))  # of a dict that may be changed meanwhile


def twin(obj: Any) -> Any:
    """The object itself, if it is no such iterator."""
    if type(obj) not in ITERATORS or type(obj) is KEYS:
        return obj
    make, args, *state = obj.__reduce__()
    if type(obj) is enumerate:
        args = twin(args[0]), *args[1:]
    elif type(obj) is zip:
        args = tuple(map(twin, args))
    made = make(*args)
    if state and state[0] is not None:
        made.__setstate__(state[0])
    return made
