"""Code → its loops, and where two ways through it meet again.

Natural loops: the target of a jump back, and all that can reach such a jump without passing it.
Handlers are no part of them: nothing but an exception leads there. Ways meet at the nearest common
post-dominator (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm", on sets here), within
a loop's body: the next round and all ways out of the loop are its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import reduce
from operator import and_

from jitcore.host.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`body`: the offsets of its instructions, the header's too."""

    header: int
    body: frozenset[int]


Successors = Callable[[int], tuple[int, ...]]


def loops_of(offsets: Iterable[int], successors: Successors) -> dict[int, Loop]:
    """By header."""
    edges = {offset: successors(offset) for offset in offsets}
    back: dict[int, list[int]] = {}
    for offset, targets in edges.items():
        for target in targets:
            if target <= offset:
                back.setdefault(target, []).append(offset)
    found = {}
    for header, tails in back.items():
        body = _body(header, tails, edges)
        if body is not None:
            found[header] = Loop(header, body)
    return found


def _body(
    header: int, tails: list[int], edges: dict[int, tuple[int, ...]]
) -> frozenset[int] | None:
    """None: what jumps back is not reached from there (it is the end of an exception's handler)."""
    ahead = reached((header,), edges)
    tails = [tail for tail in tails if tail in ahead]
    if not tails:
        return None
    before: dict[int, list[int]] = {}
    for offset in ahead:
        for target in edges.get(offset, ()):
            before.setdefault(target, []).append(offset)
    body, todo = {header}, tails
    while todo:
        offset = todo.pop()
        if offset not in body:
            body.add(offset)
            todo.extend(before.get(offset, ()))
    return frozenset(body)


def reached(starts: Iterable[int], edges: dict[int, tuple[int, ...]]) -> set[int]:
    seen: set[int] = set()
    todo = list(starts)
    while todo:
        offset = todo.pop()
        if offset not in seen:
            seen.add(offset)
            todo.extend(edges.get(offset, ()))
    return seen


@dataclass(slots=True)
class Meetings:
    """Where ways meet within one body, or within all of a function."""

    scope: frozenset[int]
    header: int = -1
    after: dict[int, int] = field(default_factory=dict)  # post-dominators, as bits
    bit: dict[int, int] = field(default_factory=dict)

    def find(self, successors: Successors) -> None:
        """They are a Code's, which keeps this, and are not kept here: nobody is to wait for gc."""
        order = sorted(self.scope)
        self.bit = {offset: 1 << i for i, offset in enumerate(order)}
        every = (1 << len(order)) - 1
        self.after = dict.fromkeys(order, every)
        changed = True
        while changed:
            changed = False
            for offset in reversed(order):
                now = self._meet(successors(offset)) | self.bit[offset]
                if now != self.after[offset]:
                    self.after[offset], changed = now, True

    def _meet(self, targets: tuple[int, ...]) -> int:
        if not targets:
            return 0
        return reduce(and_, (self._from(target) for target in targets))

    def _from(self, offset: int) -> int:
        """What every way from there passes; nothing, where it leaves."""
        return 0 if offset == self.header else self.after.get(offset, 0)

    def of(self, a: int, b: int) -> int | None:
        """The first instruction that both ways come to; None: one of them leaves before."""
        common = self._from(a) & self._from(b)
        found = [offset for offset, bit in self.bit.items() if common & bit]
        return max(found, key=lambda o: self.after[o].bit_count(), default=None)
