"""Products of two vectors in a routine: by orders of additions that are those of NumPy's BLAS.

A trial, once in a process, says which of the orders in csrc/numpy/blas_dot.c gives NumPy's bits
here; where none does, that C code calls NumPy's loop. It is a trial of what this process runs:
OpenBLAS chooses its kernels when it is loaded, by the processor and by OPENBLAS_CORETYPE.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.ir.graph import Node
from jitcore.ir.types import ScalarType
from jitcore.loops.address import layout
from jitcore.loops.arrays.stores import box, distinct
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Access, BatchedProducts, Layout, Subscript, SubscriptKind
from jitcore.loops.fp_flags import watch
from jitcore.loops.transform.batch_products import ALL
from jitcore.toolchain.numpy_loops import Inner, core_loop


def has_orders(dtype: np.dtype[Any]) -> bool:
    return dtype.char == "d" and orders() != (None, None)


@cache
def orders() -> tuple[str | None, str | None]:
    """Of vectors in one piece, and of others."""
    inner = core_loop(np.matmul, "ddd")
    return (None, None) if inner is None else _C.try_dots((inner.capsule,), ())


def product(w: LoopEmitter, node: Node, a: Layout, b: Layout, inner: Inner) -> None:
    """Of one axis each, of one extent."""
    (out,) = node.outputs
    assert isinstance(out.type, ScalarType)
    place = w.loop(inner)
    w.dots.add(place)
    name, loop = w.name(out), f"&world->loop[{place}]"
    vectors = f"{a.extents[0]}, {a.pointer}, {a.steps[0]}, {b.pointer}, {b.steps[0]}"
    text, plan = f"world->dot({loop}, {vectors})", w.ahead.get(node)
    if plan is not None:
        look_ahead(w, plan, a, b)
        at = plan.index
        known = f"{plan.variable}.first[{at} - {plan.variable}.from]"
        if plan.growing:
            known = f"world->on(&{plan.variable}, {at}, {loop}, {vectors})"
        text = f"{plan.variable}.ready ? {known} : {text}"
    w.line(f"{name} = {text};")
    watch(w, node, name, out.type)


# ---- those of the next rounds --------------------------------------------------------------------


def look_ahead(w: LoopEmitter, plan: BatchedProducts, a: Layout, b: Layout) -> None:
    variable = plan.variable
    w.line(f"if ({plan.index} >= {variable}.to) {{")
    lanes, tests = rounds(w, plan)
    moves = [
        f"{of.steps[0]}, {lane(w, one)}" for of, one in zip((a, b), plan.operands, strict=True)
    ]
    vectors = f"{a.extents[0]}, {a.pointer}, {moves[0]}, {b.pointer}, {moves[1]}"
    w.line(f"    if ({' && '.join(tests)})")
    w.line(
        f"        world->ahead(&{variable}, {plan.index}, {lanes}, {vectors}, {int(plan.growing)});"
    )
    w.line(f"    else {variable}.to = {plan.index} + RT_AHEAD, {variable}.ready = 0;")
    w.line("}")


def rounds(w: LoopEmitter, plan: BatchedProducts) -> tuple[str, list[str]]:
    """A variable, how many there are; and what must hold so that they may be looked at now."""
    lanes = w.fresh("n")
    w.line(f"    i64 {lanes} = {plan.end} - {plan.index};")
    items = dict.fromkeys(item for one in plan.operands for item in items_of(w, one))
    for _, left in items:
        w.line(f"    {lanes} = {lanes} < {left} ? {lanes} : {left};")
    tests = [f"{index} >= 0" for index in dict.fromkeys(index for index, _ in items)]
    tests += [f"rt_lie_apart({box(layout(w, x))}, {box(layout(w, y))})" for x, y in plan.others]
    tests += [distinct(layout(w, array)) for array in plan.written]
    tests += [differ(w, one, read, lanes) for one, read in plan.pairs]
    return lanes, tests


def items_of(w: LoopEmitter, one: Access) -> Iterator[tuple[str, str]]:
    """Indices that move, and how many places are left."""
    of = layout(w, one.array)
    for axis, extent in zip(one.axes, of.extents, strict=True):
        if axis.how in (SubscriptKind.ITEM, SubscriptKind.GROWING):
            yield w.text(axis.index), f"{extent} - {w.text(axis.index)}"


def lane(w: LoopEmitter, one: Access) -> str:
    """From one round's part to the next one's, in bytes."""
    steps = layout(w, one.array).steps
    moved = [
        step for axis, step in zip(one.axes, steps, strict=True) if axis.how is SubscriptKind.ITEM
    ]
    return " + ".join(moved) or "0"


def differ(w: LoopEmitter, written: Access, read: Access, lanes: str) -> str:
    """Along some axis the one ends before the other begins."""
    tests = []
    for one, other in zip(written.axes, read.axes, strict=True):
        own, others = reach(w, one, lanes), reach(w, other, lanes)
        if own is None or others is None:
            continue
        (low, high), (first, last) = own, others
        signs = [
            f"{w.text(axis.index)} >= 0 && "
            for axis in (one, other)
            if axis.how is SubscriptKind.AT
        ]
        tests.append(f"({''.join(signs)}({high} <= {first} || {last} <= {low}))")
    return f"({' || '.join(tests) or '0'})"


def reach(w: LoopEmitter, axis: Subscript, lanes: str) -> tuple[str, str] | None:
    """From where to before where all these rounds get."""
    match axis.how:
        case SubscriptKind.ITEM:
            return w.text(axis.index), f"{w.text(axis.index)} + {lanes}"
        case SubscriptKind.AT:
            return w.text(axis.index), f"{w.text(axis.index)} + 1"
        case SubscriptKind.GROWING:
            return "0", w.text(axis.index)
        case SubscriptKind.SLICE if axis.count is not ALL:
            start = w.text(axis.index)
            return start, f"{start} + {w.text(axis.count)}"
    return None
