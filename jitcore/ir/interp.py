"""What a graph means: each node is NumPy's own call. Slow, and right by definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from jitcore.ir.graph import Body, Graph, Node, only_way
from jitcore.ir.op import Kind
from jitcore.ir.value import Value, map_tree

Environment = dict[Value, Any]
Around = Callable[[Node], AbstractContextManager[Any]]


def interpret(graph: Graph, *inputs: Any, around: Around | None = None) -> tuple[Any, ...]:
    """The results of the graph on live objects; stores happen to the inputs themselves. `around`:
    what each of its nodes is run in, those inside of others with them."""
    return _run(graph.body, inputs, {}, around)


def _run(
    body: Body, inputs: Sequence[Any], outer: Environment, around: Around | None = None
) -> tuple[Any, ...]:
    return _straight(body, {**outer, **dict(zip(body.params, inputs, strict=True))}, around)


def _straight(body: Body, env: Environment, around: Around | None = None) -> tuple[Any, ...]:
    for node in body.nodes:
        with around(node) if around is not None else nullcontext():
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
            way = node.bodies[0 if args[0] else 1]
            return _straight(way, env) if way is only_way(node) else _run(way, (), env)
        case "for":
            trips, *carried = args
            for index in range(trips):
                carried = _run(node.bodies[0], (index, *carried), env)
            return carried
    again, carried = True, args
    while again:
        again, *carried = _run(node.bodies[0], carried, env)
    return carried
