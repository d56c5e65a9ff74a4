"""A window's nodes → one call of a user's backend: (graph, example inputs) → callable → a tuple
of results. What it runs is CPython's: it would be compiled too, and its breaks be reported."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Body, Graph, Node, Value
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.user import backends
from jitcore.user.directives import left_alone

log = logging.getLogger("jitcore")


@dataclass(frozen=True, slots=True, eq=False)
class Foreign:
    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    run: Any


def foreign(
    name: str,
    backend: str,
    nodes: Sequence[Node],
    after: Collection[Value],
    examples: Mapping[Value, Any],
) -> tuple[list[Node | Foreign], str]:
    """The nodes as the backend runs them; as they are where it refuses, with the reason."""
    made = {value for node in nodes for value in node.outputs}
    inputs = tuple(dict.fromkeys(v for node in nodes for v in node.inputs if v not in made))
    outputs = tuple(v for node in nodes for v in node.outputs if v in after)
    build = backends.find(backend)
    if build is None or not nodes or any(not node.outputs for node in nodes):
        return list(nodes), ""
    graph = Graph(name, Body(inputs, tuple(nodes), outputs))
    try:
        run = build(graph, tuple(example(value, examples) for value in inputs))
    except Exception as error:
        log.exception("backend %r failed on %s; NumPy runs the graph", backend, name)
        return list(nodes), f"{backend}: {type(error).__name__}: {error}"
    if not callable(run):
        log.error("backend %r returned %r for %s; NumPy runs the graph", backend, run, name)
        return list(nodes), f"{backend} returned a {type(run).__name__}"
    return [Foreign(tuple(nodes), inputs, outputs, left_alone(run))], ""


def example(value: Value, examples: Mapping[Value, Any]) -> Any:
    """What the input is now, or zeros of its type for one that the region itself computes."""
    if value in examples:
        return examples[value]
    kind = value.type
    if isinstance(kind, ArrayType):
        return np.zeros(kind.shape, kind.dtype)
    if isinstance(kind, ScalarType):
        return kind.pytype(0) if kind.python else kind.dtype.type(0)
    return None
