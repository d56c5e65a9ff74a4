"""Arrays in a routine, and parts of them: where their elements are, as C texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.ops.dyn_array import FEW
from jitcore.ir.types import ArrayType
from jitcore.loops.c_types import number
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Layout, Size
from jitcore.toolchain.abi import C_TYPES


def sizes(arrays: Iterable[Value]) -> dict[int, Size]:
    """Numbers that are, or are next to, an extent: most likely they come from there."""
    plain = [
        value for value in arrays if isinstance(value.type, ArrayType) and is_plain(value.type)
    ]
    found: dict[int, Size] = {}
    for more in (0, -1, 1, -2, 2):
        for value in plain:
            for axis, dim in enumerate(value.type.shape):  # type: ignore[union-attr]
                if dim > FEW and dim + more > FEW:
                    found.setdefault(dim + more, Size(value, axis, more))
    return found


def layout(w: LoopEmitter, value: Value) -> Layout:
    """Of a view, a buffer, or an array as a whole."""
    if value in w.lazy:
        w.compute(value)
    found = w.layouts.get(value)
    if found is None:
        found = w.layouts[value] = of_array(w, value)
    return found


def of_array(w: LoopEmitter, value: Value) -> Layout:
    kind = value.type
    if not isinstance(kind, ArrayType) or not is_plain(kind):
        raise CannotLower(f"elements of {kind}")
    place = w.array(value)
    size = kind.dtype.itemsize
    steps = [
        str(size) if axis == kind.ndim - 1 and kind.strides[axis] == size else w.step(place, axis)
        for axis in range(kind.ndim)
    ]
    extents = tuple(
        str(dim) if dim <= FEW else w.extent(place, axis) for axis, dim in enumerate(kind.shape)
    )
    ones = tuple(dim == 1 for dim in kind.shape)
    return Layout(f"p{place}", extents, tuple(steps), ones, kind.dtype)


def is_plain(kind: ArrayType) -> bool:
    char = kind.dtype.char
    return kind.numeric and kind.aligned and char in C_TYPES and char != "e"


def index(w: LoopEmitter, node: Node, part: Any, extent: str) -> str:
    kind = number(part)
    if kind.dtype.kind not in "iu" or kind.dtype.char in "LQ":
        raise CannotLower(f"an index of type {kind}")
    if type(part) is int:
        at = f"{part}LL" if part >= 0 else f"({extent} + {part}LL)"
        w.leave_if(node, f"(u64){at} >= (u64){extent}")
        return at
    text = w.text(part)
    if part in w.inside.get(node, ()):
        return text
    if w.is_positive(part) or part in w.unwrapped:
        w.leave_if(node, f"(u64){text} >= (u64){extent}")
        return text
    at = w.kept("i64", f"{text} < 0 ? {text} + {extent} : (i64){text}")
    w.leave_if(node, f"(u64){at} >= (u64){extent}")
    return at


# ---- views --------------------------------------------------------------------------------------


def view(w: LoopEmitter, node: Node) -> None:
    array, key, _ = node.args
    of = layout(w, array)
    offset, axis = "", 0
    extents, steps, ones = [], [], []
    for part in key:
        if part is None:
            extents.append("1")
            steps.append("0")
            ones.append(True)
            continue
        if type(part) is tuple:
            start, count, step = part
            if type(start) is Value or start != 0:
                offset += f" + {w.text(start)} * {of.steps[axis]}"
            extents.append(str(count) if type(count) is int else w.text(count))
            ones.append(count == 1)
            one = of.steps[axis]
            is_one = type(step) is int and step == 1
            steps.append(one if is_one else w.same("i64", f"{one} * {step_text(w, step)}"))
        else:
            offset += f" + {index(w, node, part, of.extents[axis])} * {of.steps[axis]}"
        axis += 1
    pointer = w.same("char *", f"{of.pointer}{offset}")
    (out,) = node.outputs
    w.layouts[out] = Layout(pointer, tuple(extents), tuple(steps), tuple(ones), of.dtype)


def step_text(w: LoopEmitter, step: Any) -> str:
    return w.text(step) if type(step) is Value else f"{step}LL"


def transposed(w: LoopEmitter, node: Node) -> None:
    of = layout(w, node.args[0])
    back = slice(None, None, -1)
    w.layouts[node.outputs[0]] = Layout(
        of.pointer, of.extents[back], of.steps[back], of.ones[back], of.dtype
    )
