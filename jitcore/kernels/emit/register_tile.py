"""Short rows of results stay in registers while values join them.

    (patch * weights).sum(axis=(1, 2, 3))    patch f4[8,5,5,3,1], weights f4[5,5,3,8]

    for images
        r = the 8 results of this image
        for rows, for columns and channels
            r[i] = r[i] + x * w[i]
        the results = r

Else each value would be added to what was stored a moment ago, which takes as long as loading,
adding and storing; and the loop over so few elements would take longer to begin than to run. So
the row's length stands in the text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jitcore.kernels.body import KernelBody, Table
from jitcore.kernels.emit.reductions import ReductionStrategy, placed
from jitcore.kernels.iteration_space import IterationSpace, StrideClass

WIDEST = 128  # bytes of all results: a quarter of the registers that AVX2 has
VECTOR = 32

# Before a loop of so few rounds that the compiler would take it apart before it looks for vectors.
AS_IT_IS = '#define RT_AS_IT_IS _Pragma("GCC unroll 1")'


def held(program: KernelBody, nest: IterationSpace, varying: Collection[int] = ()) -> int:
    """How many elements a row of the results has; 0: they do not stay. `varying`: extents that one
    text serves with others, and says nowhere."""
    count = nest.dim[-1]
    if count in varying or not program.folds or program.outputs or nest.depth < 2:
        return 0
    if any(step.inner or step.carried for step in program.steps):
        return 0
    if any(isinstance(var, Table) for var in program.vars):
        return 0
    first = len(program.operands()) - len(program.folds)
    laid = [placed(k, fold, nest) for k, fold in enumerate(program.folds.values(), first)]
    still = all(nest.steps[one.k][-2] == 0 for one in laid)
    rows = all(
        one.way is ReductionStrategy.MANY and nest.walks[one.k] is StrideClass.UNIT for one in laid
    )
    wide = count * sum(one.dtype.itemsize for one in laid)
    return count if still and rows and wide <= WIDEST else 0


def pieces(count: int, itemsize: int) -> Iterator[tuple[int, int]]:
    """From where to where loops go that are one vector each."""
    at = 0
    while at < count:
        length = max(1, VECTOR // itemsize)
        while length > count - at:
            length //= 2
        yield at, at + length
        at += length


def around(nest: IterationSpace, folds: Collection[int]) -> int:
    """How many loops, outermost first, go from one row of the results to another."""
    moving = [axis for k in folds for axis in range(nest.depth - 1) if nest.steps[k][axis]]
    return max(moving, default=-1) + 1
