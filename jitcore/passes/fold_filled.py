"""Arrays of one number in calculations → the number.

    out = np.zeros(n);  out = out + w * x    →    out = np.float64(0.0) + w * x

Where the result is of the same type, its strides included, nobody can tell, and an array that only
calculations read is not made. Loops of NumPy's are left as they are: some do other things with one
number than with many (a power of 2 is a square).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node, uses
from jitcore.ir.op import Kind, Unsupported, leaf_type
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.ir.value import Value, substitute
from jitcore.passes.unroll_short_axes import is_simple

NUMBERS = {"zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}
GIVEN = frozenset(("full", "full_like"))  # the number is their second argument


def without_fills(nodes: Sequence[Node], live_out: Collection[Value]) -> list[Node]:
    """The nodes with numbers in place of such arrays, where that can be."""
    numbers: dict[Value, np.generic] = {}
    made: list[Node] = []
    for node in nodes:
        number = number_of(node)
        if number is not None:
            numbers[node.outputs[0]] = number
        made.append(with_numbers(node, numbers) if numbers else node)
    if not numbers:
        return made
    read = {value for node in made for value in uses(node)}.union(live_out)
    return [n for n in made if not n.outputs or n.outputs[0] not in numbers or n.outputs[0] in read]


def number_of(node: Node) -> np.generic | None:
    """That a new array is filled with; None where NumPy might warn or the node makes another."""
    if node.op.kind is not Kind.CREATE or len(node.outputs) != 1:
        return None
    t = node.outputs[0].type
    if not isinstance(t, ArrayType) or not t.numeric or not t.shape or t.dtype.char == "e":
        return None
    number: Any = NUMBERS.get(node.op.name)
    if node.op.name in GIVEN and len(node.args) > 1:
        number = node.args[1]
    if type(number) not in (bool, int, float, complex):
        return None
    try:
        with np.errstate(all="raise"):
            found = t.dtype.type(np.full((), number, t.dtype)[()])
    except (ArithmeticError, TypeError, ValueError):
        return None
    return found if found == number or number != number else None


def with_numbers(node: Node, numbers: dict[Value, np.generic]) -> Node:
    """A calculation that gives the same with the number."""
    if node.op.kind is not Kind.MAP or numbers.keys().isdisjoint(node.inputs) or node.op.stores:
        return node
    if node.kwargs or (node.op.ufunc is None and node.op.name != "where"):
        return node
    args = substitute(node.args, numbers)
    others = [leaf_type(arg) for arg in args]
    if not any(isinstance(t, ArrayType) for t in others):
        return node
    if not all(isinstance(t, ArrayType | ScalarType) for t in others):
        return node
    try:
        found = node.op.infer(args, {})
    except Unsupported:
        return node
    types = found if isinstance(found, tuple) else (found,)
    same = types == tuple(value.type for value in node.outputs)
    made = replace(node, args=args)
    return made if same and is_simple(made) else node
