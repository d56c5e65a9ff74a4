"""argmax, argmin → a fold of places: the first of the largest elements, by their ranks.

    x: f64[4,5]   argmax            v = x         fold: i64[1,1], searched chunk by chunk
    x: f64[4,5]   argmax over 0     v = rank(x)   fold: i64[1,5]   {1} > largest ? row : {0}
                                    w = v         fold: i64[1,5]   the largest so far, thrown away

A rank is an integer: NaNs are above all, both zeros are one, and for argmin the order is turned
round. So no comparison raises a flag, and a place is found in whatever way the loop goes along one
axis. Along all axes it must go in the order of the places: arrays that lie otherwise stay NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore import _C
from jitcore.ir.c_expression import COPY, CExpression, CKind
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.types import ArrayType, Shape, fresh
from jitcore.kernels.body import BodyStep, First, Reduction
from jitcore.kernels.casts import TRUTH
from jitcore.kernels.lower import Lowering, signature
from jitcore.kernels.lower_reduce import asked, laid_out, order_of, reduced
from jitcore.toolchain.abi import ARRAY, Signature, c_type, is_native
from jitcore.toolchain.literals import literal

TURNED = {
    **dict.fromkeys(("argmax", "ndarray.argmax"), False),
    **dict.fromkeys(("argmin", "ndarray.argmin"), True),
}
TURNED_INT = CExpression("({T})~{0}")
RANKS = {  # of argmax, of argmin; T: the C type of the rank, F: of the element
    "f": tuple(CExpression(f"rt_rank_{{F}}({{0}}, {k})", CKind.RANKS) for k in (0, 1)),
    "i": (COPY, TURNED_INT),
    "u": (COPY, TURNED_INT),
    "b": (TRUTH, CExpression("({0} == 0)")),
}
WHERE = np.dtype(np.int64)
LONG_ROW, LONG_RUN = 16, 128  # elements; what is shorter NumPy searches as fast
LARGER, ITS_PLACE = "({1} > {0} ? {1} : {0})", "({1} > {2} ? {3} : {0})"


def is_first(node: Node) -> bool:
    return node.op.name in TURNED


def lower_first(node: Node, into: Lowering) -> None:
    """Append the rank as a step of its own, and what becomes of it."""
    t = reduced(node)
    axes, result = axes_of(node, t), signature(node.outputs[0].type)
    if not is_native(t.dtype) or t.dtype.kind not in RANKS or t.dtype.char == "e":
        raise CannotLower(f"{node.op.name} of {t}")
    if result.dtype != WHERE or result.strides != fresh(WHERE, result.shape).strides:
        raise CannotLower(f"{node.op.name} gives {result}, which no kernel makes of it")
    rank, code = rank_of(t.dtype, TURNED[node.op.name])
    element, found = into.arg(node.args[0], t.dtype), into.temp(rank)
    into.program.steps.append(BodyStep((element,), (found,), code))
    into.known[node.outputs[0]] = found
    still = order_of(t)[-1] in axes
    best = -1 if still else into.temp(rank)
    first = searched(t.dtype, rank, code, TURNED[node.op.name], best)
    into.program.folds[found] = fold(WHERE, "0", ITS_PLACE, t, axes, result, first)
    if not still:
        least = literal(rank.type(np.iinfo(rank).min))
        own = Signature(ARRAY, rank, result.shape, fresh(rank, result.shape).strides)
        into.program.steps.append(BodyStep((found,), (best,), COPY))
        into.program.folds[best] = fold(rank, least, LARGER, t, axes, own)


def axes_of(node: Node, t: ArrayType) -> tuple[int, ...]:
    """The axes that are searched, if a loop can go along them in the order of the places."""
    axes, _ = asked(node, t)
    order = order_of(t)
    if not set(axes) & set(order):
        raise CannotLower(f"{node.op.name} of {t} over the axes {axes}")
    strides = [t.strides[axis] for axis in order]
    if strides != sorted(set(strides), reverse=True) or strides[-1] <= 0:
        raise CannotLower(f"{node.op.name} of {t}")
    if len(axes) > 1 and order != tuple(sorted(order)):
        raise CannotLower(f"{node.op.name} of {t}, which is not in C order")
    last = t.shape[order[-1]]
    if t.size > last and last < (LONG_RUN if order[-1] in axes else LONG_ROW) and len(axes) == 1:
        raise CannotLower(f"{node.op.name} of {t} has short rows")
    return axes


def rank_of(dtype: np.dtype[Any], turned: bool) -> tuple[np.dtype[Any], CExpression]:
    """The type of the ranks, and C for an element's."""
    signed = "i" if dtype.kind in "if" else "u"
    rank: np.dtype[Any] = np.dtype(f"{signed}{dtype.itemsize}")
    return rank, RANKS[dtype.kind][turned].of(T=c_type(rank), F=c_type(dtype))


def searched(
    dtype: np.dtype[Any], rank: np.dtype[Any], code: CExpression, turned: bool, best: int
) -> First:
    kind = c_type(dtype)
    name = f"rt_{'least' if turned else 'most'}_{kind}{'_bool' * (dtype.kind == 'b')}"
    helper = f"RT_FIRST({name}, {kind}, {c_type(rank)}, {code.text.format('v')})"
    loop = _C.search_loop(dtype, turned)
    if loop is None:
        raise CannotLower(f"NumPy's own function for {dtype}")
    return First(best, loop, name, helper, rank)


def fold(
    dtype: np.dtype[Any],
    start: str,
    combine: str,
    t: ArrayType,
    axes: tuple[int, ...],
    result: Signature,
    first: First | None = None,
) -> Reduction:
    laid: tuple[Shape, Shape] = laid_out(t.shape, axes, result)
    return Reduction(
        result=result,
        dtype=dtype,
        laid=Signature(ARRAY, dtype, *laid),
        order=Signature(ARRAY, t.dtype, t.shape, t.strides),
        start=start,
        combine=combine,
        finish=None,
        in_order=True,
        pairwise=False,
        block="",
        raw=t.dtype,
        first=first,
    )
