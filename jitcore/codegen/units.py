"""Nodes → units: groups in the making, and single nodes, in an order in which they can run.

Units form an acyclic graph. Two of one shape merge when one feeds the other or both read one array,
and no path between them leads through a third.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..ir.graph import Node, uses
from ..ir.types import ArrayType
from ..ir.value import Value
from .abi import LIMIT
from .demand import Demand, demand
from .gather import gathers
from .lower_first import is_first
from .lower_reduce import is_reduction
from .views import Place

MOST_NODES = 64  # of one group: the C compiler's time grows faster than the gain
MOST_OPERANDS = LIMIT // 2  # inputs, and as many results

Readers = dict[Value, set[int]]  # value → places of the nodes that read it; len(nodes): live after


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


def merged(nodes: Sequence[Node], readers: Readers, views: Mapping[Value, Place]) -> list[Unit]:
    """Each node joins the units that feed it, where it may. Then units that read the same arrays
    join the first of them: a sum is known one loop earlier beside others that need no other."""
    maker: dict[Value, Unit] = {}
    alive: dict[int, Unit] = {}
    for k, node in enumerate(nodes):
        unit = Unit(k, [k], demand(node), uses(node))
        for value in unit.reads & maker.keys():
            unit.before |= maker[value].before | maker[value].bit
        alive[k] = unit
        for number in sorted({maker[value].number for value in unit.reads & maker.keys()}):
            unit = joined(number, unit, alive, nodes, readers)
        for member in unit.nodes:
            maker.update(dict.fromkeys(nodes[member].outputs, unit))
    for number in sorted(alive):
        for other in beside(number, alive, views):
            joined(other, alive[number], alive, nodes, readers)
            if number not in alive:
                break
    return list(alive.values())


def is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType)


def joined(
    number: int, unit: Unit, alive: dict[int, Unit], nodes: Sequence[Node], readers: Readers
) -> Unit:
    """The unit that does what this one and the one of that number do, if one may."""
    one = alive.get(number)
    if one is None or not fits(one, unit, nodes, readers) or crossed(one, unit, alive):
        return unit
    return merge(one, unit, alive)


def beside(number: int, alive: dict[int, Unit], views: Mapping[Value, Place]) -> list[int]:
    """The units before this one that read an array that it reads."""
    unit = alive.get(number)
    if unit is None or unit.demand is None:
        return []
    arrays = arrays_of(unit, views)
    return [k for k in sorted(alive) if k < number and arrays & arrays_of(alive[k], views)]


def arrays_of(unit: Unit, views: Mapping[Value, Place]) -> set[Value]:
    return {views[v].array if v in views else v for v in filter(is_array, unit.reads)}


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
    outputs = len(needed(members, places, readers)) + sum(map(is_first, members))
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
