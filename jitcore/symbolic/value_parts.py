"""A symbolic value → the values that it holds: walked through, and taken apart at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import get_args

from jitcore.symbolic.values import Cell, Dict, Items, Known, Lazy, List, Object, Var

COMPOSITE = frozenset((*get_args(Var), *get_args(Items))) - {Lazy, Known}
USERS = ("obj", "globals", "cls", "code", "origin", "deps", "value")  # fields that hold no values


def inside(var: object) -> Iterable[object]:
    """Never what belongs to the user."""
    if isinstance(var, dict):
        return var.values()
    if isinstance(var, list | tuple):
        return var
    if type(var) in COMPOSITE:
        names = [one.name for one in fields(var)]  # type: ignore[arg-type]
        return [getattr(var, name) for name in names if name not in USERS]
    return ()


def take_apart(written: Iterable[Var]) -> None:
    """A changed object may hold itself. Nothing of it may be left to the garbage collector, which
    counts what it finds, and none of the user's objects may wait for that."""
    for var in written:
        match var:
            case List():
                var.items = []
            case Dict():
                var.items = {}
            case Object():
                var.attrs = {}
            case Cell():
                var.content = None
