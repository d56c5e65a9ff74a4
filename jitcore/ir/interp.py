"""What a graph means: each node is NumPy's own call. Slow, and right by definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph import Body, Graph, Node
from .op import Kind
from .value import Value, map_tree

Environment = dict[Value, Any]


def interpret(graph: Graph, *inputs: Any) -> tuple[Any, ...]:
    """The results of the graph on live objects; stores happen to the inputs themselves."""
    return _run(graph.body, inputs, {})


def _run(body: Body, inputs: Sequence[Any], outer: Environment) -> tuple[Any, ...]:
    env = {**outer, **dict(zip(body.params, inputs, strict=True))}
    for node in body.nodes:
        results = _control(node, env) if node.op.kind is Kind.CONTROL else _call(node, env)
        env.update(zip(node.outputs, results, strict=True))
    return tuple(_read(body.results, env))


def _read(tree: Any, env: Environment) -> Any:
    return map_tree(lambda leaf: env[leaf] if type(leaf) is Value else leaf, tree)


def _call(node: Node, env: Environment) -> Sequence[Any]:
    assert node.op.target is not None
    result = node.op.target(*_read(node.args, env), **_read(node.kwargs, env))
    match len(node.outputs):
        case 0:
            return ()
        case 1:
            return (result,)
    return tuple(result)


def _control(node: Node, env: Environment) -> Sequence[Any]:
    args = _read(node.args, env)
    carried: Sequence[Any]
    match node.op.name:
        case "cond":
            return _run(node.bodies[0 if args[0] else 1], (), env)
        case "for":
            trips, *carried = args
            for index in range(trips):
                carried = _run(node.bodies[0], (index, *carried), env)
            return carried
    again, carried = True, args
    while again:
        again, *carried = _run(node.bodies[0], carried, env)
    return carried
