"""Which nodes have to do with NumPy's error state: those that may raise floating-point flags.

Python's own arithmetic on Python's numbers does not ask for it, whatever it raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op, leaf_type
from jitcore.ir.ops.loop import LEAVE, POLL
from jitcore.ir.ops.operator import ROWS
from jitcore.ir.types import ObjectType, ScalarType
from jitcore.ir.value import given

OPERATORS = frozenset(ROWS)
WAYS_OUT = (POLL, LEAVE)


def any_may_warn(nodes: Iterable[Node]) -> bool:
    """Those of their bodies, too."""
    return any(
        may_warn(node) or any(any_may_warn(body.nodes) for body in node.bodies) for node in nodes
    )


def may_warn(node: Node) -> bool:
    if node.op.kind is Kind.CONTROL or node.op in WAYS_OUT or is_pythons(node):
        return False
    return node.op.effect_of(node.args, node.kwargs) is not Effect.SILENT


def is_pythons(node: Node) -> bool:
    return node.op in OPERATORS and all(
        isinstance(kind, ScalarType) and kind.python
        for kind in map(leaf_type, (*node.args, *node.outputs))
    )


def is_silent(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Does NumPy never warn here? A cast between floats may overflow."""
    types = [value.type for value in given(args, kwargs)]
    kinds = {t.dtype.char for t in types if not isinstance(t, ObjectType) and t.dtype.kind in "fc"}
    return op.effect_of(args, kwargs) is Effect.SILENT and len(kinds) < 2
