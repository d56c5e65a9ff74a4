"""Groups that feed one another → chains of them in their stead: which, and in which order.

    shifted.py   what one makes, the next reads through shifted views: stencils
    rows.py      what one sums up of each row, the next needs for that row: softmax

Records are in stages.py, the C text in chain_text.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import replace

from jitcore.dataclass import dataclass

from ..ir.graph import Node
from ..ir.value import Value
from .again import Part
from .demand import demand
from .lower import is_elementwise
from .rows import any_folds, by_rows, is_rowwise, is_single
from .schedule import Group, group_of
from .shifted import by_shifts, is_shifted
from .stores import STORE
from .views import Place

MOST_STAGES = 12


@dataclass(frozen=True, slots=True)
class Kind:
    """Of chains: which groups may be stages, which single operations, and what becomes of them."""

    wanted: Callable[[Sequence[Node | Group]], bool]  # by what there is, at first sight
    suits: Callable[[Group], bool]
    single: Callable[[Node], bool]
    ends: bool  # may a single operation be the last stage?
    keeps: bool  # may what a stage reads also be a result?
    chain_of: Callable[[Sequence[Group], Collection[Value], bool], Group | None]


def any_groups(steps: Sequence[Node | Group]) -> bool:
    return any(isinstance(step, Group) for step in steps)


KINDS = (
    Kind(any_groups, is_shifted, is_elementwise, False, False, by_shifts),
    Kind(any_folds, is_rowwise, is_single, True, True, by_rows),
)


def chained(
    steps: Sequence[Node | Group],
    after: Collection[Value],
    idle: Set[Value],
    views: Mapping[Value, Place],
    sized: bool = False,
) -> list[Node | Group]:
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
        found = with_chains(found, kind, after, idle_views(found, after, idle), calls, sized)
        found = [calls.get(step, step) if isinstance(step, Group) else step for step in found]
    return found


def with_chains(
    steps: list[Node | Group],
    kind: Kind,
    after: Collection[Value],
    idle: Sequence[Node],
    calls: Mapping[Group, Node],
    sized: bool,
) -> list[Node | Group]:
    left = [step for step in steps if isinstance(step, Group) and kind.suits(step)]
    while len(left) > 1:
        others = [step for step in steps if step not in idle]
        members = connected(left if kind.keeps else without_kept(left, others, after))
        kept = kept_of(members, others, after)
        made = kind.chain_of(members, kept, sized) if 1 < len(members) <= MOST_STAGES else None
        placed = None if made is None else in_place(made, members, steps, idle, calls)
        if placed is None:
            left = left[:-1]
        else:
            steps = placed
            left = [step for step in left if step not in members]
    return steps


def lone_groups(
    steps: Sequence[Node | Group],
    kind: Kind,
    after: Collection[Value],
    idle: Sequence[Node],
    views: Mapping[Value, Place],
) -> dict[Node, Group]:
    """Single operations that may be a stage, though no kernel by themselves."""
    read = {value for step in steps if isinstance(step, Group) for value in step.inputs}
    found = {}
    for node in steps:
        if isinstance(node, Group) or node in idle or node.op is STORE:
            continue
        asked = demand(node) if len(node.outputs) == 1 and kind.single(node) else None
        if asked is None:
            continue
        inside = node.outputs[0] in read and node.outputs[0] not in after
        if not (inside or kind.ends):
            continue
        group = group_of(Part([node], asked), set(node.outputs), views, set(), anyway=True)
        if group is not None:
            found[node] = group
    return found


def idle_views(
    steps: Sequence[Node | Group], after: Collection[Value], views: Set[Value]
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


def without_kept(
    members: list[Group], steps: Sequence[Node | Group], after: Collection[Value]
) -> list[Group]:
    """Without those whose results both a member and somebody else read."""
    while True:
        inside = {value for one in members for value in one.inputs}
        kept = kept_of(members, steps, after)
        left = [
            one
            for one in members
            if inside.isdisjoint(one.results)
            or (kept.isdisjoint(one.results) and inside.issuperset(one.results))
        ]
        if len(left) == len(members):
            return members
        members = left


def kept_of(
    members: Collection[Group], steps: Sequence[Node | Group], after: Collection[Value]
) -> set[Value]:
    """What others read."""
    others = {value for step in steps if step not in members for value in step.inputs}
    return others.union(after)


def connected(members: Sequence[Group]) -> list[Group]:
    """The last one, and what feeds it or is fed by what does."""
    found: list[Group] = []
    touched: set[Value] = set()
    for _ in members:
        for one in reversed(members):
            own = set(one.results) | made_inside(one, members)
            if one not in found and (not found or not touched.isdisjoint(own)):
                found.append(one)
                touched |= own
    return [one for one in members if one in found]


def made_inside(one: Group, members: Sequence[Group]) -> set[Value]:
    return {value for value in one.inputs for other in members if value in other.results}


def in_place(
    chain: Group,
    members: Sequence[Group],
    steps: Sequence[Node | Group],
    idle: Sequence[Node],
    calls: Mapping[Group, Node],
) -> list[Node | Group] | None:
    """The chain between what it needs and what needs it; None where something is both. It has the
    idle views of what it makes, unless a call reads them."""
    made = {value for one in members for value in one.results}
    before: list[Node | Group] = []
    behind: list[Node | Group] = []
    own: list[Node] = []
    for step in steps:
        if step in members:
            own += step.nodes if isinstance(step, Group) else []
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
        return None
    seen = {value for node in own if node in idle for value in node.outputs}
    if any(not seen.isdisjoint(node.inputs) for one, node in calls.items() if one in behind):
        return None
    return [*before, replace(chain, nodes=tuple(own)), *behind]


def results(step: Node | Group) -> tuple[Value, ...]:
    return step.results if isinstance(step, Group) else step.outputs
