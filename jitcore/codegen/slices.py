"""Bounds of slices and extents of arrays in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Node
from .numbers import form
from .spans import shape_of

if TYPE_CHECKING:
    from .writer import Writer


@form("extent")
def extent(w: Writer, node: Node) -> str:
    extents, _ = shape_of(w, node.args[0])
    return f"(i64){extents[node.args[1]]}"


def bounds(w: Writer, node: Node) -> tuple[str, str, int]:
    n, start, stop, step = node.args
    text = w.text(n)
    first, end = ("0", text) if step > 0 else (f"({text} - 1)", "-1")

    def of(bound: Any, default: str) -> str:
        return default if bound is None else f"rt_bound({text}, {w.text(bound)}, {step}LL)"

    return of(start, first), of(stop, end), step


@form("slice.start")
def slice_start(w: Writer, node: Node) -> str:
    start, _, _ = bounds(w, node)
    return start


@form("slice.count")
def slice_count(w: Writer, node: Node) -> str:
    start, stop, step = bounds(w, node)
    return f"rt_items({start}, {stop}, {step}LL)"
