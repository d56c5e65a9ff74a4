"""Where in a source file something stands."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import CodeType

from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True)
class Place:
    """Where in a source file; lines count from 1, columns from 0, None: not known."""

    filename: str
    lineno: int | None
    end_lineno: int | None
    col: int | None
    end_col: int | None
    function: str

    def __str__(self) -> str:
        if not self.filename:
            return self.function
        return f"{self.filename}:{self.lineno or '?'} in {self.function}"


Position = tuple[int | None, int | None, int | None, int | None]
"""(lineno, end_lineno, col, end_col), the order of `dis.Positions` and `co_positions()`."""


def place_of(code: CodeType, position: Position | None = None) -> Place:
    """The place of an instruction of `code`; without a position, the function's first line."""
    line, end_line, col, end_col = position or (code.co_firstlineno, None, None, None)
    line = code.co_firstlineno if line is None else line
    return Place(code.co_filename, line, end_line, col, end_col, code.co_qualname)


def caret(place: Place) -> Iterator[str]:
    """The source line, and what of it is meant."""
    text = linecache.getline(place.filename, place.lineno or 0).rstrip("\n")
    if not text.strip():
        return
    indent = len(text) - len(text.lstrip())
    yield f"    {text[indent:]}"
    if place.col is None or place.end_col is None:
        return
    encoded = text.encode()  # columns count bytes
    first = len(encoded[: place.col].decode(errors="replace")) - indent
    one_line = place.end_lineno in (None, place.lineno)
    last = len(encoded[: place.end_col].decode(errors="replace")) if one_line else len(text)
    if 0 <= first < last - indent:
        yield f"    {' ' * first}{'^' * (last - indent - first)}"
