"""Calls that NumPy writes in Python → the nodes of their steps, so that loops can take them.

    x.std(axis=0)    →    m = x.mean(axis=0, keepdims=True)
                          d = (x - m) ** 2                         subtract, square
                          deviation(d, axis=0, divisor=n - ddof)   their sum, divided, its root

The steps are those of _var, _std and _ptp in numpy/_core/_methods.py, in 2.4 and in 2.5. A call of
another form stays one node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy._core import umath

from ..ir.graph import Node
from ..ir.op import Effect, Kind, Op, Unsupported, leaf_type
from ..ir.ops_array import METHODS
from ..ir.ops_ufunc import UFUNC
from ..ir.types import ArrayType, ScalarType
from ..ir.value import Value

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


VARIANCE = Op("variance", variance, Kind.REDUCE, Effect.FLAGS)
DEVIATION = Op("deviation", deviation, Kind.REDUCE, Effect.FLAGS)
ENDS = {
    **dict.fromkeys(("var", "ndarray.var"), VARIANCE),
    **dict.fromkeys(("std", "ndarray.std"), DEVIATION),
}
PTP = frozenset(("axis", "keepdims"))
ASKED = frozenset(("axis", "dtype", "ddof", "keepdims"))


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
        made += spread(node) if node.op.name in ENDS else between(node)
    return made


def between(node: Node) -> list[Node]:
    """A ptp of numbers that have an order of their own, in steps."""
    words = node.kwargs | dict(zip(("axis",), node.args[1:], strict=False))
    t = leaf_type(node.args[0]) if node.op.name == "ptp" else None
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
