"""Why a node, a loop or a window is not lowered in some way: a short sentence for the program's
author, who knows NumPy and no compiler."""

from __future__ import annotations

from typing import Any


class CannotLower(Exception):
    """It cannot be lowered in this way; `str()` says why."""


class NotCandidate(CannotLower):
    """There is nothing in it that this way is for, so that only a full listing says so."""


def line_of(where: Any) -> str:
    """` at line 12`: a node's, for a reason; nothing where nobody knows."""
    lineno = getattr(where, "lineno", None)
    return "" if lineno is None else f" at line {lineno}"
