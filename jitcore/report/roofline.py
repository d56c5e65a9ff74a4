"""What was measured of graphs and their steps → where they stand between memory and computing.

intensity    operations on elements per byte that is read or written
             (cost/operations.py and cost/bytes_moved.py say what is counted)
reached      the bytes and the operations of the runs there were, in the time that they took
memory       what this machine gives (cost/bandwidth.py)

S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model", 2009.
There is no roof for operations here: an exponential takes many times as long as an addition.
"""

from __future__ import annotations

from collections.abc import Iterator

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.units import binary, share
from jitcore.report.annotated import whose
from jitcore.report.run import Compiled, Step

BOUND = 0.6  # of what memory gives
ABOVE = 1.1  # and from here on it was not memory that gave it
TURN = "this call timed NumPy for comparison"
SIZES = "it serves many sizes, and which ones came is not known"


@dataclass(frozen=True)
class MachineLimits:
    """`memory`: bytes per second; None: not measured. `caches`: bytes; 0: not known."""

    memory: float | None
    caches: int


NOT_ASKED = MachineLimits(None, 0)


@dataclass(frozen=True)
class Position:
    """name        of a step `f@12`, the line that it ends at; of a graph as a whole `f`
    what        the kernel's name, or NumPy's; "graph"
    moved       bytes that it reads and writes in a run; None: not counted, `why` says why not
    operations  on elements in a run; None: not counted
    runs        in the call; `seconds` that they took together
    machine     what memory gives, and what the caches hold
    """

    name: str
    what: str
    moved: int | None
    operations: int | None
    runs: int
    seconds: float
    why: str
    machine: MachineLimits

    @property
    def intensity(self) -> float | None:
        """Operations per byte."""
        if not self.moved or self.operations is None:
            return None
        return self.operations / self.moved

    @property
    def bytes_per_second(self) -> float | None:
        return self.rate(self.moved)

    @property
    def operations_per_second(self) -> float | None:
        return self.rate(self.operations)

    def rate(self, each: int | None) -> float | None:
        known = each is not None and self.runs and self.seconds > 0
        return each * self.runs / self.seconds if known and each is not None else None

    @property
    def verdict(self) -> str:
        """Empty: there is nothing to compare."""
        reached, gives = self.bytes_per_second, self.machine.memory
        if not reached or not gives or not self.moved:
            return ""
        if reached > ABOVE * gives:
            return "faster than memory: its arrays are in caches"
        if reached < BOUND * gives:
            return "not bound by memory"
        if not self.machine.caches:
            return "bound by memory, or by a cache: how much they hold is not known"
        fits = self.moved <= self.machine.caches
        return "its arrays fit into the caches" if fits else "bound by memory"

    def __str__(self) -> str:
        head = f"{self.name} ({self.what}): "
        if not self.runs:
            return f"{head}it did not run in this call{self.why and f': {self.why}'}"
        if self.moved is None:
            return f"{head}not counted: {self.why}"
        if not self.moved:
            return f"{head}it reads and writes no arrays"
        parts = [self.balance(), self.speed()]
        return head + ", ".join(parts) + (f": {self.verdict}" if self.verdict else "")

    def balance(self) -> str:
        if self.intensity is None:
            return f"{binary(self.moved or 0)} a run ({self.why})"
        return f"{self.intensity:.2g} op/byte"

    def speed(self) -> str:
        reached, gives = (self.bytes_per_second or 0.0) / 1e9, (self.machine.memory or 0.0) / 1e9
        of = f" of {gives:.3g} GB/s ({share(reached, gives)})" if gives else " GB/s"
        done = self.operations_per_second
        more = f", {done / 1e9:.3g} Gop/s" if done else ""
        return f"{reached:.3g}{of}{more}"


def positions(one: Compiled, machine: MachineLimits) -> Iterator[Position]:
    """Of a graph that was measured: as a whole, if it has several steps, and step by step."""
    steps = [position(step, one, machine) for step in one.steps]
    if len(steps) > 1:
        runs = max(step.runs for step in steps)
        spent = (one.entering or 0.0) + sum(step.seconds for step in steps)
        moved, why = known(one, one.moved, one.why, runs)
        name = short(one.function)
        yield Position(name, "graph", moved, one.operations, runs, spent, why, machine)
    yield from steps


def position(step: Step, one: Compiled, machine: MachineLimits) -> Position:
    last = max(step.spots, key=lambda spot: spot.line, default=one.spot)
    name = f"{short(last.function)}@{last.line}"
    what = whose(step.name) if step.kind == "call" else step.name
    moved, why = known(one, step.moved, step.why, step.times)
    rest = step.operations, step.times, step.seconds or 0.0, why, machine
    return Position(name, what, moved, *rest)


def known(one: Compiled, moved: int | None, why: str, runs: int) -> tuple[int | None, str]:
    """The bytes of a run, where those of the runs in the call are known; and why they are not."""
    if not runs:
        return moved, TURN if one.trial else ""
    return (None, SIZES) if one.for_sizes else (moved, why)


def short(function: str) -> str:
    return function.rpartition(".")[2]


def moves(one: Compiled) -> str:
    """What a run moves against the least that anything could, in words."""
    if one.moved is None:
        return f"not counted: {one.why}"
    where = ", at one of the sizes that it serves" if one.for_sizes else ""
    head = f"{binary(one.moved)} in a run{where}"
    if one.least is None or one.calls is None:
        return f"{head}; the least, and what NumPy's calls move, are not counted: {one.why}"
    return f"{head}, {against(one.moved, one.least)}; NumPy's calls: {binary(one.calls)}"


def against(moved: int, least: int) -> str:
    if moved == least:
        return "which is the least"
    if not least:
        return "the least is nothing"
    return f"{moved / least:.2f} times the least ({binary(least)})"


def ran(one: Compiled) -> bool:
    """In what was measured."""
    return bool(one.runs or one.tried) or any(step.times for step in one.steps)
