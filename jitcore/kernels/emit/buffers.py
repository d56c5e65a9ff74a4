"""Program and nest → what the emission writes: blocks in order, and where each variable lives.

    block   a run of C steps, or one call of a NumPy inner loop
    place   an operand's own memory, or a buffer in L1 whose slot is free after its last reader

A value that only its own run reads has no place: it lives in a register.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.c_expression import COPY
from jitcore.kernels.body import BodyStep, Constant, Input, KernelBody, Table, Temp
from jitcore.kernels.emit import reductions as folds
from jitcore.kernels.emit.fp_liveness import unkept
from jitcore.kernels.emit.reductions import BUFFERED, RUNS, WHOLE, Placed, ReductionStrategy
from jitcore.kernels.emit.skip_unselected import mask_of
from jitcore.kernels.iteration_space import IterationSpace, StrideClass

GRAIN = 64  # elements: chunks start at its multiples, as NumPy's vector loops divide a row
LONGEST = 2048  # elements of a chunk
SHORT_ROW = 256  # elements
L1 = 24576  # bytes for all buffers


@dataclass(frozen=True)
class Block:
    """Steps that run together: a run of C steps, or one call."""

    steps: tuple[BodyStep, ...]

    @property
    def is_call(self) -> bool:
        return self.steps[0].inner is not None

    @cached_property
    def reads(self) -> frozenset[int]:
        return frozenset([arg for step in self.steps for arg in step.args])

    @cached_property
    def makes(self) -> frozenset[int]:
        return frozenset([out for step in self.steps for out in step.outs])


@dataclass(frozen=True, slots=True)
class Location:
    """Where a variable is found: operand k, a constant, or a buffer slot."""

    pointer: str  # C expression of type char *, at the chunk's start
    step: str  # bytes from element to element, a C expression
    walk: StrideClass
    row: str = "0"  # bytes from row to row, along the last but one of the loops


@dataclass(slots=True)
class Kernel:
    """What the emission has decided: blocks in order, and where each stored variable lives."""

    program: KernelBody
    nest: IterationSpace
    blocks: list[Block]
    places: dict[int, Location]
    slots: list[int]  # item sizes of the buffers
    stored: set[int]
    sunk: set[int]  # read for their flags' sake
    folds: dict[int, Placed]
    held: int = 0  # elements of a row of results that stays in registers

    @property
    def runs(self) -> list[Placed]:
        return [one for one in self.folds.values() if one.way in RUNS]

    @property
    def taken(self) -> list[Placed]:
        """Folds that take their elements chunk by chunk,"""
        return [one for one in self.folds.values() if one.way in BUFFERED]

    @property
    def buffered(self) -> list[Placed]:
        """out of a buffer of their own."""
        return [one for one in self.taken if not one.source]

    @property
    def trees(self) -> list[Placed]:
        return [one for one in self.folds.values() if one.way is ReductionStrategy.TREE]

    @property
    def tiled(self) -> bool:
        """Do blocks go through several rows, since one is too short for a call?"""
        calls = any(block.is_call for block in self.blocks)
        short = self.nest.depth > 1 and self.nest.dim[-1] <= min(SHORT_ROW, self.chunk // 2)
        carried = any(step.carried for step in self.program.steps)
        own = all(one.level == self.nest.depth - 1 for one in self.runs)
        return calls and short and own and not carried

    @property
    def chunked(self) -> bool:
        apart = any(block.is_call or self.mask(block) is not None for block in self.blocks)
        return bool(self.taken) or apart

    def mask(self, block: Block) -> int | None:
        """Where nothing is selected, the block is left out."""
        return mask_of(self.program, block.steps, self.stored)

    @property
    def chunk(self) -> int:
        per_element = sum(self.slots) + sum(one.stored.itemsize for one in self.buffered) or 1
        return max(GRAIN, min(LONGEST, L1 // per_element // GRAIN * GRAIN))


def blocks_of(steps: Sequence[BodyStep]) -> list[Block]:
    """C steps that need no call between them form one run; a call stands alone."""
    level = levels(steps)
    rows: dict[int, list[BodyStep]] = {}
    for step in steps:
        rows.setdefault(level[step.outs[0]], []).append(step)
    made = []
    for at in sorted(rows):
        made += [Block((step,)) for step in rows[at]] if at % 2 else [Block(tuple(rows[at]))]
    return made


def levels(steps: Sequence[BodyStep]) -> dict[int, int]:
    """Variable → when it is made: even for C, odd for calls. C runs just before its first reader.

    Early, `sqrt(x*x + y*y)` of `exp(-x) * sqrt(x*x + y*y)` would wait in a buffer for the exp.
    """
    level: dict[int, int] = {}
    for step in steps:
        at = 0 if step.inner is None else 1
        for arg in step.args:
            if arg in level:
                at = max(at, level[arg] + (level[arg] % 2 != at % 2))
        level.update(dict.fromkeys(step.outs, at))
    first: dict[int, int] = {}  # variable → level of its first reader
    for step in reversed(steps):
        if step.inner is None:
            (out,) = step.outs
            level[out] = first.get(out, level[out]) // 2 * 2
        at = level[step.outs[0]]
        first.update((arg, min(at, first.get(arg, at))) for arg in step.args)
    return level


def with_copies(program: KernelBody, nest: IterationSpace) -> KernelBody:
    """A call never writes into a result with gaps: C copies there."""
    made = KernelBody(
        list(program.vars),
        list(program.steps),
        folds=program.folds,
        shared=program.shared,
        numbers=program.numbers,
    )
    count = len(program.inputs())
    called = {out for step in program.steps if step.inner for out in step.outs}
    for k, (var, signature) in enumerate(program.outputs.items(), count):
        if var in called and nest.walks[k] is not StrideClass.UNIT:
            copy = made.var(Temp(program.vars[var].dtype))
            made.steps.append(BodyStep((var,), (copy,), COPY))
            var = copy
        made.outputs[var] = signature
    return made


def with_elements(program: KernelBody, laid: dict[int, Placed]) -> None:
    """What is combined by blocks is kept as it is: the C function makes its key."""
    for var, one in laid.items():
        if one.way in WHOLE:
            program.vars[var] = Temp(one.stored)
    blocks = {var for var, one in laid.items() if one.way in WHOLE}
    program.steps[:] = [
        replace(step, code=COPY) if step.outs[0] in blocks else step for step in program.steps
    ]


def as_they_lie(
    program: KernelBody, laid: dict[int, Placed], places: dict[int, Location], nest: IterationSpace
) -> dict[int, Placed]:
    """The folds; those whose elements an array has one after the other take them from there."""
    found = dict(laid)
    for step in program.steps:
        one = found.get(step.outs[0])
        if one is None or step.code != COPY or one.way not in BUFFERED:
            continue
        (arg,) = step.args
        var, place = program.vars[arg], places.get(arg)
        plain = isinstance(var, Input) and not isinstance(var, Table) and var.dtype == one.stored
        run = one.way is not ReductionStrategy.TREE or one.level == nest.depth - 1
        if plain and run and place and place.walk is StrideClass.UNIT and arg not in program.shared:
            k = program.operands().index(arg)
            source = f"q{k}" if one.way is ReductionStrategy.TREE else place.pointer
            found[step.outs[0]] = replace(one, source=source)
    program.steps[:] = [
        step
        for step in program.steps
        if step.outs[0] not in found or not found[step.outs[0]].source
    ]
    return found


def plan(given: KernelBody, nest: IterationSpace, held: int = 0) -> Kernel:
    program = with_copies(given, nest)
    operands = program.operands()
    places = {var: operand_place(k, nest) for k, var in enumerate(operands)}
    first = len(operands) - len(program.folds)
    laid = {v: folds.placed(k, f, nest) for k, (v, f) in enumerate(program.folds.items(), first)}
    with_elements(program, laid)
    laid = as_they_lie(program, laid, places, nest)
    blocks = blocks_of(program.steps)
    places |= {
        v: Location(one.pointer, *in_buffer(one.stored.itemsize))
        for v, one in laid.items()
        if one.way in BUFFERED
    }
    stored = {*program.outputs, *program.folds}
    readers = Counter(var for block in blocks for var in block.reads)
    for block in blocks:
        others = (var for var in block.makes if readers[var] > (var in block.reads))
        stored.update(block.makes if block.is_call else others)
    slots = buffers(program, blocks, stored, places)
    for var, found in enumerate(program.vars):
        if isinstance(found, Constant):
            places[var] = Location(f"(char *)&k{var}", "0", StrideClass.STILL)
    sunk = unkept(program, stored)
    made = Kernel(program, nest, blocks, places, slots, stored, sunk, laid, held)
    made.held = 0 if made.chunked else held
    return made


def operand_place(k: int, nest: IterationSpace) -> Location:
    walk = nest.walks[k]
    row = f"step[{k * nest.depth + nest.depth - 2}]" if nest.depth > 1 else "0"
    if walk is StrideClass.STILL:
        return Location(f"q{k}", "0", walk, row)
    return Location(f"(q{k} + at * s{k})", f"s{k}", walk, row)


def in_buffer(size: int) -> tuple[str, StrideClass, str]:
    """How elements of this size follow one another, and rows."""
    return str(size), StrideClass.UNIT, f"n * {size}"


def buffers(
    program: KernelBody, blocks: list[Block], stored: set[int], places: dict[int, Location]
) -> list[int]:
    """Give each stored variable without memory of its own a slot, freed after its last reader."""
    last = {var: at for at, block in enumerate(blocks) for var in block.reads}
    slots: list[int] = []
    busy: dict[int, int] = {}  # slot → last block that reads it
    for at, block in enumerate(blocks):
        for var in sorted(block.makes & stored):
            if var in places:
                continue
            size = program.vars[var].dtype.itemsize
            free = (s for s, have in enumerate(slots) if have == size and busy[s] < at)
            slot = next(free, len(slots))
            if slot == len(slots):
                slots.append(size)
            busy[slot] = last.get(var, at)
            places[var] = Location(f"b{slot}", *in_buffer(size))
    return slots
