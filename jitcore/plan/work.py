"""What a step of a plan calls, as reports name it."""

from __future__ import annotations

from typing import Any

from jitcore.fallback.breaks import Place
from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """One step of a plan: the kernel, loop or function that it calls, and where the program has
    what it does."""

    target: Any
    name: str
    places: tuple[Place, ...]
