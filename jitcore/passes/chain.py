"""Groups that feed one another → chains of them in their stead: which, and in which order.

    stencil.py   what one makes, the next reads through shifted views: stencils
    rowwise.py      what one sums up of each row, the next needs for that row: softmax

Records are in stages.py, the C text in chain_c.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set

from jitcore.host.deadline import look
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.remark import Notes, note
from jitcore.ir.value import Value
from jitcore.kernels.chains.feeding import Feeding
from jitcore.kernels.chains.rowwise import any_folds, by_rows, is_rowwise, is_single
from jitcore.kernels.chains.stencil import by_shifts, is_shifted
from jitcore.kernels.constraints import demand
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.lower import is_elementwise
from jitcore.kernels.store_rules import STORE
from jitcore.kernels.view_offsets import ViewOffset
from jitcore.passes.fuse import group_of
from jitcore.passes.rematerialize import ReadyUnit

MOST_STAGES = 12


@dataclass(frozen=True, slots=True)
class ChainKind:
    """Of chains: which groups may be stages, which single operations, and what becomes of them."""

    wanted: Callable[[Sequence[Node | FusionGroup]], bool]  # by what there is, at first sight
    suits: Callable[[FusionGroup], bool]
    single: Callable[[Node], bool]
    ends: bool  # may a single operation be the last stage?
    keeps: bool  # may what a stage reads also be a result?
    chain_of: Callable[[Sequence[FusionGroup], Collection[Value], bool], FusionGroup]


def any_groups(steps: Sequence[Node | FusionGroup]) -> bool:
    return any(isinstance(step, FusionGroup) for step in steps)


KINDS = (
    ChainKind(any_groups, is_shifted, is_elementwise, False, False, by_shifts),
    ChainKind(any_folds, is_rowwise, is_single, True, True, by_rows),
)


def chained(
    steps: Sequence[Node | FusionGroup],
    after: Collection[Value],
    idle: Set[Value],
    views: Mapping[Value, ViewOffset],
    sized: bool = False,
    notes: Notes | None = None,
) -> list[Node | FusionGroup]:
    """The same steps with chains in place of what feeds one another. `after`: what is read later.
    `idle`: those views that need not be made where only kernels read them. `sized`: chains for all
    sizes."""
    found = [*steps]
    for kind in KINDS:
        if not kind.wanted(found):
            continue
        apart = idle_views(found, after, idle)
        lone = lone_groups(found, kind, after, apart, views)
        found = [lone.get(step, step) if isinstance(step, Node) else step for step in found]
        calls = {group: node for node, group in lone.items()}
        found = with_chains(found, kind, after, idle_views(found, after, idle), calls, sized, notes)
        found = [calls.get(step, step) if isinstance(step, FusionGroup) else step for step in found]
    return found


def with_chains(
    steps: list[Node | FusionGroup],
    kind: ChainKind,
    after: Collection[Value],
    idle: Sequence[Node],
    calls: Mapping[FusionGroup, Node],
    sized: bool,
    notes: Notes | None,
) -> list[Node | FusionGroup]:
    views = frozenset(idle)
    left = [step for step in steps if isinstance(step, FusionGroup) and kind.suits(step)]
    others = (step for step in steps if step not in views)
    feeding = Feeding(left, others, frozenset(after), kind.keeps)
    tried: tuple[FusionGroup, ...] = ()
    while len(feeding.left) > 1:
        look()
        members = feeding.last(MOST_STAGES)
        new = members != tried and 1 < len(members) <= MOST_STAGES
        tried = members
        try:
            placed = None
            if new:
                made = kind.chain_of(members, feeding.kept(members), sized)
                placed = in_place(made, members, steps, views, calls)
        except CannotLower as why:
            note(notes, members[-1].results[0], "chain with what feeds it", why)
        if placed is None:
            feeding.drop_last()
        else:
            steps, chain = placed
            feeding.replace(members, chain)
    return steps


def lone_groups(
    steps: Sequence[Node | FusionGroup],
    kind: ChainKind,
    after: Collection[Value],
    idle: Sequence[Node],
    views: Mapping[Value, ViewOffset],
) -> dict[Node, FusionGroup]:
    """Single operations that may be a stage, though no kernel by themselves."""
    read = {value for step in steps if isinstance(step, FusionGroup) for value in step.inputs}
    apart = frozenset(idle)
    found = {}
    for node in steps:
        if isinstance(node, FusionGroup) or node in apart or node.op is STORE:
            continue
        asked = demand(node) if len(node.outputs) == 1 and kind.single(node) else None
        if asked is None:
            continue
        inside = node.outputs[0] in read and node.outputs[0] not in after
        if not (inside or kind.ends):
            continue
        group = group_of(ReadyUnit([node], asked), set(node.outputs), views, set(), anyway=True)
        if group is not None:
            found[node] = group
    return found


def idle_views(
    steps: Sequence[Node | FusionGroup], after: Collection[Value], views: Set[Value]
) -> list[Node]:
    """Views that kernels alone read."""
    read = set(after)
    found = []
    for step in reversed(steps):
        idle = read.isdisjoint(step.outputs) and not views.isdisjoint(step.outputs)
        if isinstance(step, Node) and idle:
            found.append(step)
        else:
            read.update(step.inputs)
    return found


def in_place(
    chain: FusionGroup,
    members: Sequence[FusionGroup],
    steps: Sequence[Node | FusionGroup],
    idle: Set[Node],
    calls: Mapping[FusionGroup, Node],
) -> tuple[list[Node | FusionGroup], FusionGroup]:
    """The chain between what it needs and what needs it; CannotLower where something is both. It
    has the idle views of what it makes, unless a call reads them."""
    made = {value for one in members for value in one.results}
    first = min(map(steps.index, members))
    before = [*steps[:first]]
    behind: list[Node | FusionGroup] = []
    own: list[Node] = []
    for step in steps[first:]:
        if step in members:
            own += step.nodes if isinstance(step, FusionGroup) else []
        elif made.isdisjoint(step.inputs):
            before.append(step)
        else:
            made |= set(results(step))
            if isinstance(step, Node) and step in idle:
                own.append(step)
            else:
                behind.append(step)
    needed = {value for one in members for value in one.inputs}
    if any(not needed.isdisjoint(results(step)) for step in behind):
        raise CannotLower("another call or kernel has to run between them")
    seen = {value for node in own if node in idle for value in node.outputs}
    late = (calls[one] for one in behind if isinstance(one, FusionGroup) and one in calls)
    if any(not seen.isdisjoint(node.inputs) for node in late):
        raise CannotLower("a call reads a view of what lies between them")
    whole = replace(chain, nodes=tuple(own))
    return [*before, whole, *behind], whole


def results(step: Node | FusionGroup) -> tuple[Value, ...]:
    return step.results if isinstance(step, FusionGroup) else step.outputs
