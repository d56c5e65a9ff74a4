"""What a thread warns of, noted before the program's own filters see it.

A filter asks its patterns about each warning: one of ours notes it, and matches, which drops the
warning, or does not, which leaves it to the program's filters. Neither registries nor the state of
`warnings` change.
"""

from __future__ import annotations

import sys
import threading
import warnings
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Heard:
    """In place of a filter's regular expression for the text."""

    drops: bool
    ident: int = field(default_factory=threading.get_ident)
    texts: list[tuple[str, int]] = field(default_factory=list)  # and the line that warns
    row: Any = None

    def match(self, text: str) -> bool:
        if threading.get_ident() != self.ident:
            return False
        self.texts.append((text, sys._getframe(1).f_lineno))
        return self.drops

    def begin(self) -> None:
        rows: Any = warnings.filters
        self.row = ("ignore", self, Warning, None, 0)
        rows.insert(0, self.row)

    def end(self) -> None:
        rows: Any = warnings.filters
        for at, row in enumerate(rows):
            if row is self.row:
                del rows[at]
                break
