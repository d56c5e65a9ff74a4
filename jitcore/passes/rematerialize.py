"""Parts in order → the same with cheap values computed again where a later part reads them.

    c = x - m;  s = (c * c).sum()        c = x - m;  s = (c * c).sum()
    y = c / s                      →     y = (x - m) / s

Then c is never stored: a subtraction costs less than an array that is written, and read again. It
pays only if nobody else needs the array, and if few others are read in its place.
"""

from __future__ import annotations

from collections.abc import Collection

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node, uses
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value, substitute
from jitcore.kernels.constraints import SpaceConstraint, demand
from jitcore.kernels.lower_gather import gathers
from jitcore.passes.clusters import MOST_NODES, MOST_OPERANDS

CHEAP = frozenset(("add", "subtract", "multiply", "negative", "absolute", "square"))
LONGEST = 3  # nodes that are run again for one value
MOST_READ = 2  # arrays that are read in its place


@dataclass(slots=True, eq=False)
class ReadyUnit:
    """What runs together. `demand` is None for a NumPy call."""

    nodes: list[Node]
    demand: SpaceConstraint | None

    def reads(self) -> set[Value]:
        return {value for node in self.nodes for value in uses(node)} - self.makes()

    def makes(self) -> set[Value]:
        return {value for node in self.nodes for value in node.outputs}


def recompute(parts: list[ReadyUnit], live_out: Collection[Value]) -> None:
    """Changes the parts that read such values."""
    readers: dict[Value, set[int]] = {}
    for k, part in enumerate(parts):
        for value in part.reads():
            readers.setdefault(value, set()).add(k)
    for at, part in enumerate(parts):
        for value in [value for node in part.nodes for value in node.outputs]:
            later = sorted(k for k in readers.get(value, ()) if k > at)
            chain = chain_of(value, part) if later and value not in live_out else []
            if not chain or not all(takes(parts[k], chain, value, len(later)) for k in later):
                continue
            for k in later:
                before = parts[k].reads()
                take(parts[k], chain, value)
                after = parts[k].reads()
                for one in before - after:
                    readers[one].discard(k)
                for one in after - before:
                    readers.setdefault(one, set()).add(k)


def chain_of(value: Value, part: ReadyUnit) -> list[Node]:
    """The nodes of the part that make a value, if all are cheap, else none."""
    makers = {output: node for node in part.nodes for output in node.outputs}
    found: list[Node] = []
    todo = [value]
    while todo:
        node = makers.get(todo.pop())
        if node is None or node in found:
            continue
        if node.op.name not in CHEAP or node.bodies:
            return []
        found.append(node)
        todo += uses(node)
    return [node for node in part.nodes if node in found] if len(found) <= LONGEST else []


def takes(other: ReadyUnit, chain: list[Node], value: Value, readers: int) -> bool:
    """May this part make the value, and is it no worse off?"""
    asked = [demand(node) for node in chain]
    if other.demand is None or any(one is None or one.shape != other.demand.shape for one in asked):
        return False
    if any(gathers(node) and value in uses(node) for node in other.nodes):
        return False  # it is read out of order
    if other.demand.needs_flat and not all(one is not None and one.flat for one in asked):
        return False
    made = {output for node in chain for output in node.outputs}
    added = {leaf for node in chain for leaf in uses(node)} - made - other.reads()
    large = [leaf for leaf in added if is_large(leaf, value)]
    room = MOST_OPERANDS - 2 * len(added) - 2 * len(other.reads())
    few = len(large) <= (MOST_READ if readers == 1 else 1)
    return few and room >= 0 and len(other.nodes) + len(chain) <= MOST_NODES


def is_large(leaf: Value, value: Value) -> bool:
    """As many elements as the value has; others are read from the cache."""
    t, of = leaf.type, value.type
    return isinstance(t, ArrayType) and isinstance(of, ArrayType) and 2 * t.size > of.size


def take(other: ReadyUnit, chain: list[Node], value: Value) -> None:
    """The chain's nodes, with results of their own, before the part's."""
    same: dict[Value, Value] = {}
    copies = []
    for node in chain:
        outputs = tuple(Value(output.type) for output in node.outputs)
        copies.append(replaced(node, same, outputs))
        same.update(zip(node.outputs, outputs, strict=True))
    own = {value: same[value]}
    other.nodes[:] = copies + [replaced(node, own, node.outputs) for node in other.nodes]


def replaced(node: Node, same: dict[Value, Value], outputs: tuple[Value, ...]) -> Node:
    args, kwargs = substitute(node.args, same), substitute(node.kwargs, same)
    return replace(node, args=args, kwargs=kwargs, outputs=outputs)
