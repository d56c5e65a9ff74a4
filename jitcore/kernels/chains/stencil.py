"""Groups that feed one another by shifted views → one kernel that does them band by band.

    lap  = 4 * f[1:-1] - f[2:] - f[:-2]       rows 0 … R0
    flux = lap[1:] - lap[:-1]                 rows 0 … R1     reads lap from row 0 and from row 1

    band      lap: rows in its buffer     flux
    0 … 4     0 … 5                       0 … 4
    4 … 8     4 kept, 5 … 9               4 … 8       what is kept moves to the buffer's start
    8 … 12    8 kept, 9 … all             8 … 12      the last band does what is left

So what lies between is never an array, and stays in a cache. A band is so many rows of the results;
a stage is `low` to `high` rows ahead of them. Where rows are long, columns are cut into panels, and
each panel computes the columns at its edges anew: the same bits and flags. So do parts of several
threads with their first rows. Edges that nobody reads are computed, too, for their flags.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from jitcore.host.fast_dataclass import replace
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value
from jitcore.kernels.body import Input
from jitcore.kernels.chains.chain_c import divided
from jitcore.kernels.chains.operands import Making, given_by, movable, result_of, whole
from jitcore.kernels.chains.stages import REACH, Chain, Pair, Shift, Stage
from jitcore.kernels.group import FusionGroup
from jitcore.toolchain.abi import LIMIT, Signature

BUDGET = 1 << 19  # bytes of all buffers of a thread: half of a cache of the second level
BAND = 4  # rows
SIZED_BAND = 16  # where there may be any number of columns
NARROW = 128  # elements of a panel's row, at least


def is_shifted(group: FusionGroup) -> bool:
    """May it be a stage: run in parts of any shape, and in any order?"""
    plain = not (group.program.folds or group.program.numbers)
    apart = group.write is None or not group.program.shared
    wide = len(group.shape) > 1 and min(group.shape[:2]) > 1
    return plain and apart and wide and movable(group)


def by_shifts(members: Sequence[FusionGroup], kept: Collection[Value], sized: bool) -> FusionGroup:
    """One group for all; CannotLower where they do not fit. `kept`: what others read."""
    makers = {v: (k, n) for k, one in enumerate(members) for n, v in enumerate(one.results)}
    reads = [shifts(one, makers) for one in members]
    if len({one.shape[2:] for one in members}) > 1:
        raise CannotLower("the kernels' arrays differ along later axes than the second")
    shifted = [[s for s in found if isinstance(s, Shift)] for found in reads]
    stores = [one for one in members if one.written]
    if not any(shifted):
        raise NotCandidate("no kernel reads what another one makes")
    if len(stores) > 1:
        raise CannotLower("several of the kernels store into arrays that exist already")
    fed = {shift.maker for found in shifted for shift in found}
    ahead = [leads(members, shifted, axis) for axis in (0, 1)]
    ends = [one.shape for k, one in enumerate(members) if k not in fed]
    frame = max(shape[0] for shape in ends), max(shape[1] for shape in ends)
    if any(one.shape[:2] != frame for one in stores):
        raise CannotLower("what is stored is smaller than other results")
    making = Making()
    if stores and not settled(stores[0], members, making):
        raise CannotLower("one kernel reads the array that another one stores into")
    stages = [
        Stage(
            replace(one.program, shared={}),  # what it takes over for itself, others may read
            one.shape,
            tuple(read if isinstance(read, Shift) else given_by(one, read, making) for read in own),
            tuple(None if k in fed else result_of(v, one, making) for v in one.results),
            (ahead[0][k][0], ahead[1][k][0]),
            (ahead[0][k][1], ahead[1][k][1]),
        )
        for k, (one, own) in enumerate(zip(members, reads, strict=True))
    ]
    tile = tile_for(stages, frame, sized)
    if not all(near(stage, frame) for stage in stages) or tile is None:
        raise CannotLower(f"the arrays' extents differ by more than {REACH}")
    if len(making.given) + len(making.results) > LIMIT:
        raise CannotLower(f"together they have more than {LIMIT} inputs and results")
    signatures = tuple(one for _, one in making.results)
    chain = Chain(tuple(stages), frame, tile, len(making.given), signatures, sized=sized)
    return whole(divided(chain, BAND), making, stores, members)


def shifts(
    one: FusionGroup, makers: Mapping[Value, tuple[int, int]]
) -> list[Shift | tuple[int, int]]:
    """What each of its inputs is; CannotLower where it is a result read in another way."""
    variables = [var for var in one.program.vars if isinstance(var, Input)]
    found: list[Shift | tuple[int, int]] = []
    for (number, offset), var in zip(one.reads, variables, strict=True):
        value = one.inputs[number]
        if value not in makers:
            found.append((number, offset))
            continue
        shift = shift_of(value, offset, var.signature, one.shape)
        if shift is None:
            raise CannotLower("one kernel reads another one's result by a view with other steps")
        found.append(Shift(*makers[value], *shift))
    return found


def shift_of(value: Value, offset: int, seen: Signature, shape: tuple[int, ...]) -> Pair | None:
    """Which row and column of a dense array a view begins with, if it has the array's steps."""
    t = value.type
    if not isinstance(t, ArrayType) or not t.c_contiguous or seen.shape != shape:
        return None
    if t.ndim != len(shape) or t.shape[2:] != shape[2:] or seen.strides != t.strides or offset < 0:
        return None
    rows, rest = divmod(offset, t.strides[0])
    columns, rest = divmod(rest, t.strides[1])
    inside = rows + shape[0] <= t.shape[0] and columns + shape[1] <= t.shape[1]
    return (rows, columns) if rest == 0 and inside else None


def leads(members: Sequence[FusionGroup], shifted: Sequence[list[Shift]], axis: int) -> list[Pair]:
    """How far each must be ahead of the results, at least and at most."""
    found = [(0, 0)] * len(members)
    fed: set[int] = set()
    for k in reversed(range(len(members))):
        low, high = found[k]
        for shift in shifted[k]:
            by = shift.columns if axis else shift.rows
            one = low + by, high + by
            least, most = found[shift.maker] if shift.maker in fed else one
            found[shift.maker] = min(least, one[0]), max(most, one[1])
            fed.add(shift.maker)
    return found


def near(stage: Stage, frame: Pair) -> bool:
    return all(
        stage.high[axis] <= REACH and abs(stage.shape[axis] - frame[axis]) <= REACH
        for axis in (0, 1)
    )


def settled(store: FusionGroup, members: Sequence[FusionGroup], making: Making) -> bool:
    """The store's result is the first; nobody reads what it writes."""
    assert store.write is not None
    target = store.inputs[store.write[0]]
    if target in (one.inputs[number] for one in members for number, _ in one.reads):
        return False
    result_of(store.written[0], store, making)
    making.written += store.written
    making.given.append((target, store.given[store.write[0]]))
    return True


def tile_for(stages: Sequence[Stage], frame: Pair, sized: bool) -> Pair | None:
    """A few rows, and as many columns as let all buffers stay in the cache."""
    inner = prod(stages[0].shape[2:])
    band = SIZED_BAND if sized else BAND
    cell = row = 0
    for stage in stages:
        if stage.between:
            size = sum(one.dtype.itemsize for one in stage.outputs) * inner
            cell += size
            row += size * (band + stage.high[0] - stage.low[0])
    if row == 0:
        return None
    if row * frame[1] <= BUDGET and not sized:
        spare = (BUDGET - row * frame[1]) // (cell * frame[1])
        return min(frame[0], BAND + spare), frame[1]
    columns = max(BUDGET // row, -(-NARROW // inner))
    if sized:
        return band, columns
    panels = -(-frame[1] // columns)
    return BAND, -(-frame[1] // panels)
