"""Program and nest → where the loop may be cut into parts for several threads (csrc/parts.c).

    x * y + 1        1,000,000                   anywhere, at multiples of 64
    x[::2] + y       500 rows of 1,000           between rows
    x.sum(axis=1)    500 rows of 1,000, a fold   between rows: each part has results of its own
    x.sum(axis=0)    the same                    between columns, at multiples of 64
    x.sum()                                      nowhere

Every element, and every result of a fold, is computed by one thread in the way in which one thread
computes them all, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

from math import ceil, prod

from .layout import GRAIN
from .loops import Nest
from .program import Program, Step

Cut = tuple[int, int, int]  # axis, elements of a grain, grains of the smallest part
NOWHERE: Cut = (0, 0, 0)
FEW = 16  # grains of an axis: one with more divides more evenly

# What an element costs in nanoseconds, by measurement on one processor (docs/performance.md). It
# need not be right: what is far below or above LEAST decides itself.
STEP = 0.12
BYTE = 0.025
CALL = 2.0
CALLS = {
    **dict.fromkeys(("sin", "cos", "tan", "power", "arctan2"), 8.0),
    **dict.fromkeys(("add", "subtract", "multiply", "absolute", "sqrt"), 0.4),
    **dict.fromkeys(("minimum", "maximum", "floor", "ceil", "trunc", "rint", "copysign"), 0.4),
}
LEAST = 10_000.0  # nanoseconds of a part: starting one and waiting for it costs some thousand


def cut(program: Program, nest: Nest) -> Cut:
    axes = [axis for axis in range(nest.depth) if divides(axis, program, nest)]
    if not axes:
        return NOWHERE
    grains = {axis: ceil(nest.dim[axis] / grain_of(axis, nest)) for axis in axes}
    axis = next((axis for axis in axes if grains[axis] >= FEW), max(axes, key=lambda a: grains[a]))
    each = nest.size / grains[axis] * cost(program, nest)
    return axis, grain_of(axis, nest), max(1, ceil(LEAST / each))


def grain_of(axis: int, nest: Nest) -> int:
    """NumPy's vector loops divide a row at multiples of GRAIN."""
    return GRAIN if axis == nest.depth - 1 else 1


def divides(axis: int, program: Program, nest: Nest) -> bool:
    """Has each part folds of its own, whose results lie in one piece of memory?"""
    first = len(program.operands()) - len(program.folds)
    for k, fold in enumerate(program.folds.values(), first):
        steps = nest.steps[k]
        others = [e for e, step in zip(nest.dim, steps, strict=True) if step]
        if steps[axis] * nest.dim[axis] != fold.dtype.itemsize * prod(others):
            return False
    return True


def cost(program: Program, nest: Nest) -> float:
    """Nanoseconds of an element, more or less."""
    moved = sum(
        program.vars[var].dtype.itemsize
        for var, steps in zip(program.operands(), nest.steps, strict=True)
        if steps[-1]
    )
    return BYTE * moved + sum(map(step_cost, program.steps))


def step_cost(step: Step) -> float:
    return STEP if step.inner is None else CALLS.get(step.inner.ufunc.__name__, CALL)
