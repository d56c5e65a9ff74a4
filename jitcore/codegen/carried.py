"""Arrays that a routine's loops and branches carry on → C.

A name of C's own for each: where the array is, how long, and in which room. A round's new array and
the last round's change rooms, so that the next round's does not overwrite it. An array from before
the loop stays where it is: its room is no room of the loop's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..ir.graph import Value
from ..ir.types import SpanType
from .numbers import NoForm
from .places import FEW, Layout
from .spans import buffered

if TYPE_CHECKING:
    from .writer import Writer


def own(w: Writer, value: Value) -> Layout:
    """Variables for an array that is one of several."""
    found = w.layouts.get(value)
    if found is not None:
        return found
    kind = value.type
    assert isinstance(kind, SpanType)
    few = [dim is not None and dim <= FEW for dim in kind.dims]
    extents = [
        str(dim) if known else w.scratch("i64") for dim, known in zip(kind.dims, few, strict=True)
    ]
    steps = [w.scratch("i64") for _ in extents[1:]] + [str(kind.dtype.itemsize)] * bool(extents)
    ones = tuple(extent == "1" for extent in extents)
    pointer, room = w.scratch("char *"), w.scratch("i64")
    made = Layout(pointer, tuple(extents), tuple(steps), ones, kind.dtype, False, room)
    w.layouts[value] = made
    return made


def becomes(w: Writer, target: Layout, of: Layout, room: str) -> None:
    w.line(f"{target.pointer} = {of.pointer};")
    for name, text in zip(target.extents, of.extents, strict=True):
        if name != text:
            w.line(f"{name} = {text};")
    for axis in reversed(range(len(target.steps) - 1)):
        step = f"{target.extents[axis + 1]} * {target.steps[axis + 1]}"
        w.line(f"{target.steps[axis]} = {step};")
    w.line(f"{target.room} = {room};")


def arrays(targets: Sequence[Value], given: Sequence[Any]) -> list[tuple[Value, Any]]:
    both = zip(targets, given, strict=True)
    return [(t, g) for t, g in both if isinstance(t.type, SpanType) and g is not None]


def one_way(w: Writer, targets: Sequence[Value], given: Sequence[Any]) -> None:
    for target, value in arrays(targets, given):
        of = buffered(w, value)
        becomes(w, own(w, target), of, of.room)


def begin(w: Writer, params: Sequence[Value], given: Sequence[Any]) -> None:
    for param, value in arrays(params, given):
        becomes(w, own(w, param), buffered(w, value), "-1")


def next_round(w: Writer, params: Sequence[Value], given: Sequence[Any]) -> None:
    waiting = [(p, g) for p, g in arrays(params, given) if p is not g]
    while waiting:
        read = {g for _, g in waiting}
        first = next(((p, g) for p, g in waiting if p not in read), None)
        if first is None:
            raise NoForm("arrays that change places from round to round")
        waiting.remove(first)
        param, of = own(w, first[0]), buffered(w, first[1])
        room = w.room_of(first[0])
        w.line(f"rt_exchange(rooms, {room}, {of.room});")
        becomes(w, param, of, f"{of.room} < 0 ? -1 : {room}")


def end(w: Writer, outputs: Sequence[Value], params: Sequence[Value], given: Sequence[Any]) -> None:
    before = dict(arrays(params, given))
    for out, param in arrays(outputs, params):
        of = own(w, param)
        room = f"{of.room} < 0 ? {buffered(w, before[param]).room} : {of.room}"
        becomes(w, own(w, out), of, room)
