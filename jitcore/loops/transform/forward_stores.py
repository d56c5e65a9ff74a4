"""What an innermost loop has stored last is read from a variable: a[j] = (a[j] + a[j - 1]) / 9.

    v = at == last ? latest : *at;     …     *at = x; last = at; latest = x;

A processor takes some cycles to read what it has just written, and in a recurrence each round waits
for the one before. Which loads it may concern is a guess, by their indices; that it is so is looked
at each time. With several stores in a loop, looking takes longer than waiting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.op import Kind
from jitcore.ir.ops.dyn_array import SPAN, SPAN_TRANSPOSE
from jitcore.ir.ops.loop import RANGE_ITEM, SEQ_APPEND, SEQ_STORE
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import ForwardedStore
from jitcore.loops.remarks import tried
from jitcore.toolchain.abi import C_TYPES


def begin(w: LoopEmitter, loop: Node, body: Body) -> None:
    """Of the loop that is opened here, until `end`."""
    w.latest.append(tried(w, loop, "store forwarding", latest, w, body))


def end(w: LoopEmitter) -> None:
    w.latest.pop()


def forget(w: LoopEmitter) -> None:
    """Other threads may run: nobody knows what stands there."""
    last = w.stored_last()
    if last is not None:
        w.line(f"{last.place} = 0;")


def latest(w: LoopEmitter, body: Body) -> ForwardedStore:
    nodes = [*every(body.nodes)]
    stores = [node for node in nodes if node.op.name == "setitem"]
    if not stores:
        raise NotCandidate("it stores no single elements")
    other = next((node for node in nodes if changes_more(node)), None)
    if other is not None:
        raise NotCandidate(f"it holds {other.op.words}{line_of(other.where)}")
    if len(stores) > 1:
        raise CannotLower("it has several stores, and looking for the latest takes longer")
    if not is_float(stores[0].args[0]):
        raise NotCandidate("ints wait less for what was stored")
    made: dict[Value, Node | None] = {value: node for node in nodes for value in node.outputs}
    made |= dict.fromkeys(body.params, None)
    array, key, _ = stores[0].args
    if root(array, made) in made:
        raise CannotLower("the array that is stored into is made in the loop")
    near = [one for one in nodes if one.op.name == "getitem" and one.args[0] is array]
    loads = frozenset(one for one in near if meets(one.args[1], key, made))
    if not loads:
        raise NotCandidate("it reads nothing that the iteration before it stores")
    place, value = w.scratch("char *"), w.scratch(C_TYPES[array.type.dtype.char])
    w.line(f"{place} = 0, {value} = 0;")
    return ForwardedStore(place, value, loads)


def every(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for body in node.bodies:
            yield from every(body.nodes)


def changes_more(node: Node) -> bool:
    """Than elements of arrays, one by one."""
    if node.op.kind is Kind.CONTROL:
        return node.op.name != "cond"
    return node.op in (SEQ_STORE, SEQ_APPEND) or (
        bool(node.op.stores) and node.op.name != "setitem"
    )


def is_float(array: Value) -> bool:
    """Of ints a round takes longer for more instructions, and waits for less."""
    kind = array.type
    return isinstance(kind, ArrayType | DynArrayType) and kind.dtype.char in ("f", "d")


def root(array: Value, made: Mapping[Value, Node | None]) -> Value:
    """What it is a view of, as far as the loop makes the views."""
    node = made.get(array)
    while node is not None and node.op in (SPAN, SPAN_TRANSPOSE):
        array = node.args[0]
        node = made.get(array)
    return array


# ---- indices ------------------------------------------------------------------------------------


def meets(load: Any, store: Any, made: Mapping[Value, Node | None]) -> bool:
    """Does a round load where the round before has stored, by the look of it?"""
    ones, others = (key if type(key) is tuple else (key,) for key in (load, store))
    if len(ones) != len(others):
        return False
    moving = [pair for pair in zip(ones, others, strict=True) if pair[0] is not pair[1]]
    moving = [pair for pair in moving if type(pair[0]) is Value or pair[0] != pair[1]]
    if not moving:
        return all(type(part) is not Value or part not in made for part in ones)
    return len(moving) == 1 and is_one_back(*moving[0], made)


def is_one_back(load: Any, store: Any, made: Mapping[Value, Node | None]) -> bool:
    for one, other, sign in ((load, store, 1), (store, load, -1)):
        node = made.get(one) if type(one) is Value else None
        if node is None or node.op.name not in ("op.add", "op.sub") or node.args[0] is not other:
            continue
        (_, by) = node.args
        if type(by) is not int:
            continue
        return sign * (by if node.op.name == "op.add" else -by) == -step_of(other, made)
    return False


def step_of(index: Value, made: Mapping[Value, Node | None]) -> int:
    node = made.get(index)
    step = node.args[1] if node is not None and node.op is RANGE_ITEM else 1
    return step if type(step) is int else 1
