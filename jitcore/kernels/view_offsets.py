"""Views → where they lie in an array that is there, so that a kernel reads them without a call.

    b = a.T            a, byte 0       f8[4,3]{8,32}
    c = b[1:, ::-1]    a, byte 72      f8[3,3]{8,-32}      the chain is followed to its start
    d = a[2, 1]        a, byte 72      f8

Shapes and strides are constants of an entry, so NumPy is asked once, on an array without memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node
from jitcore.ir.infer.index import address, item, key_of
from jitcore.ir.infer.view import infer_view
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM, infer_attribute
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType, ScalarType, type_of
from jitcore.ir.value import Value, substitute
from jitcore.toolchain.abi import is_native

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class ViewOffset:
    """Where the first element lies."""

    array: Value
    offset: int  # in bytes


def placed(nodes: Iterable[Node], known: Mapping[Value, ViewOffset]) -> dict[Value, ViewOffset]:
    """The places of those results that are views, or elements, of arrays."""
    found: dict[Value, ViewOffset] = {}
    for node in nodes:
        made = offset(node)
        if made is None:
            continue
        (of, *_), (out,) = node.args, node.outputs
        place = found.get(of) or known.get(of) or ViewOffset(of, 0)
        if alignment(out) <= alignment(place.array):
            found[out] = ViewOffset(place.array, place.offset + made)
    return found


def lasting(places: Mapping[Value, ViewOffset]) -> dict[Value, ViewOffset]:
    """Without single elements: those are copies, and a store after them does not change them."""
    return {value: at for value, at in places.items() if isinstance(value.type, ArrayType)}


def shared(nodes: Iterable[Node], places: Mapping[Value, ViewOffset]) -> list[Node]:
    """Of views of the same elements, which are made anew at each use, calculations read one."""
    first: dict[Any, Value] = {}
    same = {
        value: first.setdefault((at.array, at.offset, value.type), value)
        for value, at in places.items()
    }
    same = {value: other for value, other in same.items() if value is not other}
    return [reading(node, same) for node in nodes]


def reading(node: Node, same: dict[Value, Value]) -> Node:
    if node.op.kind not in (Kind.MAP, Kind.REDUCE) or same.keys().isdisjoint(node.inputs):
        return node
    return replace(node, args=substitute(node.args, same), kwargs=substitute(node.kwargs, same))


def alignment(value: Value) -> int:
    t = value.type
    assert isinstance(t, ArrayType | ScalarType)
    return t.dtype.alignment


# ---- one node -----------------------------------------------------------------------------------


def offset(node: Node) -> int | None:
    """From the first element of its argument to that of its result; None where it is no view."""
    if node.op.kind is not Kind.VIEW or len(node.outputs) != 1 or not node.args:
        return None
    of, out = node.args[0], node.outputs[0].type
    if type(of) is not Value or len(node.inputs) > 1:
        return None
    if not is_plain(of.type) or not (is_plain(out) or is_element(node)):
        return None
    assert isinstance(of.type, ArrayType)
    key = key_of(node.args[1]) if node.op is GETITEM else None
    if key is not None:
        found = item(of.type, of.type.dtype.char, key)
        return found.offset if found.type == out else None
    array = phantom(of.type)
    view = viewed(node, array)
    if view is None or (isinstance(out, ArrayType) and type_of(view) != out):
        return None
    return address(view) - address(array)


def is_plain(t: Any) -> bool:
    """An array that a kernel can read."""
    return isinstance(t, ArrayType) and is_native(t.dtype) and t.aligned and 0 not in t.shape


def is_element(node: Node) -> bool:
    t = node.outputs[0].type
    return node.op is GETITEM and isinstance(t, ScalarType) and not t.python


def viewed(node: Node, array: Array) -> Array | None:
    """The same view of another array. None where NumPy would read elements: to copy them."""
    op, args = node.op, node.args[1:]
    if op is GETITEM:
        parts = args[0] if type(args[0]) is tuple else args
        if not all(map(is_basic, parts)):
            return None
        viewed: Array = array[parts if Ellipsis in parts else (*parts, ...)]
        return viewed
    if op.rule is infer_view or op.rule is infer_attribute:
        assert op.target is not None
        return as_array(op.target(array, *args, **node.kwargs))
    return COPIES[op.name](array, node) if op.name in COPIES else None


def is_basic(part: Any) -> bool:
    return part is None or part is Ellipsis or type(part) in (int, slice)


def as_array(found: Any) -> Array | None:
    return found if type(found) is np.ndarray else None


def reshaped(array: Array, node: Node) -> Array | None:
    assert node.op.target is not None
    if node.kwargs.get("copy") is True:
        return None
    try:
        return as_array(node.op.target(array, *node.args[1:], **{**node.kwargs, "copy": False}))
    except ValueError:
        return None


def raveled(array: Array, node: Node) -> Array | None:
    flat = array.flags.c_contiguous and len(node.args) == 1 and not node.kwargs
    return array.reshape(-1, copy=False) if flat else None


# Views where the layout allows it.
COPIES = {
    **dict.fromkeys(("reshape", "ndarray.reshape"), reshaped),
    **dict.fromkeys(("ravel", "ndarray.ravel"), raveled),
}
