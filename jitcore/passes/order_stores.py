"""Stores come last in a window: whatever may fail has not happened then.

x = a / b; y[:] = x + 1; z = b / c    →    x = a / b; z = b / c; y[:] = x + 1
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node
from jitcore.ir.value import Value
from jitcore.kernels.group import FusionGroup


def stores_last(steps: Sequence[Node | FusionGroup], idle: Set[Value]) -> list[Node | FusionGroup]:
    """If a step after a store failed, CPython would repeat what comes before it, too. `idle`:
    views, and elements that nobody keeps; made again, they read nothing that a store changed."""
    writing = [step for step in steps if isinstance(step, FusionGroup) and step.written]
    others = [step for step in steps if step not in writing]
    if not all(set(group.outputs).isdisjoint(s.inputs) for group in writing for s in others):
        return [*others, *(node for group in writing for node in group.nodes)]
    alone = all(not idle.isdisjoint(step.outputs) for step in others)
    return [*others, *(replace(group, alone=alone) for group in writing)]
