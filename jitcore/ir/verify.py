"""A graph is well formed: every use is defined before it, every type is what its row infers."""

from __future__ import annotations

from typing import Any

from .graph import Body, Graph, Node
from .op import Kind, Unsupported, leaf_type
from .types import NONE, UNKNOWN, ScalarType, Type
from .value import Value, values


class VerifyError(Exception):
    """The graph is broken: a fault of the compiler, never of the user's program."""


def verify(graph: Graph) -> None:
    _body(graph.body, set())


def _body(body: Body, outer: set[Value]) -> None:
    known = set(outer)
    _define(body.params, known)
    for node in body.nodes:
        _use((node.args, node.kwargs), known, node)
        for inner in node.bodies:
            _body(inner, known)
        (_control if node.op.kind is Kind.CONTROL else _call)(node)
        _define(node.outputs, known)
    _use(body.results, known, None)


def _define(new: tuple[Value, ...], known: set[Value]) -> None:
    for value in new:
        if value in known:
            raise VerifyError(f"defined twice: {value}")
        known.add(value)


def _use(tree: Any, known: set[Value], node: Node | None) -> None:
    for value in values(tree):
        if value not in known:
            raise VerifyError(f"used before it is defined: {value} in {_title(node)}")


def _title(node: Node | None) -> str:
    return "the results" if node is None else node.op.name


def _call(node: Node) -> None:
    if node.bodies:
        raise VerifyError(f"{node.op.name} has bodies")
    try:
        inferred = node.op.infer(node.args, node.kwargs)
    except Unsupported as refusal:
        raise VerifyError(f"{node.op.name} cannot be called so: {refusal}") from refusal
    if inferred == NONE or node.op.same_object(node.args, node.kwargs) is not None:
        _agree(node, node.outputs, ())
        return
    types = inferred if isinstance(inferred, tuple) else (inferred or UNKNOWN,)
    _agree(node, tuple(one.type for one in node.outputs), types)


def _agree(node: Node, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
    if got != wanted:
        shown = [", ".join(map(str, types)) for types in (got, wanted)]
        raise VerifyError(f"{node.op.name} gives ({shown[1]}), the graph says ({shown[0]})")


def _types(tree: tuple[Any, ...]) -> tuple[Type, ...]:
    return tuple(map(leaf_type, tree))


def _control(node: Node) -> None:
    outputs = _types(node.outputs)
    bodies = [(_types(body.params), _types(body.results)) for body in node.bodies]
    match node.op.name:
        case "cond":
            if len(bodies) != 2 or len(node.args) != 1:
                raise VerifyError("cond has one argument and two bodies")
            for params, results in bodies:
                _agree(node, params, ())
                _agree(node, results, outputs)
        case "for":
            [(params, results)] = _one_body(node, bodies)
            count, *initial = _types(node.args)
            if not isinstance(count, ScalarType) or count.dtype.kind != "i":
                raise VerifyError("for counts with an int")
            _agree(node, params[1:], tuple(initial))
            _agree(node, results, outputs)
            _agree(node, params[1:], results)
        case "loop":
            [(params, results)] = _one_body(node, bodies)
            _agree(node, params, _types(node.args))
            _agree(node, results[1:], outputs)
            _agree(node, params, results[1:])


def _one_body(node: Node, bodies: list[Any]) -> list[Any]:
    if len(bodies) != 1 or not node.args:
        raise VerifyError(f"{node.op.name} has one body")
    return bodies
