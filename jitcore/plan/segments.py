"""Capture → its segments, each with the steps that run: kernels, NumPy calls, a user's backend.

    segments ─ stores to the windows before them ─ dead nodes dropped ─▶ live windows
    live window ─ fused ─▶ groups and nodes ─ compiled ─▶ kernels and NumPy calls

A store that no kernel can make is loud again, and all of it is planned anew.
"""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Mapping, Sequence, Set
from dataclasses import field
from itertools import pairwise
from typing import Any

from jitcore import _C
from jitcore.config import Config
from jitcore.fallback.exit import Exit, Leave
from jitcore.guards.source import Source
from jitcore.host.deadline import aside
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import ArrayType
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import kernels as compiled
from jitcore.kernels.kernel import kernels_to_come
from jitcore.kernels.store_rules import STORE
from jitcore.kernels.view_offsets import ViewOffset, lasting
from jitcore.loops.native_loop import NativeLoop
from jitcore.passes.replace_calls import IN_C, own_bins
from jitcore.passes.step_labels import label
from jitcore.passes.unroll_short_axes import origins
from jitcore.passes.window import WindowPlan, run
from jitcore.plan.absorb_stores import Absorbed, absorbed
from jitcore.plan.backend_call import Foreign, foreign
from jitcore.plan.errstate_raise import quiet_state
from jitcore.plan.liveness import Live, exit_values, live_windows, recipe_values
from jitcore.plan.masked_baseline import selecting
from jitcore.symbolic.state import Capture
from jitcore.symbolic.state import LoopRegion as Looped
from jitcore.toolchain.abi import FLAGS

building = LazyModule("jitcore.loops.build_loop")  # with the first loop
Step = Node | FusionGroup | Foreign


@dataclass(frozen=True, slots=True)
class PlannedSegment:
    """One segment after scheduling."""

    start: Exit
    steps: tuple[Step, ...]
    loud: int | None  # the offset at which its one step raises
    errstate: int | None  # under which it was captured, None: it raises no flags
    refusal: str = ""  # of a user's backend
    routine: NativeLoop | None = None  # then it has no steps


def flat(planned: Iterable[PlannedSegment]) -> Iterable[Step]:
    return (step for segment in planned for step in segment.steps)


Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Steps of which numbers among the arguments follow from extents (plan/plan_builder.py)."""

    arguments: Mapping[Node, Arguments]
    arrays: tuple[Source, ...] = ()  # whose extents these are


@dataclass(frozen=True, slots=True)
class Schedule:
    capture: Capture
    live: list[Live]
    segments: list[PlannedSegment]
    kernels: dict[FusionGroup, Any]
    frameless: bool = False
    views: Mapping[Value, ViewOffset] = field(
        default_factory=dict
    )  # that kernels read where they lie
    numbered: Numbered = field(default_factory=lambda: Numbered({}))

    def calls(self, capture: Capture) -> Schedule:
        """The same without kernels: NumPy's calls, one by one, of what was captured."""
        live = picked(self.live if capture is self.capture else live_windows(capture))
        segments = [PlannedSegment(one.start, one.nodes, one.loud, one.errstate) for one in live]
        return Schedule(capture, live, segments, {})


def picked(live: list[Live]) -> list[Live]:
    """Where a mask selects what is stored, that alone is computed."""
    found = [*live]
    for k, (one, two) in enumerate(pairwise(live)):
        if one.loud is None and two.loud is not None and one.loops is None:
            (store,) = two.nodes
            value = store.args[-1] if store.args else None
            read = two.after | {leaf for leaf in store.args[:-1] if type(leaf) is Value}
            read |= recipe_values(one.start) | recipe_values(two.start)
            if type(value) is Value and value not in read:
                before, store = selecting(one.nodes, store, read)
                found[k], found[k + 1] = replace(one, nodes=before), replace(two, nodes=(store,))
    return found


def scheduled(capture: Capture, config: Config) -> Schedule:
    """Stores that kernels can make are theirs; the others stay loud."""
    refused: set[int] = set()
    while True:
        taken = absorbed(capture, refused) if config.backend == "c" else Absorbed(capture, {})
        live = live_windows(taken.capture)
        segments, kernels, views = planned(live, taken.capture, config)
        failed = {taken.stores[s.outputs[0]] for s in flat(segments) if is_store(s)}
        if not failed:
            made = Schedule(taken.capture, live, segments, kernels, views=views)
            return made if kernels or has_others(made) else made.calls(capture)
        refused |= failed


def has_others(made: Schedule) -> bool:
    """Anything but kernels and NumPy's calls."""
    others = any(isinstance(step, Foreign) or is_in_c(step) for step in flat(made.segments))
    return others or any(one.refusal or one.routine is not None for one in made.segments)


def planned(
    live: list[Live],
    capture: Capture,
    config: Config,
    calls: Set[Value] = frozenset(),
) -> tuple[list[PlannedSegment], dict[FusionGroup, Any], dict[Value, ViewOffset]]:
    """Pure windows go to the back end; loud steps stay calls. `calls`: arrays that NumPy joins.
    Also where views lie."""
    found: list[PlannedSegment] = []
    views: dict[Value, ViewOffset] = {}
    for one in live:
        if one.loops is not None:
            made = routine_of(capture.graph.name, one.loops, one.after, config)
            found.append(PlannedSegment(one.start, (), None, None, routine=made))
            continue
        steps: list[Step] = list(one.nodes)
        refusal = ""
        if one.loud is None and config.backend == "c":
            state = None if one.errstate == capture.errstate else one.errstate
            plan = run(
                WindowPlan(
                    *(one.nodes, one.after, lasting(views), views, calls, config.sized),
                    *(config.numerics, state, config.perf),
                )
            )
            steps, views = [*plan.steps], {**plan.views}
        elif one.loud is None and config.backend != "numpy":
            name = capture.graph.name
            taken, refusal = foreign(name, config.backend, one.nodes, one.after, capture.examples)
            steps = [*taken]
        found.append(PlannedSegment(one.start, tuple(steps), one.loud, one.errstate, refusal))
    if any(map(is_store, flat(found))):
        return found, {}, views
    kernels = kernels_of([step for step in flat(found) if isinstance(step, FusionGroup)], config)
    lost = {value for step in flat(found) if step not in kernels for value in replaced_by(step)}
    if lost:
        return planned(live, capture, config, calls | lost)
    found = [replace(one, steps=called(one.steps, kernels)) for one in found]
    return without(views.keys(), found, exit_values(capture)), kernels, views


def replaced_by(step: Step) -> list[Value]:
    """The results of calls that only a kernel can replace by others."""
    if not isinstance(step, FusionGroup):
        return []
    return [*dict(step.wholes), *origins(step.nodes)]


class LoopLeft(Exception):
    """A loop that is CPython's: C cannot do what is in it, or there is no compiler."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(at, why)
        self.at, self.why = at, why


def routine_of(name: str, loops: Looped, after: set[Value], config: Config) -> NativeLoop:
    mask = sum(bit for i, bit in enumerate(FLAGS.values()) if loops.errstate >> 3 * i & 7)
    try:
        quiet = quiet_state(loops.errstate)
        named = label(loops.nodes, "loops") if config.perf else ""
        state = mask, quiet, config, named
        with aside():
            build = building.routine
        made: NativeLoop | None = build(
            name, loops.nodes, loops.exits, recipe_values, after, *state
        )
    except CannotLower as error:
        why = f"this loop has {error}, which jitcore does not compile"
        raise LoopLeft(loops.at, why) from error
    if made is None:
        raise LoopLeft(loops.at, "there is no C compiler")
    return made


def is_in_c(step: Step) -> bool:
    """A call of a function of our own."""
    return isinstance(step, Node) and (step.op in IN_C or own_bins(step) is not None)


def is_store(step: Step) -> bool:
    """One that no kernel makes."""
    return isinstance(step, Node) and step.op is STORE


def kernels_of(groups: list[FusionGroup], config: Config) -> dict[FusionGroup, Any]:
    """Those that there are, or will be."""
    if config.compiling == "background":
        return kernels_to_come(groups)
    return {group: made for group, made in compiled(groups, config).items() if made is not None}


def without_frame(plan: Schedule) -> Schedule:
    """The same, run on the arguments alone where that is enough."""
    capture = plan.capture
    if capture.returns is None or not needs_no_frame(capture, plan.segments):
        return plan
    busy = [segment for segment in plan.segments if segment.steps or segment.routine is not None]
    return replace(
        plan, capture=replace(capture, exit=capture.returns), segments=busy, frameless=True
    )


def needs_no_frame(capture: Capture, planned: Sequence[PlannedSegment]) -> bool:
    """A whole call whose only effect, if it has one, is the store of its last kernel. Where that is
    refused nothing has happened, and CPython makes the call. So it does where a loop without
    effects is left, or a step after one fails."""
    routines = [one.routine for one in planned if one.routine is not None]
    busy = [one for one in planned if one.steps]
    steps = [*flat(busy)]
    if routines:
        writes = any(isinstance(step, FusionGroup) and step.written for step in steps)
        loud = any(one.loud is not None for one in busy)
        return not (writes or loud) and all(routine.pure for routine in routines)
    stored = [
        value for step in steps[-1:] if isinstance(step, FusionGroup) for value in step.written
    ]
    return (
        capture.returns is not None
        and all(one.loud is None and one.start.leave is Leave.MISS for one in busy)
        and not any(isinstance(step, FusionGroup) and step.written for step in steps[:-1])
        and all(map(is_small, stored))
    )


def is_small(stored: Value) -> bool:
    """So that what was there is kept without asking what a warning would do: that asks the frame
    (csrc/kernel/undo.c)."""
    t = stored.type
    return isinstance(t, ArrayType) and t.size * t.dtype.itemsize < _C.WORTH_ASKING


def called(steps: Iterable[Step], kernels: dict[FusionGroup, Any]) -> tuple[Step, ...]:
    """A group without a kernel falls back to its NumPy calls."""
    made: list[Step] = []
    for step in steps:
        made += step.nodes if isinstance(step, FusionGroup) and step not in kernels else [step]
    return tuple(made)


def without(
    views: KeysView[Value], planned: list[PlannedSegment], live: set[Value]
) -> list[PlannedSegment]:
    """Views that only kernels read need not be made."""
    found = []
    for segment in reversed(planned):
        if segment.routine is not None:
            live = live.union(segment.routine.inputs)
        steps = []
        for step in reversed(segment.steps):
            if not views.isdisjoint(step.outputs) and live.isdisjoint(step.outputs):
                continue
            steps.append(step)
            live = live.union(step.inputs)
        found.append(replace(segment, steps=tuple(reversed(steps))))
    return found[::-1]
