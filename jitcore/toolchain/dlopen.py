"""A shared library on disk → the address of its kernel."""

from __future__ import annotations

from pathlib import Path

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Library:
    """Mapped code. The address is good while `handle` lives."""

    address: int
    handle: object


def dlopen(path: Path, symbol: str) -> Library:
    """Map a library; OSError where it cannot be, or has no such kernel."""
    return Library(*_C.dlopen(path, symbol))
