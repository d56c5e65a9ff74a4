"""C text as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from jitcore.host.fast_dataclass import dataclass


@dataclass(slots=True)
class Text:
    """Lines with indentation."""

    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def __call__(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def each(self, lines: Iterable[str]) -> None:
        for line in lines:
            self(line)

    def open(self, line: str) -> None:
        self(line)
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self("}")
