"""Computes a thing once: a node that repeats an earlier one takes its outputs.

Arrays are objects: two equal results may be one only where nobody can tell, that is where they
are read by calculations alone, and nothing in the graph writes to an array or is loud.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitcore.ir.graph import Body, Graph, Node, walk
from jitcore.ir.op import Effect, Kind
from jitcore.ir.rewrite import substitute
from jitcore.ir.types import UNKNOWN, ScalarType
from jitcore.ir.value import Value, leaves, values

Seen = dict[Any, Node]

_CALCULATES = frozenset((Kind.MAP, Kind.REDUCE))


def cse(graph: Graph) -> Graph:
    nodes = list(walk(graph.body))
    if any(node.op.effect_of(node.args, node.kwargs) > Effect.FLAGS for node in nodes):
        return graph
    private = _private(graph.body, nodes)
    return Graph(graph.name, _body(graph.body, {}, {}, private))


def _private(body: Body, nodes: list[Node]) -> set[Value]:
    """The values that only calculations read: their identity shows nowhere."""
    found = {value for node in nodes for value in node.outputs}
    found -= set(values(body.results))
    for node in nodes:
        if node.op.kind not in _CALCULATES:
            found -= set(node.inputs)
        for inner in node.bodies:
            found -= set(values(inner.results))
    return found


def _body(body: Body, seen: Seen, mapping: dict[Value, Any], private: set[Value]) -> Body:
    """Inner bodies use what is seen outside; what they see themselves ends with them."""
    seen, mapping = dict(seen), dict(mapping)
    nodes = []
    for node in body.nodes:
        new = replace(
            node,
            args=substitute(node.args, mapping),
            kwargs=substitute(node.kwargs, mapping),
            bodies=tuple(_body(inner, seen, mapping, private) for inner in node.bodies),
        )
        first = seen.setdefault(_key(new), new) if _mergeable(new, private) else new
        if first is new:
            nodes.append(new)
        else:
            mapping.update(zip(node.outputs, first.outputs, strict=True))
    return Body(body.params, tuple(nodes), substitute(body.results, mapping))


def _mergeable(node: Node, private: set[Value]) -> bool:
    if node.op.kind not in _CALCULATES or _key(node) is None:
        return False
    return all(isinstance(one.type, ScalarType) or one in private for one in node.outputs)


def _key(node: Node) -> Any:
    """Equal for equal calls; -0.0 and 0.0, 1 and 1.0 and True are not equal."""
    parts: list[Any] = [node.op.name, len(node.args), *node.kwargs]
    for leaf in leaves((node.args, node.kwargs)):
        if type(leaf) is Value:
            parts.append(id(leaf))
        elif type(leaf) in (bool, int, float, complex, str, type(None)):
            parts.append((type(leaf), repr(leaf)))
        else:
            return None
    parts.append(_shape((node.args, node.kwargs)))
    return None if UNKNOWN in {one.type for one in node.outputs} else tuple(parts)


def _shape(tree: Any) -> Any:
    """How the leaves nest."""
    if type(tree) in (list, tuple):
        return type(tree), tuple(map(_shape, tree))
    if type(tree) is dict:
        return dict, tuple((key, _shape(one)) for key, one in tree.items())
    if type(tree) is slice:
        return slice, tuple(map(_shape, (tree.start, tree.stop, tree.step)))
    return None
