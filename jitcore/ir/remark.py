"""Which ways of lowering applied to a loop or a kernel, and why others did not.

    loop at line 12: native; strip mining: yes; wavefront: no, one row hands a number on to the next

LLVM calls them optimization remarks (-Rpass, -Rpass-missed).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower, NotCandidate


@dataclass(frozen=True, slots=True)
class Remark:
    """`reason`: why it did not apply. `candidate`: False where it was not meant for this at all."""

    way: str
    reason: str = ""
    candidate: bool = True

    def __str__(self) -> str:
        return f"{self.way}: {f'no, {self.reason}' if self.reason else 'yes'}"


def declined(way: str, why: CannotLower) -> Remark:
    return Remark(way, str(why), not isinstance(why, NotCandidate))


@dataclass(frozen=True, slots=True)
class Remarks:
    """Of one loop, kernel or call; `where`: in the program's text."""

    subject: str
    where: Any
    found: tuple[Remark, ...]

    def line(self, whole: bool = False) -> str:
        """`whole`: those that were not meant for it, too."""
        said = [str(one) for one in self.found if whole or one.candidate]
        return "; ".join([self.subject, *dict.fromkeys(said)])


def lines(found: Iterable[Remarks], whole: bool = False) -> list[str]:
    """Each once: a loop of a function that is inlined twice is in a graph twice."""
    return list(dict.fromkeys(one.line(whole) for one in found))
