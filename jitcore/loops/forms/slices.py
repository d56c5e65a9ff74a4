"""Bounds of slices and extents of arrays in C."""

from __future__ import annotations

from typing import Any

from jitcore.ir.graph import Node, Value
from jitcore.loops.address import step_text
from jitcore.loops.arrays.delayed import shape_of
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import form

MOST = 1 << 31  # a step


@form("extent")
def extent(w: LoopEmitter, node: Node) -> str:
    extents, _ = shape_of(w, node.args[0])
    return f"(i64){extents[node.args[1]]}"


def bounds(w: LoopEmitter, node: Node) -> tuple[str, str, str]:
    n, start, stop, step = node.args
    text, by = w.text(n), step_text(w, step)
    up = type(step) is Value or step > 0
    first, end = ("0", text) if up else (f"({text} - 1)", "-1")

    def of(bound: Any, default: str) -> str:
        return default if bound is None else f"rt_bound({text}, {w.text(bound)}, {by})"

    return of(start, first), of(stop, end), by


@form("slice.start")
def slice_start(w: LoopEmitter, node: Node) -> str:
    start, _, _ = bounds(w, node)
    return start


@form("slice.count")
def slice_count(w: LoopEmitter, node: Node) -> str:
    start, stop, step = bounds(w, node)
    return f"rt_items({start}, {stop}, {step})"


@form("slice.step")
def slice_step(w: LoopEmitter, node: Node) -> str:
    step = w.text(node.args[0])
    w.leave_if(node, f"{step} < 1 || {step} > {MOST}")
    return step
