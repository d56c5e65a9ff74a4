"""np.roll of what calculations read → views of one array with its edges around it.

    np.roll(a, 1, axis=0) + np.roll(a, -1, axis=0)

    p = wrapped(a, (1, 0), (1, 0))       a, the last row before it and the first one behind
    p[0:-2] + p[2:]                      two views, which a kernel reads where they lie

So a loop over all neighbours on a torus makes one array and no other. Calculations only: what else
reads the result of np.roll gets that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op, leaf_type
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType, fresh, type_of
from jitcore.ir.value import Value, substitute
from jitcore.toolchain.abi import is_native

Pad = tuple[int, ...]
ROLL = "roll"
WIDEST = 64  # elements of an edge


def wrapped(array: np.ndarray[Any, Any], before: Pad, after: Pad) -> np.ndarray[Any, Any]:
    """np.pad(array, ..., mode="wrap"), of edges that are no wider than the array."""
    edges = list(zip(before, array.shape, after, strict=True))
    made = np.empty(tuple(b + n + a for b, n, a in edges), array.dtype)
    made[tuple(slice(b, b + n) for b, n, _ in edges)] = array
    for axis, (b, n, a) in enumerate(edges):
        along = made.swapaxes(0, axis)
        if b:
            along[:b] = along[n : n + b]
        if a:
            along[b + n :] = along[b : b + a]
    return made


WRAPPED = Op("wrapped", wrapped, Kind.CREATE, Effect.SILENT)


@dataclass(slots=True)
class Rolls:
    """All rolls of one array."""

    before: list[int]
    after: list[int]
    moved: dict[Value, tuple[int, ...]] = field(default_factory=dict)


def without_rolls(nodes: Sequence[Node], live_out: Collection[Value]) -> list[Node]:
    """The nodes with views in place of rolls, where that can be."""
    rolls = rolls_of(nodes, live_out)
    if not rolls:
        return [*nodes]
    made: list[Node] = []
    wide: dict[Value, Value] = {}
    views: dict[Value, Value] = {}
    moved = {value for one in rolls.values() for value in one.moved}
    for node in nodes:
        if moved.isdisjoint(node.outputs):
            args, kwargs = substitute(node.args, views), substitute(node.kwargs, views)
            made.append(replace(node, args=args, kwargs=kwargs))
            continue
        source, (out,) = node.args[0], node.outputs
        one = rolls[source]
        if source not in wide:
            steps = wrap(source, one, node)
            wide[source] = steps.outputs[0]
            made.append(steps)
        view = viewed(wide[source], one, out, node)
        views[out] = view.outputs[0]
        made.append(view)
    return made


def wrap(source: Value, one: Rolls, node: Node) -> Node:
    t = source.type
    assert isinstance(t, ArrayType)
    extents = zip(one.before, t.shape, one.after, strict=True)
    out = Value(fresh(t.dtype, tuple(b + n + a for b, n, a in extents)))
    return Node(WRAPPED, (source, tuple(one.before), tuple(one.after)), {}, (out,), (), node.where)


def viewed(wide: Value, one: Rolls, out: Value, node: Node) -> Node:
    assert isinstance(out.type, ArrayType) and isinstance(wide.type, ArrayType)
    starts = (b - s for b, s in zip(one.before, one.moved[out], strict=True))
    index = tuple(slice(at, at + n) for at, n in zip(starts, out.type.shape, strict=True))
    t = type_of(phantom(wide.type)[index])
    assert isinstance(t, ArrayType)
    return Node(GETITEM, (wide, index), {}, (Value(t),), (), node.where)


# ---- which -------------------------------------------------------------------------------------


def rolls_of(nodes: Sequence[Node], live_out: Collection[Value]) -> dict[Value, Rolls]:
    """By the array that is rolled."""
    found: dict[Value, Rolls] = {}
    readers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            readers.setdefault(value, []).append(node)
    for node in nodes:
        if node.op.name != ROLL or node.outputs[0] in live_out:
            continue
        try:
            shifts = shifts_of(node)
        except CannotLower:  # passes/why_call.py says why
            continue
        read_by = readers.get(node.outputs[0], [])
        if not read_by or not all(map(calculates, read_by)):
            continue
        one = found.setdefault(node.args[0], Rolls([0] * len(shifts), [0] * len(shifts)))
        one.moved[node.outputs[0]] = shifts
        one.before = [max(b, s) for b, s in zip(one.before, shifts, strict=True)]
        one.after = [max(a, -s) for a, s in zip(one.after, shifts, strict=True)]
    return found


def calculates(node: Node) -> bool:
    """Element by element, and in C: some of NumPy's own loops look at strides."""
    if node.op.kind is not Kind.MAP or node.op.c is None or node.kwargs:
        return False
    types = [leaf_type(arg) for arg in node.args if type(arg) is Value]
    dtypes = {t.dtype for t in types if isinstance(t, ArrayType)}
    return len(dtypes) == 1 and all(dtype.kind in node.op.c for dtype in dtypes)


def shifts_of(node: Node) -> tuple[int, ...]:
    """How far along each axis. CannotLower where it is no plain roll of a plain array in C order,
    or a long way."""
    names = ("shift", "axis")
    words = {**dict(zip(names, node.args[1:], strict=False)), **node.kwargs}
    source = node.args[0]
    t = source.type if type(source) is Value else None
    if len(node.args) > 3 or not words.keys() <= {*names} or not isinstance(t, ArrayType):
        raise CannotLower("np.roll is not called with an array, a shift and an axis")
    if not is_native(t.dtype) or not t.aligned or not t.shape or 0 in t.shape:
        raise CannotLower(f"it is an array of {t}")
    if node.outputs[0].type != fresh(t.dtype, t.shape):
        raise CannotLower("the result is not in C order")
    shift, axis = words.get("shift"), words.get("axis")
    if axis is None:
        axis = 0 if len(t.shape) == 1 else ()
    shifts = shift if type(shift) is tuple else (shift,)
    axes = axis if type(axis) is tuple else (axis,)
    if not axes or len(shifts) != len(axes):
        raise CannotLower("np.roll without an axis goes through the rows of the array")
    if not all(type(n) is int for n in (*shifts, *axes)):
        raise CannotLower("the shift or the axis is no constant int")
    return summed(shifts, axes, t.shape)


def summed(shifts: Pad, axes: Pad, shape: Pad) -> tuple[int, ...]:
    """The shortest way to go."""
    total = [0] * len(shape)
    for shift, axis in zip(shifts, axes, strict=True):
        if not -len(shape) <= axis < len(shape):
            raise CannotLower(f"axis {axis} is out of bounds")
        total[axis] += shift
    near = [(s + n // 2) % n - n // 2 for s, n in zip(total, shape, strict=True)]
    if max(map(abs, near)) > WIDEST:
        raise CannotLower(f"the shift is longer than {WIDEST}")
    return tuple(near)
