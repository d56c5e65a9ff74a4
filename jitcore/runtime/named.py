"""Steps of a plan → the same with labels for profilers and debuggers: function, line, what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jitcore.codegen.kernel import name_of
from jitcore.codegen.labels import label_of
from jitcore.codegen.schedule import Group
from jitcore.dataclass import replace
from jitcore.fallback.breaks import Place
from jitcore.ir.graph import Node


def with_label(step: Any) -> Any:
    if not isinstance(step, Group):
        return step
    return replace(step, label=label(step.nodes, name_of(step)))


def label(nodes: Sequence[Node], what: str) -> str:
    """By the user's line of the first node that has one."""
    places = (node.where for node in nodes if isinstance(node.where, Place))
    place = next(places, None)
    return label_of(place.function, place.lineno, what) if place is not None else what
