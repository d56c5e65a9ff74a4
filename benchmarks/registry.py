"""A plain NumPy function and its inputs → a row of the table of kernels.

    @kernel(lambda n, rng: (rng.random(n), rng.random(n)))
    def triad(x, y): ...

The decorator returns the function as it is. `n` is about the number of elements of the largest
array; arguments that the function writes to are named by position in `writes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Args = tuple[Any, ...]
Inputs = Callable[[int, np.random.Generator], Args]

SIZES = ("small", "medium", "large")
SMALL = 10
MEDIUM = 16_384  # six arrays of float64 in an L2 cache of 1 MiB
LARGE = 2_000_000  # three arrays of float64 are more than an L3 cache of 32 MiB


@dataclass(frozen=True)
class Kernel:
    """theme    the module it is written in
    counts   elements at each of SIZES
    writes   positions of the arguments that it changes
    numexpr  the same as an expression of numexpr, where it is one
    """

    name: str
    theme: str
    function: Callable[..., Any]
    inputs: Inputs
    counts: dict[str, int]
    writes: tuple[int, ...]
    numexpr: str

    def arguments(self, size: str) -> Args:
        """The same for each call."""
        return self.inputs(self.counts[size], np.random.default_rng(20))


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
    counts = dict(zip(SIZES, (small, medium, large), strict=True))

    def register(function: F) -> F:
        name, theme = function.__name__, function.__module__.rpartition(".")[2]
        if name in KERNELS:
            raise ValueError(f"two kernels are called {name}")
        KERNELS[name] = Kernel(name, theme, function, inputs, counts, writes, numexpr)
        return function

    return register


def side(n: int, axes: int = 2) -> int:
    """The side of a square or a cube of about n elements, with room for a stencil of five."""
    return max(5, math.floor(math.pow(n, 1 / axes)))
