"""Calls that NumPy writes in Python → the nodes of their steps, so that loops can take them.

    x.std(axis=0)    →    m = x.mean(axis=0, keepdims=True)
                          d = (x - m) ** 2                         subtract, square
                          deviation(d, axis=0, divisor=n - ddof)   their sum, divided, its root

    np.linalg.norm(x, axis=1)        →    root(x * x, axis=1)      the root of their sum
    np.linalg.norm(x)                →    np.sqrt(x.ravel().dot(x.ravel()))
    np.average(x, weights=w)         →    ratio((x * w).sum(), w.sum())
    np.outer(x, y)                   →    x[:, None] * y[None]
    np.add.outer(x, y)               →    x[..., None] + y         as many axes as y has

The steps are those of outer in numpy/_core/numeric.py, of _var, _std and _ptp in
numpy/_core/_methods.py, of norm in numpy/linalg/_linalg.py and average in
numpy/lib/_function_base_impl.py, in 2.4 and in 2.5. A call of another form stays one node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import umath
from jitcore.ir.graph import Node
from jitcore.ir.infer.average import sums, weighted
from jitcore.ir.op import Effect, Kind, Op, Unsupported, leaf_type
from jitcore.ir.ops.array import GETITEM, METHODS
from jitcore.ir.ops.ufunc import UFUNC
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.ir.value import Value

EXACT = 1 << 53  # a ddof beyond it is an error, or rounded


def variance(squares: Any, axis: Any, keepdims: Any, divisor: Any) -> Any:
    """The end of _var."""
    total = umath.add.reduce(squares, axis=axis, keepdims=keepdims)
    if isinstance(total, np.ndarray):
        return umath.true_divide(total, divisor, out=total, casting="unsafe")
    return total.dtype.type(total / divisor)


def deviation(squares: Any, axis: Any, keepdims: Any, divisor: Any) -> Any:
    """The end of _std."""
    found = variance(squares, axis, keepdims, divisor)
    if isinstance(found, np.ndarray):
        return umath.sqrt(found, out=found)
    return found.dtype.type(umath.sqrt(found))


def root(squares: Any, axis: Any, keepdims: Any) -> Any:
    """The end of norm."""
    return umath.sqrt(umath.add.reduce(squares, axis=axis, keepdims=keepdims))


def ratio(total: Any, scale: Any) -> Any:
    """The end of average."""
    zero = scale == 0.0
    if zero.any() if zero.ndim else zero:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return total / scale


ROOT = Op("root", root, Kind.REDUCE, Effect.FLAGS)
RATIO = Op("ratio", ratio, Kind.MAP, Effect.FLAGS)
VARIANCE = Op("variance", variance, Kind.REDUCE, Effect.FLAGS)
DEVIATION = Op("deviation", deviation, Kind.REDUCE, Effect.FLAGS)
OWN = frozenset((VARIANCE, DEVIATION, ROOT, RATIO))  # as calls they are functions in Python
ENDS = {
    **dict.fromkeys(("var", "ndarray.var"), VARIANCE),
    **dict.fromkeys(("std", "ndarray.std"), DEVIATION),
}
PTP = frozenset(("axis", "keepdims"))
ASKED = frozenset(("axis", "dtype", "ddof", "keepdims"))
OUTER = ".outer"
NORM = ("ord", "axis", "keepdims")


@dataclass(slots=True)
class Steps:
    """The nodes of one call, in the making."""

    where: Any
    nodes: list[Node] = field(default_factory=list)

    def add(self, op: Op, *args: Any, **kwargs: Any) -> Value:
        found = op.infer(args, kwargs)
        if not isinstance(found, ArrayType | ScalarType):
            raise Unsupported(f"{op.name}: {found}")
        value = Value(found)
        self.nodes.append(Node(op, args, kwargs, (value,), (), self.where))
        return value


def expanded(nodes: Sequence[Node]) -> list[Node]:
    made: list[Node] = []
    for node in nodes:
        spell = SPELLED.get(node.op.name)
        made += spell(node) if spell else [node]
    return made


def between(node: Node) -> list[Node]:
    """A ptp of numbers that have an order of their own, in steps."""
    words = node.kwargs | dict(zip(("axis",), node.args[1:], strict=False))
    t = leaf_type(node.args[0])
    if not isinstance(t, ArrayType) or len(node.args) > 2 or not words.keys() <= PTP:
        return [node]
    if t.dtype.kind not in "iuf" or not t.shape or 0 in t.shape:
        return [node]
    steps = Steps(node.where)
    try:
        ends = [steps.add(METHODS[name], node.args[0], **words) for name in ("max", "min")]
    except Unsupported:
        return [node]
    last = Node(UFUNC["subtract"], tuple(ends), {}, node.outputs, (), node.where)
    return [*steps.nodes, last]


def spread(node: Node) -> list[Node]:
    """A var or std, in steps."""
    words = node.kwargs | dict(zip(("axis",), node.args[1:], strict=False))
    t = leaf_type(node.args[0])
    if not isinstance(t, ArrayType) or len(node.args) > 2 or not words.keys() <= ASKED:
        return [node]
    axis, keepdims, ddof = words.get("axis"), words.get("keepdims", False), words.get("ddof", 0)
    if t.dtype.kind not in "iuf" or t.dtype.char == "e" or 0 in t.shape or not t.shape:
        return [node]
    if type(keepdims) is not bool or type(ddof) not in (int, float) or not abs(ddof) < EXACT:
        return [node]
    steps = Steps(node.where)
    try:
        ask = {"axis": axis, "dtype": words.get("dtype"), "keepdims": True}
        mean = steps.add(METHODS["mean"], node.args[0], **ask)
        away = steps.add(UFUNC["subtract"], node.args[0], mean)
    except Unsupported:
        return [node]
    if away.type.dtype != mean.type.dtype:  # type: ignore[union-attr]
        return [node]  # the sum of the squares would be cast
    count = prod(t.shape) // prod(mean.type.shape)  # type: ignore[union-attr]
    divisor = umath.maximum(np.intp(count) - ddof, 0)
    square = steps.add(UFUNC["square"], away)
    more = {"axis": axis, "keepdims": keepdims, "divisor": divisor}
    steps.nodes.append(Node(ENDS[node.op.name], (square,), more, node.outputs, (), node.where))
    return steps.nodes


def rooted(node: Node) -> list[Node]:
    """A norm of order 2, or Frobenius's, in steps."""
    words = dict(zip(NORM, node.args[1:], strict=False)) | node.kwargs
    t = leaf_type(node.args[0])
    if not isinstance(t, ArrayType) or len(node.args) > 4 or not words.keys() <= set(NORM):
        return [node]
    order, axis, keepdims = words.get("ord"), words.get("axis"), words.get("keepdims", False)
    if t.dtype.char not in "fd" or 0 in t.shape or not t.shape or type(keepdims) is not bool:
        return [node]
    if axis is None:
        whole = order is None or (order == 2 and t.ndim == 1)
        return from_dot(node, t) if whole and not keepdims else [node]
    axes = axis if type(axis) is tuple else (axis,)
    if not all(type(one) is int for one in axes) or len(axes) not in (1, 2):
        return [node]
    if len(axes) == 2 and keepdims:  # it would be a view
        return [node]
    if order is not None and order not in ((2,) if len(axes) == 1 else ("fro", "f")):
        return [node]
    steps = Steps(node.where)
    try:
        squares = steps.add(UFUNC["multiply"], node.args[0], node.args[0])
    except Unsupported:
        return [node]
    words = {"axis": axes, "keepdims": keepdims}
    return [*steps.nodes, Node(ROOT, (squares,), words, node.outputs, (), node.where)]


def from_dot(node: Node, t: ArrayType) -> list[Node]:
    """Of all elements, as they lie in memory."""
    steps = Steps(node.where)
    flat = node.args[0]
    try:
        if t.ndim > 1 and t.c_contiguous:
            flat = steps.add(METHODS["ravel"], flat)
        square = steps.add(METHODS["dot"], flat, flat) if t.ndim == 1 or t.c_contiguous else None
    except Unsupported:
        return [node]
    if square is None:
        return [node]
    last = Node(UFUNC["sqrt"], (square,), {}, node.outputs, (), node.where)
    return [*steps.nodes, last]


def averaged(node: Node) -> list[Node]:
    """A weighted average, in steps."""
    form = weighted(node.args, node.kwargs)
    if form is None:
        return [node]
    steps = Steps(node.where)
    try:
        ends = sums(form, steps.add)
    except Unsupported:
        return [node]
    return [*steps.nodes, Node(RATIO, ends, {}, node.outputs, (), node.where)]


def products(node: Node) -> list[Node]:
    """Of each element of one vector and each of another."""
    types = [leaf_type(arg) for arg in node.args]
    if len(types) != 2 or node.kwargs or not all(map(is_vector, types)):
        return [node]
    steps = Steps(node.where)
    try:
        keys = ((slice(None), None), (None, slice(None)))
        views = [steps.add(GETITEM, *pair) for pair in zip(node.args, keys, strict=True)]
        t = UFUNC["multiply"].infer(tuple(views), {})
    except Unsupported:
        return [node]
    if t != node.outputs[0].type:
        return [node]
    last = Node(UFUNC["multiply"], tuple(views), {}, node.outputs, (), node.where)
    return [*steps.nodes, last]


def pairs(node: Node) -> list[Node]:
    """What a ufunc makes of each element of one array and each of another."""
    types = [leaf_type(arg) for arg in node.args]
    row = UFUNC[node.op.name.removesuffix(OUTER)]
    if len(types) != 2 or node.kwargs or not all(map(is_filled, types)):
        return [node]
    steps = Steps(node.where)
    x, y = node.args
    try:
        view = steps.add(GETITEM, x, (Ellipsis, *(None,) * types[1].ndim))  # type: ignore[union-attr]
        t = row.infer((view, y), {})
    except Unsupported:
        return [node]
    if t != node.outputs[0].type:
        return [node]
    return [*steps.nodes, Node(row, (view, y), {}, node.outputs, (), node.where)]


def is_filled(t: Any) -> bool:
    return isinstance(t, ArrayType) and t.ndim > 0 and t.size > 0 and t.numeric


def is_vector(t: Any) -> bool:
    return isinstance(t, ArrayType) and t.ndim == 1 and t.size > 0 and t.numeric


def is_binary(row: Op) -> bool:
    ufunc = row.ufunc
    return ufunc is not None and (ufunc.nin, ufunc.nout, ufunc.signature) == (2, 1, None)


SPELLED: dict[str, Callable[[Node], list[Node]]] = {
    **dict.fromkeys(ENDS, spread),
    "ptp": between,
    "linalg.norm": rooted,
    "average": averaged,
    "outer": products,
    **{name + OUTER: pairs for name, row in UFUNC.items() if is_binary(row)},
}
