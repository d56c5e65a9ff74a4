"""Elements of arrays in C: `a[i, j]` read and written, with CPython's bounds.

An index from -n to n - 1 finds its element; any other leaves the routine, and CPython raises
IndexError. What is stored is converted as NumPy converts it; what NumPy warns of, or refuses, is
NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import DynArrayType, ScalarType
from jitcore.loops.address import index, layout
from jitcore.loops.c_types import number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.forms.scalars import converted, form
from jitcore.loops.fp_flags import watch
from jitcore.toolchain.abi import C_TYPES


def element(w: LoopEmitter, node: Node) -> tuple[str, str]:
    """The address of an element, and its C type."""
    array, key = node.args[0], node.args[1]
    of = layout(w, array)
    parts = key if type(key) is tuple else (key,)
    offsets = [
        f" + {index(w, node, part, extent)} * {step}"
        for part, extent, step in zip(parts, of.extents, of.steps, strict=True)
    ]
    return f"{of.pointer}{''.join(offsets)}", C_TYPES[of.dtype.char]


@form("items.from")
def items_from(w: LoopEmitter, node: Node) -> str:
    array, first = node.args
    extent = items_of(w, array)
    if type(first) is int and first == 0:
        return extent
    at = w.text(first)
    return f"{at} < {extent} ? {extent} - {at} : 0"


@form("items.before")
def items_before(w: LoopEmitter, node: Node) -> str:
    array, first = node.args
    at = w.text(first)
    return f"{at} < {items_of(w, array)} ? {at} + 1 : 0"


def items_of(w: LoopEmitter, over: Value) -> str:
    """Of a sequence, or an array: how many there are."""
    made = isinstance(over.type, DynArrayType)
    return layout(w, over).extents[0] if made else w.extent(w.array(over), 0)


@form("getitem")
def load(w: LoopEmitter, node: Node) -> str:
    address, name = element(w, node)
    last = w.stored_last()
    if last is not None and node in last.loads:
        address = w.kept("char *", address)
        return last.loaded(address, f"*({name} *){address}")
    loaded = f"*({name} *)({address})"
    return f"{loaded} != 0" if node.args[0].type.dtype.kind == "b" else loaded


@form("setitem")
def store(w: LoopEmitter, node: Node) -> str:
    array, _, value = node.args
    address, name = element(w, node)
    text = w.kept(name, stored(w, node, value, array.type.dtype))
    w.settle()
    last = w.stored_last()
    if last is not None:
        address = w.kept("char *", address)
        w.line(last.stored(address, text))
    w.line(f"*({name} *)({address}) = {text};")
    return ""


def stored(w: LoopEmitter, node: Node, value: Any, dtype: np.dtype[Any]) -> str:
    kind, text = number(value), w.text(value)
    to = ScalarType(dtype)
    if dtype.kind == "b":
        return w.true(value)
    if dtype.kind in "iu":
        if kind.dtype.kind == "f" or kind.dtype.kind == "c":
            return whole_of_float(w, node, value, dtype)
        if kind.python:
            return converted(w, node, value, to)
        return whole_of_whole(w, node, text, kind.dtype, dtype)
    if kind.dtype.kind == "c" and dtype.kind == "f":
        raise CannotLower("a complex number stored as a real one")
    if dtype.char in "fF" and kind.dtype.kind in "fc" and kind.dtype.char not in "fF":
        made = w.kept(C_TYPES[dtype.char], converted(w, node, value, to))
        watch(w, node, made, to)
        return made
    return converted(w, node, value, to)


def whole_of_whole(
    w: LoopEmitter, node: Node, text: str, given: np.dtype[Any], dtype: np.dtype[Any]
) -> str:
    """An int of NumPy's that does not fit wraps in some releases, and raises in others."""
    name = C_TYPES[dtype.char]
    if given != dtype and given.kind != "b":
        wide = "u64" if given.kind == "u" else "i64"
        w.leave_if(node, f"({wide})({name}){text} != ({wide}){text}")
        if given.kind != dtype.kind and given.itemsize >= dtype.itemsize:
            w.leave_if(node, f"(i64)({name}){text} < 0 || (i64){text} < 0")
    return f"({name}){text}"


def whole_of_float(w: LoopEmitter, node: Node, value: Any, dtype: np.dtype[Any]) -> str:
    """A Python float becomes an int first, a np.float64 is cast: within range both cut."""
    kind = number(value)
    if kind.dtype.kind == "c" or dtype.char in "LQ":
        raise CannotLower(f"{kind} stored as {dtype}")
    a = w.kept("f64", f"(f64){w.text(value)}")
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -(1 << 62)), min(limits.max, 1 << 62)
    w.leave_if(node, f"!({a} > {float(low) - 1} && {a} < {float(high) + 1})")
    return f"({C_TYPES[dtype.char]}){a}"
