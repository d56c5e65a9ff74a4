"""Warnings that our own questions to CPython and NumPy cause are not the user's.

`warnings.catch_warnings` would silence the other threads too, and make every warning that was shown
once show again. A filter that matches on one thread only, put in front of the user's, does neither.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal


class ThisThread:
    """In place of a filter's regular expression for module names: any module, on this thread."""

    def __init__(self) -> None:
        self.ident = threading.get_ident()

    def match(self, module: str) -> bool:
        return threading.get_ident() == self.ident


@contextmanager
def hushed(action: Literal["ignore", "error"]) -> Iterator[None]:
    """What this thread warns of is dropped, or raised."""
    rows: Any = warnings.filters
    row = (action, None, Warning, ThisThread(), 0)
    rows.insert(0, row)
    try:
        yield
    finally:
        rows.remove(row)
