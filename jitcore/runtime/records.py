"""What is known of each code object: its region points, the regions compiled at them, the breaks
found.

Code objects compare by value, so records go by identity, and leave with the code object: nothing
in a record may hold on to it, nor to other objects of the user's.
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from types import CodeType
from typing import Any, Literal

from jitcore.config import Config
from jitcore.cost.bytes_moved import LOOP, Counts, Moves, Traffic
from jitcore.cost.peak_memory import Footprint
from jitcore.fallback.breaks import Break, Place
from jitcore.guards.reason import Change, summed
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Graph
from jitcore.plan.step_remarks import NO_REMARKS, StepRemarks
from jitcore.plan.work import Work
from jitcore.user.cache_info import Extents

NO_MOVES = Moves((), (), (), {})


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """One compiled (or tried) stretch of code. `entry` is None where compiling it would not have
    paid."""

    function: Place
    offset: int
    graph: Graph
    breaks: tuple[Break, ...]
    guards: tuple[str, ...]  # in words
    facts: frozenset[int]  # hashes of the guards
    entry: Any
    kernels: tuple[Any, ...]
    calls: int
    footprint: Footprint
    seconds: float
    routines: tuple[Any, ...] = ()  # of its loops
    place: Place | None = None  # where it begins
    sizes: Mapping[str, Extents] = field(default_factory=dict)  # of arrays, by their sources
    works: tuple[Work, ...] = ()  # in the order in which they run
    moves: Moves = NO_MOVES
    end: int = -1  # the offset at which CPython goes on, unless it returns
    exits: Mapping[int, Place] = field(default_factory=dict)  # every such offset
    remarks: StepRemarks = NO_REMARKS  # what applied to its loops and kernels

    @property
    def traffic(self) -> Traffic:
        """Bytes that a run moves, and operations in it."""
        return self.moves.counted()[0]

    @property
    def counts(self) -> tuple[Counts, ...]:
        """The same of each of `works`."""
        todo = iter(self.moves.counted()[1])
        loops = {id(one) for one in self.routines}
        return tuple(LOOP if id(one.target) in loops else next(todo, LOOP) for one in self.works)

    @property
    def for_sizes(self) -> bool:
        """Does it serve arrays of many sizes? What is counted is counted at those it was made
        for."""
        return any(type(n) is tuple for extents in self.sizes.values() for n in extents)


Done = Literal["made dynamic", "another entry", "runs in CPython"]
MOST_RECOMPILES = 64  # that are kept of a code object: the latest


@dataclass(frozen=True, slots=True)
class Recompile:
    """The compiler was asked again at a place with entries: what is not as the nearest of them
    wants it, and what was done."""

    place: Place
    offset: int
    changes: tuple[Change, ...]  # one at least; all that differ
    done: Done

    def __str__(self) -> str:
        return f"{self.place}: {summed(self.changes)}: {self.done}"


@dataclass(slots=True, eq=False)
class Record:
    config: Config
    points: dict[int, Any] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)
    sizes: dict[int, list[Any]] = field(
        default_factory=dict
    )  # at a point, see runtime/sizes/sized_entry.py
    one_size: dict[int, int] = field(default_factory=dict)  # tries of an entry for all, in vain
    rolled: set[int] = field(default_factory=set)  # loops that are not unrolled, by their headers
    varied: set[str] = field(default_factory=set)  # numbers for which there are versions
    refused: dict[int, str] = field(default_factory=dict)  # loops that are CPython's, and why
    wasted: dict[int, tuple[int, int]] = field(default_factory=dict)  # in which run, how many
    regions: list[Region] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    recompiles: deque[Recompile] = field(default_factory=lambda: deque(maxlen=MOST_RECOMPILES))
    dispatchers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    unprofitable: int = 0  # regions in a row that did not pay
    frameless: list[Any] = field(default_factory=list)  # entries for the whole function
    shown: dict[int, list[str]] = field(default_factory=dict)  # at a point, see jitcore/dump
    begun: bool = False  # it has got its first points
    watches: set[int] = field(default_factory=set)  # points at which no region begins: verify mode
    arrived: bool = False  # by JITCORE=1, not by a decorator or a call from compiled code
    compiling: dict[int, list[int]] = field(default_factory=dict)  # offset → the process at it
    needs: dict[int, float] = field(default_factory=dict)  # at a point, seconds for a version
    cost: float = 0.0  # seconds: further versions, and what was abandoned
    since: float | None = None  # when it was first asked about, see runtime/allowance.py

    @contextmanager
    def alone(self, offset: int) -> Iterator[bool]:
        """Is nobody else compiling there? Threads that come meanwhile leave it to CPython."""
        here = [os.getpid()]
        there = self.compiling.setdefault(offset, here)  # in one step, as threads may change here
        mine = there is here or there != here
        try:
            yield mine
        finally:
            if mine:
                self.compiling.pop(offset, None)


class Records:
    """The code cache as Python sees it. One instance, in the pipeline."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[weakref.ref[CodeType], Record]] = {}
        self.keeps = False  # those of code that is gone, too: for a report of the whole run
        self._kept: list[Record] = []

    def find(self, code: CodeType) -> Record | None:
        found = self._by_id.get(id(code))
        return found[1] if found is not None and found[0]() is code else None

    def add(self, code: CodeType, record: Record) -> None:
        key = id(code)
        self._by_id[key] = (weakref.ref(code, partial(self._by_id.pop, key)), record)
        if self.keeps:
            self._kept.append(record)

    def join(self, code: CodeType, record: Record) -> Record:
        """The code's record: this one, unless another thread has added one meanwhile."""
        there = self.find(code)
        if there is not None:
            return there
        key = id(code)
        row = (weakref.ref(code, partial(self._by_id.pop, key)), record)
        there = self._by_id.setdefault(key, row)[1]  # in one step, as threads may change here
        if there is record and self.keeps:
            self._kept.append(record)
        return there

    def drop(self, code: CodeType) -> None:
        _, record = self._by_id.pop(id(code), (None, None))
        if record in self._kept:
            self._kept.remove(record)

    def drop_gone(self) -> None:
        """Those whose code is gone."""
        self._kept = self.all() if self.keeps else []

    def all(self) -> list[Record]:
        return [record for record, _ in self.with_codes()]

    def with_codes(self) -> list[tuple[Record, CodeType]]:
        found = ((record, ref()) for ref, record in list(self._by_id.values()))
        return [(record, code) for record, code in found if code is not None]

    def ever(self) -> list[Record]:
        """Of code that is gone, too, as far as they are kept."""
        return [*dict.fromkeys([*self._kept, *self.all()])]


records = Records()
