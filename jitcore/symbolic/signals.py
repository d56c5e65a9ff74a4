"""How a walk ends before the frame returns, other than by a break (BreakSignal)."""

from __future__ import annotations

from jitcore.fallback.breaks import Break
from jitcore.symbolic.values import Exc


class Fenced(Exception):
    """The instruction was found, in an earlier walk, not to be captured with its surroundings."""

    def __init__(self, stop: Break) -> None:
        super().__init__(stop)
        self.stop = stop


class RegionEnd(Exception):
    """The region ends before the next instruction, which starts another region. Without a break
    it is the end of the body of a loop that is CPython's."""

    def __init__(self, stop: Break | None = None) -> None:
        super().__init__()
        self.stop = stop


class Particular(Exception):
    """What is captured for all sizes depends on this one."""


class Raising(Exception):
    """An exception on its way to a handler."""

    def __init__(self, exc: Exc) -> None:
        super().__init__(exc.detail)
        self.exc = exc
