"""Arrays that a routine's loops and branches carry on → C.

A name of C's own for each: where the array is, and how long. A branch's is another name of what
either way gives. What a loop's round begins with stands in a room of its own. At the round's end
this changes places with the room in which the round has made the array; what was not made in a room
is copied into another one first. So nothing that the next round makes overwrites what it began
with, whichever array became which. Where there is no memory for it, the array stays where it is,
and the routine is left before the next round begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Value
from jitcore.ir.ops.dyn_array import FEW
from jitcore.ir.types import DynArrayType
from jitcore.loops.arrays.delayed import buffered
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact, Layout


def own(w: LoopEmitter, value: Value) -> Layout:
    """Variables for an array that is one of several."""
    found = w.layouts.get(value)
    if found is not None:
        return found
    kind = value.type
    assert isinstance(kind, DynArrayType)
    few = [dim is not None and dim <= FEW for dim in kind.dims]
    extents = [
        str(dim) if known else w.scratch("i64") for dim, known in zip(kind.dims, few, strict=True)
    ]
    steps = [w.scratch("i64") for _ in extents[1:]] + [str(kind.dtype.itemsize)] * bool(extents)
    ones = tuple(extent == "1" for extent in extents)
    made = Layout(w.scratch("char *"), tuple(extents), tuple(steps), ones, kind.dtype)
    w.layouts[value] = made
    return made


def extends(w: LoopEmitter, target: Layout, extents: Sequence[str]) -> None:
    """It has these extents, in C order."""
    for name, text in zip(target.extents, extents, strict=True):
        if name.isdigit() and name != text:
            raise CannotLower("an array whose shape changes")
        if name != text:
            w.line(f"{name} = {text};")
    for axis in reversed(range(len(target.steps) - 1)):
        step = f"{target.extents[axis + 1]} * {target.steps[axis + 1]}"
        w.line(f"{target.steps[axis]} = {step};")


def size(of: Layout) -> str:
    return " * ".join((*of.extents, str(of.dtype.itemsize)))


def arrays(targets: Sequence[Value], given: Sequence[Any]) -> list[tuple[Value, Any]]:
    both = zip(targets, given, strict=True)
    return [(t, g) for t, g in both if isinstance(t.type, DynArrayType) and g is not None]


def aliases(w: LoopEmitter, targets: Sequence[Value], given: Sequence[Any]) -> None:
    """Other names of what a branch gives."""
    for target, value in arrays(targets, given):
        of, to = buffered(w, value), own(w, target)
        w.line(f"{to.pointer} = {of.pointer};")
        extends(w, to, of.extents)
        found = (*w.rooms_at.get(to.pointer, ()), *w.rooms_at.get(of.pointer, ()))
        w.rooms_at[to.pointer] = tuple(dict.fromkeys(found))


def end(w: LoopEmitter, targets: Sequence[Value], params: Sequence[Any]) -> None:
    """What a loop has come to, where it is over: a round of the loop around it has made that."""
    aliases(w, targets, params)
    for target, param in arrays(targets, params):
        w.rooms_at[own(w, target).pointer] = w.rooms_of(param)[:1]


def begin(w: LoopEmitter, params: Sequence[Value], given: Sequence[Any]) -> None:
    for param, value in arrays(params, given):
        w.note(Fact.ASKS)
        of, to = buffered(w, value), own(w, param)
        now, _ = w.rooms_of(param)
        w.line(f"{to.pointer} = rt_copy(world, {now}, {of.pointer}, {size(of)}, &short_of_room);")
        extends(w, to, of.extents)


def next_round(w: LoopEmitter, params: Sequence[Value], given: Sequence[Any]) -> None:
    new = [
        (own(w, p), buffered(w, g), w.rooms_of(p)) for p, g in arrays(params, given) if p is not g
    ]
    texts = []
    for _, of, (now, other) in new:
        room, at = found_in(w, of, [*w.rooms_at.get(of.pointer, ()), now], other)
        texts.append((room, at, [frozen(w, text) for text in of.extents]))
    for (to, _, (now, _)), (room, at, extents) in zip(new, texts, strict=True):
        w.line(f"rt_exchange(rooms, {now}, {room});")
        w.line(f"{to.pointer} = {at};")
        extends(w, to, extents)


def found_in(w: LoopEmitter, of: Layout, rooms: Sequence[int], other: int) -> tuple[str, str]:
    """The room that it is in, which is one of these, or `other`, into which it is copied then; and
    where it is."""
    w.note(Fact.ASKS)
    copied = f"rt_copy(world, {other}, {of.pointer}, {size(of)}, &short_of_room)"
    at, room = w.scratch("char *"), w.scratch("i64")
    w.line(f"{at} = {of.pointer};")
    for k in rooms:
        w.line(f"if ({of.pointer} == rooms[{k}].first) {room} = {k}; else")
    w.line(f"{{ {room} = {other}; {at} = {copied}; }}")
    return room, at


def frozen(w: LoopEmitter, text: str) -> str:
    """An extent as it is now: its variable may be another carried array's."""
    if text.isdigit():
        return text
    name = w.scratch("i64")
    w.line(f"{name} = {text};")
    return name
