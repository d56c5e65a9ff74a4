"""Nodes → the same with numbers that need no call: `x * np.uint32(7)` multiplies by a constant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.op import Kind
from jitcore.ir.rewrite import substitute
from jitcore.ir.types import type_of
from jitcore.ir.value import Value
from jitcore.passes.fold import computed


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
