"""Warnings that our own questions to CPython and NumPy cause are not the user's.

`warnings.catch_warnings` would silence the other threads too, and make every warning that was shown
once show again. A row that matches on one thread only, put in front of the user's, does neither.
What it matches with, and when it may go, stands in csrc/host/thread_warnings.h.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Literal

import jitcore._C as _C
from jitcore.host.fast_dataclass import dataclass

Action = Literal["ignore", "error"]


@dataclass(slots=True)
class WarningFilter:
    """One of warnings.filters, for this thread."""

    drops: bool = True
    action: Action = "ignore"
    heard: list[Any] = field(default_factory=list)  # text, line, text, line, ...
    _rows: Any = None  # the list that it was put in
    _row: Any = None

    def begin(self) -> None:
        self._rows = filters()
        self._row = _C.ear_begin(self._rows, self.action, self.drops)
        self.heard = self._row[1].heard

    def end(self) -> None:
        """In a catch_warnings that has begun since, there is a copy of the list."""
        row, self._row = self._row, None
        if row is None:
            return
        _C.ear_end(self._rows, row, re.Pattern)
        now = filters()
        if now is not self._rows:
            _C.ear_end(now, row, re.Pattern)


def filters() -> list[Any]:
    rows: Any = vars(warnings).get("filters")
    return rows if isinstance(rows, list) else []  # CPython raises where it is asked for


@contextmanager
def hushed(action: Action) -> Iterator[None]:
    """What this thread warns of is dropped, or raised."""
    row = WarningFilter(action=action)
    row.begin()
    try:
        yield
    finally:
        row.end()
