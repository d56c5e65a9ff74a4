"""One entry for every size: what was compiled at one size → the same for all between two.

    guards of two captures that differ in extents alone ─▶ symbols: which axes vary, and together
    the code captured again, on arrays of other extents, of which only the types exist ─▶ samples
    samples that are one but for numbers ─▶ each number a polynomial in extents of its kernel's
    inputs (codegen/polynomials.py), which a launch computes (csrc/sizes.c) ─▶ kernels, guards

Why it is right at sizes that were not tried: what the program was told of extents was a number that
run time knows, or the same in all samples (symbolic/extents.py); what jitcore itself decides by
sizes are thresholds, or whether two are equal, and samples stand at all corners; and a launch
refuses inputs whose extents and strides are not those that come out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from jitcore import logs
from jitcore.axes import Marks, marks_of
from jitcore.codegen.kernel import Form, made_from
from jitcore.codegen.polynomials import MOST, fitted, monomials
from jitcore.codegen.traffic import Counts
from jitcore.config import Config
from jitcore.guards import source as s
from jitcore.guards.guard import Guard, IsArray, IsSized, SameExtent
from jitcore.guards.source import Source
from jitcore.ir.types import ArrayType, Shape, standard_strides
from jitcore.runtime.assemble import LOOP, Assembled, assembled, entry_of, footprint, moves
from jitcore.runtime.planned import exit_values
from jitcore.runtime.records import Work
from jitcore.runtime.samples import AS_THEY_ARE, Arrays, Sample, Sampler, Sizes, Symbols
from jitcore.symbolic.state import Capture, Start

# Steps of the range in which one entry is looked for, for the extents of arrays with so many axes
# that vary.
LOW = (2, 9, 17, 33, 65, 129, 257, 513, 1025)
HIGH = {
    1: tuple(1 << power for power in (23, 22, 19, 16, 15, 12, 10, 7)),
    2: (1 << 13, 1 << 10, 1 << 7),
    3: (1 << 9, 1 << 5),
}
ATTEMPTS = 12
MOST_ELEMENTS = 1 << 23  # NumPy is asked about arrays of so many, at most
INSIDE = ((1, 0), (2, 1), (5, 0))  # samples at no corner: which prime, and how much more
PRIMES = (11, 23, 31, 41, 53, 71, 97, 139, 211, 331, 499, 1009, 5003, 20011, 65537)


NAMES = (s.Local, s.CellContent, s.ClosureContent, s.Stack, s.Global, s.Attr, s.ModuleAttr, s.Item)


def arrays_of(guards: Sequence[Guard]) -> dict[Source, ArrayType]:
    return {guard.source: guard.type for guard in guards if isinstance(guard, IsArray)}


def is_kept(guards: Sequence[Guard]) -> bool:
    """May arrays_of(guards) stay when the code's objects are gone?"""
    return all(map(names_only, arrays_of(guards)))


def names_only(source: Any) -> bool:
    base = getattr(source, "base", None)
    return type(source) in NAMES and (base is None or names_only(base))


def symbols_of(before: Arrays, now: Arrays) -> Symbols | None:
    """None: nothing differs, or in a way that has no form."""
    found: dict[tuple[int, int], list[tuple[Source, int]]] = {}
    orders: dict[Source, str] = {}
    for source, t in now.items():
        pairs = [*zip(before[source].shape, t.shape, strict=True)]
        for axis, pair in enumerate(pairs):
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append((source, axis))
        if before[source] == t:
            continue
        order = order_of(before[source], t)
        if order is None or any(min(pair) < 2 and pair[0] != pair[1] for pair in pairs):
            return None
        orders[source] = order
    if not 1 <= len(found) <= MOST:
        return None
    return Symbols(now, orders, tuple(map(tuple, found.values())), tuple(b for _, b in found))


def marks_in(captured: Capture) -> dict[Source, Marks]:
    """What the user has said of the arrays."""
    objects = {s: captured.examples.get(value) for s, value in captured.inputs.items()}
    return {source: marks_of(objects.get(source)) for source in arrays_of(captured.guards)}


def other_sizes(
    arrays: Arrays, marks: Mapping[Source, Marks], all_vary: bool
) -> dict[Source, ArrayType] | None:
    """The same arrays with extents as they are not: where the user says that these may vary.
    None: nowhere."""
    found = {}
    for source, t in arrays.items():
        said = marks[source]
        axes = range(t.ndim) if all_vary else said.dynamic
        varying = {axis for axis in axes if axis not in said.static and t.shape[axis] >= 2}
        shape = tuple(n + (axis in varying) for axis, n in enumerate(t.shape))
        order = next((o for o in "CF" if standard_strides(t.dtype, t.shape, o) == t.strides), "")
        strides = standard_strides(t.dtype, shape, order) if order else t.strides
        found[source] = replace(t, shape=shape, strides=strides)
    return found if found != arrays else None


def differs_where_static(before: Arrays, now: Arrays, marks: Mapping[Source, Marks]) -> bool:
    """In an extent for which the user wants an entry of its own."""
    return any(
        before[source].shape[axis] != now[source].shape[axis]
        for source, said in marks.items()
        for axis in said.static
    )


def order_of(before: ArrayType, now: ArrayType) -> str | None:
    for order in "CF":
        if all(standard_strides(t.dtype, t.shape, order) == t.strides for t in (before, now)):
            return order
    return AS_THEY_ARE if now.ndim == 1 and before.strides == now.strides else None


# ---- the range ----------------------------------------------------------------------------------


def ranges(sampler: Sampler, here: Sample) -> Iterator[tuple[Sizes, Sizes]]:
    """The widest first, of those at whose ends the samples are like the one here."""
    symbols = sampler.symbols
    widest = max(len([*symbols.varying(source)]) for source in symbols.orders)
    lows = [all_of(n, symbols) for n in sorted(LOW) if n <= min(symbols.now)]
    highs = [all_of(n, symbols) for n in HIGH.get(widest, ()) if n >= max(symbols.now)]
    highs = [high for high in highs if symbols.elements(high) <= MOST_ELEMENTS]
    lows = furthest(sampler, here, lows) or [symbols.now]
    highs = furthest(sampler, here, highs) or [symbols.now]
    pairs = product(enumerate(lows), enumerate(highs))
    ordered = sorted(pairs, key=lambda pair: (pair[0][0] + pair[1][0], pair[1][0]))
    yield from ((low, high) for (_, low), (_, high) in ordered[:ATTEMPTS] if low != high)


def furthest(sampler: Sampler, here: Sample, steps: list[Sizes]) -> list[Sizes]:
    """Those, the furthest first, from where on to the present sizes all is alike: what jitcore
    decides by sizes is decided once on the way."""
    first, last = 0, len(steps)
    while first < last:
        middle = first if first == 0 else (first + last) // 2
        if sampler.alike(here, steps[middle]):
            last = middle
        else:
            first = middle + 1
    return steps[last:]


def all_of(size: int, symbols: Symbols) -> Sizes:
    return (size,) * len(symbols.now)


def inside(low: Sizes, high: Sizes) -> Iterator[Sizes]:
    """Sizes that no rule is made for: the same each time."""
    for place, more in INSIDE:
        ends = enumerate(zip(low, high, strict=True))
        yield tuple(between_ends(a, b, place + axis, more) for axis, (a, b) in ends)


def between_ends(low: int, high: int, place: int, more: int) -> int:
    found = [n + more for n in PRIMES if low <= n + more <= high]
    return found[place % len(found)] if found else low


def tried(low: Sizes, high: Sizes, now: Sizes) -> list[Sizes]:
    corners = product(*zip(low, high, strict=True))
    cubic = [tuple(a + (b - a) // 3 for a, b in zip(low, high, strict=True))]
    return [*dict.fromkeys([*corners, now, *cubic, *inside(low, high)])]


# ---- the entry ----------------------------------------------------------------------------------


def for_all_sizes(
    start: Start, before: Arrays, guards: Sequence[Guard], config: Config
) -> tuple[Capture, Assembled] | None:
    """The entry that serves all sizes between two, with the present ones. None: what runs depends
    on sizes in another way."""
    symbols = symbols_of(before, arrays_of(guards))
    if symbols is None:
        return None
    return between(Sampler(start, symbols, config))


def between(sampler: Sampler) -> tuple[Capture, Assembled] | None:
    symbols = sampler.symbols
    here = sampler.at(symbols.now)
    if here is None:
        return None
    for low, high in ranges(sampler, here):
        sizes = tried(low, high, symbols.now)
        if not all(sampler.alike(here, one) for one in sizes):
            continue
        samples = [sampler.made[one] for one in sizes]
        tables = [table(forms) for forms in zip(*(s.forms for s in samples), strict=True)]
        arrays = [sample.numbers() for sample in samples]
        if any(one is None for one in tables) or not are_polynomials(sizes, arrays):
            logs.recompiles.debug("%s: sizes %s to %s: no polynomials", sampler.name, low, high)
            continue
        largest = sampler.made[high]
        kernels = sized_kernels(largest, tables, sampler.config)
        if kernels is None:
            return None
        guards = general(largest.capture.guards, symbols, low, high)
        plan = largest.plan  # whose capture may be without a frame
        made = replace(plan, kernels=kernels, capture=replace(plan.capture, guards=guards))
        at_hand = footprint(here.plan.live, here.plan.segments, exit_values(here.plan.capture))
        found = assembled(made, entry_of(made, {}), largest.capture)
        moved, counts = moves(here.plan, here.capture)
        own = tuple(as_here(found.works, counts))
        found = replace(found, footprint=at_hand, traffic=moved, works=own)
        return replace(largest.capture, guards=guards), found
    return None


def as_here(found: Iterable[Work], counts: Iterable[Counts]) -> Iterator[Work]:
    """The steps with the counts of other sizes; loops have none."""
    todo = iter(counts)
    return (one if one.counts is LOOP else replace(one, counts=next(todo)) for one in found)


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
    for (source, axis), *others in symbols.axes:
        found += [SameExtent(source, axis, *other) for other in others]
    return tuple(found)


def sized_kernels(largest: Sample, tables: Sequence[Any], config: Config) -> dict[Any, Any] | None:
    made = made_from(largest.forms, config)
    if made is None:
        return None
    for kernel, rows in zip(made, tables, strict=True):
        if rows:
            kernel.sized(*rows)
    return dict(zip(largest.plan.kernels, made, strict=True))


def table(forms: Sequence[Form]) -> tuple[Any, ...] | None:
    """Extents, monomials and terms for Kernel.sized(); (): nothing varies; None: it has no form."""
    numbers = [*zip(*(form.numbers() for form in forms), strict=True)]
    varying = [k for k, row in enumerate(numbers) if len(set(row)) > 1]
    if not varying:
        return ()
    basis = basis_of(forms)
    found = fitted([row for _, row in basis], [numbers[k] for k in varying])
    terms = []
    for k, one in zip(varying, found, strict=True):
        if one is None:
            return None
        terms += [(k, m, times) for m, times in enumerate(one) if times]
    if any(min(row) < 2 for _, row in basis):
        return None
    used = sorted({m for _, m, _ in terms})
    powers = monomials(len(basis))
    extents = tuple((*at, min(row), max(row)) for at, row in basis)
    numbered = tuple((k, used.index(m), times) for k, m, times in terms)
    return extents, tuple(powers[m] for m in used), numbered, smallest_part(forms)


def are_polynomials(sizes: Sequence[Sizes], arrays: Sequence[Sequence[int]]) -> bool:
    """Of the symbols, with whole coefficients: half of an extent is no extent at all sizes."""
    rows = [row for row in zip(*arrays, strict=True) if len(set(row)) > 1]
    return None not in fitted([*zip(*sizes, strict=True)], rows)


def smallest_part(forms: Sequence[Form]) -> int:
    """Elements, where the loop may be cut for several threads."""
    found = []
    for one in forms:
        axis, grain, least, _ = one.cut
        if grain and all(one.dim):
            found.append(least * prod(one.dim) // -(-one.dim[axis] // grain))
    return min(found, default=0)


def basis_of(forms: Sequence[Form]) -> list[tuple[tuple[int, int], Shape]]:
    """Extents of inputs, and where they are, of which the others are polynomials."""
    basis: list[tuple[tuple[int, int], Shape]] = []
    for k in range(len(forms[0].inputs)):
        for axis in range(len(forms[0].inputs[k][2])):
            row = tuple(form.inputs[k][2][axis] for form in forms)
            known = len(set(row)) == 1 or fitted([r for _, r in basis], [row])[0] is not None
            if not known and len(basis) < MOST:
                basis.append(((k, axis), row))
    return basis
