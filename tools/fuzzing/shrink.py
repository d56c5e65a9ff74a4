"""A program that differs → the smallest one found that still differs in the same field.

Statements are dropped, compound statements replaced by their bodies, expressions by their parts,
while the worker agrees.
"""

from __future__ import annotations

import ast
import copy
import functools
import time
from collections.abc import Callable, Iterator

KEPT = ("f", "CALLS", "FILTER", "STEPS", "PENDING", "tick")


def shrink(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """Greedy: the first smaller text that still fails is the next to shrink."""
    end = time.monotonic() + seconds
    text = ast.unparse(ast.parse(text))
    found = True
    while found and time.monotonic() < end:
        found = False
        position = 0
        while time.monotonic() < end:
            candidate = nth(text, position)
            if candidate is None:
                break
            if candidate != text and len(candidate) <= len(text) and fails(candidate):
                text, found = candidate, True
            else:
                position += 1
    return text


def nth(text: str, position: int) -> str | None:
    """The program after its edit of that number; None past the last."""
    tree = ast.parse(text)
    for number, edit in enumerate(edits(tree)):
        if number == position:
            edit()
            ast.fix_missing_locations(tree)
            try:
                return ast.unparse(tree)
            except (ValueError, TypeError, AttributeError):
                return text
    return None


Edit = Callable[[], None]


def edits(tree: ast.Module) -> Iterator[Edit]:
    nodes = list(ast.walk(tree))
    for node in nodes:
        for name in ("body", "orelse", "handlers", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield from block_edits(block, needed=name == "body")
    for node in nodes:
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield from expression_edits(node, field, value)
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                yield from list_edits(value)


def block_edits(block: list[ast.stmt], needed: bool) -> Iterator[Edit]:
    for i, statement in enumerate(block):
        if isinstance(statement, ast.Pass) and len(block) == 1:
            continue
        if keeps(statement):
            continue

        def drop(i: int = i) -> None:
            block[i : i + 1] = [ast.Pass()] if needed and len(block) == 1 else []

        yield drop
        body = getattr(statement, "body", None)
        if isinstance(body, list) and not isinstance(statement, ast.FunctionDef | ast.ClassDef):

            def lift(i: int = i, body: list[ast.stmt] = body) -> None:
                block[i : i + 1] = body

            yield lift


def keeps(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef):
        return statement.name in KEPT
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Name) and statement.targets[0].id in KEPT
    return False


def expression_edits(node: ast.AST, field: str, value: ast.expr) -> Iterator[Edit]:
    for part in parts(value):
        yield functools.partial(setattr, node, field, part)


def list_edits(items: list[ast.expr]) -> Iterator[Edit]:
    size = len(items) // 2
    while size > 1:  # many at once, where there are many
        for start in range(0, len(items), size):
            yield functools.partial(items.__delitem__, slice(start, start + size))
        size //= 2
    for i, item in enumerate(items):
        if len(items) > 1:
            yield functools.partial(items.__delitem__, i)
        for part in parts(item):
            yield functools.partial(items.__setitem__, i, part)


def parts(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.Name | ast.Constant):
        return []
    inner = [child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
    return [copy.deepcopy(part) for part in inner]
