"""np.stack, np.concatenate and their like → parts of one array, into which loops write.

    r = np.stack([x * y, x + y], axis=-1)

    a = x * y    p = piece a    lies in r, from byte 0 on     ┐ one loop, whose result is r
    b = x + y    q = piece b    lies in r, from byte 8 on     ┘
    r = joined p, q             nothing to do

Where several loops make the parts, the first makes the array too; each of the others takes it over
(takeover.py) and writes into it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from jitcore.dataclass import dataclass

from ..ir.graph import Node
from ..ir.infer_index import address
from ..ir.op import Effect, Kind, Op
from ..ir.strided import phantom
from ..ir.types import ArrayType, Shape, type_of
from ..ir.value import Value
from .gather import gathers
from .lower_reduce import is_dense
from .views import Place, is_plain

PIECE = Op("piece", None, Kind.MAP, Effect.SILENT)
JOINED = Op("joined", None, Kind.CREATE, Effect.SILENT)

ALL = slice(None)
# Shape of a part, and the axis that is asked for → what stands before its own axis, and that axis;
# None: it has none, and gets one.
Spot = tuple[tuple[Any, ...], int | None]


def in_stack(shape: Shape, axis: int) -> Spot:
    return (ALL,) * (axis % (len(shape) + 1)), None


def in_concatenation(shape: Shape, axis: int) -> Spot:
    return (ALL,) * (axis % len(shape)), axis % len(shape)


def in_hstack(shape: Shape, axis: int) -> Spot:
    return in_concatenation(shape, 0 if len(shape) == 1 else 1)


def in_vstack(shape: Shape, axis: int) -> Spot:
    return ((), None) if len(shape) == 1 else in_concatenation(shape, 0)


def in_dstack(shape: Shape, axis: int) -> Spot:
    if len(shape) == 1:
        return (0, ALL), None
    return ((ALL, ALL), None) if len(shape) == 2 else in_concatenation(shape, 2)


def in_columns(shape: Shape, axis: int) -> Spot:
    return ((ALL,), None) if len(shape) == 1 else in_concatenation(shape, 1)


SPOTS = {
    **dict.fromkeys(("array", "asarray", "stack"), in_stack),
    "concatenate": in_concatenation,
    "hstack": in_hstack,
    "vstack": in_vstack,
    "dstack": in_dstack,
    "column_stack": in_columns,
}
WITH_AXIS = frozenset(("stack", "concatenate"))


@dataclass(slots=True)
class Parts:
    """Where the parts lie."""

    places: dict[Value, Place] = field(default_factory=dict)

    def wholes(self, values: Collection[Value]) -> list[Value]:
        """What those are parts of that are parts."""
        found = (self.places[value].array for value in values if value in self.places)
        return list(dict.fromkeys(found))


def parted(nodes: Sequence[Node], calls: Collection[Value]) -> tuple[list[Node], Parts]:
    """The nodes with parts in place of what joins arrays; what makes one of `calls` stays one."""
    found, parts = [], Parts()
    makers = {value: node for node in nodes for value in node.outputs}
    for node in nodes:
        types = [] if set(node.outputs).intersection(calls) else layout(node)
        if not types or not pays(node.args[0], makers):
            found.append(node)
            continue
        made = []
        for value, (t, offset) in zip(node.args[0], types, strict=True):
            part = Value(t)
            parts.places[part] = Place(node.outputs[0], offset)
            made.append(part)
            found.append(Node(PIECE, (value,), {}, (part,), (), node.where))
        found.append(Node(JOINED, tuple(made), {}, node.outputs, (), node.where))
    return found, parts


def pays(values: Sequence[Value], makers: Mapping[Value, Node]) -> bool:
    """Is half of it, at least, the result of loops? The rest is copied, as NumPy does."""
    sizes = {value: value.type.size for value in values}  # type: ignore[union-attr]
    made = [v for v in values if v in makers and is_looped(makers[v])]
    return 2 * sum(sizes[v] for v in made) >= sum(sizes[v] for v in values)


def is_looped(node: Node) -> bool:
    return node.op.kind is Kind.MAP or gathers(node)


def layout(node: Node) -> list[tuple[ArrayType, int]]:
    """For each part its type, and the byte of the whole that it starts at. Nothing where NumPy
    joins."""
    spot_of = SPOTS.get(node.op.name)
    if spot_of is None or len(node.outputs) != 1 or not 1 <= len(node.args) <= 2:
        return []
    values, whole = node.args[0], node.outputs[0].type
    words = node.kwargs | dict(zip(("axis",), node.args[1:], strict=False))
    axis = words.get("axis", 0)
    if (
        not words.keys() <= ({"axis"} if node.op.name in WITH_AXIS else set())
        or type(axis) is not int
    ):
        return []
    if type(values) not in (list, tuple) or not all(is_array(value) for value in values):
        return []
    if not is_plain(whole) or not is_dense(whole):  # type: ignore[arg-type]
        return []
    array = phantom(whole)  # type: ignore[arg-type]
    found, at = [], 0
    for value in values:
        shape = value.type.shape
        before, own = spot_of(shape, axis)
        extent = 1 if own is None else shape[own]
        part = array[(*before, at if own is None else slice(at, at + extent), ...)]
        t = type_of(part)
        if not isinstance(t, ArrayType) or t.shape != shape:
            return []
        found.append((t, address(part) - address(array)))
        at += extent
    return found


def is_array(value: Any) -> bool:
    return type(value) is Value and is_plain(value.type) and value.type.shape != ()  # type: ignore[union-attr]
