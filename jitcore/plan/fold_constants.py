"""Nodes → the same with numbers that need no call: `x * np.uint32(7)` multiplies by a constant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind
from jitcore.ir.types import ScalarType, type_of
from jitcore.ir.value import Value, arguments, substitute

CALCULATES = frozenset((Kind.MAP, Kind.INDEX))
NUMBERS = frozenset((bool, int, float, complex))


def told(nodes: Iterable[Node], numbers: dict[Value, Any]) -> tuple[Node, ...]:
    """The nodes, in order, calculations with what is known in place of values. What they give
    themselves is added to `numbers`; their own nodes stay for those who want the object."""
    found = []
    for node in nodes:
        if node.op.kind is Kind.MAP and not numbers.keys().isdisjoint(node.inputs):
            args, kwargs = (substitute(tree, numbers) for tree in (node.args, node.kwargs))
            node = replace(node, args=args, kwargs=kwargs)
        known = computed(node)
        if known is not None and type_of(known[0]) == node.outputs[0].type:
            numbers[node.outputs[0]] = known[0]
        found.append(node)
    return tuple(found)


def computed(node: Node) -> tuple[Any] | None:
    """1.5 * 2: computed now, unless NumPy would warn or refuse; then it must do so at run time."""
    if node.inputs:
        return None
    constant = all(is_number(leaf) for leaf in arguments(node.args, node.kwargs))
    if not constant or node.op.kind not in CALCULATES or node.op.target is None:
        return None
    if node.op.effect_of(node.args, node.kwargs) > Effect.FLAGS:
        return None
    if len(node.outputs) != 1 or not isinstance(node.outputs[0].type, ScalarType):
        return None
    try:
        with np.errstate(all="raise"):
            return (node.op.target(*node.args, **node.kwargs),)
    except (ArithmeticError, TypeError, ValueError):
        return None


def is_number(leaf: Any) -> bool:
    return type(leaf) in NUMBERS or isinstance(type_of(leaf), ScalarType)
