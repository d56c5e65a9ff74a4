"""A routine's own lists in C: items one behind the other in a room, and how many there are.

rooms[k].first   | number number | number number | …      each number has 8 bytes, a complex 16
                   item 0          item 1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import ScalarType, StackType
from jitcore.loops.address import index
from jitcore.loops.arrays import delayed
from jitcore.loops.boxed_items import letter_of
from jitcore.loops.c_types import c_type, number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact, LocalStack

LETTER = "P"


def is_of(node: Node) -> bool:
    return node.op.name == "pile" or node.op.name.startswith("pile.")


def columns(kind: StackType) -> Iterator[tuple[ScalarType, int]]:
    """Of each number of an item, where it is."""
    at = 0
    for one in kind.kinds:
        yield one, at
        at += 16 if one.dtype.kind == "c" else 8


def size(kind: StackType) -> int:
    return sum(16 if one.dtype.kind == "c" else 8 for one in kind.kinds)


def row(kind: StackType) -> tuple[Any, ...]:
    """For csrc/loop/read.c: bytes of an item, whether items are tuples, their numbers."""
    parts = tuple((*letter_of(one), at) for one, at in columns(kind))
    return size(kind), kind.tuples, parts


def emit(w: LoopEmitter, node: Node) -> None:
    if node.op.name == "pile":
        new(w, node)
        return
    pile = w.piles[node.args[0]]
    if node.op.name == "pile.count":
        w.line(f"{w.name(node.outputs[0])} = {pile.count};")
    elif node.op.name == "pile.item":
        read(w, node, pile, index(w, node, node.args[1], pile.count))
    else:
        delayed.flush(w)
        w.settle()
        CHANGES[node.op.name](w, node, pile)


def new(w: LoopEmitter, node: Node) -> None:
    (out,) = node.outputs
    assert isinstance(out.type, StackType)
    pile = w.piles.get(out)
    if pile is None:
        pile = w.piles[out] = LocalStack(w.rooms, w.scratch("i64"), out.type)
        w.rooms += 2
    delayed.flush(w)
    w.settle()
    made = [numbers(w, node, item) for item in node.args]
    w.line(f"{pile.count} = 0;")
    for item in made:
        put(w, node, pile, item)


def push(w: LoopEmitter, node: Node, pile: LocalStack) -> None:
    put(w, node, pile, numbers(w, node, node.args[1]))


def numbers(w: LoopEmitter, node: Node, item: Any) -> list[str]:
    """A nan is an object of its own, of which CPython would have the very same again."""
    texts = []
    for one in item if type(item) is tuple else (item,):
        kind, text = number(one), w.text(one)
        if type(one) is Value and kind.dtype.kind in "fc":
            parts = [f"{text}.re", f"{text}.im"] if kind.dtype.kind == "c" else [text]
            w.leave_if(node, " || ".join(f"{part} != {part}" for part in parts))
        texts.append(text)
    return texts


def put(w: LoopEmitter, node: Node, pile: LocalStack, texts: Sequence[str]) -> None:
    w.note(Fact.ASKS)
    bytes_ = size(pile.kind)
    wanted = f"({pile.count} + 1) * {bytes_}"
    short = f"rooms[{pile.room}].size < {wanted}"
    w.leave_if(node, f"{short} && !rt_grow(world, {pile.room}, {wanted})")
    for (kind, at), text in zip(columns(pile.kind), texts, strict=True):
        w.line(f"*({c_type(kind)} *)({pile.first} + {pile.count} * {bytes_} + {at}) = {text};")
    w.line(f"{pile.count}++;")


def pop(w: LoopEmitter, node: Node, pile: LocalStack) -> None:
    w.leave_if(node, f"{pile.count} == 0")
    w.line(f"{pile.count}--;")
    read(w, node, pile, pile.count)


def read(w: LoopEmitter, node: Node, pile: LocalStack, at: str) -> None:
    w.note(Fact.ASKS)
    for out, (kind, offset) in zip(node.outputs, columns(pile.kind), strict=True):
        place = f"{pile.first} + {at} * {size(pile.kind)} + {offset}"
        w.line(f"{w.name(out)} = *(const {c_type(kind)} *)({place});")


def clear(w: LoopEmitter, node: Node, pile: LocalStack) -> None:
    w.line(f"{pile.count} = 0;")


CHANGES = {"pile.push": push, "pile.pop": pop, "pile.clear": clear}


def handed(w: LoopEmitter, value: Value, slot: str) -> list[str]:
    pile = w.piles.get(value)
    if pile is None:
        raise CannotLower("a list that is not made on each branch")
    return [f"{slot}.part.first = {pile.first};", f"{slot}.part.extents[0] = {pile.count};"]
