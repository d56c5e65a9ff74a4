"""One entry for every size: what was compiled at one size → the same for all between two.

    guards of two captures that differ in extents alone ─▶ symbols: which axes vary, and together
    the code captured again, on arrays of other extents, of which only the types exist ─▶ samples
    samples that are one but for numbers ─▶ each number of a kernel a polynomial in extents of its
    inputs (polynomials.py), which a launch computes (csrc/kernel/dynamic_sizes.c); each int among
    the arguments of NumPy's calls one of the symbols, which a step of the plan makes
    (csrc/plan/dynamic_int.c) ─▶ kernels, steps, guards

Why it is right at sizes that were not tried: what the program was told of extents was a number that
run time knows, or the same in all samples (symbolic/arrays/shape_facts.py); what jitcore itself
decides by sizes are thresholds, or whether two are equal, and samples stand at all corners; and a
launch refuses inputs whose extents and strides are not those that come out. Where the program
divides an extent by a constant, the whole part is a variable of the polynomials, and samples have
each remainder. Under `Config.sized` a call that is as fast as a kernel at some sizes is a kernel,
and chains have bands of a fixed number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Any

from jitcore import logs
from jitcore.config import Config
from jitcore.guards import source as s
from jitcore.guards.guard import Guard, IsArray, IsSized, Remainder, SameExtent
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import replace
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.types import ArrayType, standard_strides
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import made_from
from jitcore.plan.assemble import Assembled, assembled, entry_of, footprint, moves
from jitcore.plan.liveness import exit_values
from jitcore.plan.segments import Numbered, PlannedSegment, Schedule, Step
from jitcore.runtime.sizes.fit import Fits, fits, wider
from jitcore.runtime.sizes.polynomials import MOST
from jitcore.runtime.sizes.ranges import INSIDE, MORE_INSIDE, are_too_many, ranges, step_of, tried
from jitcore.runtime.sizes.sampler import (
    AS_THEY_ARE,
    Along,
    Arrays,
    Freed,
    Sample,
    Sampler,
    Sizes,
    Symbols,
    numbered,
)
from jitcore.symbolic.state import Capture, Start

building = LazyModule("jitcore.loops.build_loop")
FAR = 64  # between two extents of which one follows from the other
MOST_UNFIT = 4
MOST_FREED = 3  # times that something more is no fact
Found = tuple[Capture, Assembled]
NAMES = (s.Local, s.CellContent, s.ClosureContent, s.Stack, s.Global, s.Attr, s.ModuleAttr, s.Item)


def arrays_of(guards: Sequence[Guard]) -> dict[Source, ArrayType]:
    return {guard.source: guard.type for guard in guards if isinstance(guard, IsArray)}


def is_kept(guards: Sequence[Guard]) -> bool:
    """May arrays_of(guards) stay when the code's objects are gone?"""
    return all(map(names_only, arrays_of(guards)))


def names_only(source: Any) -> bool:
    base = getattr(source, "base", None)
    return type(source) in NAMES and (base is None or names_only(base))


def symbols_of(before: Arrays, now: Arrays, related: bool) -> Symbols | None:
    """None: nothing differs, or in a way that has no form. An axis that has one element now is as
    it is. `related`: extents that are others plus so many, or times so many, in both stay so."""
    axes: dict[tuple[int, int], list[tuple[Source, int]]] = {}
    orders: dict[Source, str] = {}
    for source, t in now.items():
        pairs = [*zip(before[source].shape, t.shape, strict=True)]
        for axis, pair in enumerate(pairs):
            if pair[0] != pair[1] >= 2:
                axes.setdefault(pair, []).append((source, axis))
        if before[source] == t:
            continue
        order = order_of(before[source], t)
        if order is None or any(b < 1 for a, b in pairs if a != b):
            return None
        orders[source] = order
    found: dict[tuple[int, int], list[Along]] = {}
    for pair in sorted(axes):
        base, times, plus = relation(pair, found) if related else (pair, 1, 0)
        found.setdefault(base, []).extend(Along(*axis, times, plus) for axis in axes[pair])
    if not 1 <= len(found) <= MOST:
        return None
    return Symbols(now, orders, tuple(map(tuple, found.values())), tuple(b for _, b in found))


def relation(
    pair: tuple[int, int], known: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int], int, int]:
    """(n + 1, m + 1) and (2 * n, 2 * m) are made of (n, m)."""
    for base in known:
        plus, times = pair[0] - base[0], pair[0] // max(base[0], 1)
        if plus == pair[1] - base[1] and plus <= FAR:
            return base, 1, plus
        if pair == (times * base[0], times * base[1]):
            return base, times, 0
    return pair, 1, 0


def order_of(before: ArrayType, now: ArrayType) -> str | None:
    for order in "CF":
        if all(standard_strides(t.dtype, t.shape, order) == t.strides for t in (before, now)):
            return order
    return AS_THEY_ARE if now.ndim == 1 and before.strides == now.strides else None


# ---- the entry ----------------------------------------------------------------------------------


def for_all_sizes(
    start: Start, before: Arrays, guards: Sequence[Guard], config: Config, until: float
) -> Found | None:
    """The entry that serves all sizes between two, with the present ones. None: what runs depends
    on sizes in another way, or so much processor time has gone."""
    now = arrays_of(guards)
    alone, related = symbols_of(before, now, False), symbols_of(before, now, True)
    found = for_symbols(start, alone, config, until) if alone is not None else None
    if found is not None or related is None or (alone and alone.axes == related.axes):
        return found
    return for_symbols(start, related, config, until)


def for_symbols(start: Start, symbols: Symbols, config: Config, until: float) -> Found | None:
    for _ in range(MOST_FREED):
        try:
            return at_any_step(start, symbols, config, until)
        except Freed as found:
            start = replace(start, free=start.free | found.extents)
    return None


def at_any_step(start: Start, symbols: Symbols, config: Config, until: float) -> Found | None:
    """Where what runs is another for each remainder, the entry is for one of them."""
    sampler = Sampler(start, symbols, config, until)
    here = sampler.at(symbols.now)
    if here is None:
        return None
    step = step_of(here)
    found = between(sampler, here)
    if found is not None or step == 1:
        return found
    sampler = Sampler(start, replace(symbols, step=step), config, until)
    here = sampler.at(symbols.now)
    return None if here is None else between(sampler, here)


def between(sampler: Sampler, here: Sample) -> Found | None:
    symbols = sampler.symbols
    if are_too_many(symbols, here):
        return None
    unfit: set[Sizes] = (
        set()
    )  # lower ends: where an array has one element there, a higher one may do
    for low, high in ranges(sampler, here):
        if low in unfit:
            continue
        found = fitted(sampler, here, tried(sampler, here, low, high, INSIDE))
        if found is Unfit.AS_IT_IS and len(symbols.now) > 1 and not unfit:
            found = fitted(sampler, here, tried(sampler, here, low, high, INSIDE + MORE_INSIDE))
        if found is Unfit.AS_IT_IS:
            unfit.add(low)
        if len(unfit) == MOST_UNFIT:
            return None
        if isinstance(found, Unfit):
            continue
        guards = general(sampler.made[high].capture.guards, symbols, low, high)
        entry = entry_for(here, sampler.made[high], found, guards, sampler.config)
        return (
            None if entry is None else (replace(sampler.made[high].capture, guards=guards), entry)
        )
    return None


def entry_for(
    here: Sample, largest: Sample, numbers: Fits, guards: tuple[Guard, ...], config: Config
) -> Assembled | None:
    """The largest sample's plan, with what reports say of the present sizes."""
    plan = with_arrays(largest, numbers)  # whose capture may be without a frame
    kernels = sized_kernels(largest, plan, numbers, config)
    segments = with_code(plan.segments, config)
    if kernels is None or segments is None:
        return None
    made = replace(
        plan,
        segments=segments,
        kernels=kernels,
        capture=replace(plan.capture, guards=guards),
        numbered=Numbered(dict(numbered(plan, iter(numbers.given))), numbers.arrays),
    )
    at_hand = footprint(here.plan.live, here.plan.segments, exit_values(here.plan.capture))
    found = assembled(made, entry_of(made, {}), largest.capture)
    return replace(found, footprint=at_hand, moves=moves(here.plan, here.capture))


class Unfit(Enum):
    ELSEWHERE = auto()  # something is another at some size
    AS_IT_IS = auto()  # nothing is, but numbers are no polynomials that so many samples tell


def fitted(sampler: Sampler, here: Sample, sizes: list[Sizes]) -> Fits | Unfit:
    if not all(sampler.alike(here, one) for one in sizes):
        return Unfit.ELSEWHERE
    found = fits([sampler.made[one] for one in sizes], sampler.symbols)
    if found is None:
        logs.recompiles.debug("%s: sizes %s: no polynomials", sampler.name, sizes)
    return found or Unfit.AS_IT_IS


def general(
    guards: Sequence[Guard], symbols: Symbols, low: Sizes, high: Sizes
) -> tuple[Guard, ...]:
    found: list[Guard] = []
    for guard in guards:
        if isinstance(guard, IsArray) and guard.source in symbols.orders:
            least = symbols.type_at(guard.source, low).shape
            most = symbols.type_at(guard.source, high).shape
            order = symbols.orders[guard.source]
            found.append(IsSized(guard.source, guard.type, least, most, order))
        else:
            found.append(guard)
    for (base, *others), size in zip(symbols.axes, low, strict=True):
        source, axis = base.source, base.axis
        found += [
            SameExtent(source, axis, one.source, one.axis, one.times, one.plus) for one in others
        ]
        if symbols.step > 1:
            found.append(Remainder(source, axis, symbols.step, size % symbols.step))
    return tuple(found)


def with_arrays(largest: Sample, numbers: Fits) -> Schedule:
    """The plan, in which kernels get arrays for their extents."""
    plan, inputs = largest.plan, largest.capture.inputs
    new: dict[Step, FusionGroup] = {
        group: replace(group, inputs=(*group.inputs, *(inputs[s] for s in numbers.beside[k])))
        for k, group in enumerate(plan.kernels)
        if k in numbers.beside
    }
    if not new:
        return plan
    segments = [
        replace(one, steps=tuple(new.get(step, step) for step in one.steps))
        for one in plan.segments
    ]
    kernels = {new.get(group, group): kernel for group, kernel in plan.kernels.items()}
    return replace(plan, segments=segments, kernels=kernels)


def with_code(segments: Sequence[PlannedSegment], config: Config) -> list[PlannedSegment] | None:
    """Their routines, which were only written for samples, are compiled."""
    found = []
    for one in segments:
        made = building.built(one.routine, config) if one.routine is not None else None
        if made is None and one.routine is not None:
            return None
        found.append(replace(one, routine=made))
    return found


def sized_kernels(
    largest: Sample, plan: Schedule, numbers: Fits, config: Config
) -> dict[FusionGroup, Any] | None:
    wide = (
        wider(form, largest.capture, numbers.beside.get(k, ()))
        for k, form in enumerate(largest.forms)
    )
    made = made_from([form for form in wide if form is not None], config)
    if made is None:
        return None
    for kernel, rows in zip(made, numbers.tables, strict=True):
        if rows:
            kernel.sized(*rows)
    return dict(zip(plan.kernels, made, strict=True))
