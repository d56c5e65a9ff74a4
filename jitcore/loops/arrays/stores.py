"""Stores into parts of arrays → loops that write there at once, or by way of a room.

    a[1:-1] = x[:-2] + x[2:]   the two are apart:  for … a[k + 1] = x[k] + x[k + 2], then the flags
                               else:               for … room[k] = …, the flags, a[k + 1] = room[k]

It is for run time to say whether two parts share memory (`rt_apart`). Where flags are looked for
when all is written, CPython repeats what it does since the mark, with its warnings, and stores the
same once more. So nothing that it reads since then may lie where the store writes, and a warning
must neither raise nor run code of the user's (`world->sure`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Effect, Kind
from jitcore.ir.ops.dyn_array import SPAN, SPAN_STORE, SPAN_TAKE, SPAN_TRANSPOSE
from jitcore.ir.ops.loop import POLL
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.loops.address import layout
from jitcore.loops.arrays import array_nodes, delayed, elementwise, nest
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import DelayedNode, Layout
from jitcore.loops.forms.elements import stored
from jitcore.toolchain.abi import C_TYPES

LEAST = 1024  # bytes: a room as small costs less than the question
MOST = 12  # parts that are compared with the target


def store(w: LoopEmitter, node: Node) -> None:
    place, value = node.args
    into = layout(w, place)
    if not elementwise.is_part(value):
        text = w.kept(C_TYPES[into.dtype.char], stored(w, node, value, into.dtype))
        delayed.flush(w)
        w.settle()
        nest.fill(w, into, lambda at: text)
        return
    fits(w, node, into, *delayed.shape_of(w, value))
    delayed.flush(w, value)
    fresh = value in w.lazy
    if fresh and store_apart(w, node, into, value):
        return
    of = delayed.buffered(w, value)
    w.settle()
    if fresh:
        moved(w, into, of)
    else:
        copy(w, node, into, of)


def fits(
    w: LoopEmitter, node: Node, into: Layout, extents: Sequence[str], ones: Sequence[bool]
) -> None:
    first = len(into.extents) - len(extents)
    for axis, (extent, one) in enumerate(zip(extents, ones, strict=True), first):
        if not one:
            w.leave_unless_equal(node, extent, into.extents[axis])


def copy(w: LoopEmitter, node: Node, into: Layout, of: Layout) -> None:
    """It may overlap what is written."""
    if is_small(of):
        moved(w, into, delayed.copied(w, node, of, into.dtype))
        return
    free = w.scratch("int")
    w.line(f"{free} = rt_apart({box(into)}, {box(of)});")
    room = nest.buffer(w, node, of.extents, of.dtype, free)
    with branch(w, f"if ({free}) {{"):
        moved(w, into, of)
    with branch(w, "else {"):
        moved(w, room, of)
        moved(w, into, room)


def store_apart(w: LoopEmitter, node: Node, into: Layout, value: Value) -> bool:
    """`value` is not computed yet. False: nothing is written, the store needs a room."""
    if w.seldom:
        return False
    lazy = w.lazy[value]
    read = all_read(w, node, value)
    if read is None or len(read) > MOST or not is_alike(into, lazy) or is_small(into):
        return False
    if any(one.node.op is SPAN_TAKE for one in delayed.tree(w, value)):
        return False  # which leaves in the middle
    w.settle()
    free = whether(w, node, into, read, value)
    room = nest.buffer(w, node, into.extents, into.dtype, free)
    if into.steps[-1] == room.steps[-1]:
        computed(w, either(w, free, into, room), value)
        with branch(w, f"if (!{free}) {{"):
            moved(w, into, room)
    else:
        with branch(w, f"if ({free}) {{"):
            computed(w, into, value)
        with branch(w, "else {"):
            computed(w, room, value)
            moved(w, into, room)
    delayed.forget(w, value)
    return True


@contextmanager
def branch(w: LoopEmitter, head: str) -> Iterator[None]:
    w.line(head)
    w.depth += 1
    with w.block():
        yield
    w.depth -= 1
    w.line("}")


def computed(w: LoopEmitter, into: Layout, value: Value) -> None:
    nest.fill(w, into, lambda at: delayed.element(w, value, into.dtype, at))
    delayed.check(w, value)


def moved(w: LoopEmitter, into: Layout, of: Layout) -> None:
    nest.fill(w, into, lambda at: elementwise.cast(elementwise.load(of, at), of.dtype, into.dtype))


def is_alike(into: Layout, lazy: DelayedNode) -> bool:
    return bool(into.extents) and (into.ones, into.dtype) == (lazy.ones, lazy.dtype)


def is_small(into: Layout) -> bool:
    known = all(extent.isdigit() for extent in into.extents)
    return known and prod(map(int, into.extents)) * into.dtype.itemsize < LEAST


def either(w: LoopEmitter, free: str, into: Layout, room: Layout) -> Layout:
    def chosen(ctype: str, one: str, other: str) -> str:
        return one if one == other else w.kept(ctype, f"{free} ? {one} : {other}")

    pointer = chosen("char *", into.pointer, room.pointer)
    steps = zip(into.steps, room.steps, strict=True)
    return replace(into, pointer=pointer, steps=tuple(chosen("i64", *pair) for pair in steps))


# ---- whether ------------------------------------------------------------------------------------


def whether(w: LoopEmitter, node: Node, into: Layout, read: Sequence[Layout], value: Value) -> str:
    """A variable: may the loop write into the array?"""
    nodes = [one.node for one in delayed.tree(w, value)]
    silent = not w.mask or all(delayed.effect_of(one) is Effect.SILENT for one in nodes)
    size = nest.size(w, node, into.extents, into.dtype)
    tests = [f"{size} >= {LEAST}", *(f"rt_apart({box(into)}, {box(one)})" for one in read)]
    if not silent:
        tests.append(f"rt_sure(world, {size})")
    free = w.scratch("int")
    w.line(f"{free} = {' && '.join(tests)};")
    return free


def box(of: Layout) -> str:
    extents, steps = (", ".join(texts) or "0" for texts in (of.extents, of.steps))
    size = of.dtype.itemsize
    parts = (f"{len(of.extents)}", of.pointer, f"RT_FEW({extents})", f"RT_FEW({steps})", f"{size}")
    return ", ".join(parts)


def distinct(of: Layout) -> str:
    """Has it each element to itself?"""
    extents, steps = (", ".join(texts) or "0" for texts in (of.extents, of.steps))
    size = of.dtype.itemsize
    return f"rt_distinct({len(of.extents)}, RT_FEW({extents}), RT_FEW({steps}), {size})"


def all_read(w: LoopEmitter, node: Node, value: Value) -> list[Layout] | None:
    """What is read of arrays since the mark, by the store too. None: who knows."""
    before = since_mark(w, node)
    if before is None or not {one.node for one in delayed.tree(w, value)}.issubset(before):
        return None
    given = [arg for one in delayed.tree(w, value) for arg in one.args if elementwise.is_part(arg)]
    for one in before:
        if one.op in (SPAN, SPAN_TRANSPOSE) or one.op.name == "extent":
            continue
        if not all(isinstance(v.type, ScalarType | DynArrayType | ArrayType) for v in one.inputs):
            return None
        given += [v for v in one.inputs if elementwise.is_part(v)]
    made = {v for one in before for v in one.outputs} - w.layouts.keys()  # and never in memory
    return [*dict.fromkeys(layout(w, v) for v in given if v not in made)]


def since_mark(w: LoopEmitter, node: Node) -> list[Node] | None:
    exit = w.exit_of(node)
    nodes = w.done[-1]
    found: list[Node] = []
    for one in reversed(nodes):
        if w.exit_of(one) not in (exit, None):
            return found
        if one.op.kind is Kind.CONTROL:
            return None
        found.append(one)
    begins = len(w.done) == 1 or (bool(nodes) and nodes[0].op is POLL)
    return found if begins and exit is not None else None


array_nodes.TABLE |= {SPAN_STORE: store}
