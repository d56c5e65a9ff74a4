"""What a thread warns of, noted before the program's own filters see it.

A filter asks its patterns about each warning: one of ours notes it, and matches, which drops the
warning, or does not, which leaves it to the program's filters. Registries do not change. While a
frame is on its way, the program can see that row in `warnings.filters`.
"""

from __future__ import annotations

from dataclasses import field

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.warning_filter import WarningFilter


@dataclass(slots=True)
class Heard:
    drops: bool
    row: WarningFilter = field(init=False)

    def __post_init__(self) -> None:
        self.row = WarningFilter(self.drops)

    @property
    def texts(self) -> list[tuple[str, int]]:
        """Each with the line that warns."""
        heard = self.row.heard
        return list(zip(heard[::2], heard[1::2], strict=False))

    def begin(self) -> None:
        self.row.begin()

    def end(self) -> None:
        self.row.end()
