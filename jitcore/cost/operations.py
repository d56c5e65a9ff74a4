"""A node → how many operations on elements it stands for, as reports count them.

calculation   one for each element of its result: an addition is one, and so is an exponential
reduction     as many as its operand has elements
product       twice as many as elements meet: each is multiplied, and added
copy          none: views, selections, gathers, conversions, joins, fills, stores
number        none: of Python's own, as extents and bounds are; nor of texts and prints

What depends on the contents (a sort), or on an algorithm of NumPy's or of LAPACK's, is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt, prod
from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, leaf_type
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.kernels.short_axis_rows import UNROLLED

NONE = frozenset(("where", "piece", "store", "setitem", "masked_store", "copyto", "ndarray.fill"))
RUNNING = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "ndarray.")
    for name in ("cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "clip", "round")
) | {"around", "diff"}
CONTRACTED = frozenset(("tensordot", "vdot"))
ROWS = frozenset(("dot", "ndarray.dot", "inner", "matmul", "op.matmul", "vecdot", "matvec"))


def operations(node: Node) -> int | None:
    """None: nobody knows before it runs."""
    count = OF_KIND.get(node.op.kind)
    return count(node) if count is not None else None


def mapped(node: Node) -> int | None:
    if node.op.name in NONE:
        return 0
    each = len(node.args) if node.op is UNROLLED else 1
    return each * sized(node)


def reduced(node: Node) -> int | None:
    return size(node.args[0])


def opaque(node: Node) -> int | None:
    """Of a ufunc's methods, and of functions that do one thing to each element."""
    kind, _, method = node.op.name.rpartition(".")
    if kind in ("py", "jitcore"):
        return 0
    if node.op.ufunc is not None and method in ("outer", "accumulate"):
        return sized(node)
    return sized(node) if node.op.name in RUNNING else None


def multiplied(node: Node) -> int | None:
    if len(node.args) < 2:
        return None
    a, b = map(leaf_type, node.args[:2])
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType) or not a.shape:
        return None
    if node.op.name in ROWS:
        return 2 * a.shape[-1] * sized(node)
    if node.op.name in CONTRACTED:
        return 2 * isqrt(a.size * b.size // max(sized(node), 1)) * sized(node)
    return sized(node) if node.op.name in ("outer", "kron") else None


def stored(node: Node) -> int | None:
    """In place: `a += b`."""
    if node.op.name in NONE:
        return 0
    in_place = node.op.ufunc is not None and node.op.returns == 0
    return size(node.args[0]) if in_place else None


def no_operations(node: Node) -> int | None:
    return None if node.op.name == "einsum" else 0


OF_KIND: Mapping[Kind, Callable[[Node], int | None]] = {
    Kind.MAP: mapped,
    Kind.REDUCE: reduced,
    Kind.OPAQUE: opaque,
    Kind.LINALG: multiplied,
    Kind.STORE: stored,
    **dict.fromkeys((Kind.VIEW, Kind.INDEX, Kind.CREATE), no_operations),
}


def sized(node: Node) -> int:
    """Elements of what it makes."""
    return max((size(value) for value in node.outputs), default=0)


def size(leaf: Any) -> int:
    t = leaf_type(leaf)
    if isinstance(t, ScalarType):
        return 0 if t.python else 1
    return prod(t.shape) if isinstance(t, ArrayType) else 0
