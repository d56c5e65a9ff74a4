"""Text -> graph: the inverse of text.py, for constants that print as Python or NumPy spell them.

types are read, not inferred: `verify` compares them with the rows

A text is data, whoever has written it: operations are rows of the table, and what is called while
it is read are classes of numbers.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from typing import Any

import numpy as np

from jitcore.ir.graph import Body, Graph, Node
from jitcore.ir.op import Op
from jitcore.ir.ops import row_named
from jitcore.ir.ops.python import row_read
from jitcore.ir.types import parse_type
from jitcore.ir.value import Value

_HEAD = r"graph (\w+)\((.*)\) \{"
_NODE = r"(?:(?P<outputs>%\d+: .*?) = )?(?P<op>[\w.]+)\((?P<args>.*)\)(?P<open> \{)?"
_TYPED = r"(%\d+): (.+)"
_CLASSES: dict[str, Any] = {"slice": slice, "float": float, "int": int, "bool": bool}
_CLASSES["complex"] = complex


class ParseError(ValueError):
    """The text is not a graph; says which line."""


def parse(source: str) -> Graph:
    """The graph that prints as `source`, comments aside."""
    lines = [line.split("    # ")[0].strip() for line in source.strip().splitlines()]
    return _Parser([line for line in lines if line and not line.startswith("#")]).graph()


class _Parser:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.names: dict[str, Value] = {}

    def graph(self) -> Graph:
        line = self.next()
        head = re.fullmatch(_HEAD, line)
        if head is None:
            raise ParseError(f"not the head of a graph: {line}")
        params = self.declare(head[2])
        body = self.body(params, "return")
        if self.next() != "}" or self.at != len(self.lines):
            raise ParseError("text after the graph")
        return Graph(head[1], body)

    def next(self) -> str:
        if self.at == len(self.lines):
            raise ParseError("the text ends too early")
        self.at += 1
        return self.lines[self.at - 1]

    def declare(self, typed: str) -> tuple[Value, ...]:
        found = []
        for part in re.split(r", (?=%)", typed) if typed else ():
            match = re.fullmatch(_TYPED, part)
            if match is None or match[1] in self.names:
                raise ParseError(f"not a new value: {part}")
            found.append(Value(parse_type(match[2])))
            self.names[match[1]] = found[-1]
        return tuple(found)

    def body(self, params: tuple[Value, ...], end: str) -> Body:
        nodes: list[Node] = []
        while True:
            line = self.next()
            if line == end or line.startswith(end + " "):
                args, _ = self.arguments(line[len(end) :].strip())
                return Body(params, tuple(nodes), args)
            nodes.append(self.node(line))

    def node(self, line: str) -> Node:
        match = re.fullmatch(_NODE, line)
        if match is None:
            raise ParseError(f"not a node: {line}")
        args, kwargs = self.arguments(match["args"])
        bodies = []
        if match["open"]:
            bodies.append(self.inner())
            while self.lines[self.at - 1] == "} else {":
                bodies.append(self.inner())
        op = row_of_text(match["op"])
        return Node(op, args, kwargs, self.declare(match["outputs"] or ""), tuple(bodies))

    def inner(self) -> Body:
        """A body, and the line that ends it."""
        params: tuple[Value, ...] = ()
        if self.lines[self.at].endswith("):"):
            params = self.declare(self.next()[1:-2])
        body = self.body(params, "yield")
        if self.next() not in ("}", "} else {"):
            raise ParseError("a body ends with }")
        return body

    def arguments(self, source: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call; % becomes a letter that Python's own parser accepts."""
        try:
            call = ast.parse(f"f({re.sub(r'%(?=[0-9])', 'v', source)})", mode="eval").body
        except SyntaxError as error:
            raise ParseError(f"not arguments: {source}") from error
        assert isinstance(call, ast.Call)
        args = tuple(self.tree(one) for one in call.args)
        return args, {str(word.arg): self.tree(word.value) for word in call.keywords}

    def tree(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple():
                return tuple(self.tree(one) for one in node.elts)
            case ast.List():
                return [self.tree(one) for one in node.elts]
            case ast.Dict():
                return {
                    self.tree(key): self.tree(one)
                    for key, one in zip(node.keys, node.values, strict=True)
                    if key is not None
                }
            case ast.UnaryOp(op=ast.USub()):
                return -self.tree(node.operand)
            case ast.BinOp(op=ast.Add()):
                return self.tree(node.left) + self.tree(node.right)
            case ast.BinOp(op=ast.Sub()):
                return self.tree(node.left) - self.tree(node.right)
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if is_class(name):
                return getattr(np, name)
            case ast.Call(func=ast.Attribute() | ast.Name(), keywords=[]):
                return made(self.tree(node.func), [*map(self.tree, node.args)])
            case ast.Name(id=name) if name in _CLASSES:
                return _CLASSES[name]
            case ast.Name(id=name) if f"%{name[1:]}" in self.names:
                return self.names[f"%{name[1:]}"]
        raise ParseError(f"not an argument: {ast.unparse(node)}")


def row_of_text(name: str) -> Op:
    for rows in (row_named, row_read):
        with suppress(KeyError):
            return rows(name)
    raise ParseError(f"no such operation: {name}")


def is_class(name: str) -> bool:
    """Of NumPy's numbers and texts, or of dtypes."""
    found = getattr(np, name, None) if name.isidentifier() else None
    return isinstance(found, type) and issubclass(found, (np.generic, np.dtype))


def made(cls: Any, args: list[Any]) -> Any:
    """A constant. A number must not say how long a text is."""
    sized = cls in (np.void, np.bytes_, np.str_, np.object_) and not all(
        isinstance(arg, str | bytes) for arg in args
    )
    if not isinstance(cls, type) or sized:
        raise ParseError(f"not a constant: {cls}")
    try:
        return cls(*args)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParseError(f"not a constant: {error}") from error
