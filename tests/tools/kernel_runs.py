"""A kernel's name → its arguments before and after a call at the small size, and the result."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from benchmarks.kernels import KERNELS


@dataclass(frozen=True)
class Run:
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    result: Any


def run(name: str, size: str = "small") -> Run:
    kernel = KERNELS[name]
    before = kernel.arguments(size)
    after = tuple(copy.deepcopy(a) if k in kernel.writes else a for k, a in enumerate(before))
    return Run(before, after, kernel.function(*after))
