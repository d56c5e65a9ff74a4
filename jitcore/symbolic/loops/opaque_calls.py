"""Calls that a routine makes of NumPy's own functions, because C has no form for them.

    row, arguments ─ run on samples of their kind ─▶ the type of the result

The sample only says what to expect: csrc/loop/call_out.c looks at each result. One that shares
memory with an argument, or has another order than C's, is not for routines.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum, auto
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node, Value, values
from jitcore.ir.op import Effect, Kind, Op, reject_objects
from jitcore.ir.ops.dyn_array import AXES, FEW, SAMPLE, dims_of
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType, type_of
from jitcore.ir.value import map_tree
from jitcore.symbolic.loops.loop_state import CannotCapture, working

if TYPE_CHECKING:
    from jitcore.symbolic.machine import Machine

MOST = 1 << 12  # elements of a sample
LARGEST = 1 << 16  # of a constant

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """`cls`: a tuple of them, or a class of such; None: of one alone. `strided`: their places.
    `found`: the shape depends on what the arrays contain."""

    kinds: tuple[DynArrayType | ScalarType, ...]
    cls: type | None
    strided: frozenset[int]
    found: bool


class Contents(Enum):
    """Of a sample."""

    REGULAR = auto()  # ones on the diagonal
    DISTINCT = auto()
    ZEROS = auto()


def constant(vm: Machine, row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Value | None:
    """An array that does not depend on the loop, made before it."""
    if row.effect_of(args, kwargs) is not Effect.SILENT or row.kind is not Kind.CREATE:
        return None
    kind = row.infer(args, kwargs)
    if not isinstance(kind, ArrayType) or not kind.c_contiguous:
        return None
    if not 1 <= kind.ndim <= AXES or kind.size > LARGEST:
        return None
    key = row, repr((args, kwargs))
    work = working(vm)
    found = work.constants.get(key)
    if found is None:
        found = work.constants[key] = Value(kind)
        node = Node(row, args, kwargs, (found,), (), vm.place())
        vm.window_for(row, args, kwargs).nodes.append(node)
    return found


def result_of_call(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Result:
    """Of DynArrayTypes and ScalarTypes. Extents are known where they are few, and always the
    same."""
    reject_objects(row, args, kwargs)
    if row.target is None or row.kind in (Kind.VIEW, Kind.STORE, Kind.CONTROL) or row.stores:
        raise CannotCapture(f"this loop uses {row.words}, which jitcore does not compile in loops")
    given = [one.type for one in values((args, kwargs))]
    arrays = [kind for kind in given if isinstance(kind, ArrayType | DynArrayType)]
    known = all(None not in dims_of(kind) for kind in arrays)
    known = known and sum(prod(dim or 0 for dim in dims_of(kind)) for kind in arrays) <= MOST
    found = sampled(row, args, kwargs, known, Contents.REGULAR)
    items = parts_of(found)
    numbers = any(isinstance(one, ScalarType) for one in given)
    alike = is_fixed(row, args, kwargs, known, shapes_of(items))
    fixed = known and not numbers and alike
    kinds = tuple(result_type(row, item, fixed) for item in items)
    strided = frozenset(k for k, item in enumerate(items) if is_strided(item))
    if strided and not are_columns(items):
        raise CannotCapture(
            f"this loop uses {row.words}, which returns arrays that are not contiguous"
        )
    return Result(kinds, type(found) if items is found else None, strided, not alike)


def parts_of(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) and found else (found,)


def result_type(row: Op, found: Any, fixed: bool) -> DynArrayType | ScalarType:
    kind = type_of(found)
    if isinstance(kind, ScalarType):
        return kind
    if not isinstance(kind, ArrayType) or not (is_own(found) or is_loose(found)):
        raise CannotCapture(
            f"this loop uses {row.words}, which returns neither a new array nor a number"
        )
    if not 1 <= kind.ndim <= AXES:
        raise CannotCapture(
            f"this loop uses {row.words}, whose result has no axes, or more than {AXES}"
        )
    few = tuple(dim if fixed and dim <= FEW else None for dim in kind.shape)
    return DynArrayType(kind.dtype, few, not is_own(found))


def shapes_of(items: tuple[Any, ...]) -> list[Any]:
    return [getattr(item, "shape", None) for item in items]


def is_fixed(row: Op, args: Any, kwargs: Any, known: bool, shapes: list[Any]) -> bool:
    """Is the shape the same, whatever the arrays contain? What selects or searches depends on it;
    zeros may be no matrix that a call can do with."""
    try:
        others = [sampled(row, args, kwargs, known, Contents.DISTINCT)]
    except CannotCapture:
        return False
    with suppress(CannotCapture):
        others.append(sampled(row, args, kwargs, known, Contents.ZEROS))
    return all(shapes_of(parts_of(one)) == shapes for one in others)


def is_own(array: Array) -> bool:
    flags = array.flags
    return array.base is None and flags.owndata and flags.carray


def is_loose(array: Array) -> bool:
    """A view of an array that nobody else has, of ints, of which the steps change no bits."""
    given = array.base
    alone = type(given) is np.ndarray and given.base is None and given.flags.owndata
    return alone and array.ndim == 1 and array.dtype.kind in "iub" and array.flags.writeable


def are_columns(items: tuple[Any, ...]) -> bool:
    """Of one array, in C order, that has no others."""
    base = items[0].base if all(map(is_strided, items)) else None
    if base is None or base.shape != (len(items[0]), len(items)):
        return False
    return all(
        item.base is base
        and np.array_equal(item, base[:, k])
        and item.strides == base[:, k].strides
        for k, item in enumerate(items)
    )


def is_strided(found: Any) -> bool:
    return type(found) is np.ndarray and not found.flags.c_contiguous


def sampled(row: Op, args: Any, kwargs: Any, known: bool, filled: Contents) -> Any:
    """What the call gives of arrays of these types."""

    def sample(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        kind = leaf.type
        if isinstance(kind, ScalarType):
            return kind.pytype(1) if kind.python else kind.dtype.type(1)
        if not isinstance(kind, ArrayType | DynArrayType):
            raise CannotCapture(f"this loop uses {row.words} with a value of type {kind}")
        shape = dims_of(kind) if known else [dim if dim == 1 else SAMPLE for dim in dims_of(kind)]
        made.append(contents(tuple(dim or 0 for dim in shape), kind.dtype, filled))
        return made[-1]

    assert row.target is not None
    made: list[Array] = []
    try:
        with np.errstate(all="ignore"):
            found = row.target(*map_tree(sample, args), **map_tree(sample, dict(kwargs)))
    except Exception as error:
        raise CannotCapture(
            f"this loop uses {row.words}, which fails on sample arrays ({error})"
        ) from None
    for item in parts_of(found):
        if type(item) is np.ndarray and any(np.may_share_memory(item, one) for one in made):
            raise CannotCapture(f"this loop uses {row.words}, which returns a view of its argument")
    return found


def contents(shape: tuple[int, ...], dtype: np.dtype[Any], filled: Contents) -> Array:
    if filled is Contents.ZEROS:
        return np.zeros(shape, dtype)
    made: Array = np.ones(shape, dtype)
    if len(shape) > 1:
        made[...] = np.eye(shape[-2], shape[-1])
    if filled is Contents.DISTINCT and dtype.kind != "b":
        made = (made * 100 + np.arange(made.size).reshape(shape)).astype(dtype)
    elif filled is Contents.DISTINCT:
        made[...] = True
    return made
