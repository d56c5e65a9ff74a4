"""C text as it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.toolchain.symbol_names import comment


@dataclass(slots=True)
class Text:
    """Lines with indentation. `places`: variable → the user's line, which stands behind lines that
    compute it, for people. Kernels are compiled, and kept, without: the same loop of two functions
    is one kernel."""

    lines: list[str] = field(default_factory=list)
    depth: int = 1
    places: Mapping[int, Any] = field(default_factory=dict)

    def __call__(self, line: str, made: int = -1) -> None:
        where = self.places.get(made)
        said = "" if where is None else f"    {comment(where)}"
        self.lines.append(f"{'    ' * self.depth}{line}{said}")

    def each(self, lines: Iterable[str], made: int = -1) -> None:
        for line in lines:
            self(line, made)

    def open(self, line: str) -> None:
        self(line)
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self("}")
