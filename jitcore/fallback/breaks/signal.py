"""A break that happened: raised from any depth, then a value."""

from __future__ import annotations

from collections.abc import Sequence

from jitcore.fallback.breaks.kind import BreakKind
from jitcore.fallback.breaks.place import Place
from jitcore.fallback.hints import closer, from_outside
from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True)
class Break:
    """A break that happened; `via` are the inlined calls that led to it, outermost first."""

    kind: BreakKind
    detail: str
    place: Place
    via: tuple[Place, ...] = ()

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def filename(self) -> str:
        return self.place.filename

    @property
    def lineno(self) -> int | None:
        return self.place.lineno

    @property
    def function(self) -> str:
        return self.place.function

    @property
    def where(self) -> str:
        """The place, and for an inlined function the call that led there."""
        return f"{self.place}, called from {self.via[0]}" if self.via else str(self.place)

    @property
    def reason(self) -> str:
        return self.kind.said(self.detail)

    @property
    def hint(self) -> str:
        """The closest way out (jitcore/fallback/hints.py)."""
        callers = [(place.filename, f"{place.filename}:{place.lineno}") for place in self.via]
        outside = from_outside(self.filename, callers)
        return outside or closer(self.code, self.detail) or self.kind.hint

    def __str__(self) -> str:
        return f"{self.code} {self.where}: {self.reason}. Hint: {self.hint}"


class BreakSignal(Exception):
    """Raised by `vm.stop`, caught in one place; never reaches a user."""

    def __init__(self, kind: BreakKind, detail: str = "", fence: int | None = None) -> None:
        super().__init__(f"{kind.code} {kind.name}: {detail}")
        self.kind = kind
        self.detail = detail
        self.fence = fence  # the instruction of the outermost frame that is to be CPython's

    def at(self, place: Place, via: Sequence[Place] = ()) -> Break:
        return Break(self.kind, self.detail, place, tuple(via))
