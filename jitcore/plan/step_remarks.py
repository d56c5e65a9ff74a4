"""A plan's loops, kernels and NumPy calls → what applied to them and what did not (ir/remark.py).

Of loops that was noted as they were written. Of kernels and calls it is looked for when somebody
asks, so compiling does not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jitcore.host.lazy_import import LazyModule
from jitcore.ir.graph import Node
from jitcore.ir.remark import Remarks
from jitcore.kernels.group import FusionGroup

calls = LazyModule("jitcore.passes.why_call")
kernels = LazyModule("jitcore.kernels.why_kernel")


class StepRemarks:
    """`found` is the answer, once it has been asked for."""

    __slots__ = ("loops", "steps")

    def __init__(self, loops: Sequence[Remarks] = (), steps: Sequence[Any] = ()) -> None:
        self.loops = loops
        self.steps = steps

    def found(self) -> Iterator[Remarks]:
        """Loops, then kernels and calls in the order in which they run."""
        yield from self.loops
        for step in self.steps:
            if isinstance(step, FusionGroup):
                yield kernels.remarks(step)
            elif isinstance(step, Node):
                yield calls.remarks(step)


NO_REMARKS = StepRemarks()
