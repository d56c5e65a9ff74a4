"""Loops of a region, as they are written → what was tried with each (ir/remark.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.remark import Remark, Remarks, declined
from jitcore.loops.emitter import LoopEmitter

T = TypeVar("T")
LOOPS = frozenset(("for", "loop"))


def planned(w: LoopEmitter, loop: Node, way: str, do: Callable[..., T], *given: Any) -> T | None:
    """What `do` returns; None where it cannot. Nothing is said of what can: it may fail yet."""
    try:
        return do(*given)
    except CannotLower as why:
        w.remarks.setdefault(loop, []).append(declined(way, why))
        return None


def tried(w: LoopEmitter, loop: Node, way: str, do: Callable[..., T], *given: Any) -> T | None:
    """The same of what has been done then."""
    found = w.remarks.setdefault(loop, [])
    before = len(found)
    made = planned(w, loop, way, do, *given)
    if len(found) == before:
        found.append(Remark(way))
    return made


def remarks_of(w: LoopEmitter, nodes: Iterable[Node]) -> Iterator[Remarks]:
    """In the order of the program."""
    for node in nodes:
        if node.op.name in LOOPS:
            yield Remarks("loop", begin_of(node), tuple(w.remarks.get(node, ())), "native")
        for body in node.bodies:
            yield from remarks_of(w, body.nodes)


def begin_of(node: Node) -> Any:
    """Where the program has it: where its first operation is, since it has no place itself."""
    if node.where is not None:
        return node.where
    inside = (begin_of(one) for body in node.bodies for one in body.nodes)
    return next((where for where in inside if where is not None), None)
