"""The passes: nodes of one window → steps, each a kernel or a call of NumPy's.

PASSES is the list that every window goes through, in this order. A pass takes the plan of a window
and gives another that does the same; what it does is said in its own module. Where a pass finds
that no kernel can make what an earlier one presumed (`left`), FUSION begins anew with that as
calls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import field
from types import MappingProxyType
from typing import Literal

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node
from jitcore.ir.remark import Notes
from jitcore.ir.value import Value
from jitcore.kernels.fast_math import as_asked
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.view_offsets import ViewOffset, lasting, placed
from jitcore.passes.chain import chained
from jitcore.passes.decompose import expanded
from jitcore.passes.elide_concat import ConcatParts, joined, parted, refused
from jitcore.passes.fold_filled import without_fills
from jitcore.passes.fuse import grouped, in_registers, without_views
from jitcore.passes.order_stores import stores_last
from jitcore.passes.pad_rolls import without_rolls
from jitcore.passes.replace_calls import in_c
from jitcore.passes.scaled_gemv import scaled
from jitcore.passes.step_labels import with_label
from jitcore.passes.unroll_short_axes import in_elements, origins

Step = Node | FusionGroup
NO_VIEWS: Mapping[Value, ViewOffset] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """What a pass takes and gives."""

    steps: Sequence[Step]
    live_out: Set[Value]  # what is read after the window
    earlier: Mapping[Value, ViewOffset] = NO_VIEWS  # views made before it,
    views: Mapping[Value, ViewOffset] = NO_VIEWS  # and all that kernels may read where they lie
    calls: Set[Value] = frozenset()  # results that stay those of NumPy's calls
    varying: Collection[int] = ()  # extents that one text serves with others
    numerics: Literal["exact", "fast"] = "exact"
    errstate: int | None = None  # for kernels; None: the one that a launch finds
    labels: bool = False  # for profilers
    given: Set[Value] = frozenset()  # results of the program's own nodes
    parts: ConcatParts = field(default_factory=ConcatParts)
    left: Sequence[Value] = ()
    notes: Notes = field(default_factory=dict)  # what did not apply; one for all plans of a window

    @property
    def nodes(self) -> list[Node]:
        return [step for step in self.steps if isinstance(step, Node)]

    @property
    def idle(self) -> Set[Value]:
        """Views that nobody keeps, and those that outlast the window."""
        return lasting(self.views).keys() | (self.views.keys() - self.live_out)


Pass = Callable[[WindowPlan], WindowPlan]


def scale_products(plan: WindowPlan) -> WindowPlan:
    """(a * A) @ x → one call: scaled_gemv.py"""
    nodes = scaled(plan.nodes, plan.live_out)
    given = frozenset(value for node in nodes for value in node.outputs)
    views = {**plan.views, **placed(nodes, plan.earlier)}
    return replace(plan, steps=nodes, given=given, views=views)


def decompose(plan: WindowPlan) -> WindowPlan:
    """np.std → sums, differences, a square root: decompose.py"""
    return replace(plan, steps=expanded(plan.nodes))


def pad_rolls(plan: WindowPlan) -> WindowPlan:
    """np.roll → views of a padded copy: pad_rolls.py"""
    return replace(plan, steps=without_rolls(plan.nodes, plan.live_out))


def fold_filled(plan: WindowPlan) -> WindowPlan:
    """np.zeros → its readers' constant: fold_filled.py"""
    return replace(plan, steps=without_fills(plan.nodes, plan.live_out))


def unroll_short_axes(plan: WindowPlan) -> WindowPlan:
    """Sums over two or three elements → those elements: unroll_short_axes.py"""
    nodes = in_elements(plan.nodes, plan.live_out, plan.calls, plan.varying, plan.notes)
    return replace(plan, steps=nodes)


def elide_concat(plan: WindowPlan) -> WindowPlan:
    """np.stack, np.concatenate → parts that are written where they belong: elide_concat.py"""
    steps, parts = parted(plan.nodes, plan.calls)
    return replace(plan, steps=steps, parts=parts)


def fuse(plan: WindowPlan) -> WindowPlan:
    """Nodes → groups, one kernel each: fuse.py"""
    nodes = plan.nodes
    own = placed(nodes, plan.earlier).keys() - plan.given
    groups = grouped(nodes, plan.live_out, plan.earlier, bool(plan.varying), plan.notes)
    steps = without_views(groups, own)
    calls = origins([step for step in steps if isinstance(step, Node)])
    left = [*plan.parts.wholes(refused(steps)), *calls]
    return replace(plan, steps=steps, left=left)


def join_parts(plan: WindowPlan) -> WindowPlan:
    """Groups that make parts hand the whole on: elide_concat.py"""
    return replace(plan, steps=joined(plan.steps, plan.parts)) if plan.parts.places else plan


def hold_results(plan: WindowPlan) -> WindowPlan:
    """Rows of results that stay in registers: emit/register_tile.py"""
    return replace(plan, steps=[in_registers(step, plan.varying) for step in plan.steps])


def place_views(plan: WindowPlan) -> WindowPlan:
    """What calls made that kernels may read where it lies: view_offsets.py"""
    views = {**plan.views, **placed(plan.nodes, lasting(plan.views))}
    return replace(plan, views=views)


def fast_math(plan: WindowPlan) -> WindowPlan:
    """numerics="fast": fast_math.py"""
    return replace(plan, steps=[as_asked(step, plan.numerics) for step in plan.steps])


def chain(plan: WindowPlan) -> WindowPlan:
    """Groups that feed one another → one kernel, band by band: chain.py"""
    if plan.numerics != "exact":
        return plan
    given = plan.live_out, plan.idle, plan.views, bool(plan.varying)
    return replace(plan, steps=chained(plan.steps, *given, plan.notes))


def order_stores(plan: WindowPlan) -> WindowPlan:
    """Stores after all that could fail: order_stores.py"""
    return replace(plan, steps=stores_last(plan.steps, plan.idle))


def replace_calls(plan: WindowPlan) -> WindowPlan:
    """NumPy's functions in Python → the extension's: replace_calls.py"""
    steps = [in_c(step) if isinstance(step, Node) else step for step in plan.steps]
    return replace(plan, steps=steps)


def set_errstate(plan: WindowPlan) -> WindowPlan:
    """Kernels under the window's own error state."""
    if plan.errstate is None:
        return plan
    steps = [
        replace(step, errstate=plan.errstate) if isinstance(step, FusionGroup) else step
        for step in plan.steps
    ]
    return replace(plan, steps=steps)


def label(plan: WindowPlan) -> WindowPlan:
    """Names for profilers: step_labels.py"""
    return replace(plan, steps=[*map(with_label, plan.steps)]) if plan.labels else plan


def remark(plan: WindowPlan) -> WindowPlan:
    """What did not apply, said of the group that makes the value."""
    return replace(plan, steps=[noted(step, plan.notes) for step in plan.steps])


def noted(step: Step, notes: Notes) -> Step:
    if isinstance(step, Node) or not notes:
        return step
    found = (one for node in step.nodes for value in node.outputs for one in notes.get(value, ()))
    remarks = tuple(dict.fromkeys(found))
    return replace(step, remarks=remarks) if remarks else step


# Rewrites make new values, so they are made once; what comes after begins anew where it must.
REWRITES: tuple[Pass, ...] = (
    scale_products,
    decompose,
    pad_rolls,
    fold_filled,
)
FUSION: tuple[Pass, ...] = (
    unroll_short_axes,
    elide_concat,
    fuse,
    join_parts,
    hold_results,
)
FINISH: tuple[Pass, ...] = (
    place_views,
    fast_math,
    chain,
    order_stores,
    replace_calls,
    set_errstate,
    label,
    remark,
)
PASSES: tuple[Pass, ...] = (*REWRITES, *FUSION, *FINISH)


def run(plan: WindowPlan) -> WindowPlan:
    """PASSES, in order; FUSION again, with more calls, where no kernel can make something."""
    for one in REWRITES:
        plan = one(plan)
    plan = fused_plan(plan)
    for one in FINISH:
        plan = one(plan)
    return plan


def fused_plan(plan: WindowPlan) -> WindowPlan:
    while True:
        made = plan
        plan.notes.clear()
        for one in FUSION:
            made = one(made)
            if made.left:
                plan = replace(plan, calls=plan.calls | {*made.left})
                break
        else:
            return made


def fused(
    nodes: Sequence[Node],
    live_out: Collection[Value],
    views: Mapping[Value, ViewOffset] = NO_VIEWS,
    calls: Collection[Value] = (),
    varying: Collection[int] = (),
) -> list[Step]:
    """Up to the end of FUSION, of nodes that no window has."""
    given = frozenset(value for node in nodes for value in node.outputs)
    plan = WindowPlan(
        nodes, frozenset(live_out), views, calls=frozenset(calls), varying=varying, given=given
    )
    for one in REWRITES[1:]:
        plan = one(plan)
    return [*fused_plan(plan).steps]
