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

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod

from ..ir.graph import Node
from ..ir.types import ArrayType
from ..ir.value import Value
from .abi import ARRAY, LIMIT, Signature
from .again import Part
from .chain_text import divided
from .demand import demand
from .inner import Freedom
from .lower import is_elementwise
from .program import Input, Table
from .schedule import Group, group_of
from .stages import Chain, Outside, Pair, Shift, Stage
from .stores import STORE, certain
from .views import Place

BUDGET = 1 << 19  # bytes of all buffers of a thread: half of a cache of the second level
BAND = 4  # rows
REACH = 8  # rows and columns that a stage may be ahead, or have left at the end
NARROW = 128  # elements of a panel's row, at least
MOST_STAGES = 12


@dataclass(slots=True)
class Making:
    """A chain's operands, in the making."""

    given: list[tuple[Value, Signature]] = field(default_factory=list)
    results: list[tuple[Value, Signature]] = field(default_factory=list)
    written: list[Value] = field(default_factory=list)


# ---- which steps ---------------------------------------------------------------------------------


def chained(
    steps: Sequence[Node | Group],
    after: Collection[Value],
    idle: Set[Value],
    views: Mapping[Value, Place],
) -> list[Node | Group]:
    """The same steps with chains in place of what feeds one another. `after`: what is read later.
    `idle`: those views that need not be made where only kernels read them."""
    apart = idle_views(steps, after, idle)
    lone = lone_groups(steps, after, apart, views)
    found: list[Node | Group] = [
        lone.get(step, step) if isinstance(step, Node) else step for step in steps
    ]
    found = with_chains(found, after, apart)
    calls = {group: node for node, group in lone.items()}
    return [calls.get(step, step) if isinstance(step, Group) else step for step in found]


def with_chains(
    steps: list[Node | Group], after: Collection[Value], idle: Sequence[Node]
) -> list[Node | Group]:
    left = [step for step in steps if isinstance(step, Group) and is_even(step)]
    while len(left) > 1:
        others = [step for step in steps if step not in idle]
        members = connected(without_kept(left, others, after))
        made = chain_of(members) if 1 < len(members) <= MOST_STAGES else None
        placed = None if made is None else in_place(made, members, steps, idle)
        if placed is None:
            left = left[:-1]
        else:
            steps = placed
            left = [step for step in left if step not in members]
    return steps


def lone_groups(
    steps: Sequence[Node | Group],
    after: Collection[Value],
    idle: Sequence[Node],
    views: Mapping[Value, Place],
) -> dict[Node, Group]:
    """Single operations that may be the first stage of a chain, though no kernel by themselves."""
    read = {value for step in steps if isinstance(step, Group) for value in step.inputs}
    found = {}
    for node in steps:
        if isinstance(node, Group) or node in idle or node.op is STORE:
            continue
        asked = demand(node) if len(node.outputs) == 1 and is_elementwise(node) else None
        if asked is None or not read.issuperset(node.outputs) or node.outputs[0] in after:
            continue
        group = group_of(Part([node], asked), set(node.outputs), views, set(), anyway=True)
        if group is not None:
            found[node] = group
    return found


def idle_views(
    steps: Sequence[Node | Group], after: Collection[Value], views: Set[Value]
) -> list[Node]:
    """Views that kernels alone read."""
    read = set(after)
    found = []
    for step in reversed(steps):
        idle = read.isdisjoint(step.outputs) and not views.isdisjoint(step.outputs)
        if isinstance(step, Node) and idle:
            found.append(step)
        else:
            read.update(step.inputs)
    return found


def is_even(group: Group) -> bool:
    """May it run in parts of any shape, and in any order?"""
    program = group.program
    plain = not (program.folds or program.orders or program.numbers or group.targets)
    steps = not any(
        step.carried or (step.inner is not None and step.inner.freedom < Freedom.FORWARD)
        for step in program.steps
    )
    inputs = [var for var in program.vars if isinstance(var, Input)]
    laid = [*(var.signature for var in inputs), *program.outputs.values()]
    apart = group.chain is None and (group.write is None or not program.shared)
    return (
        plain
        and steps
        and apart
        and len(group.shape) > 1
        and min(group.shape[:2]) > 1
        and len(program.outputs) == len(group.results)
        and not any(isinstance(var, Table) or var.laid for var in inputs)
        and all(map(in_order, laid))
    )


def in_order(operand: Signature) -> bool:
    """Are rows the outermost in memory?"""
    if operand.kind != ARRAY:
        return True
    axes = zip(operand.shape, operand.strides, strict=True)
    steps = [abs(stride) for extent, stride in axes if extent > 1 and stride]
    return steps == sorted(steps, reverse=True)


def without_kept(
    members: list[Group], steps: Sequence[Node | Group], after: Collection[Value]
) -> list[Group]:
    """Without those whose results both a member and somebody else read."""
    while True:
        inside = {value for one in members for value in one.inputs}
        others = {value for step in steps if step not in members for value in step.inputs}
        kept = others.union(after)
        left = [
            one
            for one in members
            if inside.isdisjoint(one.results)
            or (kept.isdisjoint(one.results) and inside.issuperset(one.results))
        ]
        if len(left) == len(members):
            return members
        members = left


def connected(members: Sequence[Group]) -> list[Group]:
    """The last one, and what feeds it or is fed by what does."""
    found: list[Group] = []
    touched: set[Value] = set()
    for _ in members:
        for one in reversed(members):
            own = set(one.results) | made_inside(one, members)
            if one not in found and (not found or not touched.isdisjoint(own)):
                found.append(one)
                touched |= own
    return [one for one in members if one in found]


def made_inside(one: Group, members: Sequence[Group]) -> set[Value]:
    return {value for value in one.inputs for other in members if value in other.results}


def in_place(
    chain: Group, members: Sequence[Group], steps: Sequence[Node | Group], idle: Sequence[Node]
) -> list[Node | Group] | None:
    """The chain between what it needs and what needs it; None where something is both. It has the
    idle views of what it makes."""
    made = {value for one in members for value in one.results}
    before: list[Node | Group] = []
    behind: list[Node | Group] = []
    own: list[Node] = []
    for step in steps:
        if step in members:
            own += step.nodes if isinstance(step, Group) else []
        elif made.isdisjoint(step.inputs):
            before.append(step)
        else:
            made |= set(results(step))
            if isinstance(step, Node) and step in idle:
                own.append(step)
            else:
                behind.append(step)
    needed = {value for one in members for value in one.inputs}
    if any(not needed.isdisjoint(results(step)) for step in behind):
        return None
    return [*before, replace(chain, nodes=tuple(own)), *behind]


def results(step: Node | Group) -> tuple[Value, ...]:
    return step.results if isinstance(step, Group) else step.outputs


# ---- one chain -----------------------------------------------------------------------------------


def chain_of(members: Sequence[Group]) -> Group | None:
    """One group for all; None where they do not fit."""
    makers = {v: (k, n) for k, one in enumerate(members) for n, v in enumerate(one.results)}
    reads = [shifts(one, makers) for one in members]
    if any(found is None for found in reads) or len({one.shape[2:] for one in members}) > 1:
        return None
    shifted = [[s for s in found if isinstance(s, Shift)] for found in reads if found is not None]
    stores = [one for one in members if one.written]
    if not any(shifted) or len(stores) > 1:
        return None
    fed = {shift.maker for found in shifted for shift in found}
    ahead = [leads(members, shifted, axis) for axis in (0, 1)]
    ends = [one.shape for k, one in enumerate(members) if k not in fed]
    frame = max(shape[0] for shape in ends), max(shape[1] for shape in ends)
    if any(one.shape[:2] != frame for one in stores):
        return None
    making = Making()
    if stores and not settled(stores[0], members, making):
        return None
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
        if own is not None
    ]
    tile = tile_for(stages, frame)
    if not all(near(stage, frame) for stage in stages) or tile is None:
        return None
    if len(making.given) + len(making.results) > LIMIT:
        return None
    signatures = tuple(one for _, one in making.results)
    chain = divided(Chain(tuple(stages), frame, tile, len(making.given), signatures), BAND)
    return whole(chain, making, stores, members)


def whole(chain: Chain, making: Making, stores: Sequence[Group], members: Sequence[Group]) -> Group:
    last = stores[0] if stores else members[-1]
    write = None
    if stores:
        assert last.write is not None
        target = last.inputs[last.write[0]], last.given[last.write[0]]
        sure = all(certain(one.program) for one in members)
        write = making.given.index(target), last.write[1], sure
    return Group(
        tuple(node for one in members for node in one.nodes),
        tuple(value for value, _ in making.given),
        tuple(one for _, one in making.given),
        tuple((k, 0) for k in range(len(making.given))),
        tuple(value for value, _ in making.results if value not in making.written),
        last.shape,
        last.program,
        tuple(making.written),
        write,
        errstate=last.errstate,
        chain=chain,
    )


def shifts(
    one: Group, makers: Mapping[Value, tuple[int, int]]
) -> list[Shift | tuple[int, int]] | None:
    """What each of its inputs is; None where it is a result read in another way."""
    variables = [var for var in one.program.vars if isinstance(var, Input)]
    found: list[Shift | tuple[int, int]] = []
    for (number, offset), var in zip(one.reads, variables, strict=True):
        value = one.inputs[number]
        if value not in makers:
            found.append((number, offset))
            continue
        shift = shift_of(value, offset, var.signature, one.shape)
        if shift is None:
            return None
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


def leads(members: Sequence[Group], shifted: Sequence[list[Shift]], axis: int) -> list[Pair]:
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


def settled(store: Group, members: Sequence[Group], making: Making) -> bool:
    """The store's result is the first; nobody reads what it writes."""
    assert store.write is not None
    target = store.inputs[store.write[0]]
    if target in (one.inputs[number] for one in members for number, _ in one.reads):
        return False
    result_of(store.written[0], store, making)
    making.written += store.written
    making.given.append((target, store.given[store.write[0]]))
    return True


def given_by(one: Group, read: tuple[int, int], making: Making) -> Outside:
    number, offset = read
    own = one.inputs[number], one.given[number]
    if own not in making.given:
        making.given.append(own)
    return Outside(making.given.index(own), offset)


def result_of(value: Value, one: Group, making: Making) -> Outside:
    """Counted from the first result on."""
    own = value, [*one.program.outputs.values()][one.results.index(value)]
    if own not in making.results:
        making.results.append(own)
    return Outside(making.results.index(own), 0)


def tile_for(stages: Sequence[Stage], frame: Pair) -> Pair | None:
    """A few rows, and as many columns as let all buffers stay in the cache."""
    inner = prod(stages[0].shape[2:])
    cell = row = 0
    for stage in stages:
        if stage.between:
            size = sum(one.dtype.itemsize for one in stage.outputs) * inner
            cell += size
            row += size * (BAND + stage.high[0] - stage.low[0])
    if row == 0:
        return None
    if row * frame[1] <= BUDGET:
        spare = (BUDGET - row * frame[1]) // (cell * frame[1])
        return min(frame[0], BAND + spare), frame[1]
    columns = max(BUDGET // row, -(-NARROW // inner))
    panels = -(-frame[1] // columns)
    return BAND, -(-frame[1] // panels)
