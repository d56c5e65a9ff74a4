"""What a capture has changed may hold itself, as the program's own objects do. It is taken apart
when the capture ends: nothing of it is left to the garbage collector, which counts what it finds,
and none of the user's objects waits for that."""

from __future__ import annotations

from collections.abc import Iterable

from jitcore.symbolic.values import Cell, Dict, List, Object, Var


def take_apart(written: Iterable[Var]) -> None:
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
