"""Rounds of a loop that are done at once, at the head of the loop that does them one by one.

    for (k = 0; k < n; k++) {
        if (there are enough, and it was no use a moment ago) {
            …                                   `n1` rounds, or `goto alone2`
            rounds += n1;  k += n1 - 1;  continue;
        undo2:   …                              if what was done must be undone
        alone2:  again = k + 8;
        }
        …                                       a round

What has no form in C leaves no line behind, and is raised: the rounds go one by one only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.cannot_lower import CannotLower
from jitcore.loops.emitter import LoopEmitter

LEAST = 8  # rounds


@dataclass(frozen=True, slots=True)
class Head:
    """Of a loop's rounds, in C: the round that is next, the one behind the last, and the first one
    in which a stretch is worth trying `again`."""

    index: str
    end: str
    again: str

    @property
    def left(self) -> str:
        return f"{self.end} - {self.index}"


@dataclass(slots=True)
class Stretch:
    """`count`: the variable for how many rounds. `alone`: the label where they go one by one;
    `undo`: the label before that, for what has been done in vain, and its lines."""

    head: Head
    count: str
    alone: str
    undo: str = ""
    undoing: list[str] = field(default_factory=list)


def try_again(w: LoopEmitter) -> str:
    """Before the loop: the variable that says from which round on a stretch is tried."""
    again = w.scratch("i64")
    w.line(f"{again} = 0;")
    return again


@contextmanager
def stretch(w: LoopEmitter, head: Head, least: int = LEAST) -> Iterator[Stretch]:
    """What is written within does the rounds of a stretch, and counts them."""
    made = Stretch(head, w.fresh("n"), w.fresh("alone"))
    written, layouts, depth = w.written(), w.layouts.copy(), w.depth
    w.depth += 1
    w.line(f"if ({head.left} >= {least} && {head.index} >= {head.again} && !({w.stale()})) {{")
    w.depth += 1
    try:
        yield made
        w.line(f"rounds += {made.count};")
        w.line(f"{head.index} += {made.count} - 1;")
        w.line("continue;")
        for k, text in enumerate(made.undoing):
            w.line(f"{made.undo}: {text}" if k == 0 else text)
        w.line(f"{made.alone}: {head.again} = {head.index} + {LEAST};")
        w.depth -= 1
        w.line("}")
    except CannotLower:
        w.rewind(written)
        raise
    finally:
        w.depth, w.layouts = depth, layouts


@contextmanager
def apart_from_ways(w: LoopEmitter, made: Stretch) -> Iterator[None]:
    """What would leave the routine goes to the rounds one by one."""
    w.instead = f"goto {made.alone};"
    try:
        with w.block():
            yield
    finally:
        w.instead = ""
