"""NumPy's error state for pure calls: raise where it would warn, so that CPython repeats the work
and warns."""

from __future__ import annotations

from functools import cache
from typing import Any

from jitcore.host.private_names import make_extobj
from jitcore.ir.errstate import modes


@cache
def quiet_state(code: int) -> Any:
    """Of the state that there is, as NumPy keeps it."""
    words: dict[str, Any] = {
        name: "ignore" if mode == "ignore" else "raise" for name, mode in modes(code).items()
    }
    return make_extobj(**words)
