"""cumsum, cumprod along the axis that is innermost in memory → a step that carries its last value.

    y = x.cumsum(axis=-1)      r = -0.0;  for i: v = r + x[i], r = v, y[i] = v

NumPy copies the first element and goes on one by one, so the order is its own: -0.0 + x is x,
for -0.0 and 0.0 alike. Its loop waits for each value to come back from memory; a register does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.c_expression import CExpression
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import leaf_type
from jitcore.ir.types import ArrayType
from jitcore.kernels.body import BodyStep
from jitcore.kernels.lower import Lowering
from jitcore.kernels.lower_reduce import order_of, types_of
from jitcore.toolchain.abi import ARRAY, Signature, is_native

SUM = {"f": ("-0.0", "({1} + {0})"), "i": ("0", "({T})(({U}){1} + ({U}){0})")}
PRODUCT = {"f": ("1", "({1} * {0})"), "i": ("1", "({T})(({U}){1} * ({U}){0})")}
SUM["u"], PRODUCT["u"] = SUM["i"], PRODUCT["i"]

FORMS: dict[str, tuple[dict[str, tuple[str, str]], Any]] = {
    **dict.fromkeys(("cumsum", "ndarray.cumsum"), (SUM, None)),
    **dict.fromkeys(("cumprod", "ndarray.cumprod"), (PRODUCT, None)),
    "add.accumulate": (SUM, 0),
    "multiply.accumulate": (PRODUCT, 0),
}


def is_scan(node: Node) -> bool:
    return node.op.name in FORMS


def scanned(node: Node) -> tuple[ArrayType, int]:
    """The type of what is added up, and the axis along which."""
    t = leaf_type(node.args[0]) if node.args else None
    words = dict(zip(("axis", "dtype"), node.args[1:], strict=False)) | node.kwargs
    if not isinstance(t, ArrayType) or len(node.args) > 3 or not words.keys() <= {"axis", "dtype"}:
        raise CannotLower(f"{node.op.name} is called with arguments that no kernel takes")
    axis = words.get("axis", FORMS[node.op.name][1])
    axis = 0 if axis is None and t.ndim == 1 else axis
    if type(axis) is not int or not -t.ndim <= axis < t.ndim or 0 in t.shape:
        raise CannotLower(f"{node.op.name} has axis={axis!r}, which is no axis of the array")
    if t.ndim > 1 and order_of(t)[-1:] != (axis % t.ndim,):
        raise CannotLower(f"{node.op.name} goes along axis {axis!r}, not along the innermost one")
    return t, axis % t.ndim


def lower_scan(node: Node, into: Lowering) -> None:
    t, axis = scanned(node)
    found = node.outputs[0].type
    if not isinstance(found, ArrayType) or not is_native(t.dtype) or not is_native(found.dtype):
        raise CannotLower(f"{node.op.name} gives {found}, which no kernel makes of it")
    forms, _ = FORMS[node.op.name]
    own = t.dtype.kind == "f" and t.dtype.char == found.dtype.char
    whole = t.dtype.kind in "biu" and found.dtype.kind in "iu"
    if found.dtype.char == "e" or found.shape != t.shape or not (own or whole):
        raise CannotLower(f"{node.op.name} of {t} as {found}")
    start, code = forms[found.dtype.kind]
    element, out = into.arg(node.args[0], found.dtype), into.temp(found.dtype)
    typed = CExpression(code).of(**types_of(found.dtype))
    into.program.steps.append(BodyStep((element,), (out,), typed, carried=start))
    into.program.orders.append(rows_of(t, axis))
    into.known[node.outputs[0]] = out


def rows_of(t: ArrayType, axis: int) -> Signature:
    """What keeps the axis innermost, and rows apart: it stands still along it, and moves else."""
    order = [k for k in order_of(t) if k != axis]
    strides = [0] * t.ndim
    step = 1
    for k in reversed(order):
        strides[k], step = step, step * t.shape[k]
    return Signature(ARRAY, np.dtype("b"), t.shape, tuple(strides))
