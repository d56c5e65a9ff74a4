"""Computes what is known: calls on constants that give a number, and shapes that a type tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from jitcore.ir.graph import Graph, Node
from jitcore.ir.op import Effect, Kind, leaf_type
from jitcore.ir.rewrite import Replacement, rewrite
from jitcore.ir.types import ArrayType, ScalarType, type_of
from jitcore.ir.value import arguments

_CALCULATES = frozenset((Kind.MAP, Kind.INDEX))
_NUMBERS = frozenset((bool, int, float, complex))


def fold(graph: Graph) -> Graph:
    return rewrite(graph, _rule)


def _rule(node: Node) -> Replacement:
    if len(node.outputs) != 1 or node.op.kind is Kind.CONTROL:
        return node
    known = _told(node) or computed(node)
    if known is None or type_of(known[0]) != node.outputs[0].type:
        return node
    return known


def _told(node: Node) -> tuple[Any] | None:
    """np.ndim(x): the type of the array tells it."""
    if node.op.fold is None or len(node.args) != 1 or node.kwargs:
        return None
    t = leaf_type(node.args[0])
    return (node.op.fold(t),) if isinstance(t, ArrayType) and t.ndim else None


def computed(node: Node) -> tuple[Any] | None:
    """1.5 * 2: computed now, unless NumPy would warn or refuse; then it must do so at run time."""
    if node.inputs:
        return None
    constant = all(_number(leaf) for leaf in arguments(node.args, node.kwargs))
    if not constant or node.op.kind not in _CALCULATES or node.op.target is None:
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


def _number(leaf: Any) -> bool:
    return type(leaf) in _NUMBERS or isinstance(type_of(leaf), ScalarType)
