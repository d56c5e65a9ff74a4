"""Nodes → units: groups in the making, and single nodes, in an order in which they can run.

Units form an acyclic graph. Two of one shape merge when one feeds the other or both read one array,
and no path between them leads through a third.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from jitcore.host.deadline import look
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.graph import Node, uses
from jitcore.ir.remark import Notes, note
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.ir.value import Value
from jitcore.kernels.constraints import SpaceConstraint, demand
from jitcore.kernels.lower_argmax import is_first
from jitcore.kernels.lower_gather import gathers
from jitcore.kernels.lower_reduce import is_reduction
from jitcore.kernels.view_offsets import ViewOffset
from jitcore.passes.elide_concat import PIECE
from jitcore.toolchain.abi import LIMIT

MOST_NODES = 64  # of one group: the C compiler's time grows faster than the gain
MOST_OPERANDS = LIMIT // 2  # inputs, and as many results
MANY_NODES = f"a kernel has at most {MOST_NODES} operations"
MANY_OPERANDS = f"a kernel has at most {MOST_OPERANDS} inputs, and as many results"
LIMITS = frozenset((MANY_NODES, MANY_OPERANDS))

Readers = dict[Value, int]  # value → bit k: node k reads it; bit len(nodes): live after


@dataclass(slots=True, eq=False)
class Unit:
    """Nodes that will be one step, by their place in the program."""

    number: int  # of its first node
    nodes: list[int]
    demand: SpaceConstraint | None  # None: a NumPy call
    reads: set[Value]
    makes: set[Value]
    needed: list[Value]  # what others read of its results
    folded: set[Value]  # results that are known only after the loop
    gathered: set[Value]  # arrays that are read out of order
    firsts: int  # argmax and its like: a result more for each
    places: int  # bit k: node k is in it
    joined: int  # bit k: node k joins results of it into one array
    before: int = 0  # bit k: unit k must run earlier, directly or not

    @property
    def bit(self) -> int:
        return 1 << self.number


def readers_of(nodes: Sequence[Node], live_out: Collection[Value]) -> Readers:
    found: Readers = dict.fromkeys(live_out, 1 << len(nodes))
    for k, node in enumerate(nodes):
        for value in uses(node):
            found[value] = found.get(value, 0) | 1 << k
    return found


def unit_of(k: int, node: Node, readers: Readers) -> Unit:
    """A unit of this node alone."""
    joined = readers.get(node.outputs[0], 0) if node.op is PIECE else 0
    return Unit(
        k,
        [k],
        demand(node),
        uses(node),
        set(node.outputs),
        [value for value in node.outputs if value in readers],
        set(node.outputs) if is_reduction(node) else set(),
        gathered(node),
        int(is_first(node)),
        1 << k,
        joined,
    )


def gathered(node: Node) -> set[Value]:
    """The array that a node reads out of order."""
    return {leaf for leaf in node.args[:1] if gathers(node) and type(leaf) is Value}


def merged(
    nodes: Sequence[Node],
    readers: Readers,
    views: Mapping[Value, ViewOffset],
    notes: Notes | None = None,
) -> list[Unit]:
    """Each node joins the units that feed it, where it may. Then units that read the same arrays
    join the first of them: a sum is known one loop earlier beside others that need no other."""
    maker: dict[Value, int] = {}  # value → the place of its node
    home: dict[int, Unit] = {}  # that place → the unit that it is in by now
    alive: dict[int, Unit] = {}
    for k, node in enumerate(nodes):
        look()
        unit = alive[k] = home[k] = unit_of(k, node, readers)
        sources = {home[maker[value]] for value in unit.reads if value in maker}
        for source in sources:
            unit.before |= source.before | source.bit
        for number in sorted(source.number for source in sources):
            one = joined(number, unit, alive, readers)
            if one is not unit:
                home.update(dict.fromkeys(unit.nodes, one))
                unit = one
            elif notes is not None and number in alive:
                apart(alive[number], unit, alive, readers, nodes, notes)
        maker.update(dict.fromkeys(node.outputs, k))
    users = Users(alive.values(), views)
    for number in sorted(alive):
        look()
        for other in users.beside(alive[number]):
            one = joined(other, alive[number], alive, readers)
            if number not in alive:
                users.merged(number, one)
                break
    return list(alive.values())


def is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType)


def is_python(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.python


def joined(number: int, unit: Unit, alive: dict[int, Unit], readers: Readers) -> Unit:
    """The unit that does what this one and the one of that number do, if one may."""
    one = alive.get(number)
    if one is None or obstacle(one, unit, readers) or crossed(one, unit, alive):
        return unit
    return merge(one, unit, alive, readers)


def apart(
    one: Unit,
    two: Unit,
    alive: dict[int, Unit],
    readers: Readers,
    nodes: Sequence[Node],
    notes: Notes,
) -> None:
    """Why two that could both be kernels, of which one feeds the other, are not one kernel."""
    if one is two or one.demand is None or two.demand is None:
        return
    text = obstacle(one, two, readers)
    why = CannotLower if text in LIMITS else NotCandidate
    if not text:
        why, text = CannotLower, "another call or kernel has to run between them"
    source, value = nodes[one.nodes[-1]], nodes[two.nodes[0]].outputs[0]
    way = f"one kernel with {source.op.words}{line_of(source.where)}"
    note(notes, value, way, why(text))


class Users:
    """Array → the units with loops that read it; what is joined into one → those that make parts of
    it. By their numbers."""

    def __init__(self, units: Iterable[Unit], views: Mapping[Value, ViewOffset]) -> None:
        self.views = views
        self.units: dict[Value | int, set[int]] = {}
        self.keys: dict[int, set[Value | int]] = {}
        for unit in units:
            if unit.demand is not None:
                self.add(unit.number, self.keys_of(unit))

    def keys_of(self, unit: Unit) -> set[Value | int]:
        joined = (k for k in range(unit.joined.bit_length()) if unit.joined >> k & 1)
        return {*arrays_of(unit, self.views), *joined}

    def add(self, number: int, keys: set[Value | int]) -> None:
        self.keys.setdefault(number, set()).update(keys)
        for key in keys:
            self.units.setdefault(key, set()).add(number)

    def merged(self, number: int, into: Unit) -> None:
        keys = self.keys.pop(number)
        for key in keys:
            self.units[key].discard(number)
        self.add(into.number, keys)

    def beside(self, unit: Unit) -> list[int]:
        """The units before this one that read an array that it reads, or make another part of what
        it makes a part of."""
        found = {k for key in self.keys.get(unit.number, ()) for k in self.units[key]}
        return sorted(k for k in found if k < unit.number)


def arrays_of(unit: Unit, views: Mapping[Value, ViewOffset]) -> set[Value]:
    return {views[v].array if v in views else v for v in filter(is_array, unit.reads)}


def obstacle(one: Unit, two: Unit, readers: Readers) -> str:
    """Why one loop cannot do both; "": it can."""
    a, b = one.demand, two.demand
    if one is two or a is None or b is None:
        return "NumPy makes the call"
    if a.shape != b.shape:
        return "their shapes differ"
    if (a.needs_flat or b.needs_flat) and not (a.flat and b.flat):
        return "NumPy's own loop, which one of them needs, runs on contiguous arrays alone"
    if a.order is not None and b.order is not None and a.order != b.order:
        return "NumPy adds up their elements in different orders"
    if not one.folded.isdisjoint(two.reads) or not two.folded.isdisjoint(one.reads):
        return "a reduction is known only when its loop has ended"
    if not one.gathered.isdisjoint(two.makes) or not two.gathered.isdisjoint(one.makes):
        return "an array is read by indices, out of order"
    if len(one.nodes) + len(two.nodes) > MOST_NODES:
        return MANY_NODES
    # a Python scalar may be an operand in several types
    inputs = sum(1 + is_python(value) for value in outside(one, two))
    outputs = len(needed(one, two, readers)) + one.firsts + two.firsts
    return "" if max(inputs, outputs) <= MOST_OPERANDS else MANY_OPERANDS


def outside(one: Unit, two: Unit) -> set[Value]:
    """What both read and neither makes."""
    return (one.reads | two.reads) - one.makes - two.makes


def needed(one: Unit, two: Unit, readers: Readers) -> list[Value]:
    """What others read of the results of both."""
    places = one.places | two.places
    return [value for value in (*one.needed, *two.needed) if readers[value] & ~places]


def crossed(one: Unit, two: Unit, alive: dict[int, Unit]) -> bool:
    return between(one, two, alive) or between(two, one, alive)


def between(first: Unit, last: Unit, alive: dict[int, Unit]) -> bool:
    """Does a path lead from `first` through a third unit to `last`?"""
    bit = first.bit
    others = last.before & ~(first.before | bit)
    if not others:  # nothing runs between them
        return False
    return any(unit.before & bit and others >> unit.number & 1 for unit in alive.values())


def merge(one: Unit, two: Unit, alive: dict[int, Unit], readers: Readers) -> Unit:
    """`two` joins `one`; what comes after either comes after all that both wait for."""
    assert one.demand is not None and two.demand is not None
    both = one.bit | two.bit
    one.needed = needed(one, two, readers)
    one.nodes += two.nodes
    one.places |= two.places
    one.joined |= two.joined
    one.reads |= two.reads
    one.makes |= two.makes
    one.folded |= two.folded
    one.gathered |= two.gathered
    one.firsts += two.firsts
    one.before = (one.before | two.before) & ~both
    one.demand = SpaceConstraint(
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
