"""Reductions over a short axis → one step on its elements, each of which is computed on its own.

    d = ((x - c) ** 2).sum(axis=-1)    x: f8[n,1,2], c: f8[8,2]
    k = d.argmin(axis=1)

    d = sum of (x[..., 0] - c[..., 0]) ** 2 and (x[..., 1] - c[..., 1]) ** 2
    k = where the least is of d[..., 0] … d[..., 7], each of them such a sum: one loop over n

A loop over rows of two would do little else than begin and end. The elements come in NumPy's order
(kernels/emit/reductions.py); views of what is in memory are no work. What was computed for all of
the axis is left out, where nobody else reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field
from typing import Any

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Node, uses
from jitcore.ir.op import Kind, Op, Unsupported
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.remark import Notes, note
from jitcore.ir.types import ArrayType, Shape, fresh
from jitcore.ir.value import Value, map_tree
from jitcore.kernels.constraints import is_lowered, lower_any
from jitcore.kernels.lower import Lowering
from jitcore.kernels.lower_reduce import asked, is_dense, is_reduction, order_of, reduced
from jitcore.kernels.short_axis_rows import LONGEST, UNROLLED, Unrolled, unrolled
from jitcore.kernels.view_offsets import is_plain

MOST_NODES = 48  # that stand for one reduction
FEW = 64  # rows that NumPy searches as fast, where they are in memory
MOST_READ = 24  # arrays and views of them


@dataclass(frozen=True, slots=True)
class AxisElement:
    """One element of an axis that is counted from the last, -1; `kept`: as an axis of extent 1."""

    axis: int
    at: int
    kept: bool

    def shape(self, shape: Shape) -> Shape:
        own = (1,) if self.kept else ()
        return shape[: len(shape) + self.axis] + own + shape[len(shape) + self.axis + 1 :]

    def index(self) -> tuple[Any, ...]:
        own = slice(self.at, self.at + 1) if self.kept else self.at
        return (Ellipsis, own, *(slice(None),) * (-self.axis - 1))


@dataclass(slots=True)
class UnrolledElements:
    """The nodes that compute elements, in the making, each once."""

    makers: dict[Value, Node]
    kept: Collection[Value]  # what must be made whole anyway
    simple: dict[Node, bool]
    where: Any = None
    nodes: list[Node] = field(default_factory=list)
    known: dict[tuple[Value, AxisElement], Value] = field(default_factory=dict)
    through: set[Value] = field(default_factory=set)  # what was computed for all of the axis
    views: set[Value] = field(default_factory=set)

    def of(self, value: Value, cut: AxisElement) -> Value:
        t = value.type
        if not isinstance(t, ArrayType) or t.ndim < -cut.axis:
            return value
        extent = t.shape[cut.axis]
        if extent == 1 and cut.kept:
            return value
        cut = replace(cut, at=cut.at if extent > 1 else 0)
        found = self.known.get((value, cut))
        if found is None:
            found = self.known[value, cut] = self.made(value, t, cut)
        return found

    def made(self, value: Value, t: ArrayType, cut: AxisElement) -> Value:
        maker = self.makers.get(value)
        shape = cut.shape(t.shape)
        if maker is not None and shape != () and self.is_simple(maker):
            self.through.add(value)
            return self.again(maker, shape, cut)
        if maker is not None and is_lowered(maker) and value not in self.kept:
            raise CannotLower(f"{maker.op.words}, which it reduces, is computed as a whole")
        return self.viewed(value, cut)

    def is_simple(self, maker: Node) -> bool:
        if maker not in self.simple:
            self.simple[maker] = is_simple(maker)
        return self.simple[maker]

    def again(self, maker: Node, shape: Shape, cut: AxisElement) -> Value:
        """The node on elements."""

        def own(leaf: Any) -> Any:
            return self.of(leaf, cut) if type(leaf) is Value else leaf

        args = map_tree(own, maker.args)
        if maker.op is UNROLLED:
            spec: Unrolled = maker.kwargs["spec"]
            made = fresh(spec.result, shape)
            return self.add(UNROLLED, args, {"spec": spec}, made, maker.where)
        t = maker.op.infer(args, maker.kwargs)
        if not isinstance(t, ArrayType) or t.shape != shape:
            raise CannotLower(f"{maker.op.words} of single elements has another type")
        return self.add(maker.op, args, maker.kwargs, t, maker.where)

    def viewed(self, value: Value, cut: AxisElement) -> Value:
        if not is_plain(value.type):
            raise CannotLower("it reduces an array that is not aligned, or of another byte order")
        t = GETITEM.infer((value, cut.index()), {})
        if not isinstance(t, ArrayType):
            raise CannotLower("its elements are no view of an array")
        view = self.add(GETITEM, (value, cut.index()), {}, t)
        self.views.add(view)
        return view

    def add(
        self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], t: ArrayType, where: Any = None
    ) -> Value:
        value = Value(t)
        self.nodes.append(Node(op, args, kwargs, (value,), (), where or self.where))
        if len(self.nodes) - len(self.views) > MOST_NODES or len(self.views) > MOST_READ:
            raise CannotLower(f"it takes more than {MOST_NODES} operations or {MOST_READ} arrays")
        return value


@dataclass(frozen=True, slots=True)
class ElementForm:
    axis: int  # counted from the last, -1
    extent: int
    kept: bool
    spec: Unrolled


def form_of(node: Node, varying: Collection[int]) -> ElementForm | None:
    """Of a reduction over one short axis; None of others."""
    if not is_reduction(node) or len(node.outputs) != 1 or type(node.args[0]) is not Value:
        return None
    try:
        t = reduced(node)
        axes, _ = asked(node, t)
        result = node.outputs[0].type
        if len(axes) != 1 or not isinstance(result, ArrayType) or not result.shape:
            return None
        extent = t.shape[axes[0]]
        long = not 2 <= extent <= LONGEST or extent in varying
        if long or 0 in t.shape or not is_dense(t):
            return None
        spec = unrolled(node, t, order_of(t)[-1] == axes[0], extent)
    except (CannotLower, Unsupported):
        return None
    return ElementForm(axes[0] - t.ndim, extent, result.ndim == t.ndim, spec)


def is_simple(node: Node) -> bool:
    """Element by element, in C."""
    if node.op is UNROLLED:
        return True
    if node.op.kind is not Kind.MAP or len(node.outputs) != 1 or node.bodies or node.op.stores:
        return False
    if node.op.ufunc is None and node.op.name not in ("where", "astype", "ndarray.astype"):
        return False
    trial = Lowering()
    try:
        lower_any(node, trial)
    except (CannotLower, Unsupported):
        return False
    return all(step.inner is None for step in trial.program.steps)


def in_elements(
    nodes: Sequence[Node],
    live_out: Collection[Value],
    calls: Collection[Value],
    varying: Collection[int] = (),
    notes: Notes | None = None,
) -> list[Node]:
    """The nodes with short reductions unrolled, but for those of `calls`, and those over an axis
    whose extent is one of `varying`."""
    if not any(map(is_reduction, nodes)):
        return [*nodes]
    readers = readers_of(nodes, live_out)
    makers: dict[Value, Node] = {}
    found: list[Node] = []
    through: set[Value] = set()
    simple: dict[Node, bool] = {}
    whole = {value for value, count in readers.items() if count > 1}
    for node in nodes:
        form = None if set(calls).intersection(node.outputs) else form_of(node, varying)
        elements = UnrolledElements(makers, whole, simple, node.where)
        last = None if form is None else replaced(node, form, elements, readers, notes)
        if last is None:
            found.append(node)
        else:
            makers.update((one.outputs[0], one) for one in elements.nodes if one.op is not GETITEM)
            found += [*elements.nodes, last]
            through |= elements.through | {node.args[0]}
        makers |= dict.fromkeys(node.outputs, last or node)
    return without_idle(found, live_out, through)


def replaced(
    node: Node,
    form: ElementForm,
    elements: UnrolledElements,
    readers: dict[Value, int],
    notes: Notes | None,
) -> Node | None:
    """What stands for the reduction, after the elements; None where it stays."""
    try:
        args = elements_of(node, form, elements, readers)
    except CannotLower as why:
        note(notes, node.outputs[0], "short axis unrolled", why)
        return None
    except Unsupported:
        return None
    spec = replace(form.spec, origin=node.outputs[0])
    return Node(UNROLLED, args, {"spec": spec}, node.outputs, (), node.where)


def elements_of(
    node: Node, form: ElementForm, elements: UnrolledElements, readers: dict[Value, int]
) -> tuple[Value, ...]:
    value = node.args[0]
    maker = elements.makers.get(value)
    if maker is not None and is_lowered(maker) and readers[value] > 1:
        raise CannotLower("others read the array that it reduces")  # it is in a loop anyway
    few = node.outputs[0].type.size < FEW  # type: ignore[union-attr]
    if form.spec.rank is not None and few and (maker is None or not elements.is_simple(maker)):
        raise NotCandidate("there are few rows, in memory")
    cuts = [AxisElement(form.axis, k, form.kept) for k in range(form.extent)]
    return tuple(elements.of(value, cut) for cut in cuts)


def readers_of(nodes: Sequence[Node], live_out: Collection[Value]) -> dict[Value, int]:
    found = dict.fromkeys(live_out, 1)
    for node in nodes:
        for value in uses(node):
            found[value] = found.get(value, 0) + 1
    return found


def without_idle(
    nodes: Sequence[Node], live_out: Collection[Value], through: Collection[Value]
) -> list[Node]:
    """Of what was computed for all of an axis, element by element now, what somebody reads."""
    needed = set(live_out)
    found = []
    for node in reversed(nodes):
        idle = needed.isdisjoint(node.outputs)
        if idle and not set(through).isdisjoint(node.outputs):
            continue
        found.append(node)
        needed.update(uses(node))
    return found[::-1]


def origins(nodes: Sequence[Node]) -> list[Value]:
    """The reductions that these stand for."""
    return [node.kwargs["spec"].origin for node in nodes if node.op is UNROLLED]
