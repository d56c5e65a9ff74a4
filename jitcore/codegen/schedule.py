"""Pure nodes of one window → the same work as groups (one kernel each) and single NumPy calls.

a = x * y        ┐
b = np.exp(a)    │ group 1, one loop over the shape of x
c = b.sum()      │            (folded into it as b is made)
d = b - y        ┘
e = d / c          its own:   c is only known when group 1 is done
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from types import MappingProxyType

from jitcore.dataclass import dataclass, replace

from ..ir.graph import Node, uses
from ..ir.types import Shape, fresh
from ..ir.value import Value
from ..limit import look
from .abi import LIMIT, Signature
from .again import Part, recompute
from .composites import OWN, expanded
from .cut import pays_alone
from .demand import lower_any
from .filled import without_fills
from .held import held
from .joins import JOINED, PIECE, Parts, parted
from .loops import nest_of
from .lower import Lowering, Unsuitable, signature
from .program import Input, Program
from .rolls import without_rolls
from .stages import Chain
from .stores import certain, settle, stored
from .takeover import dying, take_over
from .units import merged, ordered, readers_of
from .unroll import in_elements, origins
from .views import Place, placed, shared

LEAST_NODES = 2

NO_VIEWS: Mapping[Value, Place] = MappingProxyType({})

Given = tuple[Value, Signature]
Reads = tuple[tuple[int, int], ...]  # which of what is given, from which byte on
Targets = tuple[tuple[int, int], ...]  # which result, from which byte on
Write = tuple[int, int, bool]  # the same of a store; can only flags refuse it


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Nodes that run as one kernel. `inputs` are in launch order; a value may stand there twice."""

    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...]
    given: tuple[Signature, ...]  # the inputs' own
    reads: Reads  # by the program's inputs
    outputs: tuple[Value, ...]
    shape: Shape
    program: Program
    written: tuple[Value, ...] = ()  # the result, before the others, that lies in an input
    write: Write | None = None
    alone: bool = False  # where a launch is refused, NumPy repeats no other work than this
    taken: tuple[tuple[Value, Value], ...] = ()  # a result, and the input whose memory it takes
    errstate: int | None = None  # as NumPy keeps it; None: the one that a launch finds
    targets: Targets = ()  # where the program's outputs lie; (): each is a result
    wholes: tuple[tuple[Value, Value], ...] = ()  # what it makes parts of, and that as a result
    chain: Chain | None = None  # then `program` is that of its last stage
    label: str = ""  # for profilers and debuggers, see labels.py
    held: int = 0  # elements of a row of results that stays in registers

    @property
    def results(self) -> tuple[Value, ...]:
        return *self.written, *self.outputs


def fuse(
    nodes: Sequence[Node],
    live_out: Collection[Value],
    views: Mapping[Value, Place] = NO_VIEWS,
    calls: Collection[Value] = (),
    varying: Collection[int] = (),
) -> list[Node | Group]:
    """Group what fits; order the result so that everything comes after what it reads. `views`:
    those that were made before. `calls`: arrays that NumPy joins. `varying`: extents that one
    text serves with others."""
    given = {value for node in nodes for value in node.outputs}
    nodes = without_fills(without_rolls(expanded(nodes), live_out), live_out)
    while True:
        simple = in_elements(nodes, live_out, calls, varying)
        divided, parts = parted(simple, calls)
        own = placed(divided, views).keys() - given
        steps = without_views(grouped(divided, live_out, views, bool(varying)), own)
        left = [*parts.wholes(apart(steps)), *origins([s for s in steps if isinstance(s, Node)])]
        if not left:
            steps = joined(steps, parts) if parts.places else steps
            return [in_registers(step, varying) for step in steps]
        calls = [*calls, *left]


def in_registers(step: Node | Group, varying: Collection[int]) -> Node | Group:
    """The step; its results held while values join them, where they are few."""
    if isinstance(step, Node):
        return step
    return replace(step, held=held(step.program, nest_of(step.program, step.shape), varying))


def without_views(steps: list[Node | Group], views: Set[Value]) -> list[Node | Group]:
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
    views: Mapping[Value, Place],
    sized: bool,
) -> list[Node | Group]:
    own = placed(nodes, views)
    nodes, views = shared(nodes, own), {**views, **own}
    readers = readers_of(nodes, live_out)
    units = ordered(merged(nodes, readers, views))
    parts = [Part([nodes[k] for k in sorted(unit.nodes)], unit.demand) for unit in units]
    recompute(parts, live_out)
    later: set[Value] = set(live_out)
    made: list[list[Node | Group]] = []
    dead = dying(parts, live_out, views)
    for part, last in zip(reversed(parts), reversed(dead), strict=True):
        look()
        group = group_of(part, later, views, last, sized)
        made.append([*part.nodes] if group is None else [group])
        later |= part.reads()
    return [step for steps in reversed(made) for step in steps]


def apart(steps: Sequence[Node | Group]) -> list[Value]:
    """Parts that no kernel can write into a whole."""
    found: list[Value] = []
    for step in steps:
        full = isinstance(step, Group) and len(step.inputs) + len(step.results) >= LIMIT
        if isinstance(step, Node) or step.written or full:
            found += step.outputs
    return found


def joined(steps: Sequence[Node | Group], parts: Parts) -> list[Node | Group]:
    """Each group that makes parts hands the whole on, until the last one gives it out."""
    last: dict[Value, int] = {}
    for k, step in enumerate(steps):
        last.update(dict.fromkeys(parts.wholes(step.outputs), k))
    handed: dict[Value, Value] = {}
    found: list[Node | Group] = []
    for k, step in enumerate(steps):
        if isinstance(step, Node):
            found += [] if step.op is JOINED else [step]
            continue
        wholes = parts.wholes(step.outputs)
        before = {whole: handed[whole] for whole in wholes if whole in handed}
        after = {whole: whole if last[whole] == k else Value(whole.type) for whole in wholes}
        handed |= after
        found.append(holding(step, parts, before, after) if wholes else step)
    return found


def holding(
    group: Group, parts: Parts, before: Mapping[Value, Value], after: Mapping[Value, Value]
) -> Group:
    """The group with the wholes in place of its parts, as they come and as they go."""
    at = [parts.places.get(out, Place(out, 0)) for out in group.outputs]
    outputs = tuple(dict.fromkeys(after.get(place.array, place.array) for place in at))
    own = [(outputs.index(after.get(place.array, place.array)), place.offset) for place in at]
    more = tuple(before.values())
    return replace(
        group,
        outputs=outputs,
        inputs=(*group.inputs, *more),
        given=(*group.given, *(signature(value.type) for value in more)),
        taken=(*group.taken, *((after[whole], value) for whole, value in before.items())),
        targets=tuple(own),
        wholes=tuple(after.items()),
    )


def group_of(
    part: Part,
    later: set[Value],
    views: Mapping[Value, Place],
    dead: Set[Value],
    anyway: bool = False,
) -> Group | None:
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
    except Unsuitable:
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
    return Group(
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


def written_into(place: Place, given: list[Given], program: Program) -> Write:
    """The input that the store goes to: one that is read, or one more."""
    one = place.array, signature(place.array.type)
    if one not in given:
        given.append(one)
    return given.index(one), place.offset, certain(program)


def launched(lowering: Lowering, views: Mapping[Value, Place]) -> tuple[list[Given], Reads]:
    """What a launch takes, and where it reads: of views the array that they are views of, once."""
    given: dict[Given, int] = {}
    reads = []
    variables = (var for var in lowering.program.vars if isinstance(var, Input))
    for value, var in zip(lowering.inputs, variables, strict=True):
        at = views.get(value)
        one = (value, var.signature) if at is None else (at.array, signature(at.array.type))
        reads.append((given.setdefault(one, len(given)), 0 if at is None else at.offset))
    return [*given], tuple(reads)
