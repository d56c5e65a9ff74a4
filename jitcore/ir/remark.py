"""Which ways of lowering applied to a loop or a kernel, and why others did not.

    loop at line 12: native; strip mining: yes; wavefront: no, one row hands a number on to the next

LLVM calls them optimization remarks (-Rpass, -Rpass-missed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate, line_of
from jitcore.ir.value import Value

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Remark:
    """`reason`: why it did not apply. `candidate`: False where it was not meant for this at all."""

    way: str
    reason: str = ""
    candidate: bool = True

    def __str__(self) -> str:
        return f"{self.way}: {f'no, {self.reason}' if self.reason else 'yes'}"


@dataclass(frozen=True, slots=True)
class Remarks:
    """Of one loop, kernel or NumPy call; `where`: in the program's text."""

    subject: str
    where: Any
    found: tuple[Remark, ...]
    verdict: str = ""

    def line(self, home: str, whole: bool = False) -> str:
        """`home`: the function of which nobody needs the name. `whole`: with those that were not
        meant for it."""
        function = getattr(self.where, "function", home)
        inside = "" if function == home else f" in {function}"
        verdict = [self.verdict] if self.verdict else []
        said = [*verdict, *(str(one) for one in self.found if whole or one.candidate)]
        return f"{self.subject}{line_of(self.where)}{inside}: {'; '.join(dict.fromkeys(said))}"

    @property
    def declined(self) -> bool:
        return any(one.reason and one.candidate for one in self.found)


Notes = dict[Value, list[Remark]]
"""Of kernels in the making: by a value that the kernel makes."""


def declined(way: str, why: CannotLower) -> Remark:
    return Remark(way, str(why), not isinstance(why, NotCandidate))


def note(notes: Notes | None, value: Value, way: str, why: CannotLower) -> None:
    if notes is not None:
        notes.setdefault(value, []).append(declined(way, why))


def asked(way: str, do: Callable[[], T]) -> Remark:
    """Would it apply?"""
    try:
        do()
    except CannotLower as why:
        return declined(way, why)
    return Remark(way)


def lines(found: Iterable[Remarks], home: str, whole: bool = False) -> list[str]:
    """Each once: a loop of a function that is inlined twice is in a graph twice."""
    return list(dict.fromkeys(one.line(home, whole) for one in found))
