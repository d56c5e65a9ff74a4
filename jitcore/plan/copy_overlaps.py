"""What a store overlaps of its own operands, where it is small → copied before the loop.

    a[:] = np.minimum(a, np.add.outer(a[:, k], a[k]))

    v, w = a[:, k].copy(), a[k].copy()
    store np.minimum(a, np.add.outer(v, w)), a[:]

Then the loop reads nothing that it has written already, and the result is never an array. NumPy
makes all of it before it stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node, Value, uses
from jitcore.ir.op import Kind, Unsupported
from jitcore.ir.ops.array import GETITEM, METHODS, PART
from jitcore.ir.types import ArrayType
from jitcore.ir.value import substitute
from jitcore.kernels.constraints import demand
from jitcore.kernels.lower import is_elementwise
from jitcore.kernels.store_rules import STORE, overlap
from jitcore.kernels.view_offsets import ViewOffset
from jitcore.passes.decompose import expanded

MOVING = (GETITEM, PART)
FEW = 8  # copies of an eighth of what is stored cost little beside it


def copied(
    nodes: Sequence[Node], earlier: Iterable[Node], places: Mapping[Value, ViewOffset]
) -> list[Node]:
    """The nodes of a window that ends in a store, with copies of what it overlaps."""
    if not nodes or nodes[-1].op is not STORE:
        return [*nodes]
    _, target = nodes[-1].args
    views = {out: node for node in (*earlier, *nodes) if node.op in MOVING for out in node.outputs}
    readers = [node for node in nodes[:-1] if is_even(node)]
    read = dict.fromkeys(leaf for node in readers for leaf in uses(node))
    found = {leaf for leaf in read if is_small(leaf, target) and meets(leaf, target, views, places)}
    made: list[Node] = []
    same: dict[Value, Value] = {}
    for node in nodes:
        if node in readers and not found.isdisjoint(uses(node)):
            wanted = found - same.keys()
            new = copies(dict.fromkeys(v for v in node.inputs if v in wanted), node)
            known = same | {copy.args[0]: copy.outputs[0] for copy in new}
            other = reading(node, known)
            if other is not None:
                made += new
                same, node = known, other
        made.append(node)
    return made


def is_even(node: Node) -> bool:
    """Are its bits the same wherever its operands lie?"""
    steps = [one for one in expanded([node]) if one.op.kind is not Kind.VIEW]
    asked = [demand(one) for one in steps if is_elementwise(one)]
    even = all(one is not None and not one.needs_flat for one in asked)
    return bool(steps) and len(asked) == len(steps) and even


def is_small(leaf: Value, target: Value) -> bool:
    t, of = leaf.type, target.type
    arrays = isinstance(t, ArrayType) and isinstance(of, ArrayType)
    return arrays and 0 < t.size * FEW <= of.size  # type: ignore[union-attr]


def meets(
    leaf: Value, target: Value, views: Mapping[Value, Node], places: Mapping[Value, ViewOffset]
) -> bool:
    """May an element of one be an element of the other, at another place of the loop?"""
    one, two = place_of(leaf, views, places), place_of(target, views, places)
    if one.array is not two.array:
        return False
    known = all(value not in views or value in places for value in (leaf, target))
    return not known or overlap(two, target.type, one, leaf.type)  # type: ignore[arg-type]


def place_of(
    value: Value, views: Mapping[Value, Node], places: Mapping[Value, ViewOffset]
) -> ViewOffset:
    """Of a view that moves, the array alone."""
    while value not in places and value in views:
        value = views[value].args[0]
    return places.get(value) or ViewOffset(value, 0)


def copies(leaves: Iterable[Value], reader: Node) -> list[Node]:
    found = []
    for leaf in leaves:
        t = METHODS["copy"].infer((leaf,), {})
        assert isinstance(t, ArrayType)
        found.append(Node(METHODS["copy"], (leaf,), {}, (Value(t),), (), reader.where))
    return found


def reading(node: Node, same: Mapping[Value, Value]) -> Node | None:
    """The node that reads copies; None where its result would lie otherwise in memory."""
    args: Any = substitute(node.args, {**same})
    kwargs = substitute(node.kwargs, {**same})
    try:
        t = node.op.infer(args, kwargs)
    except Unsupported:
        return None
    if len(node.outputs) != 1 or t != node.outputs[0].type:
        return None
    return replace(node, args=args, kwargs=kwargs)
