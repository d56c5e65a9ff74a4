"""A plain NumPy function and its inputs → a row of the table of kernels.

    @kernel(lambda n, rng: (rng.random(n), rng.random(n)))
    def triad(x, y): ...

The decorator returns the function as it is. `n` is about the number of elements of the largest
array; arguments that the function writes to are named by position in `writes`.

Kernels are of two halves: `@kernel` is for "lines", array expressions without a loop that matters,
and `@loop` for "loops", loops and branches of every kind. What a size of a loop counts is up to the
kernel: rows and columns, steps, iterations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Args = tuple[Any, ...]
Inputs = Callable[..., Args]  # (*counts, rng)
Counts = tuple[int, ...]

SIZES = ("small", "medium", "large")
HALVES = ("lines", "loops")
SMALL = 10
MEDIUM = 16_384  # six arrays of float64 in an L2 cache of 1 MiB
LARGE = 2_000_000  # three arrays of float64 are more than an L3 cache of 32 MiB


@dataclass(frozen=True)
class Kernel:
    """theme    the module it is written in
    half     one of HALVES
    counts   what `inputs` gets at each of SIZES: elements, or rows, steps and the like
    writes   positions of the arguments that it changes
    numexpr  the same as an expression of numexpr, where it is one
    npbench  its name in npbench, the field's public set, where it is part of that
    """

    name: str
    theme: str
    half: str
    function: Callable[..., Any]
    inputs: Inputs
    counts: dict[str, Counts]
    writes: tuple[int, ...]
    numexpr: str = ""
    npbench: str = ""

    def arguments(self, size: str) -> Args:
        """The same for each call."""
        return self.inputs(*self.counts[size], np.random.default_rng(20))


KERNELS: dict[str, Kernel] = {}


def kernel(
    inputs: Inputs,
    *,
    small: int = SMALL,
    medium: int = MEDIUM,
    large: int = LARGE,
    writes: tuple[int, ...] = (),
    numexpr: str = "",
) -> Callable[[F], F]:
    counts = sized((small,), (medium,), (large,))

    def register(function: F) -> F:
        name, theme = named(function)
        KERNELS[name] = Kernel(name, theme, "lines", function, inputs, counts, writes, numexpr)
        return function

    return register


def loop(
    inputs: Inputs,
    *,
    small: Counts,
    medium: Counts,
    large: Counts,
    writes: tuple[int, ...] = (),
    npbench: str = "",
) -> Callable[[F], F]:
    """small takes NumPy milliseconds at most, large 0.1 to 0.6 seconds. Of npbench's kernels, one
    of medium and large is a size of npbench's own, S or M."""
    counts = sized(small, medium, large)

    def register(function: F) -> F:
        name, theme = named(function)
        KERNELS[name] = Kernel(
            name, theme, "loops", function, inputs, counts, writes, npbench=npbench
        )
        return function

    return register


def sized(*counts: Counts) -> dict[str, Counts]:
    return dict(zip(SIZES, counts, strict=True))


def named(function: Callable[..., Any]) -> tuple[str, str]:
    """A name that is not taken, and the theme."""
    name = function.__name__
    if name in KERNELS:
        raise ValueError(f"two kernels are called {name}")
    return name, function.__module__.rpartition(".")[2]


def side(n: int, axes: int = 2) -> int:
    """The side of a square or a cube of about n elements, with room for a stencil of five."""
    return max(5, math.floor(math.pow(n, 1 / axes)))
