"""Steps → the bytes of arrays that they read and write, counted before anything runs.

    part     elements of an array that a step reads or writes: a view is a part of what it views
    bytes    of the parts of each array, each byte once a step; what stays inside a kernel is none

    steps, as compiled ─▶ the sum over steps        NumPy's calls ─▶ the same, call by call
    all of it          ─▶ at least: what comes in, once, what is handed on or stored, once

Several views of one array count together, and no more than the stretches of memory that they lie
in. A store is its own bytes, as STREAM counts them, although a cache may read the line before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from jitcore.cost.operations import operations
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, Unsupported, leaf_type, out_argument
from jitcore.ir.ops.array import GETITEM, MASKED_STORE, SETITEM
from jitcore.ir.strided import phantom
from jitcore.ir.types import ArrayType, ObjectType, ScalarType
from jitcore.ir.value import Value, arguments, values
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.lower_gather import gathers
from jitcore.kernels.store_rules import STORE
from jitcore.kernels.view_offsets import ViewOffset, placed, viewed
from jitcore.passes.elide_concat import PIECE

EMPTY = frozenset(("empty", "empty_like"))  # nothing is written
WRITTEN_ONLY = frozenset(("setitem", "store", "copyto", "ndarray.fill"))  # their target is not read
MASK = "the length of boolean indexing is only known at run time"
WHOLE = frozenset(("copyto", "ndarray.fill", "ndarray.sort", "ndarray.partition"))


ROUNDS = "the rounds of a loop are only known at run time"


class Uncounted(Exception):
    """Nobody knows before it runs; says what."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one step in one run. `between`: the bytes among `moved` of arrays that live from step to
    step only. None: it cannot be counted, and `why`."""

    moved: int | None
    between: int = 0
    operations: int | None = None
    why: str = ""


LOOP = Counts(None, why=ROUNDS)


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes of arrays that are read and written in one run: by the plan as compiled, by NumPy's
    calls, and at least: what comes in once, and what is handed on. `operations`: see
    operations.py. None: it cannot be counted, and `why`."""

    compiled: int | None
    calls: int | None
    least: int | None
    operations: int | None = None
    why: str = ""


NOTHING: tuple[Traffic, tuple[Counts, ...]] = Traffic(0, 0, 0, 0), ()


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `low` to `high` of an array, of which it has `size`."""

    array: Any  # a Value; of a constant its id
    low: int
    high: int
    size: int

    @property
    def dense(self) -> bool:
        return self.size >= self.high - self.low


@dataclass(slots=True)
class Touched:
    """What a step reads and writes. Inside of a kernel: what its nodes made is nobody else's."""

    reads: list[ByteRange] = field(default_factory=list)
    writes: list[ByteRange] = field(default_factory=list)


class CostedStep(Protocol):
    """A node, or what runs several of them."""

    @property
    def outputs(self) -> tuple[Value, ...]: ...


Places = Mapping[Value, ViewOffset]


Given = tuple[Sequence[CostedStep], Sequence[Node], Collection[Value], Places]


class Moves:
    """What a plan moves, counted when it is asked for: compiling does not wait for it."""

    __slots__ = ("found", "given")

    def __init__(
        self,
        steps: Sequence[CostedStep],
        nodes: Sequence[Node],
        handed: Collection[Value],
        views: Places,
    ) -> None:
        """`nodes`: NumPy's calls for the same; `handed`: what is handed on; `views`: where those
        lie that kernels read."""
        self.given: Given | None = (steps, nodes, handed, views)
        self.found = NOTHING

    def counted(self) -> tuple[Traffic, tuple[Counts, ...]]:
        """Of the plan, and of each of its steps."""
        given = self.given
        if given is not None:
            self.found, self.given = traffic(*given), None
        return self.found


def traffic(
    steps: Sequence[CostedStep], nodes: Sequence[Node], handed: Collection[Value], views: Places
) -> tuple[Traffic, tuple[Counts, ...]]:
    places = {**views, **placed(nodes, {})}
    kept = {place_of(value, places).array for value in handed}
    inner = {value for step in steps for value in step.outputs} - kept
    found = tuple(counted(step, places, inner) for step in steps)
    moved, total = total_of(one.moved for one in found), total_of(one.operations for one in found)
    first = sorted(found, key=lambda one: one.moved is not None)  # what matters more
    why = next((one.why for one in first if one.why), "")
    try:
        calls, least = called(nodes, places), fewest(nodes, places, handed)
    except Uncounted as error:
        if any(node.bodies for node in nodes):  # which are no steps
            moved = total = None
        return Traffic(moved, None, None, total, why or str(error)), found
    return Traffic(moved, calls, least, total, why), found


def total_of(counts: Iterable[int | None]) -> int | None:
    found = [*counts]
    return None if None in found else sum(one for one in found if one is not None)


def counted(step: CostedStep, places: Places, inner: Collection[Value]) -> Counts:
    try:
        found = touched(step, places)
    except Uncounted as error:
        return Counts(None, why=str(error))
    moved = bytes_of(found.reads) + bytes_of(found.writes)
    between = [[part for part in one if part.array in inner] for one in (found.reads, found.writes)]
    alone = (step,) if isinstance(step, Node) else ()
    nodes = step.nodes if isinstance(step, FusionGroup) else alone
    each = [*map(operations, nodes)]
    unknown = next((n.op.name for n, k in zip(nodes, each, strict=True) if k is None), "")
    why = f"the operations of {unknown} are not counted" if unknown else ""
    total = None if unknown else sum(k or 0 for k in each)
    return Counts(moved, sum(map(bytes_of, between)), total, why)


def called(nodes: Iterable[Node], places: Places) -> int:
    """One by one."""
    made = (touched(node, places) for node in nodes)
    return sum(bytes_of(one.reads) + bytes_of(one.writes) for one in made)


def fewest(nodes: Sequence[Node], places: Places, handed: Collection[Value]) -> int:
    own = {value for node in nodes for value in node.outputs} - {*places}
    reads: list[ByteRange] = []
    writes: list[ByteRange] = []
    for node in nodes:
        found = touched(node, places)
        reads += [
            part for part in found.reads if part.array not in own and not in_one(part, writes)
        ]
        writes += [part for part in found.writes if part.array not in own]
    results = parts_of({*handed}, places)
    return bytes_of(reads) + bytes_of([*writes, *(one for one in results if one.array in own)])


def in_one(part: ByteRange, others: Iterable[ByteRange]) -> bool:
    """Has it been written before?"""
    return any(
        one == part or (one.array is part.array and one.dense and one.low <= part.low
                        and part.high <= one.high)
        for one in others
    )  # fmt: skip


# ---- parts --------------------------------------------------------------------------------------


def place_of(value: Value, places: Places) -> ViewOffset:
    return places.get(value) or ViewOffset(value, 0)


def part_of(leaf: Any, places: Places) -> ByteRange | None:
    """None: no array."""
    t = leaf_type(leaf)
    if isinstance(t, ObjectType) and t.cls in (None, np.ndarray):
        raise Uncounted("the size of an array is only known at run time")
    if not isinstance(t, ArrayType) or 0 in t.shape:
        return None
    at = place_of(leaf, places) if type(leaf) is Value else ViewOffset(leaf, 0)
    steps = [*zip(t.strides, t.shape, strict=True)]
    low = at.offset + sum(step * (n - 1) for step, n in steps if step < 0)
    high = at.offset + sum(step * (n - 1) for step, n in steps if step > 0) + t.dtype.itemsize
    size = t.dtype.itemsize
    for step, n in steps:
        size *= n if step else 1
    return ByteRange(at.array if type(leaf) is Value else id(leaf), low, high, size)


def bytes_of(parts: Iterable[ByteRange]) -> int:
    arrays: dict[Any, set[ByteRange]] = {}
    for part in parts:
        arrays.setdefault(part.array, set()).add(part)
    return sum(min(sum(part.size for part in one), stretch(one)) for one in arrays.values())


def stretch(parts: Iterable[ByteRange]) -> int:
    """Of the memory that they lie in, each byte once."""
    found, end = 0, None
    for part in sorted(parts, key=lambda one: one.low):
        start = part.low if end is None else max(part.low, end)
        found += max(part.high - start, 0)
        end = part.high if end is None else max(end, part.high)
    return found


# ---- one step -----------------------------------------------------------------------------------


def touched(step: CostedStep, places: Places) -> Touched:
    if isinstance(step, Node):
        return by_node(step, places)
    if isinstance(step, FusionGroup):
        return by_group(step, places)
    raise Uncounted("what a backend reads is its own")


def by_group(group: FusionGroup, places: Places) -> Touched:
    made = {value for node in group.nodes for value in node.outputs}
    results = {*group.outputs} - {whole for whole, _ in group.wholes}
    found = Touched()
    for node in group.nodes:
        one = by_node(node, places)
        found.reads += [part for part in one.reads if part.array not in made]
        kept = node.op in (STORE, PIECE)
        found.writes += [part for part in one.writes if kept or part.array in results]
    return found


def by_node(node: Node, places: Places) -> Touched:
    if node.bodies or node.op.kind is Kind.CONTROL:
        raise Uncounted(ROUNDS)
    if node.kwargs.get("where") is not None:
        raise Uncounted("how much `where=` leaves out is only known at run time")
    if is_view(node):
        return Touched()
    arrays = [leaf for leaf in arguments(node.args, node.kwargs) if is_array(leaf)]
    if node.op.name in WRITTEN_ONLY:
        target = node.args[node.op is STORE]
        arrays = [leaf for leaf in arrays if leaf is not target]
    reads = gathered(node, arrays, places) if gathers(node) else parts_of(arrays, places)
    return Touched([*reads], [*written(node, places)])


def is_array(leaf: Any) -> bool:
    return type(leaf) in (Value, np.ndarray)


def parts_of(leaves: Iterable[Any], places: Places) -> Iterator[ByteRange]:
    return (part for leaf in leaves if (part := part_of(leaf, places)) is not None)


def is_view(node: Node) -> bool:
    """It moves nothing."""
    if node.op.kind is not Kind.VIEW or gathers(node):
        return False
    if node.op.same_object(node.args, node.kwargs) is not None:
        return True
    t = leaf_type(node.args[0])
    plain = isinstance(t, ArrayType) and not values((node.args[1:], node.kwargs))
    return plain and viewed(node, phantom(t)) is not None  # type: ignore[arg-type]


def gathered(node: Node, arrays: Sequence[Any], places: Places) -> Iterator[ByteRange]:
    """Of the table as many elements as there are in the result, at most all."""
    table, *others = arrays
    part, made = part_of(table, places), part_of(node.outputs[0], places)
    if part is not None and made is not None:
        yield replace(part, size=min(part.size, made.size))
    yield from parts_of(others, places)


def written(node: Node, places: Places) -> Iterator[ByteRange]:
    """New arrays; or what it writes to instead."""
    if node.op is SETITEM:
        return stored_into(node, places)
    if node.op is STORE:
        return parts_of(node.args[1:2], places)
    if node.op.stores:
        if node.op is MASKED_STORE:
            raise Uncounted(MASK)
        if not (node.op.name in WHOLE or node.op.returns == 0):
            raise Uncounted(f"how much {node.op.name} writes is only known at run time")
        return parts_of(node.args[:1], places)
    out = out_argument(node.op, node.args, node.kwargs)
    if out is not None:
        return parts_of(out if type(out) is tuple else (out,), places)
    return parts_of(() if node.op.name in EMPTY else node.outputs, places)


def stored_into(node: Node, places: Places) -> Iterator[ByteRange]:
    container, index, _ = node.args
    try:
        t = GETITEM.infer((container, index), {})
    except Unsupported as error:
        raise Uncounted(str(error)) from error
    if not isinstance(t, ArrayType | ScalarType):
        raise Uncounted(MASK)
    view = Value(t)
    at = placed([Node(GETITEM, (container, index), {}, (view,))], places)
    if isinstance(t, ArrayType) and view in at:
        yield from parts_of([view], at)
        return
    for part in parts_of([container], places):
        yield replace(part, size=min(part.size, t.size * t.dtype.itemsize))
