"""Where samples stand: at the ends of a range, as wide as may be, and between.

    low ─────── cubic ──── primes ──────────── high        an axis that varies
    each corner of all axes together

Where the program divides an extent, there is a corner for each remainder: then all that decides by
sizes is a threshold of numbers that are linear from one size with that remainder to the next.
Symbols may have steps: then all sizes have the remainders of the present ones.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import lcm, prod

from jitcore.guards.source import Extent
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.value import arguments
from jitcore.runtime.sizes.sampler import Sample, Sampler, Sizes, Symbols
from jitcore.symbolic.state import Division

# Steps of the range in which one entry is looked for: extents, elements of the largest array.
LOW = (2, 3, 4, 5, 6, 7, 8, 9, 17, 33, 65, 129, 257, 513, 1025)
HIGH = tuple(1 << power for power in (23, 22, 19, 16, 15, 12, 10, 7))
ATTEMPTS = 12
MANY = 1 << 17
MOST_ELEMENTS = 1 << 26  # NumPy is asked about arrays of so many, unless there are
MOST_CORNERS = 32
LARGEST_STEP = 64
INSIDE = ((1, 0), (2, 1), (5, 0))  # samples at no corner: which prime, and how much more
MORE_INSIDE = tuple(
    (3 + k, k % 3) for k in range(10)
)  # of several symbols, where these are too few
PRIMES = (11, 23, 31, 41, 53, 71, 97, 139, 211, 331, 499, 1009, 5003, 20011, 65537)


def ranges(sampler: Sampler, here: Sample) -> Iterator[tuple[Sizes, Sizes]]:
    """The widest first, of those at whose ends the samples are like the one here."""
    symbols = sampler.symbols
    gap = symbols.step * max(remainders(symbols, here.capture.divided))
    lows = furthest(sampler, here, [*lower(symbols, gap)]) or [symbols.now]
    highs = furthest(sampler, here, [*higher(symbols, gap)]) or [symbols.now]
    pairs = product(enumerate(lows), enumerate(highs))
    ordered = sorted(pairs, key=lambda pair: (pair[0][0] + pair[1][0], pair[1][0]))
    found = ((low, high) for (_, low), (_, high) in ordered if all(map(operator.ne, low, high)))
    yield from islice(found, ATTEMPTS)


def lower(symbols: Symbols, gap: int) -> Iterator[Sizes]:
    """A symbol that is smaller than a step is as it is."""
    for size in LOW:
        if size <= max(symbols.now):
            yield apart([min(size, now) for now in symbols.now], symbols, gap)


def higher(symbols: Symbols, gap: int) -> Iterator[Sizes]:
    """As many as let the largest array have so many elements; of large arrays, several times as
    many as now."""
    for times in (8, 4, 2) if symbols.elements(symbols.now) > MANY else ():
        sizes = [n * times for n in symbols.now]
        if symbols.elements(tuple(sizes)) <= MOST_ELEMENTS or times == 2:
            yield apart(sizes, symbols, -gap)
    for elements in HIGH:
        sizes = [most(k, symbols, elements) for k in range(len(symbols.now))]
        if all(n >= at for n, at in zip(sizes, symbols.now, strict=True)):
            yield apart(sizes, symbols, -gap)


def most(k: int, symbols: Symbols, elements: int) -> int:
    """The greatest power of 2 for one of the symbols."""
    found = elements
    for one in symbols.axes[k]:
        varying = {*symbols.varying(one.source)}
        shape = symbols.arrays[one.source].shape
        fixed = prod(n for axis, n in enumerate(shape) if axis not in varying)
        each = int((elements // max(fixed, 1)) ** (1 / len(varying)))
        found = min(found, each // one.times)
    return 1 << max(found, 1).bit_length() - 1


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


def apart(sizes: list[int], symbols: Symbols, gap: int) -> Sizes:
    """The next ones that have the steps, downwards if the gap is below 0; no two are closer than
    it, so that none are alike at corners: symbols would not be two if that were a rule."""
    found: list[int] = []
    step = symbols.step if gap > 0 else -symbols.step
    for size, now in zip(sizes, symbols.now, strict=True):
        n = size + (now - size) % step
        while any(abs(n - other) < abs(gap) for other in found) and n != now:
            n += step
        found.append(n)
    return tuple(found)


def tried(
    sampler: Sampler, here: Sample, low: Sizes, high: Sizes, points: tuple[tuple[int, int], ...]
) -> list[Sizes]:
    symbols = sampler.symbols
    cubic = tuple(a + (b - a) // 3 for a, b in zip(low, high, strict=True))
    between = [in_steps(one, low, symbols.step) for one in (cubic, *inside(low, high, points))]
    return [*dict.fromkeys([*corners(symbols, here, low, high), symbols.now, *between])]


def in_steps(sizes: Sizes, low: Sizes, step: int) -> Sizes:
    return tuple(n - (n - a) % step for n, a in zip(sizes, low, strict=True))


def corners(symbols: Symbols, here: Sample, low: Sizes, high: Sizes) -> Iterator[Sizes]:
    counts = [*remainders(symbols, here.capture.divided)]
    ends = []
    for a, b, count in zip(low, high, counts, strict=True):
        steps = [k * symbols.step for k in range(count)]
        ends.append([*(a + k for k in steps), *(b - k for k in steps)])
    return product(*ends)


def are_too_many(symbols: Symbols, here: Sample) -> bool:
    return prod(2 * n for n in remainders(symbols, here.capture.divided)) > MOST_CORNERS


def remainders(symbols: Symbols, divided: Sequence[Division]) -> Iterator[int]:
    """Of each symbol: in how many steps they come again."""
    for axes in symbols.axes:
        own = {Extent(one.source, one.axis) for one in axes}
        period = lcm(*(one.period for one in divided if not own.isdisjoint(one.of)))
        yield lcm(period, symbols.step) // symbols.step


def inside(low: Sizes, high: Sizes, points: tuple[tuple[int, int], ...]) -> Iterator[Sizes]:
    """Sizes that no rule is made for: the same each time."""
    for place, more in points:
        ends = enumerate(zip(low, high, strict=True))
        yield tuple(between_ends(a, b, place + axis, more) for axis, (a, b) in ends)


def between_ends(low: int, high: int, place: int, more: int) -> int:
    found = [n + more for n in PRIMES if low <= n + more <= high]
    return found[place % len(found)] if found else low


# ---- steps --------------------------------------------------------------------------------------


def step_of(here: Sample) -> int:
    """Where what runs is another for each remainder: of which divisor. 1: of none that is small."""
    found = lcm(
        *(one.period for one in here.capture.divided),
        *(n for node in here.capture.graph.body.nodes for n in divisors(node)),
    )
    return 2 if found == 1 else found if found <= LARGEST_STEP else 1


def divisors(node: Node) -> Iterator[int]:
    """By which a view divides extents: x[::2], x.reshape(-1, 2)."""
    if node.op is GETITEM:
        parts = node.args[1] if type(node.args[1]) is tuple else node.args[1:]
        steps = (part.step for part in parts if type(part) is slice)
        yield from (abs(n) for n in steps if type(n) is int and n)
    elif node.op.kind is Kind.VIEW:
        ints = [leaf for leaf in arguments(node.args, node.kwargs) if type(leaf) is int]
        yield prod(n for n in ints if n > 1) if -1 in ints else 1
