"""Are the builtins, and the loops of NumPy's ufuncs, still those that jitcore was written for? A
program may put others in their place, for a while or for good; so long nothing is compiled, since
the library's and NumPy's functions that we call would call them, and kernels have other bits."""

from __future__ import annotations

import builtins
import logging
import sys
from functools import cache
from typing import Any

from jitcore import _C
from jitcore.host.private_names import umath

log = logging.getLogger("jitcore")

REPLACED = frozenset(
    """print input open breakpoint help exit quit copyright credits license display
    __import__ __build_class__ __debug__ _""".split()
)
"""What programs and notebooks do replace, and our modules have as they were (pristine.py)."""

names = vars(sys.modules["builtins"])  # those of the moment
KNOWN: tuple[tuple[str, Any], ...] = tuple(
    (name, value) for name, value in vars(builtins).items() if name not in REPLACED
)


def is_sound() -> bool:
    return builtins_are_sound() and loops_are_sound()


def loops_are_sound() -> bool:
    name = _C.replaced_loop(umath)
    if name is not None:
        tell(name)
    return name is None


@cache
def tell(name: str) -> None:
    text = "np.%s has loops that are not NumPy's: while it has, nothing more is compiled"
    log.warning(text, name)


def builtins_are_sound() -> bool:
    for name, value in KNOWN:  # noqa: SIM110  all() may be another
        if names.get(name) is not value:
            return False
    return True
