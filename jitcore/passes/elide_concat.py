"""np.stack, np.concatenate and their like → parts of one array, into which loops write.

    r = np.stack([x * y, x + y], axis=-1)

    a = x * y    p = piece a    lies in r, from byte 0 on     ┐ one loop, whose result is r
    b = x + y    q = piece b    lies in r, from byte 8 on     ┘
    r = joined p, q             nothing to do

Only where loops make half of the result or more.

Where several loops make the parts, the first makes the array too; each of the others takes it over
(reuse_buffers.py) and writes into it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.infer.index import address
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType, Shape, type_of
from jitcore.ir.value import Value
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.lower import signature
from jitcore.kernels.lower_gather import gathers
from jitcore.kernels.lower_reduce import is_dense
from jitcore.kernels.view_offsets import ViewOffset, is_plain
from jitcore.toolchain.abi import LIMIT

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
class ConcatParts:
    """Where the parts lie."""

    places: dict[Value, ViewOffset] = field(default_factory=dict)

    def wholes(self, values: Collection[Value]) -> list[Value]:
        """What those are parts of that are parts."""
        found = (self.places[value].array for value in values if value in self.places)
        return list(dict.fromkeys(found))


def parted(nodes: Sequence[Node], calls: Collection[Value]) -> tuple[list[Node], ConcatParts]:
    """The nodes with parts in place of what joins arrays; what makes one of `calls` stays one."""
    found, parts = [], ConcatParts()
    makers = {value: node for node in nodes for value in node.outputs}
    for node in nodes:
        joins = node.op.name in SPOTS and not set(node.outputs).intersection(calls)
        types = places_in(node) if joins else []
        if not types or not pays(node.args[0], makers):
            found.append(node)
            continue
        made = []
        for value, (t, offset) in zip(node.args[0], types, strict=True):
            part = Value(t)
            parts.places[part] = ViewOffset(node.outputs[0], offset)
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


def places_in(node: Node) -> list[tuple[ArrayType, int]]:
    """Nothing where NumPy joins."""
    try:
        return layout(node)
    except CannotLower:  # passes/why_call.py says why
        return []


def layout(node: Node) -> list[tuple[ArrayType, int]]:
    """For each part its type, and the byte of the whole that it starts at. CannotLower where NumPy
    joins."""
    spot_of = SPOTS[node.op.name]
    if len(node.outputs) != 1 or not 1 <= len(node.args) <= 2:
        raise CannotLower(f"{node.op.words} is called with more than arrays and an axis")
    values, whole = node.args[0], node.outputs[0].type
    words = node.kwargs | dict(zip(("axis",), node.args[1:], strict=False))
    axis = words.get("axis", 0)
    if (
        not words.keys() <= ({"axis"} if node.op.name in WITH_AXIS else set())
        or type(axis) is not int
    ):
        raise CannotLower(f"{node.op.words} is called with more than arrays and a constant axis")
    if type(values) not in (list, tuple) or not all(is_array(value) for value in values):
        raise CannotLower("the parts are not a list or tuple of aligned arrays with axes")
    if not is_plain(whole) or not is_dense(whole):  # type: ignore[arg-type]
        raise CannotLower("the whole is not an aligned array in C order")
    array = phantom(whole)  # type: ignore[arg-type]
    found, at = [], 0
    for value in values:
        shape = value.type.shape
        before, own = spot_of(shape, axis)
        extent = 1 if own is None else shape[own]
        part = array[(*before, at if own is None else slice(at, at + extent), ...)]
        t = type_of(part)
        if not isinstance(t, ArrayType) or t.shape != shape:
            raise CannotLower("a part is repeated, or cast")
        found.append((t, address(part) - address(array)))
        at += extent
    return found


def is_array(value: Any) -> bool:
    return type(value) is Value and is_plain(value.type) and value.type.shape != ()  # type: ignore[union-attr]


# ---- groups that make parts -------------------------------------------------------------------


def refused(steps: Sequence[Node | FusionGroup]) -> list[Value]:
    """Parts that no kernel can write into a whole."""
    found: list[Value] = []
    for step in steps:
        full = isinstance(step, FusionGroup) and len(step.inputs) + len(step.results) >= LIMIT
        if isinstance(step, Node) or step.written or full:
            found += step.outputs
    return found


def joined(steps: Sequence[Node | FusionGroup], parts: ConcatParts) -> list[Node | FusionGroup]:
    """Each group that makes parts hands the whole on, until the last one gives it out."""
    last: dict[Value, int] = {}
    for k, step in enumerate(steps):
        last.update(dict.fromkeys(parts.wholes(step.outputs), k))
    handed: dict[Value, Value] = {}
    found: list[Node | FusionGroup] = []
    for k, step in enumerate(steps):
        if isinstance(step, Node):
            found += [] if step.op is JOINED else [step]
            continue
        wholes = parts.wholes(step.outputs)
        before = {whole: handed[whole] for whole in wholes if whole in handed}
        after = {whole: whole if last[whole] == k else Value(whole.type) for whole in wholes}
        handed |= after
        found.append(holding(step, parts, before, after) if wholes else step)
    return found


def holding(
    group: FusionGroup,
    parts: ConcatParts,
    before: Mapping[Value, Value],
    after: Mapping[Value, Value],
) -> FusionGroup:
    """The group with the wholes in place of its parts, as they come and as they go."""
    at = [parts.places.get(out, ViewOffset(out, 0)) for out in group.outputs]
    outputs = tuple(dict.fromkeys(after.get(place.array, place.array) for place in at))
    own = [(outputs.index(after.get(place.array, place.array)), place.offset) for place in at]
    more = tuple(before.values())
    return replace(
        group,
        outputs=outputs,
        inputs=(*group.inputs, *more),
        given=(*group.given, *(signature(value.type) for value in more)),
        taken=(*group.taken, *((after[whole], value) for whole, value in before.items())),
        targets=tuple(own),
        wholes=tuple(after.items()),
    )
