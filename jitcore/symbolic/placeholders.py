"""Placeholders: what CPython keeps in a slot and no expression can give."""

from __future__ import annotations

from typing import Any

from jitcore.host.fast_dataclass import dataclass


@dataclass(eq=False, slots=True)
class Null:
    """CPython's NULL."""


NULL = Null()


@dataclass(eq=False, slots=True)
class Hidden:
    """What CPython has here belongs to an exception being handled: a traceback, or what was
    handled before."""


@dataclass(eq=False, slots=True)
class Token:
    """What an errstate whose block is open keeps of the state before (models/errstate.py). An exit
    meanwhile sets NumPy's state, which gives the real one."""

    words: dict[str, Any]  # what np.errstate takes
    before: int  # the state's code
    spent: bool = False
