"""Places → the text that stands there; a file → its functions."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache

from jitcore.fallback.breaks import Place
from jitcore.host.fast_dataclass import dataclass
from jitcore.report.run import Spot


def spot_of(place: Place) -> Spot:
    line = place.lineno or 0
    text = linecache.getline(place.filename, line).rstrip("\n") if line else ""
    end = place.end_lineno or line
    last = text if end == line else linecache.getline(place.filename, end)
    return Spot(
        place.filename,
        line,
        end,
        column(text, place.col),
        column(last, place.end_col),
        place.function,
        text,
    )


def column(text: str, offset: int | None) -> int | None:
    """From CPython's, which counts bytes of UTF-8, to characters."""
    if offset is None or text.isascii():
        return offset
    return len(text.encode()[:offset].decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Defined:
    """A function in a file; `statements`: lines at which one begins."""

    name: str
    line: int
    end: int
    statements: frozenset[int]


@lru_cache(maxsize=256)
def defined(file: str) -> tuple[Defined, ...]:
    """The functions of a file; (): there is no source, or it is not what ran."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: list[Defined] = []
    gather(tree, "", found)
    return tuple(found)


def gather(tree: ast.AST, prefix: str, into: list[Defined]) -> None:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = prefix + node.name
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            inside = frozenset(n.lineno for n in ast.walk(node) if isinstance(n, ast.stmt))
            into.append(Defined(name, first, node.end_lineno or first, inside - {node.lineno}))
            gather(node, f"{name}.<locals>.", into)
        elif isinstance(node, ast.ClassDef):
            gather(node, f"{prefix}{node.name}.", into)
        else:
            gather(node, prefix, into)


def function_at(file: str, name: str, line: int) -> Defined | None:
    """The one of this name that this line is in."""
    inside = [one for one in defined(file) if one.line <= line <= one.end]
    named = [one for one in inside if one.name == name]
    return max(named or inside, key=lambda one: one.line, default=None)


def lines_of(file: str, one: Defined) -> list[tuple[int, str]]:
    texts = linecache.getlines(file)[one.line - 1 : one.end]
    return [(one.line + k, text.rstrip("\n")) for k, text in enumerate(texts)]
