"""A graph is well formed: every use is defined before it, every type is what its row infers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitcore.ir.graph import Body, Graph, Node, leaves, only_way
from jitcore.ir.op import Kind, Unsupported, leaf_type
from jitcore.ir.types import NONE, UNKNOWN, DynArrayType, ScalarType, Type
from jitcore.ir.value import Value, values


class VerifyError(Exception):
    """The graph is broken: a fault of the compiler, never of the user's program."""


Rule = Callable[[Node], tuple[Type, ...]]


def by_row(node: Node) -> tuple[Type, ...]:
    """The types of its results, as its row infers them."""
    inferred = node.op.infer(node.args, node.kwargs)
    if inferred == NONE or node.op.same_object(node.args, node.kwargs) is not None:
        return ()
    return inferred if isinstance(inferred, tuple) else (inferred or UNKNOWN,)


def verify(graph: Graph, rule: Rule = by_row) -> None:
    """`rule`: which types the results of a call have; raises Unsupported."""
    _body(graph.body, set(), rule)


def _body(body: Body, outer: set[Value], rule: Rule) -> set[Value]:
    """What is known at its end."""
    known = set(outer)
    _define(body.params, known)
    for node in body.nodes:
        _use((node.args, node.kwargs), known, node)
        ends = {inner: _body(inner, known, rule) for inner in node.bodies}
        if node.op.kind is Kind.CONTROL:
            _control(node)
        else:
            _call(node, rule)
        way = only_way(node)
        known |= ends[way] if way is not None else set()
        _define(node.outputs, known)
    _use(body.results, known, None)
    return known


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


def _call(node: Node, rule: Rule) -> None:
    if node.bodies:
        raise VerifyError(f"{node.op.name} has bodies")
    try:
        types = rule(node)
    except Unsupported as refusal:
        raise VerifyError(f"{node.op.name} cannot be called so: {refusal}") from refusal
    _agree(node, tuple(one.type for one in node.outputs), types)


def _agree(node: Node, got: tuple[Any, ...], wanted: tuple[Any, ...]) -> None:
    if got != wanted:
        shown = [", ".join(map(str, types)) for types in (got, wanted)]
        raise VerifyError(f"{node.op.name} gives ({shown[1]}), the graph says ({shown[0]})")


def _holds(node: Node, wide: tuple[Type, ...], given: tuple[Type, ...]) -> None:
    """A part of an array of unknown extents may have any."""
    narrow = [w if spans(w, g) else g for w, g in zip(wide, given, strict=False)]
    _agree(node, wide, (*narrow, *given[len(narrow) :]))


def spans(wide: Type, given: Type) -> bool:
    if not isinstance(wide, DynArrayType) or not isinstance(given, DynArrayType):
        return False
    if (wide.dtype, wide.ndim, wide.view) != (given.dtype, given.ndim, given.view):
        return False
    return all(w in (None, g) for w, g in zip(wide.dims, given.dims, strict=True))


def _types(tree: tuple[Any, ...]) -> tuple[Type, ...]:
    return tuple(map(leaf_type, tree))


def _control(node: Node) -> None:
    outputs = _types(node.outputs)
    bodies = [(_types(body.params), _types(body.results)) for body in node.bodies]
    match node.op.name:
        case "cond":
            if len(bodies) != 2 or len(node.args) != 1:
                raise VerifyError("cond has one argument and two bodies")
            for body, (params, results) in zip(node.bodies, bodies, strict=True):
                _agree(node, params, ())
                if not leaves(body):
                    _holds(node, outputs, results)
        case "for":
            [(params, results)] = _one_body(node, bodies)
            count, *initial = _types(node.args)
            if not isinstance(count, ScalarType) or count.dtype.kind != "i":
                raise VerifyError("for counts with an int")
            _holds(node, params[1:], tuple(initial))
            _holds(node, outputs, results)
            _holds(node, params[1:], results)
        case "loop":
            [(params, results)] = _one_body(node, bodies)
            _holds(node, params, _types(node.args))
            _holds(node, outputs, results[1:])
            _holds(node, params, results[1:])


def _one_body(node: Node, bodies: list[Any]) -> list[Any]:
    if len(bodies) != 1 or not node.args:
        raise VerifyError(f"{node.op.name} has one body")
    return bodies
