"""Arrays that a routine's loops and branches carry on → C.

A name of C's own for each: where the array is, and how long. A branch's is another name of what
either way gives. A loop's has two rooms: what a round begins with stands in one, and at the round's
end what it gives is copied into the other; then they change places. So nothing that the next round
makes overwrites what it began with, whichever array became which. Where there is no memory for it,
the array stays where it is, and the routine is left before the next round begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..ir.graph import Value
from ..ir.ops_span import FEW
from ..ir.types import SpanType
from .numbers import NoForm
from .places import Layout
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
    made = Layout(w.scratch("char *"), tuple(extents), tuple(steps), ones, kind.dtype)
    w.layouts[value] = made
    return made


def extends(w: Writer, target: Layout, extents: Sequence[str]) -> None:
    """It has these extents, in C order."""
    for name, text in zip(target.extents, extents, strict=True):
        if name.isdigit() and name != text:
            raise NoForm("an array whose extents are not those that were known")
        if name != text:
            w.line(f"{name} = {text};")
    for axis in reversed(range(len(target.steps) - 1)):
        step = f"{target.extents[axis + 1]} * {target.steps[axis + 1]}"
        w.line(f"{target.steps[axis]} = {step};")


def size(of: Layout) -> str:
    return " * ".join((*of.extents, str(of.dtype.itemsize)))


def arrays(targets: Sequence[Value], given: Sequence[Any]) -> list[tuple[Value, Any]]:
    both = zip(targets, given, strict=True)
    return [(t, g) for t, g in both if isinstance(t.type, SpanType) and g is not None]


def aliases(w: Writer, targets: Sequence[Value], given: Sequence[Any]) -> None:
    """Other names of what a branch gives, or of what a loop has come to."""
    for target, value in arrays(targets, given):
        of, to = buffered(w, value), own(w, target)
        w.line(f"{to.pointer} = {of.pointer};")
        extends(w, to, of.extents)


def begin(w: Writer, params: Sequence[Value], given: Sequence[Any]) -> None:
    for param, value in arrays(params, given):
        of, to = buffered(w, value), own(w, param)
        now, _ = w.rooms_of(param)
        w.line(f"{to.pointer} = rt_copy(world, {now}, {of.pointer}, {size(of)}, &short_of_room);")
        extends(w, to, of.extents)


def next_round(w: Writer, params: Sequence[Value], given: Sequence[Any]) -> None:
    new = [
        (own(w, p), buffered(w, g), w.rooms_of(p)) for p, g in arrays(params, given) if p is not g
    ]
    texts = []
    for _, of, (_, other) in new:
        at = w.kept("char *", f"rt_copy(world, {other}, {of.pointer}, {size(of)}, &short_of_room)")
        texts.append((at, [frozen(w, text) for text in of.extents]))
    for (to, _, (now, other)), (at, extents) in zip(new, texts, strict=True):
        w.line(f"rt_exchange(rooms, {now}, {other});")
        w.line(f"{to.pointer} = {at};")
        extends(w, to, extents)


def frozen(w: Writer, text: str) -> str:
    """An extent as it is now: its variable may be another carried array's."""
    if text.isdigit():
        return text
    name = w.scratch("i64")
    w.line(f"{name} = {text};")
    return name
