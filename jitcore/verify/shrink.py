"""A case that differs → a smaller one that still does: fewer results, fewer nodes, smaller arrays.

results   one that differs, as early as may be
nodes     half of them, then a quarter, and so on (delta debugging, Zeller and Hildebrandt,
          2002): what a node made becomes an input, as NumPy makes it
arrays    each extent halved, as long as the op table gives types for it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Body, Graph, Node, Value, uses
from jitcore.ir.interp import interpret
from jitcore.ir.op import Kind, Unsupported
from jitcore.ir.purity import removable
from jitcore.ir.types import ArrayType, ObjectType, type_of
from jitcore.ir.value import substitute, values
from jitcore.verify.case import Case, NodeSpan

Still = Callable[[Case], bool]
SMALLEST = 2  # extents from here on are not halved


def shrunk(case: Case, still: Still) -> Case:
    """`still`: does the case show what it is kept for? Loops in C stay as they are."""
    if any(span.kind == "routine" for span in case.spans):
        return case
    while True:
        before = size(case)
        for step in (fewer_results, fewer_nodes, smaller_arrays):
            case = step(case, still)
        if size(case) >= before:
            return case


def size(case: Case) -> tuple[int, int, int]:
    arrays = (obj for obj in case.inputs if type(obj) is np.ndarray)
    nodes, results = case.graph.body.nodes, case.graph.body.results
    return len(nodes), sum(array.size for array in arrays), len(results)


def holds(case: Case | None, still: Still) -> bool:
    """A case that cannot be run shows nothing."""
    if case is None:
        return False
    try:
        return still(case)
    except Exception:
        return False


# ---- results ------------------------------------------------------------------------------------


def fewer_results(case: Case, still: Still) -> Case:
    """None, where it shows in a store; else what is made first and differs."""
    made = [value for node in case.graph.body.nodes for value in node.outputs]
    for results in ((), *((one,) for one in made)):
        smaller = trimmed(replace(case, graph=with_results(case.graph, results)))
        if size(smaller) < size(case) and holds(smaller, still):
            return smaller
    return case


def with_results(graph: Graph, results: Sequence[Any]) -> Graph:
    return Graph(graph.name, replace(graph.body, results=tuple(results)))


def trimmed(case: Case) -> Case:
    """Without what nobody reads."""
    live = set(values(case.graph.body.results))
    keep: list[bool] = []
    for node in reversed(case.graph.body.nodes):
        wanted = not removable(node) or not live.isdisjoint(node.outputs)
        keep.append(wanted)
        live |= uses(node) if wanted else set()
    return kept(case, keep[::-1], live)


def kept(case: Case, keep: Sequence[bool], live: set[Value]) -> Case:
    body, at = case.graph.body, 0
    spans = []
    for span in case.spans:
        count = sum(keep[at : at + span.count])
        at += span.count
        spans += [replace(span, count=count)] if count else []
    nodes = tuple(node for node, wanted in zip(body.nodes, keep, strict=True) if wanted)
    pairs = [pair for pair in zip(body.params, case.inputs, strict=True) if pair[0] in live]
    params = tuple(value for value, _ in pairs)
    graph = Graph(case.graph.name, Body(params, nodes, body.results))
    return replace(case, graph=graph, spans=tuple(spans), inputs=tuple(obj for _, obj in pairs))


# ---- nodes --------------------------------------------------------------------------------------


def fewer_nodes(case: Case, still: Still) -> Case:
    pieces = 2
    while case.graph.body.nodes:
        count = len(case.graph.body.nodes)
        for chosen in parts(count, pieces):
            smaller = without(case, chosen)
            if holds(smaller, still):
                assert smaller is not None
                case, pieces = smaller, max(pieces - 1, 2)
                break
        else:
            if pieces >= count:
                return case
            pieces = min(2 * pieces, count)
    return case


def parts(count: int, pieces: int) -> Iterator[set[int]]:
    for piece in range(pieces):
        chosen = {*range(count * piece // pieces, count * (piece + 1) // pieces)}
        if chosen:
            yield chosen


def without(case: Case, chosen: set[int]) -> Case | None:
    """What these nodes made is an input. None: it is no number and no array."""
    body = case.graph.body
    gone = [value for k in sorted(chosen) for value in body.nodes[k].outputs]
    made = made_by_numpy(case, gone)
    if made is None or any(isinstance(type_of(obj), ObjectType) for obj in made):
        return None
    inputs = {value: Value(type_of(obj)) for value, obj in zip(gone, made, strict=True)}
    nodes = tuple(renamed(node, inputs) for k, node in enumerate(body.nodes) if k not in chosen)
    params = (*body.params, *inputs.values())
    graph = Graph(case.graph.name, Body(params, nodes, substitute(body.results, inputs)))
    spans, at = [], 0
    for span in case.spans:
        count = sum(k not in chosen for k in range(at, at + span.count))
        at += span.count
        spans += [NodeSpan(span.kind, count, span.errstate)] if count else []
    return trimmed(replace(case, graph=graph, spans=tuple(spans), inputs=(*case.inputs, *made)))


def made_by_numpy(case: Case, wanted: Sequence[Value]) -> tuple[Any, ...] | None:
    with np.errstate(all="ignore"):
        try:
            return interpret(with_results(case.graph, wanted), *case.given())
        except Exception:
            return None


def renamed(node: Node, mapping: dict[Value, Any]) -> Node:
    bodies = tuple(
        Body(b.params, tuple(renamed(n, mapping) for n in b.nodes), substitute(b.results, mapping))
        for b in node.bodies
    )
    args, kwargs = substitute(node.args, mapping), substitute(node.kwargs, mapping)
    return replace(node, args=args, kwargs=kwargs, bodies=bodies)


# ---- arrays -------------------------------------------------------------------------------------


def smaller_arrays(case: Case, still: Still) -> Case:
    if any(node.op.kind is Kind.CONTROL for node in case.graph.body.nodes):
        return case
    done = False
    while not done:
        done = True
        extents = {n for obj in case.inputs if type(obj) is np.ndarray for n in obj.shape}
        for extent in sorted((n for n in extents if n > SMALLEST), reverse=True):
            for least in (extent // 2, extent - 1):
                smaller = cut(case, extent, least)
                if holds(smaller, still):
                    assert smaller is not None
                    case, done = smaller, False
                    break
    return case


def cut(case: Case, extent: int, least: int) -> Case | None:
    """Each axis of that extent has another one. None: the nodes do not take it."""
    inputs = tuple(
        obj[tuple(slice(least) if n == extent else slice(None) for n in obj.shape)].copy(order="K")
        if type(obj) is np.ndarray and obj.ndim
        else obj
        for obj in case.inputs
    )
    graph = retyped(case.graph, inputs)
    return None if graph is None else replace(case, graph=graph, inputs=inputs)


def retyped(graph: Graph, inputs: Sequence[Any]) -> Graph | None:
    """The same operations on inputs of other types."""
    mapping: dict[Value, Any] = {
        value: Value(type_of(obj)) for value, obj in zip(graph.inputs, inputs, strict=True)
    }
    params = tuple(mapping[value] for value in graph.inputs)
    nodes = []
    for node in graph.body.nodes:
        own = renamed(node, mapping)
        try:
            inferred = own.op.infer(own.args, own.kwargs)
        except Unsupported:
            return None
        types = inferred if isinstance(inferred, tuple) else (inferred,)
        known = [t for t in types if t is not None]
        if node.outputs and not all(map(alike, known, node.outputs)):
            return None
        outputs = tuple(map(Value, known)) if node.outputs else ()
        if len(outputs) != len(node.outputs):
            return None
        mapping |= dict(zip(node.outputs, outputs, strict=True))
        nodes.append(replace(own, outputs=outputs))
    return Graph(graph.name, Body(params, tuple(nodes), substitute(graph.body.results, mapping)))


def alike(t: Any, value: Value) -> bool:
    before = value.type
    if type(t) is not type(before):
        return False
    return not isinstance(before, ArrayType) or bool(getattr(t, "dtype", None) == before.dtype)
