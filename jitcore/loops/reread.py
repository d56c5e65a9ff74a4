"""A loop that waits for others: `while not flag[0]: pass`, where another process, or a thread of
somebody's that needs no GIL, sets the flag in memory that is shared.

C may read once what a loop does not change. CPython reads it in each round, so the loop ends when
the others have done their part; here what is read in each round from one place is read anew now and
then.
"""

from __future__ import annotations

from typing import Any

from jitcore.ir.graph import Body, Node, Value, walk
from jitcore.ir.ops.dyn_array import EXTENT
from jitcore.ir.ops.loop import ITEMS_BEFORE, ITEMS_FROM, LEAVE
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.loops.emitter import LoopEmitter

ROUNDS = 1024  # between two such readings
STEPS = frozenset(("op.add", "op.sub"))
OF_FORM = (EXTENT, ITEMS_FROM, ITEMS_BEFORE)  # ask arrays for extents, not for elements


def begin(w: LoopEmitter, body: Body, *, counted: bool = False) -> str | None:
    """Of a loop that may end by what it reads: its counter. A counted loop does only where it is
    left early."""
    if not waits(body) or (counted and not any(one.op is LEAVE for one in walk(body))):
        return None
    counter = w.scratch("u32")
    w.line(f"{counter} = 0;")
    return counter


def next_round(w: LoopEmitter, counter: str | None) -> None:
    if counter is not None:
        w.line(f'if (++{counter} % {ROUNDS} == 0) __asm__ volatile("" ::: "memory");')


def waits(body: Body) -> bool:
    """May rounds without end read elements? They may stand still at one place, also one that moves
    on when something is found there, and a compiler finds out that they do. An index that moves in
    each round leaves the array some day."""
    moving = moved(body)
    for node in walk(body):
        if is_moved(node, moving):
            moving |= set(node.outputs)
        elif reads(node) and moving.isdisjoint(key(node)):
            return True
    return False


def moved(body: Body) -> set[Value]:
    """What grows, or shrinks, by as much in each round: its number, sums with a constant."""
    results = body.results[1:]
    if len(body.params) > len(results):
        return {body.params[0]}  # of a counted loop
    made: dict[Value | None, Node] = {one: node for node in body.nodes for one in node.outputs}
    rows = zip(body.params, results, strict=True)
    return {param for param, result in rows if steps(made.get(as_value(result)), param)}


def as_value(arg: Any) -> Value | None:
    return arg if type(arg) is Value else None


def steps(node: Node | None, param: Value) -> bool:
    if node is None or node.op.name not in STEPS or node.args[0] is not param:
        return False
    return type(node.args[1]) is int and node.args[1] != 0


def is_moved(node: Node, moving: set[Value]) -> bool:
    """By a number that is written in the program, or as the items of a range."""
    if node.op.name in STEPS:
        return as_value(node.args[0]) in moving and type(node.args[1]) is int
    return node.op.name == "range.item" and as_value(node.args[2]) in moving


def key(node: Node) -> set[Value]:
    """The indices of an element."""
    if node.op.name != "getitem":
        return set()
    found = node.args[1]
    parts = found if type(found) is tuple else (found,)
    return {one for one in parts if type(one) is Value}


def reads(node: Node) -> bool:
    """Elements, not views or extents."""
    if node.bodies or node.op in OF_FORM:
        return False
    views = any(isinstance(one.type, ArrayType | DynArrayType) for one in node.outputs)
    given = any(isinstance(one.type, ArrayType | DynArrayType) for one in node.inputs)
    return given and bool(node.outputs) and not views
