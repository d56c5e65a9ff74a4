"""Groups that feed one another row by row → one kernel that does them band by band.

    top = x.max(axis=1, keepdims=True)      rows 0 … 31, then 32 … 63, …
    e = np.exp(x - top)                     the same rows; e stays in a buffer of 32 rows
    total = e.sum(axis=1, keepdims=True)
    e / total                               the results' rows

So x is read once, and what lies between is never an array. A group that has one element of each row
is a stage of its own, whose loop goes along the rows of a band. Vectors are one row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import prod

from jitcore.host.fast_dataclass import replace
from jitcore.host.units import binary
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Node
from jitcore.ir.types import Shape
from jitcore.ir.value import Value
from jitcore.kernels.body import Input
from jitcore.kernels.chains.chain_c import divided, duration
from jitcore.kernels.chains.operands import Making, given_by, movable, result_of, whole
from jitcore.kernels.chains.stages import Chain, Outside, Shift, Stage, row_size
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.lower import is_elementwise
from jitcore.kernels.lower_argmax import is_first
from jitcore.kernels.lower_reduce import is_reduction
from jitcore.kernels.parallel_split import LEAST
from jitcore.toolchain.abi import LIMIT

BUDGET = 1 << 18  # bytes of a band, all that it reads, makes and keeps,
MOST = 1 << 19  # if a row is not longer: half of a cache of the second level
SIZED_BAND = 32  # rows, where there may be any number of columns
OTHERWISE = "one kernel reads another one's result by a view, cast or repeated"
FEW = 4  # rows: too few for several threads


def any_folds(steps: Sequence[Node | FusionGroup]) -> bool:
    return any(
        bool(step.program.folds) if isinstance(step, FusionGroup) else is_reduction(step)
        for step in steps
    )


def is_single(node: Node) -> bool:
    return is_elementwise(node) or (is_reduction(node) and not is_first(node))


def is_rowwise(group: FusionGroup) -> bool:
    """May it be a stage: all that it sums up is within rows?"""
    folds = group.program.folds.values()
    across = any(one.laid.shape[0] == 1 < group.shape[0] for one in folds if len(group.shape) > 1)
    plain = not (group.written or group.wholes or any(one.first or one.loose for one in folds))
    return plain and not across and movable(group)


def by_rows(members: Sequence[FusionGroup], kept: Collection[Value], sized: bool) -> FusionGroup:
    """One group for all; CannotLower where they do not fit. `kept`: what others read."""
    shapes = [one.shape for one in members]
    frame = max(shapes, key=prod)
    frame = frame if len(frame) > 1 else (1, *frame)
    framed = [in_frame(shape, frame) for shape in shapes]
    makers = {v: (k, n) for k, one in enumerate(members) for n, v in enumerate(one.results)}
    if not any(one.program.folds for one in members):
        raise NotCandidate("none of the kernels reduces rows")
    if None in framed:
        raise CannotLower("the kernels' arrays have not the same rows")
    if any(sums_rows(one, frame) for one in members):
        raise CannotLower("a sum over all rows is known only after the last row")
    making, stages = Making(), list[Stage]()
    inside = {value for one in members for value in one.inputs if value in makers}
    for one, shape in zip(members, framed, strict=True):
        assert shape is not None
        stage = Stage(
            replace(one.program, shared={}), shape, (), (), (0, 0), (0, 0),
            lead(one.shape, frame), len(one.shape),
        )  # fmt: skip
        reads = reads_of(one, stage, makers, stages, making)
        writes = tuple(result_of(v, one, making) if v in kept else None for v in one.results)
        stages.append(replace(stage, reads=reads, writes=writes))
    signatures = tuple(one for _, one in making.results)
    if not inside:
        raise NotCandidate("no kernel reads what another one makes")
    if len(making.given) + len(signatures) > LIMIT:
        raise CannotLower(f"together they have more than {LIMIT} inputs and results")
    rows = band(stages, making, frame)
    if rows == 0:
        raise CannotLower(f"a row takes more than {binary(MOST)}")
    rows = min(rows, frame[0]) if not sized else SIZED_BAND if frame[0] > 1 else 1
    chain = Chain(
        tuple(stages), (frame[0], frame[1]), (rows, frame[1]), len(making.given), signatures, True,
        sized,
    )  # fmt: skip
    few = frame[0] == 1 if sized else frame[0] < FEW  # one that varies may be many
    if few and duration(chain) >= 2 * LEAST:
        raise CannotLower("there are too few rows for several threads")
    taken = tuple(taken_over(members, stages, making))
    return replace(whole(divided(chain, 1), making, [], members), taken=taken)


def in_frame(shape: Shape, frame: Shape) -> Shape | None:
    """With as many axes as the frame: each as long, or 1; None where it does not fit."""
    shape = (1,) * lead(shape, frame) + shape
    shape += (1,) * (len(frame) - len(shape))
    fits = shape[0] == frame[0] and all(
        own in (1, most) for own, most in zip_longest(shape, frame, fillvalue=0)
    )
    return shape if fits else None


def lead(shape: Shape, frame: Shape) -> int:
    """Axes that it lacks in front: the one row that a vector is."""
    return int(len(shape) < len(frame) and frame[0] == 1 < shape[0])


def sums_rows(one: FusionGroup, frame: Shape) -> bool:
    """A vector with as many elements as there are rows, each of which is one of a row's: a sum of
    them is not known before the last row."""
    summed = any(fold.laid.shape[0] == 1 < one.shape[0] for fold in one.program.folds.values())
    return summed and not lead(one.shape, frame)


def reads_of(
    one: FusionGroup,
    stage: Stage,
    makers: Mapping[Value, tuple[int, int]],
    stages: Sequence[Stage],
    making: Making,
) -> tuple[Shift | Outside, ...]:
    """CannotLower where it is a result that is read in another way than it lies."""
    variables = [var for var in one.program.vars if isinstance(var, Input)]
    found: list[Shift | Outside] = []
    for (number, offset), var in zip(one.reads, variables, strict=True):
        value = one.inputs[number]
        if value not in makers:
            found.append(given_by(one, (number, offset), making))
            continue
        maker, output = makers[value]
        source = stages[maker]
        made = source.outputs[output]
        moves = zip(source.steps(made), stage.steps(var.signature), stage.shape, strict=True)
        if offset or made.dtype != var.dtype or any(a != b for a, b, n in moves if n > 1):
            raise CannotLower(OTHERWISE)
        if any(n == 1 < m for n, m in zip(stage.shape, spread(source, output), strict=True)):
            raise CannotLower(OTHERWISE)
        where = source.writes[output]
        found.append(Shift(maker, output, 0, 0) if where is None else replace(where, made=True))
    return tuple(found)


def spread(stage: Stage, output: int) -> Shape:
    """Its extents along the frame's axes: 1 where it is repeated."""
    steps = stage.steps(stage.outputs[output])
    return tuple(n if step else 1 for n, step in zip(stage.shape, steps, strict=True))


def taken_over(
    members: Sequence[FusionGroup], stages: Sequence[Stage], making: Making
) -> Iterator[tuple[Value, Value]]:
    """Results that take the memory of what an earlier stage alone reads, element by element: it
    would have taken that for what is a buffer now."""
    results = {
        making.results[write.operand]: k
        for k, stage in enumerate(stages)
        for write in stage.writes[: len(stage.program.outputs)]
        if write is not None
    }
    for k, one in enumerate(members):
        for _, dead in one.taken:
            like = (one for value, one in making.given if value is dead)
            own = next(like, None)
            rows = own and own.row()  # equal dtypes may be of two numbers
            later = (r for r, w in results.items() if r[1].row() == rows and w > k)
            result = next(later, None)
            if result is not None:
                del results[result]
                yield result[0], dead


def band(stages: Sequence[Stage], making: Making, frame: Shape) -> int:
    """How many rows at a time; 0 where one is too long."""
    rows = frame[0]
    between = sum(
        row_size(stage, k) for stage in stages for k, one in enumerate(stage.writes) if one is None
    )
    outside = [one for _, one in (*making.given, *making.results)]
    size = between + sum(prod(one.shape) * one.dtype.itemsize // rows for one in outside)
    return max(1, BUDGET // size) if size <= MOST else 0
