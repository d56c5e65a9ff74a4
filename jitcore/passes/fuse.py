"""Pure nodes of one window → the same work as groups (one kernel each) and single NumPy calls.

a = x * y        ┐
b = np.exp(a)    │ group 1, one loop over the shape of x
c = b.sum()      │            (folded into it as b is made)
d = b - y        ┘
e = d / c          its own:   c is only known when group 1 is done
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from jitcore.host.deadline import look
from jitcore.host.fast_dataclass import replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, uses
from jitcore.ir.remark import Notes, note
from jitcore.ir.types import fresh
from jitcore.ir.value import Value
from jitcore.kernels.body import Input, KernelBody
from jitcore.kernels.constraints import lower_any
from jitcore.kernels.emit.register_tile import held
from jitcore.kernels.group import FusionGroup, Given, Reads, Write
from jitcore.kernels.iteration_space import nest_of
from jitcore.kernels.lower import Lowering, signature
from jitcore.kernels.parallel_split import pays_alone
from jitcore.kernels.store_rules import certain, settle, stored
from jitcore.kernels.view_offsets import ViewOffset, placed, shared
from jitcore.passes.clusters import merged, ordered, readers_of
from jitcore.passes.decompose import OWN
from jitcore.passes.elide_concat import PIECE
from jitcore.passes.rematerialize import ReadyUnit, recompute
from jitcore.passes.reuse_buffers import dying, take_over

LEAST_NODES = 2


def in_registers(step: Node | FusionGroup, varying: Collection[int]) -> Node | FusionGroup:
    """The step; its results held while values join them, where they are few."""
    if isinstance(step, Node):
        return step
    return replace(step, held=held(step.program, nest_of(step.program, step.shape), varying))


def without_views(steps: list[Node | FusionGroup], views: Set[Value]) -> list[Node | FusionGroup]:
    """Of these views, those that calls read: kernels read the arrays."""
    if not views:
        return steps
    read: set[Value] = set()
    found = []
    for step in reversed(steps):
        if views.isdisjoint(step.outputs) or not read.isdisjoint(step.outputs):
            found.append(step)
            read.update(step.inputs)
    return found[::-1]


def grouped(
    nodes: Sequence[Node],
    live_out: Collection[Value],
    views: Mapping[Value, ViewOffset],
    sized: bool,
    notes: Notes | None = None,
) -> list[Node | FusionGroup]:
    own = placed(nodes, views)
    nodes, views = shared(nodes, own), {**views, **own}
    readers = readers_of(nodes, live_out)
    units = ordered(merged(nodes, readers, views, notes))
    parts = [ReadyUnit([nodes[k] for k in sorted(unit.nodes)], unit.demand) for unit in units]
    recompute(parts, live_out)
    later: set[Value] = set(live_out)
    made: list[list[Node | FusionGroup]] = []
    dead = dying(parts, live_out, views)
    for part, last in zip(reversed(parts), reversed(dead), strict=True):
        look()
        group = group_of(part, later, views, last, sized, notes)
        made.append([*part.nodes] if group is None else [group])
        later |= part.reads()
    return [step for steps in reversed(made) for step in steps]


def group_of(
    part: ReadyUnit,
    later: set[Value],
    views: Mapping[Value, ViewOffset],
    dead: Set[Value],
    anyway: bool = False,
    notes: Notes | None = None,
) -> FusionGroup | None:
    """The group of these nodes, lowered, with what is read `later` for its results; None where
    single calls are as good, unless `anyway`: of an entry for all sizes one cannot say where they
    are. `dead`: what nobody reads after it."""
    members = part.nodes
    outputs = tuple(v for node in members for v in node.outputs if v in later)
    if part.demand is None or not outputs:
        return None
    shape = part.demand.shape
    viewed = {value for node in members for value in uses(node) & views.keys()}
    lowering = Lowering()
    for node in members:
        lower_any(node, lowering)
    try:
        store = stored(members)
        place = None if store is None else settle(store, lowering, views)
    except CannotLower as why:
        note(notes, members[0].outputs[0], "store in a kernel", why)
        return None
    program = lowering.program
    written = () if store is None else store.outputs
    folded = folds_of(lowering)
    whole = tuple(v for v in outputs if v not in folded and v not in written)
    program.outputs = {lowering.known[v]: signature(v.type) for v in (*written, *whole)}
    own = members[0].op in OWN or members[0].op is PIECE
    lone = len(members) + len(viewed) < LEAST_NODES and not own
    nest = nest_of(program, shape)
    if lone and not anyway and not pays_alone(program, nest):
        return None
    parts = {value for node in members if node.op is PIECE for value in node.outputs}
    wanted = [value for value in whole if value not in parts]
    taken = take_over(lowering, dead, wanted, nest) if store is None else {}
    results = (*whole, *folded)
    given, reads = launched(lowering, views)
    write = None if place is None else written_into(place, given, program)
    inputs, signatures = tuple(value for value, _ in given), tuple(one for _, one in given)
    return FusionGroup(
        *(tuple(members), inputs, signatures, reads, results, shape, program, written, write),
        taken=tuple(taken.items()),
    )


def folds_of(lowering: Lowering) -> tuple[Value, ...]:
    """The results of its folds; a new one for each that nobody reads."""
    makers = {var: value for value, var in lowering.known.items()}
    return tuple(
        makers[var] if var in makers else Value(fresh(fold.dtype, fold.result.shape))
        for var, fold in lowering.program.folds.items()
    )


def written_into(place: ViewOffset, given: list[Given], program: KernelBody) -> Write:
    """The input that the store goes to: one that is read, or one more."""
    one = place.array, signature(place.array.type)
    if one not in given:
        given.append(one)
    return given.index(one), place.offset, certain(program)


def launched(lowering: Lowering, views: Mapping[Value, ViewOffset]) -> tuple[list[Given], Reads]:
    """What a launch takes, and where it reads: of views the array that they are views of, once."""
    given: dict[Given, int] = {}
    reads = []
    variables = (var for var in lowering.program.vars if isinstance(var, Input))
    for value, var in zip(lowering.inputs, variables, strict=True):
        at = views.get(value)
        one = (value, var.signature) if at is None else (at.array, signature(at.array.type))
        reads.append((given.setdefault(one, len(given)), 0 if at is None else at.offset))
    return [*given], tuple(reads)
