"""NumPy's error state as the number that NumPy keeps of it: three bits for each kind of error.

code ─ modes ─▶ {"divide": "warn", …}           what np.errstate takes
code, words ─ combined ─▶ code                  what np.errstate(**words) makes of it
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

ERRORS = ("divide", "over", "under", "invalid")
MODES = ("ignore", "warn", "raise", "call", "print", "log")
WARN = 1


def levels(code: int) -> tuple[int, ...]:
    """Of each error, the place of its mode among MODES."""
    return tuple(code >> 3 * i & 7 for i in range(len(ERRORS)))


def modes(code: int) -> dict[str, Any]:
    return dict(zip(ERRORS, map(MODES.__getitem__, levels(code)), strict=True))


def combined(code: int, words: Mapping[str, Any]) -> int:
    """Raises what NumPy raises of wrong words."""
    with np.errstate(**modes(code)), np.errstate(**words):
        now: Mapping[str, Any] = np.geterr()
    return sum(MODES.index(now[name]) << 3 * i for i, name in enumerate(ERRORS))


def only_warns(code: int) -> bool:
    return max(levels(code)) <= WARN
