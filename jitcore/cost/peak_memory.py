"""Steps in order → the bytes of the arrays that they make and that are alive at the same time.

A view keeps the memory of what it views. What NumPy's functions allocate inside is not counted, nor
are the program's own arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node
from jitcore.ir.infer.view import infer_copy
from jitcore.ir.op import Kind, leaf_type
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value, values
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.lower_gather import gathers
from jitcore.kernels.view_offsets import COPIES, viewed


class MemoryStep(Protocol):
    """A node, or what runs several of them."""

    @property
    def inputs(self) -> tuple[Value, ...]: ...

    @property
    def outputs(self) -> tuple[Value, ...]: ...


@dataclass(frozen=True, slots=True)
class Footprint:
    """Peaks in bytes: of the plan as compiled, and of its nodes as NumPy calls, one by one."""

    compiled: int
    calls: int


def peak(steps: Sequence[MemoryStep], kept: Collection[Value]) -> int:
    """Each array dies after the last step that reads it; those of `kept` do not."""
    owner = owners(steps)
    last = {owner[v]: k for k, step in enumerate(steps) for v in step.inputs if v in owner}
    last |= {owner[v]: len(steps) for v in kept if v in owner}
    dying: dict[int, int] = {}  # step → bytes that it is the last to read
    alive = most = 0
    for k, step in enumerate(steps):
        for value in step.outputs:
            if owner.get(value) is value:
                alive += size_of(value)
                end = last.get(value, k)
                dying[end] = dying.get(end, 0) + size_of(value)
        most = max(most, alive)
        alive -= dying.get(k, 0)
    return most


def owners(steps: Sequence[MemoryStep]) -> dict[Value, Value]:
    """Value that a step makes → the one whose memory it has; without the program's own arrays."""
    found: dict[Value, Value] = {}
    for step in steps:
        viewed = viewed_by(step)
        taken = dict(step.taken) if isinstance(step, FusionGroup) else {}
        for value in step.outputs:
            if value in taken and taken[value] in found:
                found[value] = found[taken[value]]
            elif viewed is None:
                found[value] = value
            elif viewed in found:
                found[value] = found[viewed]
    return found


def viewed_by(step: MemoryStep) -> Value | None:
    """Whose memory the result of a node has."""
    if not isinstance(step, Node):
        return None
    found = step.op.same_object(step.args, step.kwargs)
    if found is None and step.op.kind is Kind.VIEW and not gathers(step) and not copies(step):
        found = next(iter(step.inputs), None)  # it may have been given by name
    return found if isinstance(found, Value) else None


def copies(node: Node) -> bool:
    """A conversion, a copy that was asked for, another layout."""
    if node.op.rule is infer_copy:
        return True
    t = leaf_type(node.args[0]) if node.args else None
    if node.op.name not in COPIES or not isinstance(t, ArrayType):
        return False
    return not values((node.args[1:], node.kwargs)) and viewed(node, phantom(t)) is None


def size_of(value: Value) -> int:
    t = value.type
    return t.size * t.dtype.itemsize if isinstance(t, ArrayType) else 0
