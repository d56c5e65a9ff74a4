"""Frames on their way to the place where what compiled code has made of them is compared."""

from __future__ import annotations

from _thread import get_ident
from typing import Any

Key = tuple[int, int]  # the thread, and the frame's number

pending: dict[Key, Any] = {}


def is_pending(serial: int) -> bool:
    """Is the frame, of this thread, on its way? Then there is nothing to compile."""
    return (get_ident(), serial) in pending


def forget() -> None:
    for one in pending.values():
        one.listening.end()
    pending.clear()
