"""Elements that a mask selects, in C: `x[m]` packs them, `x[m] = y` puts them back. In C order.

Other keys are NumPy's to understand (loops/call_outs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.ops.dyn_array import SPAN_ITEM, SPAN_PUT
from jitcore.loops.address import layout
from jitcore.loops.arrays.array_nodes import BY_NAME, TABLE
from jitcore.loops.arrays.delayed import buffered, copied, flush, shape_of
from jitcore.loops.arrays.elementwise import address, is_part, load
from jitcore.loops.arrays.nest import buffer, nest
from jitcore.loops.arrays.stores import box, branch, either, moved
from jitcore.loops.call_outs import call_back
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Layout
from jitcore.loops.forms.elements import stored
from jitcore.toolchain.abi import C_TYPES

PLACES = "bBhHiIlq"  # of these types may ints be that say where


def is_mask(w: LoopEmitter, array: Any, key: Any) -> bool:
    """Of the array's own axes."""
    if not is_part(key) or key.type.dtype.kind != "b":
        return False
    return len(shape_of(w, key)[0]) == len(shape_of(w, array)[0])


def mask_of(w: LoopEmitter, node: Node, of: Layout, key: Any) -> Layout:
    mask = buffered(w, key)
    for extent, other in zip(of.extents, mask.extents, strict=True):
        if extent != other:
            w.leave_if(node, f"{extent} != {other}")
    return mask


def select(w: LoopEmitter, node: Node) -> None:
    array, key = node.args
    if not is_mask(w, array, key):
        raise CannotLower("an index that is not a mask of the array's own axes")
    of = buffered(w, array)
    mask = mask_of(w, node, of, key)
    w.settle()
    into = buffer(w, node, of.extents, of.dtype)
    count, name = w.scratch("i64"), C_TYPES[of.dtype.char]
    w.line(f"{count} = 0;")

    def one(at: list[str]) -> None:  # never beyond where it has come to itself
        w.line(f"(({name} *){into.pointer})[{count}] = {load(of, at)};")
        w.line(f"{count} += {load(mask, at)};")

    def eight(at: list[str]) -> None:
        size = of.dtype.itemsize
        first = f"{into.pointer} + {count} * {size}"
        if of.steps[-1] == str(size):
            start = f"{address(of, at[:-1])} + {at[-1]} * {size}"
            w.line(f"__builtin_memcpy({first}, {start}, {8 * size});")
        else:
            j = w.fresh("j")
            each = load(of, [*at[:-1], f"({at[-1]} + {j})"])
            w.line(f"for (int {j} = 0; {j} < 8; {j}++) (({name} *)({first}))[{j}] = {each};")
        w.line(f"{count} += 8;")

    selected(w, of.extents, mask, one, eight)
    size = str(of.dtype.itemsize)
    w.layouts[node.outputs[0]] = Layout(into.pointer, (count,), (size,), (False,), of.dtype)


def put(w: LoopEmitter, node: Node) -> None:
    place, key, value = node.args
    into = layout(w, place)
    if is_place(w, place, key, value):
        put_at(w, node, into)
        return
    known = is_mask(w, place, key) and into.dtype.kind != "b"
    if not known or (is_part(value) and len(shape_of(w, value)[0]) != 1):
        flush(w)
        call_back(w, node)
        return
    mask = mask_of(w, node, into, key)
    if is_part(value):
        put_many(w, node, into, mask, value)
        return
    text = w.kept(C_TYPES[into.dtype.char], stored(w, node, value, into.dtype))
    flush(w)
    w.settle()
    eight = eight_places(w, into, lambda j: text)
    selected(w, into.extents, mask, lambda at: write(w, into, mask, at, text), eight)


def is_place(w: LoopEmitter, array: Any, key: Any, value: Any) -> bool:
    """Ints, into an array of one axis."""
    if not is_part(key) or key.type.dtype.char not in PLACES:
        return False
    return all(len(shape_of(w, one)[0]) == 1 for one in (array, key, value) if is_part(one))


def put_at(w: LoopEmitter, node: Node, into: Layout) -> None:
    """One after the other, as NumPy does, when all are known to be within the array."""
    _, key, value = node.args
    many = is_part(value)
    name = C_TYPES[into.dtype.char]
    text = "" if many else w.kept(name, stored(w, node, value, into.dtype))
    at = buffered(w, key)
    of = buffered(w, value) if many else into
    flush(w)
    count = at.extents[0]
    if many:
        w.leave_unless_equal(node, of.extents[0], count)
        of = apart(w, node, into, of)
    at = apart(w, node, into, at)
    w.settle()
    outside, extent = w.scratch("int"), into.extents[0]
    w.line(f"{outside} = 0;")

    def look(k: list[str]) -> None:
        i = f"(i64){load(at, k)}"
        w.line(f"{outside} |= {i} < -{extent} | {i} >= {extent};")

    nest(w, (count,), look, False)
    w.leave_if(node, outside)

    def put(k: list[str]) -> None:
        i = w.fresh("at")
        w.line(f"const i64 {i} = (i64){load(at, k)};")
        item = f"{into.pointer} + ({i} < 0 ? {i} + {extent} : {i}) * {into.steps[0]}"
        w.line(f"*({name} *)({item}) = {load(of, k) if many else text};")

    nest(w, (count,), put, False)


def apart(w: LoopEmitter, node: Node, into: Layout, of: Layout) -> Layout:
    """The same, in memory that is not written to."""
    free = w.scratch("int")
    w.line(f"{free} = rt_apart({box(into)}, {box(of)});")
    room = buffer(w, node, of.extents, of.dtype, free)
    with branch(w, f"if (!{free}) {{"):
        moved(w, room, of)
    return either(w, free, of, room)


def put_many(w: LoopEmitter, node: Node, into: Layout, mask: Layout, value: Any) -> None:
    count, k = w.scratch("i64"), w.scratch("i64")
    flush(w, value)
    fresh = value in w.lazy
    of = buffered(w, value)
    w.line(f"{count} = 0;")
    nest(w, into.extents, lambda at: w.line(f"{count} += {load(mask, at)};"), False)
    w.leave_if(node, f"{of.extents[0]} != {count}")
    if not fresh:
        of = apart(w, node, into, of) if of.dtype == into.dtype else copied(w, node, of, into.dtype)
    w.settle()
    w.line(f"{k} = 0;")
    store = eight_places(w, into, lambda j: load(of, [f"({k} + {j})"]))

    def eight(at: list[str]) -> None:
        store(at)
        w.line(f"{k} += 8;")

    selected(
        w, into.extents, mask, lambda at: write(w, into, mask, at, load(of, [f"{k}++"])), eight
    )


def eight_places(
    w: LoopEmitter, into: Layout, text: Callable[[str], str]
) -> Callable[[list[str]], None]:
    """Stores into eight places in a row, from one on."""

    def store(at: list[str]) -> None:
        j = w.fresh("j")
        item = element(into, [*at[:-1], f"({at[-1]} + {j})"])
        w.line(f"for (int {j} = 0; {j} < 8; {j}++) {item} = {text(j)};")

    return store


def selected(
    w: LoopEmitter,
    extents: Sequence[str],
    mask: Layout,
    body: Callable[[list[str]], None],
    eight: Callable[[list[str]], None] | None = None,
) -> None:
    """At each place, but eight at once are left out where nothing is selected; and done by `eight`,
    where all are."""
    if mask.steps[-1] != "1":
        nest(w, extents, body, False)
        return

    def row(at: list[str]) -> None:
        k, few, n = w.scratch("i64"), w.fresh("e"), extents[-1]
        w.line(f"for ({k} = 0; {k} + 8 <= {n}; {k} += 8) {{")
        w.depth += 1
        w.line(f"u64 {few};")
        w.line(f"__builtin_memcpy(&{few}, {address(mask, at)} + {k}, 8);")
        w.line(f"if ({few} == 0) continue;")
        if eight is not None:
            with branch(w, f"if ({few} == 0x0101010101010101ULL) {{"):
                eight([*at, k])
                w.line("continue;")
        j = w.fresh("j")
        with branch(w, f"for (i64 {j} = {k}; {j} < {k} + 8; {j}++) {{"):
            body([*at, j])
        w.depth -= 1
        w.line("}")
        with branch(w, f"for (; {k} < {n}; {k}++) {{"):
            body([*at, k])

    nest(w, extents[:-1], row, False)


def write(w: LoopEmitter, into: Layout, mask: Layout, at: list[str], text: str) -> None:
    w.line(f"if ({load(mask, at)}) {element(into, at)} = {text};")


def element(into: Layout, at: list[str]) -> str:
    terms = [f" + {k} * {step}" for k, step in zip(at, into.steps, strict=True)]
    return f"*({C_TYPES[into.dtype.char]} *)({into.pointer}{''.join(terms)})"


def places(w: LoopEmitter, node: Node) -> None:
    """Where an array of one axis is not 0."""
    (array,) = node.args
    if node.kwargs or not is_part(array) or len(shape_of(w, array)[0]) != 1:
        raise CannotLower(f"{node.op.words} of several axes")
    of = buffered(w, array)
    if of.dtype.char == "e":
        raise CannotLower(f"{node.op.words} of float16")
    w.settle()
    into = buffer(w, node, of.extents, np.dtype(np.int64))
    count, first = w.scratch("i64"), f"((i64 *){into.pointer})"
    w.line(f"{count} = 0;")

    def one(at: list[str]) -> None:
        w.line(f"{first}[{count}] = {at[0]};")
        w.line(f"{count} += {is_true(of, at)};")

    def eight(at: list[str]) -> None:
        j = w.fresh("j")
        w.line(f"for (int {j} = 0; {j} < 8; {j}++) {first}[{count} + {j}] = {at[0]} + {j};")
        w.line(f"{count} += 8;")

    if of.dtype.kind == "b":
        selected(w, of.extents, of, one, eight)
    else:
        nest(w, of.extents, one, False)
    w.layouts[node.outputs[0]] = Layout(into.pointer, (count,), ("8",), (False,), into.dtype)


def is_true(of: Layout, at: list[str]) -> str:
    text = load(of, at)
    if of.dtype.kind == "c":
        return f"(({text}).re != 0 || ({text}).im != 0)"
    return text if of.dtype.kind == "b" else f"({text} != 0)"


TABLE |= {SPAN_ITEM: select, SPAN_PUT: put}
BY_NAME |= dict.fromkeys(("flatnonzero", "nonzero", "ndarray.nonzero"), places)
