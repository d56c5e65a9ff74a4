"""Recompiles → one line for each place.

xs[0]: 22 → 12; xs[1]: 3 → 7; xs[2]: 4 → 1; and 37 more  ┐
  ...                                                    ├▶ 8 times, for xs[0..19], ys[0..19]
ys[0]: 5 → 6; ys[7]: 2 → 3                               ┘
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jitcore.host.units import counted
from jitcore.report.run import Recompiled

MOST = 4  # expressions that are named
INDEX = re.compile(r"\[(\d+)\]")


def versions(recompiled: Iterable[Recompiled]) -> list[str]:
    """In the order in which places were first compiled again."""
    places: dict[str, list[Recompiled]] = {}
    for one in recompiled:
        places.setdefault(str(one.spot), []).append(one)
    return [line(where, made) for where, made in places.items()]


def line(where: str, made: Sequence[Recompiled]) -> str:
    """Of a place that was compiled again once, what was another."""
    if len(made) == 1:
        return f"compiled again: {where}: {made[0].changes}: {made[0].done}"
    named = [*expressions(source for one in made for source in one.sources)]
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    what = f"{', '.join(named[:MOST])}{more}"
    ways = ", ".join(dict.fromkeys(one.done for one in made))
    return f"compiled again: {where}: {counted(len(made), 'time')}, for {what}: {ways}"


def expressions(sources: Iterable[str]) -> Iterator[str]:
    """`x[0..19]` for those that differ in an index only, where none is left out."""
    found: dict[str, list[int]] = {}
    for source in sources:
        first = INDEX.search(source)
        of = source if first is None else f"{source[: first.start(1)]}\0{source[first.end(1) :]}"
        found.setdefault(of, []).extend([] if first is None else [int(first[1])])
    for of, at in found.items():
        numbers = sorted(set(at))
        if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
            yield of.replace("\0", f"{numbers[0]}..{numbers[-1]}")
        else:
            yield from (of.replace("\0", str(k)) for k in numbers or ("",))
