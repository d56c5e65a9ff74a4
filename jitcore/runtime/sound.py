"""Are the builtins still those that jitcore was written for? A program may put others in their
place, for a while; so long nothing is compiled, since our own modules would call them."""

from __future__ import annotations

import builtins
from typing import Any

REPLACED = frozenset(
    """print input open breakpoint help exit quit copyright credits license display
    __import__ __build_class__ __debug__ _""".split()
)
"""What programs and notebooks do replace, and our modules do without."""

names = vars(builtins)
KNOWN: tuple[tuple[str, Any], ...] = tuple(
    (name, value) for name, value in names.items() if name not in REPLACED
)


def builtins_are_sound() -> bool:
    for name, value in KNOWN:  # noqa: SIM110  all() may be another
        if names.get(name) is not value:
            return False
    return True
