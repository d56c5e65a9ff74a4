"""One reduction of the whole or of some axes → the last step of a program, and its fold.

    x: f64[4,5]   sum over axis 1   →   acc = x    fold: f64[4,1], from 0, {0} + {1}

`Unsuitable` says that the reduction stays a NumPy call. NumPy walks an array in the order of its
memory, so that order decides which elements are summed first (folds.py); arrays with gaps stay
NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import Kind, leaf_type
from ..ir.types import ArrayType, ScalarType, Shape
from .abi import ARRAY, Signature, c_type, is_native
from .lower import Lowering, Unsuitable, signature
from .program import Fold, Step

WORDS = ("axis", "dtype", "out", "keepdims")  # as sum, mean and ufunc.reduce take them


@dataclass(frozen=True, slots=True)
class Row:
    """How a function reduces. T stands for the C type, U for its unsigned sister."""

    kinds: str  # dtype kinds of what is reduced
    start: str
    combine: str  # of the result so far {0} and an element {1}
    finish: str = ""  # of the result {0} and the number {1} of elements it stands for
    axis: Any = None  # what is reduced if nothing is said


SUM = Row("biuf", "0", "(T)((U){0} + (U){1})")
MEAN = Row("f", "0", SUM.combine, "(T)((f64){0} / (f64){1})")
ROWS: dict[str, Row] = {
    "sum": SUM,
    "ndarray.sum": SUM,
    "add.reduce": Row(SUM.kinds, SUM.start, SUM.combine, axis=0),
    "mean": MEAN,
    "ndarray.mean": MEAN,
}


def is_reduction(node: Node) -> bool:
    return node.op.kind is Kind.REDUCE


def reduced(node: Node) -> ArrayType:
    """The type of what the node reduces."""
    t = leaf_type(node.args[0]) if node.args else None
    if node.op.name not in ROWS or not isinstance(t, ArrayType):
        raise Unsuitable(f"{node.op.name} of {t}")
    return t


def lower_reduction(node: Node, into: Lowering) -> None:
    """Append the element as a step of its own, and what becomes of it."""
    t, row = reduced(node), ROWS[node.op.name]
    axes, dtype = asked(node, t, row)
    if len(node.outputs) != 1 or t.dtype.kind not in row.kinds or t.dtype.char == "e":
        raise Unsuitable(f"{node.op.name} of {t}")
    result = result_signature(node, dtype, t)
    if not is_dense(t) or all(t.shape[axis] == 1 for axis in axes):
        raise Unsuitable(f"{node.op.name} of {t} over {axes}")
    element = into.arg(node.args[0], result.dtype)
    total = into.temp(result.dtype)
    into.program.steps.append(Step((element,), (total,), "{0}"))
    into.known[node.outputs[0]] = total
    into.program.folds[total] = Fold(
        result=result,
        laid=Signature(ARRAY, result.dtype, *laid_out(t.shape, axes, result)),
        order=Signature(ARRAY, t.dtype, t.shape, t.strides),
        start=row.start,
        combine=typed(row.combine, result.dtype),
        finish=typed(row.finish, result.dtype),
        in_order=t.dtype.kind == "f",
    )


def asked(node: Node, t: ArrayType, row: Row) -> tuple[tuple[int, ...], Any]:
    """The axes that are reduced, and the dtype that is asked for."""
    words = dict(zip(WORDS, node.args[1:], strict=False)) | node.kwargs
    if len(node.args) > 1 + len(WORDS) or not words.keys() <= set(WORDS):
        raise Unsuitable(f"{node.op.name}: form of call")
    if words.get("out") is not None or type(words.get("keepdims", False)) is not bool:
        raise Unsuitable(f"{node.op.name}: form of call")
    axis = words.get("axis", row.axis)
    axes = range(t.ndim) if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(one) is int and -t.ndim <= one < t.ndim for one in axes):
        raise Unsuitable(f"{node.op.name}: axis {axis!r}")
    return tuple(sorted({one % t.ndim for one in axes})), words.get("dtype")


def result_signature(node: Node, asked_dtype: Any, t: ArrayType) -> Signature:
    """Float sums are those of their own type: others NumPy casts in buffers, by another order."""
    found = node.outputs[0].type
    if not isinstance(found, ArrayType | ScalarType) or not is_native(t.dtype):
        raise Unsuitable(f"{node.op.name}: result {found}")
    if isinstance(found, ScalarType) and found.python:
        raise Unsuitable(f"{node.op.name}: result {found}")
    if t.dtype.kind == "f" and found.dtype.char != t.dtype.char:
        raise Unsuitable(f"{node.op.name} of {t} as {found.dtype}")
    if t.dtype.kind != "f" and found.dtype.kind not in "iu":
        raise Unsuitable(f"{node.op.name} of {t} as {found.dtype}")
    if asked_dtype is not None and np.dtype(asked_dtype).char != found.dtype.char:
        raise Unsuitable(f"{node.op.name}: dtype {asked_dtype}")
    if isinstance(found, ArrayType) and not is_dense(found):
        raise Unsuitable(f"{node.op.name}: result {found}")
    return signature(found)


def is_dense(t: ArrayType) -> bool:
    """No gaps, no repetitions, nothing backwards: one run of memory in some order of the axes."""
    step = t.dtype.itemsize
    moving = [(stride, extent) for stride, extent in zip(t.strides, t.shape, strict=True)]
    for stride, extent in sorted(one for one in moving if one[1] != 1):
        if stride != step:
            return False
        step *= extent
    return True


def laid_out(shape: Shape, axes: tuple[int, ...], result: Signature) -> tuple[Shape, Shape]:
    """Shape and strides of the result with each reduced axis as an axis of extent 1."""
    if len(result.shape) == len(shape):
        return result.shape, result.strides
    own = iter(zip(result.shape, result.strides, strict=True))
    pairs = [(1, 0) if axis in axes else next(own) for axis in range(len(shape))]
    return tuple(extent for extent, _ in pairs), tuple(stride for _, stride in pairs)


def typed(template: str, dtype: np.dtype[Any]) -> str:
    kind = c_type(dtype)
    unsigned = "u" + kind[1:] if dtype.kind in "iu" else kind
    return template.replace("(T)", f"({kind})").replace("(U)", f"({unsigned})")


def order_of(t: ArrayType) -> Shape:
    """The axes that have an extent, outermost in memory first."""
    return tuple(sorted((k for k in range(t.ndim) if t.shape[k] != 1), key=lambda k: -t.strides[k]))
