"""Graph -> text that one can read, and that parse.py reads back.

graph halve(%0: f8[10], %1: pyf8) {
  %2: f8[10] = multiply(%0, 0.5)        # model.py:12
  %3: b1 = ndarray.any(%2)
  %4: f8[10] = cond(%3) {
    yield %2
  } else {
    yield %0
  }
  return %4
}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from jitcore.ir.graph import Body, Graph, Node
from jitcore.ir.value import Value

Names = dict[Value, str]


def text(graph: Graph) -> str:
    names: Names = {}
    params = typed(graph.body.params, names)
    lines = [f"graph {graph.name}({params}) {{", *_body(graph.body, names, "  ", "return"), "}"]
    return "\n".join(lines)


def _body(body: Body, names: Names, indent: str, end: str) -> Iterator[str]:
    for node in body.nodes:
        yield from node_lines(node, names, indent)
    yield f"{indent}{end} {', '.join(show(one, names) for one in body.results)}".rstrip()


def node_lines(node: Node, names: Names, indent: str) -> Iterator[str]:
    call = f"{node.op.name}({_arguments(node, names)})"
    outputs = typed(node.outputs, names)
    line = f"{indent}{outputs} = {call}" if outputs else f"{indent}{call}"
    where = f"    # {node.where}" if node.where is not None else ""
    if not node.bodies:
        yield line + where
        return
    yield line + " {" + where
    for number, body in enumerate(node.bodies):
        if number:
            yield f"{indent}}} else {{"
        if body.params:
            yield f"{indent}  ({typed(body.params, names)}):"
        yield from _body(body, names, indent + "  ", "yield")
    yield indent + "}"


def _arguments(node: Node, names: Names) -> str:
    shown = [show(one, names) for one in node.args]
    shown += [f"{key}={show(one, names)}" for key, one in node.kwargs.items()]
    return ", ".join(shown)


def typed(values: tuple[Value, ...], names: Names) -> str:
    return ", ".join(f"{_name(one, names)}: {one.type}" for one in values)


def _name(value: Value, names: Names) -> str:
    return names.setdefault(value, f"%{len(names)}")


def show(tree: Any, names: Names) -> str:
    """An argument: a value, a constant, or a nest of them."""
    cls = type(tree)
    if cls is Value:
        return _name(tree, names)
    if cls is list:
        return f"[{', '.join(show(one, names) for one in tree)}]"
    if cls is tuple:
        inner = ", ".join(show(one, names) for one in tree)
        return f"({inner},)" if len(tree) == 1 else f"({inner})"
    if cls is dict:
        return "{" + ", ".join(f"{k!r}: {show(one, names)}" for k, one in tree.items()) + "}"
    if cls is slice:
        return f"slice({', '.join(show(p, names) for p in (tree.start, tree.stop, tree.step))})"
    return _constant(tree)


def _constant(value: Any) -> str:
    cls = type(value)
    if cls is float and (value != value or value in (float("inf"), float("-inf"))):
        return f"float({str(value)!r})"
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        long = value.dtype.char in "gG"
        return repr(value) if long else f"np.{cls.__name__}({_constant(value.item())})"
    if isinstance(value, np.dtype):
        return f"np.dtype({value.str!r})"
    if cls is type:
        return f"np.{value.__name__}" if issubclass(value, np.generic) else value.__name__
    if value is Ellipsis:
        return "..."
    if cls is np.ndarray:
        return f"<array {value.dtype.str}{list(value.shape)}>"
    return repr(value)


def tabular(graph: Graph) -> str:
    """One line for each node: name, operation, target, arguments, keywords, type."""
    names: Names = {}
    rows = [("name", "op", "kind", "args", "kwargs", "type")]
    rows += [(_name(p, names), "input", "", "", "", str(p.type)) for p in graph.body.params]
    rows += _table(graph.body, names, "")
    shown = ", ".join(show(one, names) for one in graph.body.results)
    rows.append(("", "return", "", shown, "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


Row = tuple[str, str, str, str, str, str]


def _table(body: Body, names: Names, indent: str) -> Iterator[Row]:
    for node in body.nodes:
        args = ", ".join(show(one, names) for one in node.args)
        kwargs = ", ".join(f"{key}={show(one, names)}" for key, one in node.kwargs.items())
        outputs = ", ".join(_name(one, names) for one in node.outputs)
        types = ", ".join(str(one.type) for one in node.outputs)
        kind = node.op.kind.name.lower()
        yield indent + outputs, node.op.name, kind, args, kwargs, types
        for inner in node.bodies:
            yield from _table(inner, names, indent + "  ")
