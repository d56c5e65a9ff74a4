"""A part of an array that moves: where it begins is known at run time only, its shape is not.

    a[i : i + 5, j]     part(a, (slice(i, i + 5), j), (5, None))

`spans` says of each slice that moves how far its ends lie apart. Where they do not lie within the
array NumPy would give another shape; then it is an IndexError, and CPython does the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.infer.index import infer_getitem
from jitcore.ir.op import Args, Inferred, Kwargs, Op
from jitcore.ir.value import Value

Spans = tuple[int | None, ...]


def settled(index: tuple[Any, ...], spans: Spans) -> tuple[Any, ...]:
    """An index that gives the same shape. Any int does for one that varies."""
    return tuple(
        slice(0, span, part.step) if span is not None else 0 if type(part) is Value else part
        for part, span in zip(index, spans, strict=True)
    )


def infer_part(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    container, index, spans = args
    return infer_getitem(op, (container, settled(index, spans)), kwargs)


def part(array: np.ndarray[Any, Any], index: tuple[Any, ...], spans: Spans) -> Any:
    found = array[index]
    if found.shape != array[settled(index, spans)].shape:
        raise IndexError("a part of another shape")
    return found
