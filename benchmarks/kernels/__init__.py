"""Importing this registers every kernel."""

from benchmarks.kernels import (
    arithmetic,
    finance,
    geometry,
    images,
    learning,
    linear,
    statistics,
    stencils,
)
from benchmarks.registry import KERNELS

__all__ = [
    "KERNELS",
    "arithmetic",
    "finance",
    "geometry",
    "images",
    "learning",
    "linear",
    "statistics",
    "stencils",
]
