"""A row of the break table: why a piece of a program runs in CPython."""

from __future__ import annotations

from enum import Enum

from jitcore.host.fast_dataclass import dataclass


class HintClass(Enum):
    """Whose move it is."""

    OUR_BUG = "our bug"
    YOUR_ERROR = "your program fails here too"
    COULD = "can be supported"
    NEVER = "can never be compiled"


@dataclass(frozen=True)
class BreakKind:
    """A row: what happened, what CPython runs because of it, and the way out."""

    code: str
    name: str
    what: str
    hint: str
    runs: str
    hint_class: HintClass
    whole: bool = False  # a detail is a sentence of its own: `what` does not stand before it

    def said(self, detail: str) -> str:
        if not detail:
            return self.what
        return detail if self.whole else f"{self.what}: {detail}"


KINDS: dict[str, BreakKind] = {}

OUR_BUG, YOUR_ERROR, COULD, NEVER = HintClass


def row(
    code: str,
    name: str,
    hint_class: HintClass,
    what: str,
    *,
    runs: str,
    hint: str,
    whole: bool = False,
) -> BreakKind:
    kind = BreakKind(code, name, what, hint, runs, hint_class, whole)
    assert code not in KINDS, code
    KINDS[code] = kind
    return kind
