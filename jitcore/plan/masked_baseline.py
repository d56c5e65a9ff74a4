"""What NumPy would do for stores by masks: compute what the mask selects, and no more.

    n = x * 0.1                    s = x[mask];  n = s * 0.1
    masked_store x, mask, n    →   x[mask] = n

A kernel computes all elements, for it costs no more; calls that did so would be no fair baselines.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node, uses
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM, MASKED_STORE, SETITEM
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value, substitute


def selecting(
    before: Sequence[Node], store: Node, read: set[Value]
) -> tuple[tuple[Node, ...], Node]:
    """The nodes before a store, and the store. `read`: what others read of them afterwards."""
    array, mask, value = store.args if store.op is MASKED_STORE else (None, None, None)
    if type(value) is not Value or not isinstance(value.type, ArrayType):
        return tuple(before), store
    chain = chain_of(value, before, read)
    if not chain or mask in {out for node in chain for out in node.outputs}:
        return tuple(before), store
    made = {out for node in chain for out in node.outputs}
    leaves = {leaf for node in chain for leaf in uses(node)} - made
    arrays = [leaf for leaf in leaves if isinstance(leaf.type, ArrayType)]
    if any(leaf.type.shape != value.type.shape for leaf in arrays):  # type: ignore[union-attr]
        return tuple(before), store
    same = {leaf: Value(leaf.type) for leaf in arrays}
    picked = [
        Node(GETITEM, (leaf, mask), {}, (own,), (), store.where) for leaf, own in same.items()
    ]
    own = [replace(node, args=substitute(node.args, same)) for node in chain]
    others = [node for node in before if node not in chain]
    return (*others, *picked, *own), Node(SETITEM, (array, mask, value), {}, (), (), store.where)


def chain_of(value: Value, before: Sequence[Node], read: set[Value]) -> list[Node]:
    """The elementwise nodes that make a value, and nothing that anybody else reads."""
    makers = {out: node for node in before for out in node.outputs}
    found: list[Node] = []
    todo = [value]
    while todo:
        node = makers.get(todo.pop())
        if node is None or node in found or node.op.kind is not Kind.MAP or node.kwargs:
            continue
        found.append(node)
        todo += uses(node)
    wanted = set(read)
    own: list[Node] = []
    for node in reversed(before):
        if node in found and wanted.isdisjoint(node.outputs):
            own.append(node)
        else:
            wanted.update(uses(node))
    return own[::-1] if makers.get(value) in own else []
