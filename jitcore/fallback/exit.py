"""How CPython's state is rebuilt when a region is left, as data: recipes and effects.

    Exit
     ├─ where CPython goes on (offset in C), or the value that it returns
     ├─ stack, locals:  recipes          what to put into the frame's slots
     └─ effects:        held-back stores, in program order

A recipe is a tree over what the plan has in registers. The same recipe object used twice is built
once, so that identity inside the rebuilt state is what CPython would have made.
"""

from __future__ import annotations

from enum import Enum

from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Value


@dataclass(frozen=True, slots=True, eq=False)
class KnownObject:
    """An object that the entry may hold on to: an immutable constant, a builtin, a module."""

    obj: object


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The object that a guard load has in its register."""

    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """The result of a graph node."""

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Empty:
    """CPython's NULL: an unbound local, or the mark below a callable on the stack."""


class Make(Enum):
    """How a recipe builds an object from its parts."""

    TUPLE = "tuple"
    LIST = "list"
    SET = "set"
    DICT = "dict"  # parts: key, value, key, value…
    SLICE = "slice"
    CALL = "call"  # parts: callable, arguments…
    METHOD = "method"  # parts: function, self
    CELL = "cell"  # parts: content or Empty
    FUNCTION = "function"  # parts: code, defaults, kwdefaults, closure; the frame's own globals
    INSTANCE = "instance"  # parts: class, then name, value, name, value…
    ADVANCED = "advanced"  # parts: an iterator, how many items are already taken
    TAKEN = "taken"  # parts: an iterator, how many more items are taken


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    make: Make
    parts: tuple[Recipe, ...]


Recipe = KnownObject | Loaded | Computed | Empty | Built


class Do(Enum):
    """A held-back effect."""

    SET_GLOBAL = "set_global"  # name, value
    DEL_GLOBAL = "del_global"  # name
    SET_CELL = "set_cell"  # cell, value or Empty
    CALL = "call"  # callable, arguments…: replays a container's own method
    MAKE = "make"  # what is made: making it is the effect


@dataclass(frozen=True, slots=True, eq=False)
class ExitEffect:
    do: Do
    parts: tuple[Recipe, ...]


class Leave(Enum):
    RETURN = "return"
    JUMP = "jump"
    MISS = "miss"


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """One way out of a region.

    `through_point`: land on the region point before the instruction, if one stands there (a cut),
    not on the instruction itself (a break: CPython must execute it).
    """

    leave: Leave
    offset: int = -1
    through_point: bool = False
    stack: tuple[Recipe, ...] = ()
    locals: tuple[tuple[int, Recipe], ...] = ()
    effects: tuple[ExitEffect, ...] = ()
    value: Recipe | None = None


MISS = Exit(Leave.MISS)
