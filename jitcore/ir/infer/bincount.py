"""np.bincount with a `minlength`: as many bins, unless a number is larger.

    bincount(i8[n], minlength=10)               i8[10]
    bincount(i8[n], weights=w, minlength=10)    f8[10]

That no number is larger is found out when it runs (csrc/numpy/bincount.c): else the step fails, and
CPython makes the call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.op import Args, Inferred, Kwargs, Op
from jitcore.ir.types import ArrayType, standard_strides
from jitcore.ir.value import Value

NAMES = ("weights", "minlength")
FEWEST, MOST = 2, 1 << 24
COUNTED, WEIGHTS = "biu", "biuf"


@dataclass(frozen=True, slots=True)
class Bins:
    numbers: Value
    weights: Value | None
    count: int


def bins_of(args: Args, kwargs: Kwargs) -> Bins | None:
    """The call, if it is of this form."""
    words = dict(zip(NAMES, args[1:], strict=False)) | dict(kwargs)
    if not 1 <= len(args) <= 3 or not words.keys() <= set(NAMES):
        return None
    numbers, weights, count = args[0], words.get("weights"), words.get("minlength", 0)
    if type(count) is not int or not FEWEST <= count <= MOST or not is_row(numbers, COUNTED):
        return None
    if np.iinfo(np.intp).max < largest(numbers.type.dtype):
        return None
    if weights is not None and not (is_row(weights, WEIGHTS) and weights.type.dtype.itemsize <= 8):
        return None
    if weights is not None and weights.type.shape != numbers.type.shape:
        return None
    return Bins(numbers, weights, count)


def is_row(leaf: Any, kinds: str) -> bool:
    t = leaf.type if type(leaf) is Value else None
    return isinstance(t, ArrayType) and t.ndim == 1 and t.size > 0 and t.dtype.kind in kinds


def largest(dtype: np.dtype[Any]) -> int:
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def infer_bincount(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    form = bins_of(args, kwargs)
    if form is None:
        return None
    made: np.dtype[Any] = np.dtype(np.intp if form.weights is None else np.float64)
    return ArrayType(made, (form.count,), standard_strides(made, (form.count,)))
