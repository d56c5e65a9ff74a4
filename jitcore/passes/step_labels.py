"""Steps of a plan → the same with labels for profilers and debuggers: function, line, what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jitcore.fallback.breaks import Place
from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import name_of
from jitcore.toolchain.symbol_names import label_of


def with_label(step: Any) -> Any:
    if not isinstance(step, FusionGroup):
        return step
    return replace(step, label=label(step.nodes, name_of(step)))


def label(nodes: Sequence[Node], what: str) -> str:
    """By the user's line of the first node that has one."""
    places = (node.where for node in nodes if isinstance(node.where, Place))
    place = next(places, None)
    return label_of(place.function, place.lineno, what) if place is not None else what
