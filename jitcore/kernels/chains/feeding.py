"""Groups that may be stages of a chain: which feed one another, and which of those others read.

    a ─▶ b ─▶ c      without c: a ─▶ b;  b is then read by somebody else

A chain is looked for behind its last stage. Where none is found the last one is left out, and what
feeds that one is looked at anew, not all of them: the search is as long as the graph.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush
from itertools import islice

from jitcore.ir.graph import Node
from jitcore.ir.value import Value
from jitcore.kernels.group import FusionGroup

ALWAYS = 1 << 60  # rounds

Step = Node | FusionGroup


class Feeding:
    """Of `left` and who reads their results. `after`: what is read later.

    A group whose results both a group and somebody else read cannot be a stage, unless `keeps`.
    It goes, and is then somebody else itself; so do those, round by round, whose results it reads.
    `until`: the round in which each goes. It follows from those that read its results.
    """

    def __init__(
        self,
        left: Sequence[FusionGroup],
        steps: Iterable[Step],
        after: Collection[Value],
        keeps: bool,
    ) -> None:
        self.after, self.keeps = after, keeps
        self.place = {one: k for k, one in enumerate(left)}
        self.until = dict.fromkeys(left, ALWAYS)
        self.found: tuple[FusionGroup, ...] | None = None  # by `last`, as long as it is so
        self.makers = {value: one for one in left for value in one.results}
        self.readers: dict[Value, dict[Step, None]] = {}
        for step in steps:
            for value in step.inputs:
                self.readers.setdefault(value, {})[step] = None
        self.settle(left)

    @property
    def left(self) -> Collection[FusionGroup]:
        """In their order."""
        return self.until.keys()

    def drop_last(self) -> None:
        self.leave_out((next(reversed(self.until)),))

    def replace(self, members: Collection[FusionGroup], chain: FusionGroup) -> None:
        """A chain stands in their stead, and is none of those that may be stages."""
        for one in members:
            for value in one.inputs:
                self.readers[value].pop(one, None)
        for value in chain.inputs:
            self.readers.setdefault(value, {})[chain] = None
        self.leave_out(members)

    def leave_out(self, gone: Collection[FusionGroup]) -> None:
        for one in gone:
            del self.until[one]
            self.found = None if self.found is None or one in self.found else self.found
            for value in one.results:
                self.makers.pop(value, None)
        self.settle(self.makers[v] for one in gone for v in one.inputs if v in self.makers)

    def settle(self, changed: Iterable[FusionGroup]) -> None:
        """Those that read stand behind what they read, so nothing is looked at twice."""
        if self.keeps:
            return
        todo: list[tuple[int, FusionGroup]] = []
        waiting: set[FusionGroup] = set()

        def add(one: FusionGroup) -> None:
            if one not in waiting:
                waiting.add(one)
                heappush(todo, (-self.place[one], one))

        for one in changed:
            add(one)
        while todo:
            _, one = heappop(todo)
            until = self.round_of(one)
            if until != self.until[one]:
                self.until[one] = until
                self.found = None
                for value in one.inputs:
                    if value in self.makers:
                        add(self.makers[value])

    def round_of(self, one: FusionGroup) -> int:
        ends = [end for value in one.results for end in self.ends(value)]
        first, last = min(ends, default=0), max(ends, default=0)
        return first + 1 if first < last else ALWAYS

    def ends(self, value: Value) -> list[int]:
        """In which round each of its readers goes; 0: it is none of `left`."""
        readers = self.readers.get(value, ())
        found = [self.until.get(reader, 0) for reader in readers]  # type: ignore[arg-type]
        return found if found and value not in self.after else [*found, 0]

    def last(self, most: int) -> tuple[FusionGroup, ...]:
        """The last stage that there may be, and what feeds it or is fed by what does, in their
        order; about so many, where there are more."""
        if self.found is None or len(self.found) > most:
            self.found = self.around(most)
        return self.found

    def around(self, most: int) -> tuple[FusionGroup, ...]:
        end = [*islice(self.staying(), 1)]
        found, todo = dict.fromkeys(end), end
        while todo and len(found) <= most:
            near = [one for one in self.beside(todo.pop()) if one not in found]
            found.update(dict.fromkeys(near))
            todo += near
        return tuple(sorted(found, key=self.place.__getitem__))

    def staying(self) -> Iterable[FusionGroup]:
        """From the last one on."""
        return (one for one in reversed(self.until) if self.until[one] == ALWAYS)

    def beside(self, one: FusionGroup) -> Iterable[FusionGroup]:
        makers = (self.makers[value] for value in one.inputs if value in self.makers)
        readers = (step for value in one.results for step in self.readers.get(value, ()))
        both = (*makers, *(step for step in readers if isinstance(step, FusionGroup)))
        return (step for step in both if self.until.get(step) == ALWAYS)

    def kept(self, members: Collection[FusionGroup]) -> set[Value]:
        """Their results that others read."""
        made = {value for one in members for value in one.results}
        return {
            value
            for value in made
            if value in self.after or any(s not in members for s in self.readers.get(value, ()))
        }
