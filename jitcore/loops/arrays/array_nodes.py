"""Nodes of arrays in a native loop → C, by the table of their operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.ops.dyn_array import SPAN, SPAN_TAKE, SPAN_TRANSPOSE
from jitcore.ir.types import ArrayType, DynArrayType
from jitcore.loops.address import layout, transposed, view
from jitcore.loops.arrays.delayed import buffered, fitted, may_warn, shape_of, tree
from jitcore.loops.arrays.elementwise import (
    choice_dtypes,
    hoisted,
    is_either,
    is_part,
    loop_dtypes,
    text_of,
)
from jitcore.loops.arrays.ufunc_loops import called
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import DelayedNode
from jitcore.loops.forms.scalars import FORMS


def concerns(node: Node) -> bool:
    """Does the node make parts of arrays, or compute with them?"""
    if node.op.name in FORMS:
        return False
    return any(isinstance(v.type, DynArrayType | ArrayType) for v in (*node.inputs, *node.outputs))


def mapped(w: LoopEmitter, node: Node) -> None:
    """Element by element."""
    out = node.outputs[0]
    dtypes = choice_dtypes(node) if node.op.name == "where" else loop_dtypes(node)
    if is_either(node):
        for arg in node.args:
            if any(map(may_warn, tree(w, arg))):
                buffered(w, arg)
    args = tuple(
        arg if is_part(arg) else hoisted(w, node, arg, dtype)
        for arg, dtype in zip(node.args, dtypes, strict=False)
    )
    extents, ones = fitted(w, node, [shape_of(w, arg) for arg in node.args if is_part(arg)])
    made = DelayedNode(node, extents, ones, args, dtypes)
    if len(node.outputs) > 1 or text_of(node, dtypes, ["a"] * len(args)) is None:
        w.layouts.update(zip(node.outputs, called(w, made), strict=True))
        return
    w.lazy[out] = made
    if not w.has_one_reader(out):
        buffered(w, out)


def gathered(w: LoopEmitter, node: Node) -> None:
    array, at = node.args
    extents, ones = shape_of(w, at)
    (out,) = node.outputs
    dtype = layout(w, array).dtype
    w.lazy[out] = DelayedNode(node, extents, ones, (array, at), (dtype,))
    if not w.has_one_reader(out):
        buffered(w, out)


def emit(w: LoopEmitter, node: Node) -> None:
    if node.op in TABLE:
        TABLE[node.op](w, node)
    elif node.op.name in BY_NAME:
        BY_NAME[node.op.name](w, node)
    else:
        mapped(w, node)


Emit = Callable[[LoopEmitter, Node], None]
TABLE: dict[Any, Emit] = {
    SPAN: view,
    SPAN_TAKE: gathered,
    SPAN_TRANSPOSE: transposed,
}
BY_NAME: dict[str, Emit] = {}  # filled by the modules of these operations, as TABLE is
