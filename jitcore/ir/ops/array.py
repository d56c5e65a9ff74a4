"""Rows: indexing, and the methods and attributes of arrays.

A method's row has the method itself as its target, the array as its first argument.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.infer.by_sample import asked, asked_repeated
from jitcore.ir.infer.index import infer_getitem, infer_setitem
from jitcore.ir.infer.moving_view import infer_part, part
from jitcore.ir.infer.view import (
    effect_of_copy,
    infer_copy,
    infer_ravel,
    infer_reshape,
    infer_view,
    same_copy,
    same_view,
)
from jitcore.ir.op import (
    Args,
    Effect,
    Inferred,
    Kind,
    Kwargs,
    Op,
    discards_imaginary,
    leaf_type,
    writes_out,
)
from jitcore.ir.types import ArrayType

_S, _F, _L, _W = Effect.SILENT, Effect.FLAGS, Effect.LOUD, Effect.STORE


def effect_of_mean(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    """mean, var, std warn, from Python, of slices with too few elements."""
    if writes_out(op, args, kwargs):
        return Effect.STORE
    t = leaf_type(args[0]) if args else None
    known = kwargs.keys() <= {"axis", "dtype", "keepdims", "ddof", "correction"}
    if (
        not isinstance(t, ArrayType)
        or len(args) > 2
        or not known
        or discards_imaginary(args, kwargs)
    ):
        return Effect.LOUD
    axis = kwargs.get("axis", args[1] if len(args) > 1 else None)
    freedom = kwargs.get("ddof", 0), kwargs.get("correction", 0)
    counted = _count(t, axis)
    enough = all(type(n) in (int, float) and n < counted for n in freedom)
    return op.effect if enough and t.size else Effect.LOUD


def _count(t: ArrayType, axis: Any) -> int:
    """How many elements make one result; 0 if that is not known."""
    axes = range(t.ndim) if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(one) is int and -t.ndim <= one < t.ndim for one in axes):
        return 0
    return math.prod(t.shape[one] for one in axes)


def same_if_real(op: Op, args: Args, kwargs: Kwargs) -> Any:
    """ndarray.conj gives back a real array itself."""
    t = leaf_type(args[0])
    return args[0] if isinstance(t, ArrayType) and t.dtype.kind in "biuf" else None


def infer_conjugate(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    real = same_if_real(op, args, kwargs)
    return asked(op, args, kwargs) if real is None else leaf_type(real)


_INTEGERS = np.ones(1, int)
_ITSELF = _INTEGERS.round() is _INTEGERS  # of NumPy 2.3


def infer_round(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """Unknown, where NumPy may give back an array of integers itself."""
    t = leaf_type(args[0])
    if _ITSELF and isinstance(t, ArrayType) and t.dtype.kind in "iu":
        return None
    return asked(op, args, kwargs)


def _method(name: str, kind: Kind, effect: Effect, rule: Any = None, **more: Any) -> Op:
    return Op(f"ndarray.{name}", getattr(np.ndarray, name), kind, effect, rule, **more)


def _reductions() -> list[Op]:
    names = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "trace")
    rows = [_method(name, Kind.REDUCE, _F, asked) for name in names]
    for name in ("mean", "var", "std"):
        rows.append(_method(name, Kind.REDUCE, _F, asked, effect_rule=effect_of_mean))
    return rows


_METHOD_ROWS: tuple[Op, ...] = (
    *_reductions(),
    *(_method(name, Kind.OPAQUE, _F, asked) for name in ("cumsum", "cumprod")),
    _method("round", Kind.OPAQUE, _F, infer_round),
    _method("argsort", Kind.OPAQUE, _S, asked),
    _method("clip", Kind.OPAQUE, _F, asked, operands=3),
    _method("conj", Kind.VIEW, _S, infer_conjugate, same_rule=same_if_real),
    _method("conjugate", Kind.VIEW, _S, infer_conjugate, same_rule=same_if_real),
    _method("dot", Kind.LINALG, _F, asked, operands=2),
    _method("take", Kind.INDEX, _S, asked, operands=2),
    _method("searchsorted", Kind.OPAQUE, _S, asked, operands=2),
    _method("repeat", Kind.CREATE, _S, asked_repeated),
    *(_method(name, Kind.OPAQUE, _S) for name in ("argpartition", "choose", "compress")),
    *(_method(name, Kind.OPAQUE, _S) for name in ("nonzero", "byteswap", "tobytes", "tolist")),
    _method("item", Kind.INDEX, _S),
    *(
        _method(name, Kind.VIEW, _S, infer_view, same_rule=same_view)
        for name in ("transpose", "swapaxes", "squeeze", "diagonal", "view")
    ),
    _method("reshape", Kind.VIEW, _S, infer_reshape),
    _method("ravel", Kind.VIEW, _S, infer_ravel),
    _method("flatten", Kind.CREATE, _S, infer_ravel),
    _method(
        "astype", Kind.VIEW, _F, infer_copy, effect_rule=effect_of_copy, same_rule=same_copy
    ),
    _method("copy", Kind.CREATE, _S, infer_copy),
    *(
        _method(name, Kind.STORE, _W, stores=(0,))
        for name in ("fill", "partition", "put", "sort", "setfield")
    ),
)  # fmt: skip

METHODS: Mapping[str, Op] = {row.name.removeprefix("ndarray."): row for row in _METHOD_ROWS}


# ---------------------------------------------------------------- attributes


@dataclass(frozen=True, slots=True)
class Attribute:
    """`constant` tells it from the type, `row` computes it; neither: CPython reads it."""

    name: str
    constant: Callable[[ArrayType], Any] | None = None
    row: Op | None = None


def _attribute_row(name: str) -> Op:
    read = getattr(np.ndarray, name).__get__
    return Op(f"ndarray.{name}", read, Kind.VIEW, _S, infer_attribute, same_rule=same_view)


def infer_attribute(op: Op, args: Args, kwargs: Kwargs) -> Any:
    t = leaf_type(args[0])
    if isinstance(t, ArrayType) and t.dtype.kind != "c" and op.name == "ndarray.imag":
        return None  # a new array of zeros
    return infer_view(op, args, kwargs)


_ATTRIBUTE_ROWS: tuple[Op, ...] = tuple(
    _attribute_row(name) for name in ("T", "mT", "real", "imag") if hasattr(np.ndarray, name)
)

_CONSTANTS: Mapping[str, Callable[[ArrayType], Any]] = {
    "shape": lambda t: t.shape,
    "ndim": lambda t: t.ndim,
    "size": lambda t: t.size,
    "dtype": lambda t: t.dtype,
    "strides": lambda t: t.strides,
    "itemsize": lambda t: t.dtype.itemsize,
    "nbytes": lambda t: t.size * t.dtype.itemsize,
    "device": lambda t: "cpu",
}

ATTRIBUTES: Mapping[str, Attribute] = {
    **{name: Attribute(name, constant) for name, constant in _CONSTANTS.items()},
    **{row.name[8:]: Attribute(row.name[8:], None, row) for row in _ATTRIBUTE_ROWS},
    **{name: Attribute(name) for name in ("flat", "flags", "base", "data", "ctypes")},
}

GETITEM = Op("getitem", operator.getitem, Kind.VIEW, _S, infer_getitem, operands=2)
PART = Op("part", part, Kind.VIEW, _S, infer_part, operands=3)
SETITEM = Op("setitem", operator.setitem, Kind.STORE, _W, infer_setitem, stores=(0,))


def masked_store(array: Any, mask: Any, value: Any) -> None:
    """array[mask] = value, or value[mask] where that is of the array's shape."""
    np.copyto(array, value, where=mask)


MASKED_STORE = Op("masked_store", masked_store, Kind.STORE, _W, infer_setitem, stores=(0,))

ROWS: tuple[Op, ...] = (GETITEM, PART, SETITEM, MASKED_STORE, *_METHOD_ROWS, *_ATTRIBUTE_ROWS)
