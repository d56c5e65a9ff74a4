"""Pure nodes of one window → the same work as groups (one kernel each) and single NumPy calls.

    a = x * y        ┐
    b = np.exp(a)    │ group 1, one loop over the shape of x
    c = b.sum()      │            (folded into it as b is made)
    d = b - y        ┘
    e = d / c          its own:   c is only known when group 1 is done

Units (groups in the making, and single nodes) form an acyclic graph. Two units of one shape merge
when one feeds the other or both read one value, and no path between them leads through a third.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..ir.graph import Node, uses
from ..ir.op import Unsupported, leaf_type, operand
from ..ir.types import ArrayType, Shape
from ..ir.value import Value
from .abi import ARRAY, LIMIT, Signature
from .composites import expanded
from .cut import pays_alone
from .gather import gathers, lower_gather
from .inner import Freedom
from .loops import nest_of
from .lower import Lowering, Unsuitable, lower, signature
from .lower_reduce import is_reduction, lower_reduction, order_of, reduced
from .program import Input, Program
from .views import Place, placed, shared

MOST_NODES = 64  # of one group: the C compiler's time grows faster than the gain
LEAST_NODES = 2
MOST_OPERANDS = LIMIT // 2  # inputs, and as many results

NO_VIEWS: Mapping[Value, Place] = MappingProxyType({})

Given = tuple[Value, Signature]
Reads = tuple[tuple[int, int], ...]  # which of what is given, from which byte on
Readers = dict[Value, set[int]]  # value → places of the nodes that read it; len(nodes): live after


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


@dataclass(frozen=True, slots=True)
class Demand:
    """What a node asks of the loop it runs in."""

    shape: Shape
    flat: bool  # every operand is C contiguous and whole, or a scalar
    needs_flat: bool  # one of its loops is only right on such operands
    order: Shape | None = None  # of the axes, where NumPy's order of summation hangs on it


@dataclass(slots=True, eq=False)
class Unit:
    """Nodes that will be one step, by their place in the program."""

    number: int  # of its first node
    nodes: list[int]
    demand: Demand | None  # None: a NumPy call
    reads: set[Value]
    before: int = 0  # bit k: unit k must run earlier, directly or not

    @property
    def bit(self) -> int:
        return 1 << self.number


def fuse(
    nodes: Sequence[Node], live_out: Collection[Value], views: Mapping[Value, Place] = NO_VIEWS
) -> list[Node | Group]:
    """Group what fits; order the result so that everything comes after what it reads. `views`:
    those that were made before."""
    nodes = expanded(nodes)
    own = placed(nodes, views)
    nodes, views = shared(nodes, own), {**views, **own}
    readers = readers_of(nodes, live_out)
    made: list[Node | Group] = []
    for unit in ordered(merged(nodes, readers, views)):
        members = [nodes[k] for k in sorted(unit.nodes)]
        group = None
        if unit.demand is not None:
            outputs = needed(members, unit.nodes, readers)
            group = group_of(members, outputs, unit.demand.shape, views)
        made += members if group is None else [group]
    return made


def readers_of(nodes: Sequence[Node], live_out: Collection[Value]) -> Readers:
    found: Readers = {}
    for k, node in enumerate(nodes):
        for value in uses(node):
            found.setdefault(value, set()).add(k)
    for value in live_out:
        found.setdefault(value, set()).add(len(nodes))
    return found


def needed(members: Sequence[Node], places: Collection[int], readers: Readers) -> tuple[Value, ...]:
    """What others than the members read of their results."""
    results = (value for node in members for value in node.outputs)
    return tuple(v for v in results if not readers.get(v, set()) <= set(places))


def group_of(
    members: list[Node], outputs: tuple[Value, ...], shape: Shape, views: Mapping[Value, Place]
) -> Group | None:
    """The group of these nodes, lowered; None where single calls are as good."""
    viewed = {value for node in members for value in uses(node) & views.keys()}
    if not outputs:
        return None
    lowering = Lowering()
    for node in members:
        lower_any(node, lowering)
    program = lowering.program
    folded = {value for node in members if is_reduction(node) for value in node.outputs}
    whole = tuple(v for v in outputs if v not in folded)
    program.outputs = {lowering.known[v]: signature(v.type) for v in whole}
    lone = len(members) + len(viewed) < LEAST_NODES
    if lone and not pays_alone(program, nest_of(program, shape)):
        return None
    results = (*whole, *(v for v in outputs if v in folded))
    given, reads = launched(lowering, views)
    inputs, signatures = tuple(value for value, _ in given), tuple(one for _, one in given)
    return Group(tuple(members), inputs, signatures, reads, results, shape, program)


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


def lower_any(node: Node, into: Lowering) -> None:
    """Append the steps of a node. Unsuitable: it stays a NumPy call."""
    if is_reduction(node):
        lower_reduction(node, into)
    elif gathers(node):
        lower_gather(node, into)
    else:
        lower(node, into)


# ---- what a node asks ---------------------------------------------------------------------------


def demand(node: Node) -> Demand | None:
    """None where no kernel can or may run this node."""
    if is_reduction(node):
        return demand_of_reduction(node)
    shape = result_shape(node)
    if not shape or 0 in shape:
        return None
    trial = Lowering()
    try:
        lower_any(node, trial)
        operands = [signature(leaf_type(v)) for v in (*trial.inputs, *node.outputs)]
    except (Unsuitable, Unsupported):
        return None
    flat = all(is_flat(operand, shape) for operand in operands)
    freedom = min((s.inner.freedom for s in trial.program.steps if s.inner), default=Freedom.FREE)
    if freedom is Freedom.FORWARD and any(stride < 0 for o in operands for stride in o.strides):
        return None
    if freedom is Freedom.FLAT and not (flat and max(shape) > 1 and uncast(node, trial.program)):
        return None
    return Demand(shape, flat, freedom is Freedom.FLAT)


def demand_of_reduction(node: Node) -> Demand | None:
    trial = Lowering()
    try:
        t = reduced(node)
        lower_any(node, trial)
    except (Unsuitable, Unsupported):
        return None
    if 0 in t.shape:
        return None
    (fold,) = trial.program.folds.values()
    flat = t.c_contiguous and all(extent == 1 for extent in fold.laid.shape)
    return Demand(t.shape, flat, False, order_of(t) if fold.in_order else None)


def result_shape(node: Node) -> Shape | None:
    """The shape of all results, if they are arrays of one shape."""
    types = [value.type for value in node.outputs]
    shapes = {t.shape if isinstance(t, ArrayType) else () for t in types}
    return shapes.pop() if len(shapes) == 1 else None


def is_flat(operand: Signature, shape: Shape) -> bool:
    if operand.kind != ARRAY or operand.shape == ():
        return True
    return operand.shape == shape and ArrayType(operand.dtype, shape, operand.strides).c_contiguous


def uncast(node: Node, program: Program) -> bool:
    """Does the loop read the node's own operands? NumPy casts in buffers, by another iteration."""
    (*_, step) = program.steps
    if len(program.steps) > 1 or step.inner is None:
        return False
    found = [operand(arg) for arg in node.args]
    return all(
        one is not None and (one.weak or one.type.dtype.char == dtype.char)
        for one, dtype in zip(found, step.inner.dtypes, strict=False)
    )


# ---- merging ------------------------------------------------------------------------------------


def merged(nodes: Sequence[Node], readers: Readers, views: Mapping[Value, Place]) -> list[Unit]:
    """Each node joins the units that feed it, then those that read what it reads, where it may."""
    maker: dict[Value, Unit] = {}
    reader: dict[Value, Unit] = {}
    alive: dict[int, Unit] = {}
    for k, node in enumerate(nodes):
        unit = Unit(k, [k], demand(node), uses(node))
        for value in unit.reads & maker.keys():
            unit.before |= maker[value].before | maker[value].bit
        alive[k] = unit
        arrays = {views[v].array if v in views else v for v in filter(is_array, unit.reads)}
        for number in candidates(unit, arrays, maker, reader):
            if number not in alive or not fits(alive[number], unit, nodes, readers):
                continue
            if not crossed(alive[number], unit, alive):
                unit = merge(alive[number], unit, alive)
        for member in unit.nodes:
            maker.update(dict.fromkeys(nodes[member].outputs, unit))
        if unit.demand is not None:
            reader.update(dict.fromkeys(arrays, unit))
    return list(alive.values())


def is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType)


def candidates(
    unit: Unit, arrays: set[Value], maker: dict[Value, Unit], reader: dict[Value, Unit]
) -> list[int]:
    """Numbers of the units worth joining: producers first."""
    feeding = {maker[value].number for value in unit.reads & maker.keys()}
    beside = {reader[value].number for value in arrays & reader.keys()}
    return [*sorted(feeding), *sorted(beside - feeding)]


def fits(one: Unit, two: Unit, nodes: Sequence[Node], readers: Readers) -> bool:
    """Can one loop do both?"""
    a, b = one.demand, two.demand
    if one is two or a is None or b is None or a.shape != b.shape:
        return False
    if (a.needs_flat or b.needs_flat) and not (a.flat and b.flat):
        return False
    if a.order is not None and b.order is not None and a.order != b.order:
        return False
    places = one.nodes + two.nodes
    members = [nodes[k] for k in places]
    folded = {value for node in members if is_reduction(node) for value in node.outputs}
    if not folded.isdisjoint(one.reads | two.reads):  # known only after the loop
        return False
    inside = {value for node in members for value in node.outputs}
    if any(gathers(node) and node.args[0] in inside for node in members):
        return False
    taken = (one.reads | two.reads) - inside
    # a Python scalar may be an operand in several types
    inputs = sum(1 if is_array(value) else 2 for value in taken)
    outputs = len(needed(members, places, readers))
    return len(places) <= MOST_NODES and max(inputs, outputs) <= MOST_OPERANDS


def crossed(one: Unit, two: Unit, alive: dict[int, Unit]) -> bool:
    return between(one, two, alive) or between(two, one, alive)


def between(first: Unit, last: Unit, alive: dict[int, Unit]) -> bool:
    """Does a path lead from `first` through a third unit to `last`?"""
    return any(
        last.before & unit.bit and unit.before & first.bit
        for unit in alive.values()
        if unit is not first and unit is not last
    )


def merge(one: Unit, two: Unit, alive: dict[int, Unit]) -> Unit:
    """`two` joins `one`; what comes after either comes after all that both wait for."""
    assert one.demand is not None and two.demand is not None
    both = one.bit | two.bit
    one.nodes += two.nodes
    one.reads |= two.reads
    one.before = (one.before | two.before) & ~both
    one.demand = Demand(
        one.demand.shape,
        one.demand.flat and two.demand.flat,
        one.demand.needs_flat or two.demand.needs_flat,
        one.demand.order or two.demand.order,
    )
    del alive[two.number]
    for unit in alive.values():
        if unit is not one and unit.before & both:
            unit.before = unit.before & ~both | one.bit | one.before
    return one


def ordered(units: list[Unit]) -> list[Unit]:
    """By what must run earlier; where that leaves a choice, as in the program."""
    waiting = sorted(units, key=lambda unit: max(unit.nodes))
    done = 0
    made = []
    while waiting:
        unit = next(unit for unit in waiting if not unit.before & ~done)
        waiting.remove(unit)
        done |= unit.bit
        made.append(unit)
    return made
