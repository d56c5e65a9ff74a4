"""What verify mode has found: differences, each place once; places that cannot be run twice; and
how much was compared. Told at exit, and in the report.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

from jitcore.fallback.breaks import Place
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.units import counted
from jitcore.verify import bug_report
from jitcore.verify.bug_report import Report

log = logging.getLogger("jitcore")
MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Difference:
    place: Place  # where the region begins
    texts: tuple[str, ...]
    file: Path | None  # to be replayed; None: it could not be written


@dataclass(slots=True)
class Findings:
    compared: Counter[Place] = field(default_factory=Counter)
    differences: dict[Place, Difference] = field(default_factory=dict)
    again: Counter[Place] = field(default_factory=Counter)
    alone: dict[tuple[str, str], int] = field(default_factory=dict)  # not run twice, and why

    def same(self, place: Place) -> None:
        self.compared[place] += 1

    def not_compared(self, place: Place, why: str) -> None:
        key = str(place), why
        self.alone[key] = self.alone.get(key, 0) + 1

    def differ(
        self, place: Place, texts: Sequence[str], report: Callable[[], Report], folder: Path | None
    ) -> None:
        self.compared[place] += 1
        self.again[place] += 1
        if place in self.differences:
            return
        file = bug_report.write(report().because(texts), folder)
        self.differences[place] = Difference(place, tuple(texts), file)
        log.error("%s", "\n".join(self.told(self.differences[place])))

    def told(self, one: Difference) -> list[str]:
        lines = [f"verify: {one.place}: compiled code differs from CPython, whose result is kept"]
        lines += [f"    {text}" for text in one.texts[:MOST_LINES]]
        if one.file is not None:
            lines.append(f"    replay it: python -m jitcore replay {one.file}")
        return lines

    def summary(self) -> list[str]:
        runs = sum(self.compared.values())
        head = f"verify: {counted(runs, 'run')} of {counted(len(self.compared), 'region')} compared"
        lines = [f"{head}, {counted(len(self.differences), 'place')} where they differ"]
        for one in self.differences.values():
            lines += self.told(one)
        for (place, why), count in self.alone.items():
            lines.append(f"    not compared: {place}: {why} ({counted(count, 'time')})")
        return lines

    def forget(self) -> None:
        for kept in (self.compared, self.differences, self.again, self.alone):
            kept.clear()


findings = Findings()
