"""np.histogram of float64 in equal bins: counts, or sums of weights, and the edges between them.

    histogram(f8[n], 10)               i8[10], f8[11]
    histogram(f8[n], 10, weights=w)    f8[10], f8[11]

In another form the call may warn, and its types are known at run time only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.op import Args, Effect, Inferred, Kwargs, Op, leaf_type
from jitcore.ir.types import PYFLOAT, PYINT, ArrayType, standard_strides
from jitcore.ir.value import Value

NAMES = ("bins", "range", "density", "weights")
MOST = 1 << 24


@dataclass(frozen=True, slots=True)
class EqualBins:
    array: Value
    bins: int
    range: Any  # None, or a tuple of two numbers
    weights: Value | None


def equal_bins(args: Args, kwargs: Kwargs) -> EqualBins | None:
    """The call, if it is of this form."""
    words = dict(zip(NAMES, args[1:], strict=False)) | dict(kwargs)
    if not 1 <= len(args) <= 5 or not words.keys() <= set(NAMES):
        return None
    bins, ends, weights = words.get("bins", 10), words.get("range"), words.get("weights")
    if type(bins) is not int or not 1 <= bins <= MOST or words.get("density") not in (None, False):
        return None
    if ends is not None and not (type(ends) is tuple and len(ends) == 2 and all(map(is_end, ends))):
        return None
    rows = [args[0]] if weights is None else [args[0], weights]
    if not all(type(row) is Value and is_row(row.type) for row in rows):
        return None
    if len({row.type.shape for row in rows}) > 1:
        return None
    return EqualBins(args[0], bins, ends, weights)


def is_row(t: Any) -> bool:
    """Elements one after the other."""
    plain = isinstance(t, ArrayType) and t.dtype.char == "d" and t.numeric and t.aligned
    return plain and t.c_contiguous and t.size > 0


def is_end(leaf: Any) -> bool:
    return leaf_type(leaf) in (PYINT, PYFLOAT)


def infer_histogram(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    form = equal_bins(args, kwargs)
    if form is None:
        return None
    counted = np.dtype(np.intp if form.weights is None else np.float64)
    return row_of(counted, form.bins), row_of(np.dtype(np.float64), form.bins + 1)


def row_of(dtype: np.dtype[Any], extent: int) -> ArrayType:
    return ArrayType(dtype, (extent,), standard_strides(dtype, (extent,)))


def effect_of_histogram(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    return op.effect if equal_bins(args, kwargs) is None else Effect.FLAGS
