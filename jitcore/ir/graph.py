"""The graph: values, nodes, bodies. Frozen data; only the builder makes it.

    Graph   name, body
    Body    params, nodes, results        a straight line of nodes
    Node    op, args, kwargs, outputs     Values at the leaves are inputs, the rest is constant
            bodies, where                 `cond`, `for` and `loop` have bodies; where: source line

A body may use any value that an enclosing body has already defined, and what comes after a `cond`
one of whose bodies leaves the graph may use those of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.op import Op
from jitcore.ir.value import Value, given, map_tree, values

__all__ = ["Body", "Graph", "Node", "Value", "captured", "map_tree", "uses", "values"]


printer = LazyModule("jitcore.ir.text")


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    params: tuple[Value, ...]
    nodes: tuple[Node, ...]
    results: tuple[Any, ...]  # Values or constants


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    op: Op
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[Value, ...] = ()
    bodies: tuple[Body, ...] = ()
    where: Any = None
    inputs: tuple[Value, ...] = field(init=False)
    """The values among the arguments, in order, each as often as it occurs."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(given(self.args, self.kwargs)))

    @property
    def target(self) -> Callable[..., Any] | None:
        """What the node calls; None for nodes with bodies."""
        return self.op.target


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    name: str
    body: Body

    @property
    def inputs(self) -> tuple[Value, ...]:
        return self.body.params

    def __str__(self) -> str:
        """Text that parse.py reads back."""
        shown: str = printer.text(self)
        return shown

    def print_tabular(self) -> None:
        """Prints one line for each node."""
        print(printer.tabular(self))


def uses(node: Node) -> set[Value]:
    """The values that a node reads, its bodies included."""
    read = set(node.inputs)
    for body in node.bodies:
        read |= captured(body)
    return read


def read_by(nodes: Iterable[Node]) -> Iterator[Value]:
    """Each as often as it is read."""
    for node in nodes:
        yield from node.inputs
        for body in node.bodies:
            yield from read_by(body.nodes)
            yield from (v for v in body.results if type(v) is Value)


def captured(body: Body) -> set[Value]:
    """The values that a body takes from its enclosing bodies."""
    read = set(values(body.results))
    defined = set(body.params)
    for node in body.nodes:
        read |= uses(node)
        defined.update(node.outputs)
    return read - defined


def only_way(node: Node) -> Body | None:
    """Of a `cond`: the body that is left where the other one leaves the graph."""
    ways = [body for body in node.bodies if not leaves(body)]
    return ways[0] if node.op.name == "cond" and len(ways) == 1 else None


def leaves(body: Body) -> bool:
    """It leaves the graph, so that nobody has its results."""
    return any(node.op.name == "leave" for node in body.nodes)


def walk(body: Body) -> Iterator[Node]:
    """Every node, in program order, outer before inner."""
    for node in body.nodes:
        yield node
        for inner in node.bodies:
            yield from walk(inner)
