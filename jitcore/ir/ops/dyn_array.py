"""Rows: parts of arrays inside loops, with extents that only run time knows.

extent       array, axis -> how long it is
slice.start  n, start, stop, step -> where a slice of n items begins
slice.count  n, start, stop, step -> how many items it has
span         array, key, dims -> view: for each axis an int, or (start, count, step); None: new
span.transpose  array -> the same with its axes in reverse
span.store   view, value: view[...] = value
span.take    array, ints -> its elements there
span.item    array, key with masks, or several arrays of ints -> what NumPy selects
span.put     array, such a key, value: array[key] = value

What is computed of spans are NumPy's own rows; `asked` says of which type the results are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, Unsupported, leaf_type
from jitcore.ir.ops.operator import specialise
from jitcore.ir.types import NONE, PYINT, ArrayType, DynArrayType, fresh
from jitcore.ir.value import Value, leaves, map_tree

Array = np.ndarray[Any, Any]
Dims = tuple[int | None, ...]
MADE = frozenset(
    ("array", "asarray", "zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like")
) | {"copy", "ndarray.copy"}  # rows that make arrays
AXES = 4  # RT_AXES of routine_rt.h
FEW = 16  # items of an axis: the text has their number, and loops over them are unrolled
SAMPLE = 3  # the extent that NumPy is asked with


# ---- what the rows do ---------------------------------------------------------------------------


def extent(array: Array, axis: int) -> int:
    return int(array.shape[axis])


def slice_start(n: int, start: int | None, stop: int | None, step: int) -> int:
    return slice(start, stop, step).indices(n)[0]


def slice_count(n: int, start: int | None, stop: int | None, step: int) -> int:
    return len(range(*slice(start, stop, step).indices(n)))


def span(array: Array, key: tuple[Any, ...], dims: Dims) -> Array:
    index = []
    for part in key:
        if type(part) is tuple:
            start, count, step = part
            stop = start + count * step
            part = slice(start, None if stop < 0 else stop, step) if count else slice(0, 0)
        index.append(part)
    return array[(*index, ...)]


def span_transpose(array: Array) -> Array:
    return array.T


def span_store(view: Array, value: Any) -> None:
    view[...] = value


def span_take(array: Array, index: Array) -> Array:
    found: Array = array[index]
    return found


def slice_step(step: int) -> int:
    if step < 1:
        raise ValueError("slice step is not positive")
    return step


select = partial(operator.getitem)  # the table finds rows by their targets: these are others
put = partial(operator.setitem)


# ---- of which type it is ------------------------------------------------------------------------


def sampled(leaf: Any) -> Any:
    """An array like a span, for asking NumPy."""
    if type(leaf) is Value and isinstance(leaf.type, ArrayType | DynArrayType):
        dims = dims_of(leaf.type)
        return Value(fresh(leaf.type.dtype, tuple(1 if dim == 1 else SAMPLE for dim in dims)))
    return leaf


def dims_of(kind: ArrayType | DynArrayType) -> Dims:
    return kind.shape if isinstance(kind, ArrayType) else kind.dims


def result_dims(row: Op, args: Args, found: ArrayType) -> Dims:
    """Extents that are known: the others are for run time to tell, and to check."""
    given = [
        dims_of(arg.type)
        for arg in leaves(args)
        if type(arg) is Value and isinstance(arg.type, ArrayType | DynArrayType)
    ]
    if row.kind is Kind.LINALG and len(given) == 2:
        return (*given[0][:-1], *given[1][1:])
    if not given:
        return found.shape
    if row.kind is not Kind.MAP and not (row.kind is Kind.CREATE and len(given) == 1):
        return tuple(1 if dim == 1 else None for dim in found.shape)  # the sample's, not theirs
    dims: list[int | None] = [1] * found.ndim
    for one in given:
        for axis, dim in enumerate(one, found.ndim - len(one)):
            if dim != 1 and dims[axis] in (None, 1):
                dims[axis] = dim
    return tuple(dims)


def asked(op: Op, args: Args, kwargs: Kwargs) -> tuple[Op, Args, Effect, Any]:
    """The row that `op` is on these, its arguments, what it may do, and the type of its result."""
    real: dict[Value, Any] = {}

    def standing(leaf: Any) -> Any:
        made = sampled(leaf)
        if made is not leaf:
            real[made] = leaf
        return made

    row, given = specialise(op, map_tree(standing, args), dict(kwargs))
    found = row.infer(given, kwargs)
    if row.same_object(given, kwargs) is not None or isinstance(found, tuple):
        raise Unsupported(f"{row.words} of a view in a loop")
    effect = row.effect_of(given, kwargs)
    if isinstance(found, ArrayType):
        found = DynArrayType(found.dtype, result_dims(row, args, found))
    back = map_tree(lambda leaf: real.get(leaf, leaf) if type(leaf) is Value else leaf, given)
    return row, back, effect, found


def fewest(op: Op, args: Args, kwargs: Kwargs) -> int | None:
    """How many elements along each axis of unknown extent keep the call from giving Python warnings
    (np.mean of an empty slice does); None: it may give some in any case."""

    def sized(leaf: Any) -> Any:
        if type(leaf) is not Value or not isinstance(leaf.type, DynArrayType):
            return leaf
        return Value(fresh(leaf.type.dtype, tuple(n if d is None else d for d in leaf.type.dims)))

    for n in range(SAMPLE + 1):
        if op.effect_of(map_tree(sized, args), map_tree(sized, dict(kwargs))) <= Effect.FLAGS:
            return n
    return None


def whole(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYINT


def nothing(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return NONE


def part(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    kind = leaf_type(args[0])
    assert isinstance(kind, ArrayType | DynArrayType)
    return DynArrayType(kind.dtype, args[2])


def turned(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    kind = leaf_type(args[0])
    assert isinstance(kind, ArrayType | DynArrayType)
    return DynArrayType(kind.dtype, dims_of(kind)[::-1])


def taken(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    kind, index = leaf_type(args[0]), leaf_type(args[1])
    assert isinstance(kind, ArrayType | DynArrayType) and isinstance(index, DynArrayType)
    return DynArrayType(kind.dtype, index.dims)


def _row(name: str, call: Callable[..., Any], rule: Any, kind: Kind = Kind.INDEX) -> Op:
    return Op(name, call, kind, Effect.SILENT, rule)


EXTENT = _row("extent", extent, whole)
SLICE_START = _row("slice.start", slice_start, whole)
SLICE_COUNT = _row("slice.count", slice_count, whole)
SLICE_STEP = Op("slice.step", slice_step, Kind.INDEX, Effect.FLAGS, whole)
SPAN = _row("span", span, part, Kind.VIEW)
SPAN_TRANSPOSE = _row("span.transpose", span_transpose, turned, Kind.VIEW)
SPAN_TAKE = _row("span.take", span_take, taken)
SPAN_STORE = Op("span.store", span_store, Kind.STORE, Effect.STORE, nothing, stores=(0,))
SPAN_ITEM = Op("span.item", select, Kind.INDEX)  # of which type, a sample tells
SPAN_PUT = Op("span.put", put, Kind.STORE, Effect.STORE, nothing, stores=(0,))
ROWS: tuple[Op, ...] = (
    EXTENT,
    SLICE_START,
    SLICE_COUNT,
    SLICE_STEP,
    SPAN,
    SPAN_TRANSPOSE,
    SPAN_TAKE,
    SPAN_STORE,
    SPAN_ITEM,
    SPAN_PUT,
)


def is_span(arg: Any) -> bool:
    return type(arg) is Value and isinstance(arg.type, DynArrayType)
