"""The code of a region point, captured for arrays of other sizes, of which only the types exist.

symbols, and a size for each ─▶ types of the arrays ─▶ capture, plan, the forms of its kernels
two of them ─▶ what is another but numbers that a kernel can compute
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import thread_time
from typing import Any

import numpy as np

from jitcore import _C, logs
from jitcore.config import Config
from jitcore.guards.guard import Guard, IsArray, identity
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import ArrayType, standard_strides
from jitcore.ir.value import arguments, map_tree
from jitcore.kernels.body import Input
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import KernelSpec, form
from jitcore.plan.assemble import WrittenEntry, written
from jitcore.plan.lower_plan import called
from jitcore.plan.plan_builder import Number
from jitcore.plan.segments import (
    Arguments,
    LoopLeft,
    Numbered,
    Schedule,
    flat,
    scheduled,
    without_frame,
)
from jitcore.symbolic.arrays.shape_facts import Told
from jitcore.symbolic.capture import capture
from jitcore.symbolic.signals import Particular
from jitcore.symbolic.state import Asked, Capture, Sized, Start

Arrays = Mapping[Source, ArrayType]
Sizes = tuple[int, ...]  # of the symbols
Facts = frozenset[Any]
AS_THEY_ARE = "A"  # strides, beside C and F
HELD = type(_C.hold(object))
PLAIN = (int, str, bool, float, complex, bytes)


@dataclass(frozen=True, slots=True)
class Along:
    """An axis whose extent is so many times a symbol, plus so many."""

    source: Source
    axis: int
    times: int = 1
    plus: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """Which axes have the same extent at all times, symbol by symbol, or one that follows from it;
    what each is now."""

    arrays: Arrays
    orders: Mapping[Source, str]
    axes: tuple[tuple[Along, ...], ...]  # the first of each is the symbol itself
    now: Sizes
    step: int = 1  # from one size to the next: all have the present ones' remainders

    def type_at(self, source: Source, sizes: Sizes) -> ArrayType:
        t = self.arrays[source]
        shape = list(t.shape)
        for size, axes in zip(sizes, self.axes, strict=True):
            for one in axes:
                if one.source == source:
                    shape[one.axis] = one.times * size + one.plus
        order = self.orders[source]
        if order == AS_THEY_ARE:
            return replace(t, shape=tuple(shape))
        strides = standard_strides(t.dtype, tuple(shape), order)
        return replace(t, shape=tuple(shape), strides=strides)

    def sized(self, sizes: Sizes) -> dict[Source, Sized]:
        return {
            source: Sized(self.type_at(source, sizes), frozenset(self.varying(source)))
            for source in self.orders
        }

    def elements(self, sizes: Sizes) -> int:
        """Of the largest array."""
        return max(self.type_at(source, sizes).size for source in self.orders)

    def varying(self, source: Source) -> Iterator[int]:
        for axes in self.axes:
            yield from (one.axis for one in axes if one.source == source)


@dataclass(frozen=True, slots=True)
class Sample:
    sizes: Sizes
    capture: Capture
    plan: Schedule
    parts: WrittenEntry  # with a number in place of each int of a step
    forms: tuple[KernelSpec, ...]
    given: tuple[int, ...]  # those ints

    def numbers(self) -> list[int]:
        """Extents and strides of all arrays that the graph makes, views that only kernels read
        among them."""
        found = []
        for value in made_in(self.capture.graph.body.nodes):
            if isinstance(value.type, ArrayType):
                found += [*value.type.shape, *value.type.strides]
        return found


def made_in(nodes: Iterable[Node]) -> Iterator[Value]:
    for node in nodes:
        yield from node.outputs
        for body in node.bodies:
            yield from body.params
            yield from made_in(body.nodes)


def nodes_in(plan: Schedule) -> Iterator[Node]:
    return (step for step in flat(plan.segments) if isinstance(step, Node))


def ints_of(plan: Schedule) -> Iterator[int]:
    """Among the arguments of NumPy's calls, in order."""
    for node in nodes_in(plan):
        _, args, kwargs = called(node)
        yield from (leaf for leaf in arguments(args, kwargs) if type(leaf) is int)


def numbered(plan: Schedule, made: Iterator[Any] | None = None) -> Iterator[tuple[Node, Arguments]]:
    """The arguments with numbers in place of ints. `made`: for each of these a _C.Number, or None
    where it stays; without, all of them are to be made."""

    def number(leaf: Any) -> Any:
        if type(leaf) is not int:
            return leaf
        one = None if made is None else next(made)
        return leaf if one is None and made is not None else Number(one)

    for node in nodes_in(plan):
        _, args, kwargs = called(node)
        yield node, (map_tree(number, args), map_tree(number, kwargs))


def loose(guards: Sequence[Guard]) -> Facts:
    """The guards without extents and strides."""
    return frozenset(
        (g.source, g.type.dtype, g.type.ndim, g.type.aligned, g.type.writeable)
        if isinstance(g, IsArray)
        else hash(g)
        for g in guards
    )


class Sampler:
    """Captures of one place, each made once."""

    def __init__(self, start: Start, symbols: Symbols, config: Config, until: float) -> None:
        self.start, self.symbols, self.until = start, symbols, until
        self.config = replace(config, compiling="background")  # forms are enough
        self.made: dict[Sizes, Sample] = {}
        self.failed: set[Sizes] = set()

    def at(self, sizes: Sizes) -> Sample | None:
        late = thread_time() > self.until
        if sizes not in self.made and sizes not in self.failed and not late:
            made = self.sample(sizes)
            if made is None:
                self.failed.add(sizes)
            else:
                self.made[sizes] = made
        return self.made.get(sizes)

    def sample(self, sizes: Sizes) -> Sample | None:
        start = replace(self.start, sizes=self.symbols.sized(sizes))
        config = replace(self.config, sized=frozenset(sizes))
        refused: dict[int, str] = {}
        while True:
            try:
                captured = capture(start, self.config, refused)
                plan = without_frame(scheduled(captured, config))
            except LoopLeft as loop:
                refused[loop.at] = loop.why
                continue
            except Particular as error:
                logs.recompiles.debug("%s: sizes %s: %s", self.name, sizes, error)
                return None
            if not plan.kernels and not any(one.routine for one in plan.segments):
                return None
            if any(map(reads_beside, plan.kernels)):
                return None
            forms = tuple(map(form, plan.kernels))
            any_ints = replace(plan, numbered=Numbered(dict(numbered(plan))))
            parts = written(any_ints, {})
            return Sample(sizes, captured, plan, parts, forms, tuple(ints_of(plan)))

    def alike(self, one: Sample, sizes: Sizes) -> bool:
        other = self.at(sizes)
        what = difference(one, other) if other is not None else "there is no kernel"
        free = told_otherwise(one, other) - self.start.free if other is not None else None
        if free:
            raise Freed(free)
        if what:
            logs.recompiles.debug("%s: sizes %s and %s: %s", self.name, one.sizes, sizes, what)
        return not what

    @property
    def name(self) -> str:
        return self.start.code.code.co_name


class Freed(Exception):
    """Extents of computed arrays are others at other sizes: they are to be no facts."""

    def __init__(self, extents: frozenset[Asked]) -> None:
        super().__init__(extents)
        self.extents = extents


def told_otherwise(one: Sample, other: Sample) -> frozenset[Asked]:
    pairs = zip(one.capture.looked, other.capture.looked, strict=False)
    told = ((a, b) for a, b in pairs if isinstance(a, Told) and isinstance(b, Told))
    return frozenset(a.asked for a, b in told if a.asked == b.asked and a != b)


def reads_beside(group: FusionGroup) -> bool:
    """Is an array read that is written to, at another place? That the two lie apart holds for these
    sizes: at others they may overlap, in the middle of a range at whose ends they do not."""
    if group.write is None or group.chain is not None:
        return False
    operands = [k for k, var in enumerate(group.program.vars) if isinstance(var, Input)]
    reads = zip(group.reads, operands, strict=True)
    return any(at == group.write[0] and k not in group.program.shared for (at, _), k in reads)


def difference(one: Sample, other: Sample) -> str:
    """What is another but the numbers that a kernel can compute; empty: nothing."""
    return next((what for what, same in ASPECTS.items() if not same(one, other)), "")


def ends(sample: Sample) -> tuple[Any, ...]:
    found = sample.capture
    return found.stop, found.resume, found.rolled, found.notes


def words(sample: Sample) -> tuple[Any, ...]:
    parts = sample.parts
    guards = parts.program.words, parts.program.registers
    return parts.words, parts.exits, parts.registers, parts.users, *guards, sample.plan.frameless


def divisors(sample: Sample) -> list[int]:
    return [one.divisor for one in sample.capture.divided]


def same_constants(one: Sample, other: Sample) -> bool:
    a, b = one.parts.consts, other.parts.consts
    return len(a) == len(b) and all(map(partial(same, codes(one), codes(other)), a, b))


def same_forms(one: Sample, other: Sample) -> bool:
    return [form.rest() for form in one.forms] == [form.rest() for form in other.forms]


ASPECTS: Mapping[str, Callable[[Sample, Sample], bool]] = {
    "the program is told of extents": lambda a, b: a.capture.looked == b.capture.looked,
    "it ends elsewhere": lambda a, b: ends(a) == ends(b),
    "other guards": lambda a, b: loose(a.capture.guards) == loose(b.capture.guards),
    "other steps": lambda a, b: words(a) == words(b),
    "other constants": same_constants,
    "other kernels": same_forms,
    "other arrays": lambda a, b: len(a.numbers()) == len(b.numbers()),
    "other divisions": lambda a, b: divisors(a) == divisors(b),
    "other extents": lambda a, b: len(a.capture.freed) == len(b.capture.freed),
}


def codes(sample: Sample) -> dict[int, Any]:
    """What stands for kernels and routines, whose forms are compared."""
    kernels = enumerate(sample.plan.kernels.values())
    found: dict[int, Any] = {id(kernel): ("kernel", n) for n, kernel in kernels}
    routines = [one.routine for one in sample.plan.segments if one.routine is not None]
    return found | {id(one.code): ("routine", one.facts, one.more) for one in routines}


def same(left: Mapping[int, Any], right: Mapping[int, Any], a: Any, b: Any) -> bool:
    if id(a) in left and id(b) in right:
        return same_facts(left[id(a)], right[id(b)])
    return same_facts(a, b)


def same_facts(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(same_facts, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(map(same_facts, a.values(), b.values()))
    if type(a) is partial:
        return same_facts((a.func, a.args, a.keywords), (b.func, b.args, b.keywords))
    if type(a) is HELD:
        return True  # of the same objects: Written.users
    if isinstance(a, np.dtype):
        return bool(a == b)
    return type(a) in PLAIN and identity(a) == identity(b)
