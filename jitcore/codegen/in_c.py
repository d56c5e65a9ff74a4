"""Calls of NumPy's functions in Python that the extension has in C.

    np.histogram(x, 10, weights=w)    →    _C.histogram(...)    csrc/histogram.c

The C function calls NumPy's where it finds anything out of the ordinary, so it needs no guard.
"""

from __future__ import annotations

from numpy.lib._histograms_impl import histogram_bin_edges  # np.… may be another by now

from .. import _C
from ..ir.graph import Node
from ..ir.infer_histogram import equal_bins
from ..ir.op import Effect, Kind, Op

HISTOGRAM = Op("histogram", _C.histogram, Kind.OPAQUE, Effect.FLAGS)
IN_C = frozenset((HISTOGRAM,))


def in_c(node: Node) -> Node:
    """The node; by a C function where there is one."""
    if node.op.name != HISTOGRAM.name:
        return node
    form = equal_bins(node.args, node.kwargs)
    if form is None:
        return node
    of = node.op.target, histogram_bin_edges
    args = (*of, form.array, form.bins, form.range, form.weights)
    return Node(HISTOGRAM, args, {}, node.outputs, (), node.where)
