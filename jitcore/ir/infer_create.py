"""Shapes and numbers -> new arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .miniature import trial
from .op import Args, Inferred, Kwargs, Op, leaf_type
from .types import ArrayType, ScalarType, fresh, phantom, type_of
from .value import Value, leaves


def infer_filled(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """zeros, ones, empty: (shape, dtype=float, order="C")."""
    given = dict(zip(("shape", "dtype", "order"), args, strict=False)) | dict(kwargs)
    if len(args) > 3 or not given.keys() <= {"shape", "dtype", "order"} or _has_values(given):
        return None
    wanted = given.get("dtype")
    return _fresh(given["shape"], np.dtype(float if wanted is None else wanted), given.get("order"))


def infer_full(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """full(shape, fill_value, dtype=None, order="C")."""
    names = ("shape", "fill_value", "dtype", "order")
    given = dict(zip(names, args, strict=False)) | dict(kwargs)
    fill = given.pop("fill_value")
    if len(args) > 4 or not given.keys() <= set(names) or _has_values(given):
        return None
    wanted = given.get("dtype")
    dtype = _dtype_of_fill(fill) if wanted is None else np.dtype(wanted)
    return None if dtype is None else _fresh(given["shape"], dtype, given.get("order"))


def _dtype_of_fill(fill: Any) -> np.dtype[Any] | None:
    t = leaf_type(fill)
    if not isinstance(t, ArrayType | ScalarType):
        return None
    if isinstance(t, ScalarType) and t.python and t.dtype.kind == "i":
        return None if type(fill) is Value else np.asarray(fill).dtype
    return t.dtype


def _fresh(shape: Any, dtype: np.dtype[Any], order: Any) -> Inferred:
    if order not in (None, "C", "F") or dtype.kind not in "biufc":
        return None
    # NumPy reads the shape: elements of no size take no memory.
    hollow: np.ndarray[Any, Any] = np.empty(shape, np.dtype([]))
    return fresh(dtype, hollow.shape, order or "C")


def infer_like(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """zeros_like, ones_like, empty_like, full_like: the layout of their model, order "K"."""
    names = ("a", "fill_value", "dtype", "order") if op.operands == 2 else ("a", "dtype", "order")
    given = dict(zip(names, args, strict=False)) | dict(kwargs)
    t = leaf_type(given.pop("a", None))
    given.pop("fill_value", None)
    if not isinstance(t, ArrayType) or _has_values(given) or len(args) > len(names):
        return None
    if not t.numeric or not given.keys() <= {"dtype", "order", "shape"}:
        return None
    return type_of(np.empty_like(phantom(t), **given))


def infer_called(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """A function of constants: it is called. With scalars that do not decide the shape: probed."""
    if any(type(leaf) is Value for leaf in leaves((args, dict(kwargs)))):
        return trial(op, args, kwargs)
    assert op.target is not None
    with np.errstate(all="ignore"):
        made = op.target(*args, **kwargs)
    t = type_of(made)
    return t if isinstance(t, ArrayType | ScalarType) else None


def _has_values(tree: Any) -> bool:
    return any(type(leaf) is Value for leaf in leaves(tree))
