"""Program and nest → where the loop may be cut into parts for several threads
(csrc/kernel/split.c).

    x * y + 1        1,000,000                   anywhere, at multiples of 64
    x[::2] + y       500 rows of 1,000           between rows
    x.sum(axis=1)    500 rows of 1,000, a fold   between rows: each part has results of its own
    x.sum(axis=0)    the same                    between columns, at multiples of 64
    x.sum(), all contiguous                      where NumPy's tree of sums divides; joined as there
    x.prod()                                     nowhere: one after the other

Every element, and every node of a tree, is computed by one thread in the way in which one thread
computes them all, so the bits do not depend on the number of threads.
"""

from __future__ import annotations

from math import ceil, prod

from jitcore import _C
from jitcore.ir.c_expression import CKind
from jitcore.kernels.body import BodyStep, KernelBody, Table
from jitcore.kernels.emit import reductions
from jitcore.kernels.emit.buffers import GRAIN
from jitcore.kernels.iteration_space import IterationSpace
from jitcore.toolchain.numpy_loops import Freedom

# axis, elements of a grain, grains of the smallest part, joined folds
Cut = tuple[int, int, int, int]
NOWHERE: Cut = (0, 0, 0, 0)
TREE_GRAIN = 8  # NumPy's trees divide at its multiples
FEW = 16  # grains of an axis: one with more divides more evenly
COLUMNS = 8  # grains of the shortest piece of a row: each part goes through all rows

# What an element costs in nanoseconds, by measurement on one processor (docs/performance.md). It
# need not be right: what is far below or above LEAST decides itself.
STEP, LONG_STEP = 0.004, 0.03  # for each byte of the result; divisions and square roots
BYTE = 0.005
CALL, COMPLEX = 1.2, 15.0
CALLS = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "absolute", "negative"), 0.3),
    **dict.fromkeys(("minimum", "maximum", "fmin", "fmax", "clip", "isinf", "isfinite"), 0.3),
    **dict.fromkeys(("floor", "ceil", "trunc", "rint", "copysign", "square"), 0.3),
    **dict.fromkeys(("power", "tanh", "arctan2", "arcsin", "arccos", "arctan"), 2.0),
    **dict.fromkeys(("floor_divide", "remainder", "fmod", "divmod", "float_power"), 8.0),
    **dict.fromkeys(("hypot", "logaddexp", "logaddexp2", "arccosh"), 8.0),
}
SLOW_DOUBLES = {"sin": 8.0, "cos": 8.0}
LEAST = 14_000.0  # nanoseconds of a part: starting one and waiting for it costs some thousand
ALONE = 100_000.0  # of a loop that NumPy runs as well as one thread can
SHORT = 4096  # elements of a reduction whose call takes longer than its loop
TINY = 256  # elements of anything else: its call takes several times as long
SHORT_SEARCH = 512  # of an argmax, which is faster
SHORT_ROWS = 65536  # of one along some axes, for each row of which NumPy has work of its own
POOLED = 32 << 20  # bytes; malloc gives larger blocks back to the system each time


def cut(program: KernelBody, nest: IterationSpace) -> Cut:
    axes = [axis for axis in range(nest.depth) if divides(axis, program, nest)]
    if not axes:
        return tree_cut(program, nest)
    grains = {axis: ceil(nest.dim[axis] / grain_of(axis, nest)) for axis in axes}
    axis = next((axis for axis in axes if grains[axis] >= FEW), max(axes, key=lambda a: grains[a]))
    each = nest.size / grains[axis] * cost(program, nest)
    between_columns = axis > 0 and axis == nest.depth - 1
    least = max(COLUMNS if between_columns else 1, ceil(LEAST / each))
    return axis, grain_of(axis, nest), least, 0


def tree_cut(program: KernelBody, nest: IterationSpace) -> Cut:
    """Parts of whole reductions begin at places that suit NumPy's sums, not its vector loops."""
    first = len(program.operands()) - len(program.folds)
    laid = [reductions.placed(k, f, nest) for k, f in enumerate(program.folds.values(), first)]
    loops = [step.inner for step in program.steps if step.inner]
    if any(step.carried or is_function(step) for step in program.steps):
        return (
            NOWHERE  # elements at a part's end are computed by scalar functions, others by vectors
        )
    if not reductions.joined(laid, nest.depth) or any(one.freedom <= Freedom.FLAT for one in loops):
        return NOWHERE
    return 0, TREE_GRAIN, ceil(LEAST / TREE_GRAIN / cost(program, nest)), len(laid)


def is_function(step: BodyStep) -> bool:
    """Does its C call a function of the C library, as numerics="fast" does?"""
    return step.code is not None and step.code.kind is CKind.LIBRARY


def grain_of(axis: int, nest: IterationSpace) -> int:
    """NumPy's vector loops divide a row at multiples of GRAIN."""
    return GRAIN if axis == nest.depth - 1 else 1


def divides(axis: int, program: KernelBody, nest: IterationSpace) -> bool:
    """Has each part folds of its own, whose results lie in one piece of memory?"""
    if axis == nest.depth - 1 and any(step.carried for step in program.steps):
        return False
    first = len(program.operands()) - len(program.folds)
    for k, fold in enumerate(program.folds.values(), first):
        steps = nest.steps[k]
        others = [e for e, step in zip(nest.dim, steps, strict=True) if step]
        if steps[axis] * nest.dim[axis] != fold.dtype.itemsize * prod(others):
            return False
    return True


def pays_alone(program: KernelBody, nest: IterationSpace) -> bool:
    """Does this NumPy call gain as a kernel of its own: by several threads, because its result is
    so large that it comes from the pool, NumPy's from pages that nobody has touched, or because
    it is short?"""
    if any(step.carried for step in program.steps):
        return True  # NumPy's loop waits for its own stores
    firsts = [fold.first for fold in program.folds.values() if fold.first]
    if firsts:  # one that has the largest so far beside it goes along rows, where NumPy copies
        return nest.size <= SHORT_SEARCH or any(first.best >= 0 for first in firsts)
    if program.folds and nest.size <= (SHORT if nest.depth == 1 else SHORT_ROWS):
        return True
    gathers = any(isinstance(var, Table) for var in program.vars)
    if not program.folds and not gathers and 1 < nest.size <= TINY:
        return True
    if nest.size * cost(program, nest) < ALONE:
        return False
    if program.folds:
        return _C.threads() > 1 and cut(program, nest) != NOWHERE
    results = (program.vars[var].dtype.itemsize * nest.size for var in program.outputs)
    return max(results) >= POOLED or (_C.threads() > 1 and cut(program, nest) != NOWHERE)


def cost(program: KernelBody, nest: IterationSpace) -> float:
    """Nanoseconds of an element, more or less."""
    moved = sum(
        program.vars[var].dtype.itemsize
        for var, steps in zip(program.operands(), nest.steps, strict=True)
        if steps[-1]
    )
    return BYTE * moved + sum(step_cost(step, program) for step in program.steps)


def step_cost(step: BodyStep, program: KernelBody) -> float:
    if is_function(step):
        return CALL
    if step.inner is None:
        each = LONG_STEP if step.code and step.code.slow else STEP
        return each * sum(program.vars[out].dtype.itemsize for out in step.outs)
    name, first = step.inner.ufunc.__name__, step.inner.dtypes[0]
    if first.kind == "c":
        return COMPLEX
    slow = SLOW_DOUBLES.get(name) if first.char == "d" else None
    return slow or CALLS.get(name, CALL)
