"""np.average(a, weights=w): what its steps are, where both are arrays of numbers with an order.

    scale   w.sum(axis), w as NumPy lays it beside a
    total   np.multiply(a, w).sum(axis)
    result  total / scale; ZeroDivisionError where a scale is 0

In another form the call may warn, and its type is known at run time only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.op import Args, Effect, Inferred, Kwargs, Op, Unsupported
from jitcore.ir.ops.array import METHODS
from jitcore.ir.ops.ufunc import UFUNC
from jitcore.ir.types import ArrayType, ScalarType, Shape
from jitcore.ir.value import Value

NAMES = ("axis", "weights", "returned")


@dataclass(frozen=True, slots=True)
class Weighted:
    array: Value
    weights: Value
    shape: Shape  # that the weights take
    dtype: np.dtype[Any]
    words: dict[str, Any]  # of both sums


def weighted(args: Args, kwargs: Kwargs) -> Weighted | None:
    """The call, if it is of the form that has these steps."""
    words = dict(zip(NAMES, args[1:], strict=False)) | dict(kwargs)
    if len(args) > 4 or not words.keys() <= {*NAMES, "keepdims"} or words.get("returned"):
        return None
    array, weights, axis = args[0] if args else None, words.get("weights"), words.get("axis")
    keepdims = words.get("keepdims", False)
    if type(array) is not Value or type(weights) is not Value or type(keepdims) is not bool:
        return None
    t, w = array.type, weights.type
    if not isinstance(t, ArrayType) or not isinstance(w, ArrayType):
        return None
    if not (axis is None or (type(axis) is int and -t.ndim <= axis < t.ndim)) or 0 in t.shape:
        return None
    dtype = np.result_type(t.dtype, w.dtype)
    if t.dtype.kind not in "biuf" or dtype.char not in "fd" or w.dtype.char != dtype.char:
        return None
    if t.dtype.kind in "biu" and dtype.char != "d":
        return None
    shape = t.shape
    if w.shape != t.shape:
        if axis is None or w.shape != (t.shape[axis],):
            return None
        shape = tuple(n if k == axis % t.ndim else 1 for k, n in enumerate(t.shape))
    return Weighted(array, weights, shape, dtype, {"axis": axis, "keepdims": keepdims})


def sums(form: Weighted, add: Callable[..., Value]) -> tuple[Value, Value]:
    """The total and the scale. `add` makes a node and gives its result."""
    weights = form.weights
    if weights.type.shape != form.shape:  # type: ignore[union-attr]
        weights = add(METHODS["reshape"], weights, form.shape)
    same = form.array.type.dtype == form.dtype  # type: ignore[union-attr]
    words = {} if same else {"dtype": form.dtype}
    product = add(UFUNC["multiply"], form.array, weights, **words)
    return add(METHODS["sum"], product, **form.words), add(METHODS["sum"], weights, **form.words)


def infer_average(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    form = weighted(args, kwargs)
    return None if form is None else UFUNC["divide"].infer(sums(form, typed), {})


def typed(op: Op, *args: Any, **kwargs: Any) -> Value:
    found = op.infer(args, kwargs)
    if not isinstance(found, ArrayType | ScalarType):
        raise Unsupported(f"{op.words}: {found}")
    return Value(found)


def effect_of_average(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    return Effect.LOUD if weighted(args, kwargs) is None else op.effect
