"""Calls of NumPy's functions in Python that the extension has in C.

    np.histogram(x, 10, weights=w)    →    _C.histogram(...)    csrc/numpy/histogram.c
    (1.5 * a) @ x                     →    _C.scaled_product(...)    scaled_gemv.py,
                                                                     csrc/numpy/blas_scaled_gemv.c
    np.bincount(x, minlength=10)      →    _C.bincount(x, None, 10)    csrc/numpy/bincount.c
    np.dot(a, b), a @ b               →    _C.small_dot(a, b)    small_matmul.py,
                                                                 csrc/numpy/small_matmul.c

The C function calls NumPy's where it finds anything out of the ordinary, so it needs no guard. That
of bincount sees to it that there are as many bins as was presumed: NumPy's own never stands in. Nor
does it for products: theirs raise an error, and CPython repeats the region.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import histogram_bin_edges
from jitcore.ir.graph import Node
from jitcore.ir.infer.bincount import Bins, bins_of
from jitcore.ir.infer.histogram import equal_bins
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.ops.numpy import BINCOUNT
from jitcore.ir.types import ArrayType
from jitcore.passes.scaled_gemv import SCALED
from jitcore.passes.small_matmul import DOT, MATMUL, of_dot, of_matmul


@dataclass(frozen=True, slots=True)
class CallRow:
    """`op`: the function of our own. `args`: what it is called with; None: the call is NumPy's."""

    op: Op
    args: Callable[[Node], tuple[Any, ...] | None]


def of_histogram(node: Node) -> tuple[Any, ...] | None:
    form = equal_bins(node.args, node.kwargs)
    if form is None:
        return None
    of = node.op.target, histogram_bin_edges
    return (*of, form.array, form.bins, form.range, form.weights)


ROWS = {  # by the names of NumPy's
    "histogram": CallRow(Op("histogram", _C.histogram, Kind.OPAQUE, Effect.FLAGS), of_histogram),
    "dot": CallRow(DOT, of_dot),
    "ndarray.dot": CallRow(DOT, of_dot),
    "matmul": CallRow(MATMUL, of_matmul),
}
IN_C = frozenset((*(row.op for row in ROWS.values()), SCALED))


def own_bins(node: Node) -> Bins | None:
    """A call of np.bincount of which an array of so many bins is expected."""
    mine = node.op is BINCOUNT and isinstance(node.outputs[0].type, ArrayType)
    return bins_of(node.args, node.kwargs) if mine else None


def in_c(node: Node) -> Node:
    """The node; by a C function where there is one."""
    row = ROWS.get(node.op.name)
    args = row.args(node) if row is not None else None
    if row is None or args is None:
        return node
    return Node(row.op, args, {}, node.outputs, (), node.where)
