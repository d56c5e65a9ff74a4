"""Shapes and numbers -> new arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.infer.by_sample import trial
from jitcore.ir.op import Args, Inferred, Kwargs, Op, leaf_type
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType, ScalarType, fresh, type_of
from jitcore.ir.value import Value, leaves


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


# ---------------------------------------------------------------- lengths among the arguments

FEW = 3


def infer_square(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """eye, identity, tri: (N, M=N, ...): asked with few rows and columns."""
    names = ("n", "dtype") if op.name == "identity" else ("N", "M")
    given = dict(zip(names, args, strict=False)) | dict(kwargs)
    rows = given.get(names[0])
    columns = rows if op.name == "identity" or given.get("M") is None else given["M"]
    if type(rows) is not int or type(columns) is not int or max(rows, columns) <= FEW:
        return infer_called(op, args, kwargs)
    few = {key: min(given[key], FEW) for key in (names[0], "M") if type(given.get(key)) is int}
    by_place = tuple(few.get(names[k], arg) if k < 2 else arg for k, arg in enumerate(args))
    small = infer_called(
        op, by_place, {**kwargs, **{key: few[key] for key in kwargs if key in few}}
    )
    order = given.get("order", args[4] if len(args) > 4 else "C")
    return _longer(small, (rows, columns), order)


def infer_linspace(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """(start, stop, num=50, ...): asked with few numbers, of two numbers."""
    num = kwargs.get("num", args[2] if len(args) > 2 else None)
    ends = [*args[:2], *(kwargs[key] for key in ("start", "stop") if key in kwargs)]
    plain = all(isinstance(leaf_type(end), ScalarType) for end in ends)
    if type(num) is not int or num <= FEW or not plain:
        return infer_called(op, args, kwargs)
    by_place = tuple(FEW if k == 2 else arg for k, arg in enumerate(args))
    words = {key: FEW if key == "num" else word for key, word in kwargs.items()}
    return _longer(infer_called(op, by_place, words), (num,))


def infer_window(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """(M, ...): asked with few points."""
    count = args[0] if args else kwargs.get("M")
    if type(count) is not int or count <= FEW:
        return infer_called(op, args, kwargs)
    few = {**kwargs, "M": FEW} if "M" in kwargs else kwargs
    return _longer(infer_called(op, (FEW, *args[1:]) if args else (), few), (count,))


def infer_arange(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """Of whole numbers there are as many as in a range."""
    exact = all(type(arg) is int and abs(arg) < EXACT for arg in args)
    if not exact or not 1 <= len(args) <= 3 or not kwargs.keys() <= {"dtype"}:
        return infer_called(op, args, kwargs)
    count = len(range(*args))
    return (
        infer_called(op, args, kwargs)
        if count <= FEW
        else _longer(infer_called(op, (FEW,), kwargs), (count,))
    )


EXACT = 1 << 53  # NumPy counts with floats


def _longer(small: Inferred, shape: tuple[int, ...], order: Any = "C") -> Inferred:
    """A new array like the small one, which has to be dense."""
    if not isinstance(small, ArrayType) or small.ndim != len(shape) or order not in ("C", "F"):
        return None
    few = tuple(min(n, FEW) for n in shape)
    return fresh(small.dtype, shape, order) if small == fresh(small.dtype, few, order) else None


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
