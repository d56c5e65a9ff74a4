"""The stages of a chain: how far each runs ahead, where its operands lie, the loops over one band.

    buffer of a stage     rows of `room` columns, a cache's line apart from one another at least
    a view of it          the same steps, from another row and column on
    an array outside      its own steps, 0 where it is repeated

Records and arithmetic; passes/chain.py chooses, chain_c.py writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.types import Shape
from jitcore.kernels.body import Input, KernelBody
from jitcore.kernels.iteration_space import IterationSpace, broadcast_steps, walk
from jitcore.toolchain.abi import Signature

REACH = 8  # rows and columns that a stage may be ahead, or have left at the end
WIDEST = 16  # bytes of an element
LINE, PAGE = 64, 4096

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shift:
    """What a stage reads of another one's result: from which row and column on."""

    maker: int
    output: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Outside:
    """What it reads, or writes, of the program's: an operand of the chain, and the byte in it."""

    operand: int
    offset: int
    made: bool = False  # one of its results, that is read


@dataclass(frozen=True, slots=True)
class Stage:
    """`shape`: that of its program, `lead` axes of extent 1 before it and others behind, so that
    all stages have as many."""

    program: KernelBody
    shape: Shape
    reads: tuple[Shift | Outside, ...]  # as its program's inputs
    writes: tuple[Outside | None, ...]  # its results; None: a buffer
    low: Pair
    high: Pair
    lead: int = 0
    axes: int = 0  # of its program, if fewer

    @property
    def narrow(self) -> bool:
        """Has it but one element of each row? Then its loop goes along the rows."""
        return all(extent == 1 for extent in self.shape[1:])

    @property
    def between(self) -> bool:
        return None in self.writes

    @property
    def outputs(self) -> list[Signature]:
        """Its results, as they lie in the loop."""
        return [*self.program.outputs.values(), *(one.laid for one in self.program.folds.values())]

    def steps(self, operand: Signature) -> tuple[int, ...]:
        """Along each axis, 0 where it is repeated."""
        axes = self.axes or len(self.shape)
        own = self.shape[self.lead : self.lead + axes]
        behind = len(self.shape) - self.lead - axes
        return (0,) * self.lead + broadcast_steps(operand, own) + (0,) * behind

    def range(self, axis: int, start: int, tile: int, frame: int) -> Pair:
        """What there must be of it, for the results from `start` on."""
        most, end = self.shape[axis], start + tile
        first = 0 if start == 0 else min(most, start + self.low[axis])
        return first, most if end >= frame else min(most, end + self.high[axis])


@dataclass(frozen=True, slots=True)
class Chain:
    stages: tuple[Stage, ...]
    frame: Pair  # rows and columns of the results
    tile: Pair
    given: int  # operands that are read
    results: tuple[Signature, ...]
    dense: bool = False  # buffers have all columns, row by row, as arrays have
    sized: bool = False  # no number is a quotient, or rounded: they serve for all sizes

    def room(self, stage: Stage, axis: int) -> int:
        """Rows, or columns, that its buffers hold."""
        tile, frame = self.tile[axis], self.frame[axis]
        if self.sized:
            ahead = max(stage.high[axis], REACH) - min(stage.low[axis], 0)
            return tile + (0 if self.dense else ahead)
        starts = range(0, frame, tile)  # all between those at the ends are alike
        ranges = (stage.range(axis, at, tile, frame) for at in {*starts[:2], *starts[-2:]})
        return max(end - first for first, end in ranges)


def row_size(stage: Stage, output: int) -> int:
    """Bytes of one of its results for a row of the frame."""
    own = stage.outputs[output]
    return own.dtype.itemsize * prod(own.shape[1 - stage.lead :])


def write_steps(stage: Stage, output: int) -> tuple[int, ...]:
    """Of what it computes for each element: never 0, where an axis has one element either."""
    own = stage.outputs[output]
    if output >= len(stage.program.outputs):
        return stage.steps(own)
    return tuple(step or own.dtype.itemsize for step in stage.steps(own))


def buffer_steps(chain: Chain, stage: Stage, output: int) -> tuple[int, ...]:
    """Of one of its buffers, along each axis."""
    own = write_steps(stage, output)
    if chain.dense:
        return row_size(stage, output), *own[1:]
    row = -(-chain.room(stage, 1) * own[1] // LINE) * LINE
    return row + LINE * (row % PAGE == 0), *own[1:]


def buffer_size(chain: Chain, stage: Stage, output: int) -> int:
    if chain.sized and chain.dense:
        items = row_size(stage, output) // stage.outputs[output].dtype.itemsize
        return items * chain.room(stage, 0) * WIDEST
    size = buffer_steps(chain, stage, output)[0] * chain.room(stage, 0)
    return -(-size // LINE) * LINE


def read_steps(chain: Chain, read: Shift) -> tuple[int, ...]:
    """Of a buffer: 0 where its stage has one element for many."""
    maker = chain.stages[read.maker]
    moves = maker.steps(maker.outputs[read.output])
    steps = zip(buffer_steps(chain, maker, read.output), moves, strict=True)
    return tuple(step if move else 0 for step, move in steps)


def operand_steps(chain: Chain, stage: Stage) -> list[tuple[int, ...]]:
    """Of each operand of its program, along each axis."""
    variables = (var for var in stage.program.vars if isinstance(var, Input))
    found = [
        read_steps(chain, read) if isinstance(read, Shift) else stage.steps(var.signature)
        for read, var in zip(stage.reads, variables, strict=True)
    ]
    for k, write in enumerate(stage.writes):
        found.append(write_steps(stage, k) if write else buffer_steps(chain, stage, k))
    return found


def stage_nest(chain: Chain, stage: Stage) -> tuple[IterationSpace, int]:
    """Rows, columns and what lies in them; columns and the axes in them are one loop where they can
    be. And how many elements of that loop a column is. Of a narrow one the columns are rows."""
    columns = operand_steps(chain, stage)
    along = [tuple(steps[axis] for steps in columns) for axis in range(len(stage.shape))]
    if stage.narrow:
        along[:2] = [(0,) * len(columns), along[0]]
        return nest_along((1, chain.room(stage, 0)), along[:2], stage), 1
    merged, unit = [(stage.shape[1], along[1])], 1
    for extent, steps in zip(stage.shape[2:], along[2:], strict=True):
        if extent == 1:
            continue
        before, outer = merged[-1]
        if all(a == b * extent for a, b in zip(outer, steps, strict=True)):
            merged[-1] = before * extent, steps
            unit *= extent if len(merged) == 1 else 1
        else:
            merged.append((extent, steps))
    inner = (chain.room(stage, 1) * unit, *(extent for extent, _ in merged[1:]))
    loops = (along[0], *(steps for _, steps in merged))
    return nest_along((chain.room(stage, 0), *inner), loops, stage), unit


def nest_along(
    dim: tuple[int, ...], loops: Sequence[tuple[int, ...]], stage: Stage
) -> IterationSpace:
    """`loops`: the steps of all operands, loop by loop."""
    dtypes = [stage.program.vars[var].dtype for var in stage.program.operands()]
    walks = (walk(own, dtype.itemsize) for own, dtype in zip(loops[-1], dtypes, strict=True))
    return IterationSpace(dim, tuple(zip(*loops, strict=True)), tuple(walks))


def frame_nest(chain: Chain, shape: Shape, written: int) -> IterationSpace:
    """What a launch knows of the loops: the rows that are cut into parts; and where the elements of
    what is written lie, to put back what was there."""
    still = (0,) * len(shape)
    steps = [still] * chain.given
    steps += [one.strides if k < written else still for k, one in enumerate(chain.results)]
    return IterationSpace((*chain.frame, *shape[2:]), tuple(steps), ())
