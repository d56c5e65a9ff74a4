"""Graph -> graph, node by node: what every pass that replaces nodes is made of.

A rule looks at a node whose arguments are already rewritten, and says what stands in its place:

    Node                 this node; its outputs are new values, or the old ones
    tuple of operands    no node: these are its outputs (Values or constants)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .graph import Body, Graph, Node
from .value import Value, map_tree

Replacement = Node | tuple[Any, ...]
Rule = Callable[[Node], Replacement]
Mapping = dict[Value, Any]


def rewrite(graph: Graph, rule: Rule) -> Graph:
    return replace(graph, body=_body(graph.body, rule, {}))


def substitute(tree: Any, mapping: Mapping) -> Any:
    """The tree with values replaced."""
    return map_tree(lambda leaf: mapping.get(leaf, leaf) if type(leaf) is Value else leaf, tree)


def _body(body: Body, rule: Rule, mapping: Mapping) -> Body:
    mapping = dict(mapping)
    nodes = []
    for node in body.nodes:
        new = rule(_node(node, rule, mapping))
        outputs = new.outputs if isinstance(new, Node) else new
        mapping.update(zip(node.outputs, outputs, strict=True))
        if isinstance(new, Node):
            nodes.append(new)
    return Body(body.params, tuple(nodes), substitute(body.results, mapping))


def _node(node: Node, rule: Rule, mapping: Mapping) -> Node:
    return replace(
        node,
        args=substitute(node.args, mapping),
        kwargs=substitute(node.kwargs, mapping),
        bodies=tuple(_body(inner, rule, mapping) for inner in node.bodies),
    )
