"""Importing this registers every kernel."""

from benchmarks.kernels import arithmetic, finance, learning, stencils
from benchmarks.registry import KERNELS

__all__ = ["KERNELS", "arithmetic", "finance", "learning", "stencils"]
