"""A loop that waits for others: `while not flag[0]: pass`, where another process, or a thread of
somebody's that needs no GIL, sets the flag in memory that is shared.

C may read once what a loop does not change. CPython reads it in each round, so the loop ends when
the others have done their part; here what is read in each round from one place is read anew now and
then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.graph import Body, Node, walk
from ..ir.ops_loop import LEAVE
from ..ir.types import ArrayType, SpanType

if TYPE_CHECKING:
    from .writer import Writer

ROUNDS = 1024  # between two such readings


def begin(w: Writer, body: Body, *, counted: bool = False) -> str | None:
    """Of a loop that may end by what it reads: its counter. A counted loop does only where it is
    left early."""
    if not waits(body) or (counted and not any(one.op is LEAVE for one in walk(body))):
        return None
    counter = w.scratch("u32")
    w.line(f"{counter} = 0;")
    return counter


def next_round(w: Writer, counter: str | None) -> None:
    if counter is not None:
        w.line(f'if (++{counter} % {ROUNDS} == 0) __asm__ volatile("" ::: "memory");')


def waits(body: Body) -> bool:
    """May a round read from arrays what the round before has read, at the same place? An inner loop
    may go over the same places in each."""
    changes = set(body.params)
    for node in walk(body):
        if changes.isdisjoint(node.inputs):
            if not node.bodies and reads(node):
                return True
        elif not node.bodies:
            changes |= set(node.outputs)
    return False


def reads(node: Node) -> bool:
    """Elements, not views or extents."""
    views = any(isinstance(one.type, ArrayType | SpanType) for one in node.outputs)
    given = any(isinstance(one.type, ArrayType | SpanType) for one in node.inputs)
    return given and bool(node.outputs) and not views and node.op.name != "extent"
