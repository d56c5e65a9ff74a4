"""Delayed nodes → loops over the elements of arrays.

    DelayedNode   an elementwise node that is not computed yet: its one reader's loop will compute
                  it

A node's result is one loop over a buffer of the routine (`world->room`), with the nodes that only
it reads in the same loop. Then the flags are looked at; before that nothing is visible, so that the
routine can be left. A store copies from the buffer: its array may overlap what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Effect
from jitcore.ir.ops.dyn_array import SPAN_TAKE, asked
from jitcore.loops.address import layout
from jitcore.loops.arrays.elementwise import cast, is_part, load, named, written
from jitcore.loops.arrays.nest import buffer, fill
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import DelayedNode, Layout
from jitcore.toolchain.abi import C_TYPES

# ---- extents ------------------------------------------------------------------------------------


def fitted(
    w: LoopEmitter, node: Node, many: Sequence[tuple[tuple[str, ...], tuple[bool, ...]]]
) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The extents of what parts of these extents are broadcast to. CPython raises the error."""
    ndim = max(len(extents) for extents, _ in many)
    found: list[str] = ["1"] * ndim
    ones = [True] * ndim
    for extents, single in many:
        first = ndim - len(extents)
        for axis, (extent, one) in enumerate(zip(extents, single, strict=True), first):
            if one:
                continue
            if ones[axis]:
                found[axis], ones[axis] = extent, False
            elif found[axis] != extent:
                w.leave_unless_equal(node, found[axis], extent)
                found[axis] = extent if extent.isdigit() else found[axis]
    return tuple(found), tuple(ones)


def shape_of(w: LoopEmitter, value: Value) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    lazy = w.lazy.get(value)
    if lazy is not None:
        return lazy.extents, lazy.ones
    found = layout(w, value)
    return found.extents, found.ones


# ---- elements -----------------------------------------------------------------------------------


def element(w: LoopEmitter, arg: Any, dtype: np.dtype[Any], at: Sequence[str]) -> str:
    """An operand of this type, within a loop whose indices are `at`."""
    if not is_part(arg):
        return str(arg)
    lazy = w.lazy.get(arg)
    if lazy is None:
        return cast(load(layout(w, arg), at), layout(w, arg).dtype, dtype)
    at = at[len(at) - len(lazy.extents) :]
    if lazy.node.op is SPAN_TAKE:
        return cast(gather(w, lazy, at), lazy.dtype, dtype)
    texts = [element(w, one, d, at) for one, d in zip(lazy.args, lazy.dtypes, strict=False)]
    names = [named(w, one, d) for one, d in zip(texts, lazy.dtypes, strict=False)]
    text = written(w, lazy.node, lazy.dtypes, names)
    assert text is not None
    return cast(f"({text})", lazy.dtype, dtype)


def gather(w: LoopEmitter, lazy: DelayedNode, at: Sequence[str]) -> str:
    array, where = lazy.args
    of = layout(w, array)
    extent = of.extents[0]
    k = named(w, element(w, where, np.dtype(np.int64), at), np.dtype(np.int64))
    if where.type.dtype.kind == "i":
        k = named(w, f"{k} < 0 ? {k} + {extent} : {k}", np.dtype(np.int64))
    w.leave_if(lazy.node, f"(u64){k} >= (u64){extent}")
    return load(of, [k])


# ---- buffers ------------------------------------------------------------------------------------


def buffered(w: LoopEmitter, value: Value) -> Layout:
    """Compute it now, with what only it reads."""
    lazy = w.lazy.get(value)
    if lazy is None:
        return layout(w, value)
    w.settle()
    into = buffer(w, lazy.node, lazy.extents, lazy.dtype)
    fill(w, into, lambda at: element(w, value, into.dtype, at))
    check(w, value)
    forget(w, value)
    w.layouts[value] = into
    return into


def tree(w: LoopEmitter, value: Any) -> Iterable[DelayedNode]:
    lazy = w.lazy.get(value) if type(value) is Value else None
    if lazy is not None:
        yield lazy
        for arg in lazy.args:
            yield from tree(w, arg)


def check(w: LoopEmitter, value: Value) -> None:
    """Did anything that was computed raise a flag that is looked for?"""
    for lazy in tree(w, value):
        if may_warn(lazy):
            w.check_flags(lazy.node)
            return


def may_warn(lazy: DelayedNode) -> bool:
    return lazy.node.op is not SPAN_TAKE and effect_of(lazy.node) is not Effect.SILENT


def effect_of(node: Node) -> Effect:
    _, _, effect, _ = asked(node.op, node.args, node.kwargs)
    return effect


def forget(w: LoopEmitter, value: Value) -> None:
    for lazy in [*tree(w, value)]:
        w.lazy.pop(lazy.node.outputs[0], None)


def flush(w: LoopEmitter, but: Value | None = None) -> None:
    """Before a store, or where a body ends: what is read later, or may warn, is computed."""
    kept = {id(lazy) for lazy in tree(w, but)} if but is not None else set()
    for value in reversed([*w.lazy]):
        lazy = w.lazy.get(value)
        if lazy is not None and id(lazy) not in kept:
            buffered(w, value)


def operand(w: LoopEmitter, node: Node, arg: Any, dtype: np.dtype[Any]) -> Layout | str:
    """In memory, of this type; a number is a variable."""
    if not is_part(arg):
        name = w.scratch(C_TYPES[dtype.char])
        w.line(f"{name} = {arg};")
        return name
    of = buffered(w, arg)
    return of if of.dtype == dtype else copied(w, node, of, dtype)


def copied(w: LoopEmitter, node: Node, of: Layout, dtype: np.dtype[Any]) -> Layout:
    into = buffer(w, node, of.extents, dtype)
    fill(w, into, lambda at: cast(load(of, at), of.dtype, dtype))
    return into
