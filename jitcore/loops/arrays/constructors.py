"""Arrays that a routine makes: of numbers, filled, copied. They stand in its buffers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.types import DynArrayType, ScalarType
from jitcore.loops.arrays.array_nodes import BY_NAME
from jitcore.loops.arrays.delayed import buffered, copied, shape_of
from jitcore.loops.arrays.elementwise import is_part
from jitcore.loops.arrays.nest import buffer, fill
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import converted
from jitcore.toolchain.abi import C_TYPES


def result_dtype(node: Node) -> np.dtype:
    kind = node.outputs[0].type
    if not isinstance(kind, DynArrayType) or kind.dtype.char not in "?bBhHiIlLqQfdFD":
        raise CannotLower(f"an array of type {kind}")
    return kind.dtype


def of_numbers(w: LoopEmitter, node: Node) -> None:
    """`np.array([a, b])`."""
    if len(node.args) != 1 or node.kwargs:
        raise CannotLower(f"{node.op.words} with more arguments than a shape and a dtype")
    (given,) = node.args
    if is_part(given):
        duplicate(w, node)
        return
    dtype = result_dtype(node)
    if type(given) not in (list, tuple) or any(type(one) in (list, tuple) for one in given):
        raise CannotLower("an array of lists")
    if any(is_part(one) for one in given):
        raise CannotLower("an array of arrays")
    texts = [converted(w, node, one, ScalarType(dtype)) for one in given]
    into = buffer(w, node, (str(len(given)),), dtype)
    name = C_TYPES[dtype.char]
    for k, text in enumerate(texts):
        w.line(f"(({name} *){into.pointer})[{k}] = {text};")
    w.layouts[node.outputs[0]] = into


def duplicate(w: LoopEmitter, node: Node) -> None:
    if len(node.args) != 1 or node.kwargs or not is_part(node.args[0]):
        raise CannotLower(f"{node.op.words} with more arguments than an array")
    w.layouts[node.outputs[0]] = copied(w, node, buffered(w, node.args[0]), result_dtype(node))


def filled(value: str | None) -> Callable[[LoopEmitter, Node], None]:
    """None: with what is there."""

    def made(w: LoopEmitter, node: Node) -> None:
        dtype = result_dtype(node)
        kind = node.outputs[0].type
        assert isinstance(kind, DynArrayType)
        if is_part(node.args[0]):
            extents, _ = shape_of(w, node.args[0])
        elif None not in kind.dims:
            extents = tuple(map(str, kind.dims))
        else:
            raise CannotLower(f"{node.op.words} of a shape that varies")
        into = buffer(w, node, extents, dtype)
        if value is not None:
            text = f"({C_TYPES[dtype.char]}){{{value}, 0}}" if dtype.kind == "c" else value
            fill(w, into, lambda at: text)
        w.layouts[node.outputs[0]] = into

    return made


BY_NAME |= {
    **dict.fromkeys(("array", "asarray"), of_numbers),
    **dict.fromkeys(("copy", "ndarray.copy"), duplicate),
    **dict.fromkeys(("zeros", "zeros_like"), filled("0")),
    **dict.fromkeys(("ones", "ones_like"), filled("1")),
    **dict.fromkeys(("empty", "empty_like"), filled(None)),
}
