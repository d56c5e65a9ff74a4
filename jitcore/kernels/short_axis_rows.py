"""A reduction over few elements → C steps on them, in NumPy's order.

sum of a, b, c along memory     v = a + b, w = v + c, 0 + w
across memory                   v = 0 + a, w = v + b, w + c
argmin of a, b, c               ranks, and the place of the largest so far
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.c_expression import COPY, CExpression
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import ArrayType, fresh
from jitcore.ir.value import Value
from jitcore.kernels.lower import Lowering, signature
from jitcore.kernels.lower_argmax import RANKS, TURNED, WHERE, is_first, rank_of
from jitcore.kernels.lower_reduce import divided, lower_reduction
from jitcore.toolchain.abi import is_native

UNROLLED = Op("unrolled", None, Kind.MAP, Effect.FLAGS)
NO_PLACE, LARGER = CExpression("(0 & {0})"), CExpression("({0} > {1} ? {0} : {1})")
LONGEST = 16  # elements; NumPy's tree has one leaf for them
LANES = 8  # of a leaf of that many elements and more


@dataclass(frozen=True, slots=True, eq=False)
class Unrolled:
    """How elements become a result."""

    raw: np.dtype[Any]  # what they are cast to
    result: np.dtype[Any]
    along: bool  # NumPy goes along them in its innermost loop, and sums pairwise
    start: str = ""
    combine: str = ""
    finish: CExpression | None = None
    key: CExpression = COPY  # what is combined in an element's stead
    rank: np.dtype[Any] | None = None  # of an argmax: what is compared in their stead
    code: CExpression = COPY
    origin: Value | None = None  # the reduction's result


def unrolled(node: Node, t: ArrayType, along: bool, extent: int) -> Unrolled:
    """Of this reduction."""
    if is_first(node):
        return first(node, t)
    trial = Lowering()
    lower_reduction(node, trial)
    ((total, fold),) = trial.program.folds.items()
    (step,) = (step for step in trial.program.steps if total in step.outs)
    if fold.doubtful:
        raise CannotLower(f"{node.op.name}, whose result may be in doubt")
    divisor = divided(node, "{}LL".format)
    return Unrolled(
        *(fold.raw, fold.dtype, along and fold.pairwise),
        start=fold.start,
        combine=fold.combine,
        finish=fold.finish and fold.finish.given("{0}", str(extent), divisor),
        key=step.code or COPY,
    )


def first(node: Node, t: ArrayType) -> Unrolled:
    result = signature(node.outputs[0].type)
    if not is_native(t.dtype) or t.dtype.kind not in RANKS or t.dtype.char == "e":
        raise CannotLower(f"{node.op.name} of {t}")
    if result.dtype != WHERE or result.strides != fresh(WHERE, result.shape).strides:
        raise CannotLower(f"{node.op.name} gives {result}, which no kernel makes of it")
    rank, code = rank_of(t.dtype, TURNED[node.op.name])
    return Unrolled(t.dtype, WHERE, False, rank=rank, code=code)


def lower_unrolled(node: Node, into: Lowering) -> None:
    spec: Unrolled = node.kwargs["spec"]
    args = [into.arg(arg, spec.raw) for arg in node.args]
    lower_one = lower_fold if spec.rank is None else lower_place
    into.known[node.outputs[0]] = lower_one(spec, args, into)


def lower_fold(spec: Unrolled, args: Sequence[int], into: Lowering) -> int:
    dtype = spec.result

    def both(one: int, two: int) -> int:
        return into.step((one, two), dtype, CExpression(spec.combine))

    if spec.key != COPY:
        args = [into.step((arg,), dtype, spec.key) for arg in args]

    started = CExpression(spec.combine).given(spec.start, "{0}")
    if spec.along:
        found = into.step((leaf(args, both),), dtype, started)
    else:
        found = into.step((args[0],), dtype, started)
        for arg in args[1:]:
            found = both(found, arg)
    return into.step((found,), dtype, spec.finish) if spec.finish else found


def leaf(args: Sequence[int], both: Any) -> int:
    """As rt_leaf adds them (kernels/emit/reduction_c.py)."""
    if len(args) < LANES:
        found, rest = args[0], args[1:]
    else:
        lanes, whole = list(args[:LANES]), len(args) // LANES * LANES
        for k in range(LANES, whole):
            lanes[k % LANES] = both(lanes[k % LANES], args[k])
        while len(lanes) > 1:
            lanes = [both(one, two) for one, two in zip(lanes[::2], lanes[1::2], strict=True)]
        found, rest = lanes[0], args[whole:]
    for arg in rest:
        found = both(found, arg)
    return found


def lower_place(spec: Unrolled, args: Sequence[int], into: Lowering) -> int:
    assert spec.rank is not None
    ranks = [into.step((arg,), spec.rank, spec.code) for arg in args]
    most, place = ranks[0], into.step((ranks[0],), WHERE, NO_PLACE)
    for k, rank in enumerate(ranks[1:], 1):
        further = CExpression(f"({{0}} > {{1}} ? {k} : {{2}})")
        place = into.step((rank, most, place), WHERE, further)
        most = into.step((rank, most), spec.rank, LARGER)
    return place
