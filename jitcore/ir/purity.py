"""Which nodes may go when nobody reads them: those whose call could not be noticed.

A call whose floating-point flags NumPy would warn of, or that some values make fail, stays.
"""

from __future__ import annotations

import operator
from typing import Any

from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind
from jitcore.ir.types import PYINT, UNKNOWN, ScalarType
from jitcore.ir.value import Value, arguments, values


def removable(node: Node) -> bool:
    """Whether the call has no effect but its result, whatever the values of its arguments."""
    if node.op.kind is Kind.CONTROL:
        return node.op.name == "cond" and all(
            removable(one) for body in node.bodies for one in body.nodes
        )
    if node.op.target in _OF_INTS and all(map(_is_int, node.args)):
        return _divides(node.op.target, node.args[-1])
    if node.op.effect_of(node.args, node.kwargs) is not Effect.SILENT or not node.outputs:
        return False
    if node.op.kind not in _TOTAL or any(one.type == UNKNOWN for one in node.outputs):
        return False
    return not any(map(_may_not_fit, arguments(node.args, node.kwargs))) and not _indexed(node)


# Python's ints have no bounds: nothing fails, and nothing warns.
_OF_INTS = frozenset(
    (operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.index)
) | {operator.floordiv, operator.mod}


def _is_int(leaf: Any) -> bool:
    return type(leaf) is int or (type(leaf) is Value and leaf.type == PYINT)


def _divides(target: Any, last: Any) -> bool:
    return target not in (operator.floordiv, operator.mod) or (type(last) is int and last != 0)


# Of these, calls on arrays succeed whatever the elements are, once their types are inferred.
_TOTAL = frozenset((Kind.MAP, Kind.REDUCE, Kind.CREATE, Kind.VIEW))


def _may_not_fit(leaf: Any) -> bool:
    """A Python int among NumPy's: it may be out of bounds. What every integer type holds is not."""
    if type(leaf) is Value:
        return isinstance(leaf.type, ScalarType) and leaf.type.dtype.kind in "iu"
    return type(leaf) is int and not 0 <= leaf <= 127


def _indexed(node: Node) -> bool:
    """An index or a mask that is known at run time only: it may be out of range."""
    return node.op.kind is Kind.VIEW and bool(set(values((node.args[1:], node.kwargs))))
