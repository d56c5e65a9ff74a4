"""a[i, j], with arrays of ints among the indices → each element's place in a, and its load.

    table   a, as it lies in the loop: slices move it along, an index does not
    place   the sum over the indexed axes of index * stride

NumPy looks at all indices before it reads; a kernel reads the first element for one that is out of
bounds, is in doubt, and NumPy raises its IndexError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.c_expression import CExpression
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import leaf_type
from jitcore.ir.strided import broadcast
from jitcore.ir.types import ArrayType, ScalarType, Shape
from jitcore.ir.value import Value
from jitcore.kernels.body import Input, Table
from jitcore.kernels.lower import Lowering, signature
from jitcore.toolchain.abi import ARRAY, Signature, c_type

INTP = np.dtype(np.intp)


@dataclass(frozen=True, slots=True)
class GatherAxis:
    """One axis of the result: its extent, and the bytes that the table moves along it."""

    extent: int
    stride: int


@dataclass(frozen=True, slots=True)
class Index:
    """What stands for one axis of the table."""

    leaf: Any
    extent: int
    stride: int
    shape: Shape


def gathers(node: Node) -> bool:
    """Is it a[...] or take with an array among the indices?"""
    indexed = node.op.name in KEYS and len(node.args) > 1  # by keyword, it is NumPy's
    return indexed and any(map(is_array, parts_of(node.args[1])))


def lower_gather(node: Node, into: Lowering) -> None:
    table = node.args[0]
    t = leaf_type(table)
    key = KEYS[node.op.name](node, t)
    if type(table) is not Value or not isinstance(t, ArrayType) or t.size == 0:
        raise CannotLower("indexing of no array, or of an empty one")
    axes, indices, at, count, offset = laid_out(t, key)
    (result,) = node.outputs
    if not isinstance(result.type, ArrayType) or result.type.shape != shape_of(axes):
        raise CannotLower(f"indexing gives {result.type}, which no kernel makes of it")
    laid = Signature(ARRAY, t.dtype, shape_of(axes), tuple(axis.stride for axis in axes))
    var = into.placed(table, Table(signature(t), laid))
    behind = len(axes) - at - count
    places = [place(index, behind, into) for index in indices]
    sums = "".join(f" + {{{k + 1}}}" for k in range(len(places)))
    shift = f" + {into.program.number(offset)}" if offset else ""
    code = CExpression(f"*(const {c_type(t.dtype)} *)({{0}}{sums}{shift})")
    into.known[result] = into.step((var, *places), t.dtype, code)


def key_of_getitem(node: Node, t: Any) -> Any:
    return node.args[1]


def key_of_take(node: Node, t: Any) -> Any:
    """take(a, i, axis) is a[:, …, i]."""
    axis = node.kwargs.get("axis")
    if len(node.args) > 2 or node.kwargs.keys() - {"axis"}:
        raise CannotLower("take is called with arguments that no kernel takes")
    if axis is None and t.ndim == 1:
        axis = 0
    if type(axis) is not int or not -t.ndim <= axis < t.ndim:
        raise CannotLower("np.take with an axis that is no axis of the array")
    return (*[slice(None)] * (axis % t.ndim), node.args[1])


KEYS = {"getitem": key_of_getitem, "take": key_of_take, "ndarray.take": key_of_take}


def place(index: Index, behind: int, into: Lowering) -> int:
    """The variable with the bytes that this index moves by."""
    extent, stride = into.program.number(index.extent), into.program.number(index.stride)
    given = operand(index, behind, into)
    wrapped = CExpression(f"({{0}} < 0 ? {{0}} + {extent} : {{0}})")
    here = into.step((given,), INTP, wrapped)
    inside = f"(u64){{0}} < (u64){extent}"
    code = CExpression(f"({inside} ? {{0}} : 0) * {stride}")
    return into.step((here,), INTP, code, inside)


def operand(index: Index, behind: int, into: Lowering) -> int:
    """The index where the loop is, with `behind` axes of slices after its own."""
    t = leaf_type(index.leaf)
    if not isinstance(t, ArrayType) or not behind:
        return into.arg(index.leaf, INTP)
    own = signature(t)
    shape, strides = t.shape + (1,) * behind, t.strides + (0,) * behind
    laid = Signature(ARRAY, t.dtype, shape, strides)
    return into.cast(into.placed(index.leaf, Input(own, laid)), INTP)


# ---- the axes of the result -----------------------------------------------------------------


def laid_out(t: ArrayType, key: Any) -> tuple[list[GatherAxis], list[Index], int, int, int]:
    """Axes of the result; indices; where their axes begin, and how many; bytes to the first.

    The axes of the indices, broadcast, stand where the indices stand, if they stand together,
    and before all others, if not. An int beside arrays is one of them.
    """
    axes: list[GatherAxis] = []
    indices: list[Index] = []
    spots: list[int] = []
    offset, axis, at = 0, 0, 0
    for spot, part in enumerate(expanded(key, t.ndim)):
        if part is None:
            axes.append(GatherAxis(1, 0))
            continue
        extent, stride = t.shape[axis], t.strides[axis]
        axis += 1
        if type(part) is slice:
            first, stop, step = constant_slice(part).indices(extent)
            axes.append(GatherAxis(len(range(first, stop, step)), step * stride))
            offset += first * stride
            continue
        at = len(axes) if not spots else at
        spots.append(spot)
        indices.append(Index(part, extent, stride, index_shape(part)))
    together = spots[-1] - spots[0] == len(spots) - 1
    try:
        shape = broadcast(*(index.shape for index in indices))
    except ValueError as error:  # more elements than there can be
        raise CannotLower(f"indexing: {error}") from None
    at = at if together else 0
    axes[at:at] = [GatherAxis(extent, 0) for extent in shape]
    return axes, indices, at, len(shape), offset


def parts_of(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def expanded(key: Any, ndim: int) -> list[Any]:
    """One part for each axis, and None for each new one."""
    parts = list(parts_of(key))
    if sum(part is Ellipsis for part in parts) > 1:
        raise CannotLower("indexing by several ellipses")
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    if taken > ndim:
        raise CannotLower("indexing by more indices than axes")
    at = next((k for k, part in enumerate(parts) if part is Ellipsis), len(parts))
    if 0 < at < len(parts) - 1 and taken == ndim:
        # are its neighbours neighbours?
        raise CannotLower("indexing by an ellipsis of no axes")
    parts[at : at + 1] = [slice(None)] * (ndim - taken)
    return parts


def constant_slice(part: slice) -> slice:
    if any(type(leaf) not in (int, type(None)) for leaf in (part.start, part.stop, part.step)):
        raise CannotLower("indexing by a slice whose ends are no constants")
    return part


def index_shape(part: Any) -> Shape:
    t = leaf_type(part)
    if is_array(part):
        shape: Shape = t.shape  # type: ignore[union-attr]
        return shape
    if type(part) is int or (isinstance(t, ScalarType) and t.dtype.kind in "iu"):
        return ()
    raise CannotLower(f"indexing by {t}")


def is_array(part: Any) -> bool:
    t = leaf_type(part) if type(part) is Value else None
    return isinstance(t, ArrayType) and t.dtype.kind in "iu"


def shape_of(axes: list[GatherAxis]) -> Shape:
    return tuple(axis.extent for axis in axes)
