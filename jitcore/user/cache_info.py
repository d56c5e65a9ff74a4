"""What `f.cache_info()` tells. Plain records: importing them costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from jitcore.host.fast_dataclass import dataclass

Extents = tuple[int | tuple[int, int], ...]
State = Literal["in use", "compiling", "resting", "runs in CPython"]


@dataclass(frozen=True)
class CachedEntry:
    """A compiled region of a function, for the inputs that its guards describe.

    place     where it begins: `.filename`, `.lineno`, `.function`
    state     "in use" · "compiling": NumPy serves meanwhile · "resting": for a number of calls,
              as it did not pay · "runs in CPython": NumPy's own calls were faster, or it failed
              too often
    hits      times that it ran to its end
    failures  times that a step of it failed, and CPython repeated the work
    guards    what must hold, in words
    sizes     of each array, by the expression that leads to it: an extent, or the least and the
              greatest of a dynamic one
    dynamic   of each dynamic extent (`x.shape[0]`) the least and the greatest
    kernels   loops that were compiled for it
    seconds   that compiling it took
    """

    place: Any
    state: State
    hits: int
    failures: int
    guards: tuple[str, ...]
    sizes: Mapping[str, Extents]
    kernels: int
    seconds: float

    @property
    def dynamic(self) -> dict[str, tuple[int, int]]:
        return {
            f"{source}.shape[{axis}]": extent
            for source, extents in self.sizes.items()
            for axis, extent in enumerate(extents)
            if isinstance(extent, tuple)
        }

    def __str__(self) -> str:
        arrays = arrays_of(self.sizes) or "no arrays"
        return f"{self.place}: {self.state}, hits: {self.hits}, sizes: {arrays}"


def arrays_of(sizes: Mapping[str, Extents]) -> str:
    """In words: `x (2 to 4096, 3), y (3)`."""
    return ", ".join(f"{x} ({', '.join(map(words, dims))})" for x, dims in sizes.items())


def words(extent: int | tuple[int, int]) -> str:
    return f"{extent[0]} to {extent[1]}" if isinstance(extent, tuple) else str(extent)


@dataclass(frozen=True)
class CacheInfo:
    """Of one compiled function and its regions.

    hits        times that compiled code ran
    misses      times that no entry held
    compiles    regions that were tried
    entries     those that are in use
    size        kernels in use
    details     a CachedEntry for each region that was compiled, in the order in which they came
    recompiles  why there is more than one at a place, the latest last: `.place`, `.changes`
                (each with `.source .before .after .guard .use`), `.done`
    """

    hits: int
    misses: int
    compiles: int
    entries: int
    size: int
    details: tuple[CachedEntry, ...] = field(default=(), repr=False)
    recompiles: tuple[Any, ...] = field(default=(), repr=False)
