"""Rows: the functions of NumPy's namespace whose results the compiler can foretell."""

from __future__ import annotations

import builtins
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from jitcore.ir.infer.average import effect_of_average, infer_average
from jitcore.ir.infer.bincount import infer_bincount
from jitcore.ir.infer.by_sample import asked, asked_repeated, asked_shape, trial
from jitcore.ir.infer.create import (
    infer_arange,
    infer_called,
    infer_filled,
    infer_full,
    infer_like,
    infer_linspace,
    infer_square,
    infer_window,
)
from jitcore.ir.infer.histogram import effect_of_histogram, infer_histogram
from jitcore.ir.infer.view import (
    effect_of_copy,
    infer_array,
    infer_copy,
    infer_ravel,
    infer_reshape,
    infer_view,
    same_copy,
    same_view,
)
from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, leaf_type
from jitcore.ir.ops.array import effect_of_mean, infer_round
from jitcore.ir.types import PYINT, ArrayType, ObjectType, ScalarType

_S, _F, _L = Effect.SILENT, Effect.FLAGS, Effect.LOUD


def _rows(names: str, kind: Kind, effect: Effect, rule: Any, **more: Any) -> list[Op]:
    """A row for each name that this release of NumPy has."""
    found = []
    for name in names.split():
        target = getattr(np, name, None)
        # An alias (np.concat) is the function of its first name.
        if target is not None and not isinstance(target, np.ufunc) and target.__name__ == name:
            found.append(Op(name, target, kind, effect, rule, **more))
    return found


def infer_scalar_class(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """np.float32(x): a scalar of that class."""
    if len(args) != 1 or kwargs:
        return None
    t = leaf_type(args[0])
    dtype: np.dtype[Any] = np.dtype(cast(type, op.target))
    if isinstance(t, ObjectType) or not t.numeric or t.dtype.kind == "c" != dtype.kind:
        return None
    return None if t.ndim else ScalarType(dtype)


def effect_of_scalar_class(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    dtype: np.dtype[Any] = np.dtype(cast(type, op.target))
    kinds = {leaf_type(arg).dtype.kind for arg in args if not _is_object(arg)}  # type: ignore[union-attr]
    return Effect.LOUD if "c" in kinds and dtype.kind != "c" else op.effect


def _is_object(arg: Any) -> bool:
    return not isinstance(leaf_type(arg), ArrayType | ScalarType)


def _scalar_classes() -> list[Op]:
    classes = {cls for cls in np.sctypeDict.values() if np.dtype(cls).kind in "biufc"}
    return [
        Op(
            f"scalar.{cls.__name__}", cls, Kind.INDEX, _F, infer_scalar_class,
            effect_rule=effect_of_scalar_class,
        )
        for cls in sorted(classes, key=lambda cls: np.dtype(cls).num)
    ]  # fmt: skip


def effect_of_nan_to_num(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    """`copy=False` writes to the array."""
    return op.effect if len(args) == 1 and "copy" not in kwargs else Effect.STORE


def infer_where(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """The form of three arguments; that of one finds as many as there are."""
    return asked(op, args, kwargs) if len(args) == 3 else None


def infer_pyint(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYINT if len(args) == 1 and isinstance(leaf_type(args[0]), ArrayType) else None


ROWS: tuple[Op, ...] = (
    *_rows("sum prod max min amax amin any all argmax argmin trace", Kind.REDUCE, _F, asked),
    *_rows("ptp count_nonzero", Kind.REDUCE, _F, asked),
    *_rows("mean std var", Kind.REDUCE, _F, asked, effect_rule=effect_of_mean),
    *_rows("average", Kind.OPAQUE, _F, infer_average, effect_rule=effect_of_average),
    *_rows("bincount", Kind.OPAQUE, _F, infer_bincount),
    *_rows("histogram", Kind.OPAQUE, _L, infer_histogram, effect_rule=effect_of_histogram),
    *_rows("cumsum cumprod cumulative_sum cumulative_prod", Kind.OPAQUE, _F, asked),
    *_rows("round around", Kind.OPAQUE, _F, infer_round),
    *_rows("sort gradient", Kind.OPAQUE, _F, asked),
    *_rows("nan_to_num", Kind.OPAQUE, _F, asked, effect_rule=effect_of_nan_to_num),
    *_rows("diff", Kind.OPAQUE, _F, trial),
    *_rows("convolve correlate", Kind.OPAQUE, _F, trial, operands=2),
    *_rows("argsort tril triu sinc angle unwrap sort_complex", Kind.OPAQUE, _F, asked),
    *_rows("iscomplex isreal isneginf isposinf i0", Kind.OPAQUE, _F, asked),
    *_rows("clip", Kind.OPAQUE, _F, asked, operands=3),
    *_rows("where", Kind.MAP, _S, infer_where, operands=3),
    *_rows("interp", Kind.OPAQUE, _F, asked, operands=3),
    *_rows("searchsorted digitize isin", Kind.OPAQUE, _F, asked, operands=2),
    *_rows("array_equal array_equiv allclose isclose", Kind.OPAQUE, _F, asked, operands=2),
    *_rows("take take_along_axis", Kind.INDEX, _S, asked, operands=2),
    *_rows("dot vdot inner outer tensordot kron", Kind.LINALG, _F, asked, operands=2),
    *_rows("concatenate stack vstack hstack dstack column_stack", Kind.CREATE, _S, asked_shape),
    *_rows("repeat", Kind.CREATE, _S, asked_repeated),
    *_rows("tile roll", Kind.CREATE, _S, asked_shape),
    *_rows("transpose swapaxes moveaxis rollaxis expand_dims", Kind.VIEW, _S, infer_view),
    *_rows("broadcast_to diagonal flip fliplr flipud rot90", Kind.VIEW, _S, infer_view),
    *_rows("matrix_transpose", Kind.VIEW, _S, infer_view),
    *_rows(
        "squeeze atleast_1d atleast_2d atleast_3d", Kind.VIEW, _S, infer_view, same_rule=same_view
    ),
    *_rows("reshape", Kind.VIEW, _S, infer_reshape),
    *_rows("ravel", Kind.VIEW, _S, infer_ravel),
    *_rows("copy", Kind.CREATE, _S, infer_copy, effect_rule=effect_of_copy),
    *(
        row
        for names in ("array asarray", "asanyarray ascontiguousarray asfortranarray")
        for row in _rows(
            names, Kind.VIEW, _F, infer_array, effect_rule=effect_of_copy, same_rule=same_copy
        )
    ),
    *_rows("zeros ones empty", Kind.CREATE, _S, infer_filled),
    *_rows("full", Kind.CREATE, _F, infer_full, operands=2),
    *_rows("zeros_like ones_like empty_like", Kind.CREATE, _S, infer_like),
    *_rows("full_like", Kind.CREATE, _F, infer_like, operands=2),
    *_rows("arange", Kind.CREATE, _F, infer_arange),
    *_rows("eye identity tri", Kind.CREATE, _F, infer_square),
    *_rows("indices", Kind.CREATE, _F, infer_called),
    *_rows("linspace", Kind.CREATE, _F, infer_linspace, operands=2),
    *_rows("logspace geomspace", Kind.CREATE, _F, infer_linspace, operands=2),
    *_rows("hamming hanning bartlett blackman kaiser", Kind.CREATE, _F, infer_window),
    *_rows("ndim", Kind.INDEX, _S, infer_pyint, fold=lambda t: t.ndim),
    *_rows("size", Kind.INDEX, _S, infer_pyint, fold=lambda t: t.size),
    *_rows("shape", Kind.INDEX, _S, asked, fold=lambda t: t.shape),
    *_rows("iscomplexobj", Kind.INDEX, _S, asked, fold=lambda t: t.dtype.kind == "c"),
    *_rows("isrealobj", Kind.INDEX, _S, asked, fold=lambda t: t.dtype.kind != "c"),
    *_scalar_classes(),
    Op("op.len", builtins.len, Kind.INDEX, _S, infer_pyint, fold=lambda t: t.shape[0]),
    Op("as_strided", as_strided, Kind.VIEW, _S, infer_view),
    Op("sliding_window_view", sliding_window_view, Kind.VIEW, _S, infer_view),
)

BINCOUNT = next(row for row in ROWS if row.target is np.bincount)
