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
from jitcore.codegen.abi import FLAGS
from jitcore.codegen.chains import chained
from jitcore.codegen.fast import as_asked
from jitcore.codegen.in_c import IN_C, in_c, own_bins
from jitcore.codegen.kernel import kernels as compiled
from jitcore.codegen.kernel import kernels_to_come
from jitcore.codegen.numbers import NoForm
from jitcore.codegen.routine import Routine, routine
from jitcore.codegen.scaled import scaled
from jitcore.codegen.schedule import Group, fuse
from jitcore.codegen.stores import STORE
from jitcore.codegen.unroll import origins
from jitcore.codegen.views import Place, lasting, placed
from jitcore.config import Config
from jitcore.dataclass import dataclass, replace
from jitcore.fallback.exit import Built, Computed, Exit, Leave, Recipe
from jitcore.guards.source import Source
from jitcore.ir.graph import Node, Value, uses
from jitcore.ir.removable import removable
from jitcore.ir.types import ArrayType
from jitcore.runtime.foreign import Foreign, foreign
from jitcore.runtime.known import told
from jitcore.runtime.named import label, with_label
from jitcore.runtime.quiet import quiet_state
from jitcore.runtime.rivals import selecting
from jitcore.runtime.stores import Absorbed, absorbed
from jitcore.symbolic.state import Capture, Loud, Window
from jitcore.symbolic.state import Routine as Looped

Step = Node | Group | Foreign


@dataclass(frozen=True, slots=True)
class Planned:
    """One segment after scheduling."""

    start: Exit
    steps: tuple[Step, ...]
    loud: int | None  # the offset at which its one step raises
    errstate: int | None  # under which it was captured, None: it raises no flags
    refusal: str = ""  # of a user's backend
    routine: Routine | None = None  # then it has no steps


def flat(planned: Iterable[Planned]) -> Iterable[Step]:
    return (step for segment in planned for step in segment.steps)


def exit_values(capture: Capture) -> set[Value]:
    """What any exit may hand out."""
    found: set[Value] = set()
    for segment in capture.segments:
        found |= recipe_values(segment.at if isinstance(segment, Loud) else segment.start)
        if isinstance(segment, Looped):
            found |= routine_values(segment)
    return found | recipe_values(capture.exit)


def recipe_values(exit: Exit) -> set[Value]:
    found: set[Value] = set()
    todo: list[Recipe] = [*exit.stack, *(recipe for _, recipe in exit.locals)]
    todo += [part for effect in exit.effects for part in effect.parts]
    todo += [exit.value] if exit.value is not None else []
    while todo:
        recipe = todo.pop()
        if isinstance(recipe, Computed):
            found.add(recipe.value)
        elif isinstance(recipe, Built):
            todo.extend(recipe.parts)
    return found


@dataclass(frozen=True, slots=True)
class Live:
    """One segment: its exit, the nodes that somebody reads, and what is read after it."""

    start: Exit
    nodes: tuple[Node, ...]
    after: set[Value]
    loud: int | None
    errstate: int | None
    loops: Looped | None = None


def live_windows(capture: Capture) -> list[Live]:
    live = recipe_values(capture.exit)
    numbers: dict[Value, Any] = {}
    windows = {
        id(one): told(one.nodes, numbers) for one in capture.segments if isinstance(one, Window)
    }
    found: list[Live] = []
    for segment in reversed(capture.segments):
        after = set(live)
        if isinstance(segment, Loud):
            live |= set(segment.node.inputs)
            live |= recipe_values(segment.at)
            state = segment.errstate
            found.append(Live(segment.at, (segment.node,), after, segment.offset, state))
            continue
        if isinstance(segment, Looped):
            live |= routine_values(segment)
            state = segment.errstate
            found.append(Live(segment.start, tuple(segment.nodes), after, None, state, segment))
            continue
        kept: list[Node] = []
        for node in reversed(windows[id(segment)]):
            dead = live.isdisjoint(node.outputs)
            # a dead division still warns, a dead inv() still raises
            if dead and (removable(node) or not numbers.keys().isdisjoint(node.outputs)):
                continue
            kept.append(node)
            live |= set(node.inputs)
            after |= set(node.outputs) if dead else set()
        live |= recipe_values(segment.start)
        found.append(Live(segment.start, tuple(reversed(kept)), after, None, segment.errstate))
    found.reverse()
    return found


Arguments = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Steps of which numbers among the arguments follow from extents (codegen/plan.Number)."""

    arguments: Mapping[Node, Arguments]
    arrays: tuple[Source, ...] = ()  # whose extents these are


@dataclass(frozen=True, slots=True)
class Scheduled:
    capture: Capture
    live: list[Live]
    segments: list[Planned]
    kernels: dict[Group, Any]
    frameless: bool = False
    views: Mapping[Value, Place] = field(default_factory=dict)  # that kernels read where they lie
    numbered: Numbered = field(default_factory=lambda: Numbered({}))

    def calls(self, capture: Capture) -> Scheduled:
        """The same without kernels: NumPy's calls, one by one, of what was captured."""
        live = picked(self.live if capture is self.capture else live_windows(capture))
        segments = [Planned(one.start, one.nodes, one.loud, one.errstate) for one in live]
        return Scheduled(capture, live, segments, {})


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


def routine_values(segment: Looped) -> set[Value]:
    """What a routine and its exits take from before it, and what it makes."""
    found = recipe_values(segment.start)
    for exit in segment.exits.values():
        found |= recipe_values(exit)
    for node in segment.nodes:
        found |= uses(node)
    return found


def scheduled(capture: Capture, config: Config) -> Scheduled:
    """Stores that kernels can make are theirs; the others stay loud."""
    refused: set[int] = set()
    while True:
        taken = absorbed(capture, refused) if config.backend == "c" else Absorbed(capture, {})
        live = live_windows(taken.capture)
        segments, kernels, views = planned(live, taken.capture, config)
        failed = {taken.stores[s.outputs[0]] for s in flat(segments) if is_store(s)}
        if not failed:
            made = Scheduled(taken.capture, live, segments, kernels, views=views)
            return made if kernels or has_others(made) else made.calls(capture)
        refused |= failed


def has_others(made: Scheduled) -> bool:
    """Anything but kernels and NumPy's calls."""
    others = any(isinstance(step, Foreign) or is_in_c(step) for step in flat(made.segments))
    return others or any(one.refusal or one.routine is not None for one in made.segments)


def planned(
    live: list[Live],
    capture: Capture,
    config: Config,
    calls: Set[Value] = frozenset(),
) -> tuple[list[Planned], dict[Group, Any], dict[Value, Place]]:
    """Pure windows go to the back end; loud steps stay calls. `calls`: arrays that NumPy joins.
    Also where views lie."""
    found: list[Planned] = []
    views: dict[Value, Place] = {}
    for one in live:
        if one.loops is not None:
            made = routine_of(capture.graph.name, one.loops, one.after, config)
            found.append(Planned(one.start, (), None, None, routine=made))
            continue
        steps: list[Step] = list(one.nodes)
        refusal = ""
        if one.loud is None and config.backend == "c":
            earlier = lasting(views)
            nodes = scaled(one.nodes, one.after)
            views |= placed(nodes, earlier)
            fused = fuse(nodes, one.after, earlier, calls, config.sized)
            views |= placed([step for step in fused if isinstance(step, Node)], lasting(views))
            fused = [as_asked(step, config.numerics) for step in fused]
            idle = lasting(views).keys() | (views.keys() - one.after)
            if config.numerics == "exact":
                fused = chained(fused, one.after, idle, views, bool(config.sized))
            steps = [in_c(s) if isinstance(s, Node) else s for s in stores_last(fused, idle)]
            steps = [under(step, one.errstate, capture.errstate) for step in steps]
            steps = [*map(with_label, steps)] if config.perf else steps
        elif one.loud is None and config.backend != "numpy":
            name = capture.graph.name
            taken, refusal = foreign(name, config.backend, one.nodes, one.after, capture.examples)
            steps = [*taken]
        found.append(Planned(one.start, tuple(steps), one.loud, one.errstate, refusal))
    if any(map(is_store, flat(found))):
        return found, {}, views
    kernels = kernels_of([step for step in flat(found) if isinstance(step, Group)], config)
    lost = {value for step in flat(found) if step not in kernels for value in replaced_by(step)}
    if lost:
        return planned(live, capture, config, calls | lost)
    found = [replace(one, steps=called(one.steps, kernels)) for one in found]
    return without(views.keys(), found, exit_values(capture)), kernels, views


def replaced_by(step: Step) -> list[Value]:
    """The results of calls that only a kernel can replace by others."""
    if not isinstance(step, Group):
        return []
    return [*dict(step.wholes), *origins(step.nodes)]


def under(step: Step, errstate: int | None, start: int) -> Step:
    """A kernel looks at the state that there is, unless it is to be another one."""
    if not isinstance(step, Group) or errstate in (None, start):
        return step
    return replace(step, errstate=errstate)


class Unroutined(Exception):
    """A loop that is CPython's: C cannot do what is in it, or there is no compiler."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(at, why)
        self.at, self.why = at, why


def routine_of(name: str, loops: Looped, after: set[Value], config: Config) -> Routine:
    mask = sum(bit for i, bit in enumerate(FLAGS.values()) if loops.errstate >> 3 * i & 7)
    try:
        quiet = quiet_state(loops.errstate)
        named = label(loops.nodes, "loops") if config.perf else ""
        state = mask, quiet, config, named
        made = routine(name, loops.nodes, loops.exits, recipe_values, after, *state)
    except NoForm as error:
        raise Unroutined(loops.at, str(error)) from error
    if made is None:
        raise Unroutined(loops.at, "no C compiler")
    return made


def is_in_c(step: Step) -> bool:
    """A call of a function of our own."""
    return isinstance(step, Node) and (step.op in IN_C or own_bins(step) is not None)


def is_store(step: Step) -> bool:
    """One that no kernel makes."""
    return isinstance(step, Node) and step.op is STORE


def stores_last(steps: Sequence[Node | Group], idle: Set[Value]) -> list[Step]:
    """If a step after a store failed, CPython would repeat what comes before it, too. `idle`:
    views, and elements that nobody keeps; made again, they read nothing that a store changed."""
    writing = [step for step in steps if isinstance(step, Group) and step.written]
    others = [step for step in steps if step not in writing]
    if not all(set(group.outputs).isdisjoint(s.inputs) for group in writing for s in others):
        return [*others, *(node for group in writing for node in group.nodes)]
    alone = all(not idle.isdisjoint(step.outputs) for step in others)
    return [*others, *(replace(group, alone=alone) for group in writing)]


def kernels_of(groups: list[Group], config: Config) -> dict[Group, Any]:
    """Those that there are, or will be."""
    if config.compiling == "background":
        return kernels_to_come(groups)
    return {group: made for group, made in compiled(groups, config).items() if made is not None}


def without_frame(plan: Scheduled) -> Scheduled:
    """The same, run on the arguments alone where that is enough."""
    capture = plan.capture
    if capture.returns is None or not needs_no_frame(capture, plan.segments):
        return plan
    busy = [segment for segment in plan.segments if segment.steps or segment.routine is not None]
    return replace(
        plan, capture=replace(capture, exit=capture.returns), segments=busy, frameless=True
    )


def needs_no_frame(capture: Capture, planned: Sequence[Planned]) -> bool:
    """A whole call whose only effect, if it has one, is the store of its last kernel. Where that is
    refused nothing has happened, and CPython makes the call. So it does where a loop without
    effects is left, or a step after one fails."""
    routines = [one.routine for one in planned if one.routine is not None]
    busy = [one for one in planned if one.steps]
    steps = [*flat(busy)]
    if routines:
        writes = any(isinstance(step, Group) and step.written for step in steps)
        loud = any(one.loud is not None for one in busy)
        return not (writes or loud) and all(routine.pure for routine in routines)
    stored = [value for step in steps[-1:] if isinstance(step, Group) for value in step.written]
    return (
        capture.returns is not None
        and all(one.loud is None and one.start.leave is Leave.MISS for one in busy)
        and not any(isinstance(step, Group) and step.written for step in steps[:-1])
        and all(map(is_small, stored))
    )


def is_small(stored: Value) -> bool:
    """So that what was there is kept without asking what a warning would do: that asks the frame
    (csrc/undo.c)."""
    t = stored.type
    return isinstance(t, ArrayType) and t.size * t.dtype.itemsize < _C.WORTH_ASKING


def called(steps: Iterable[Step], kernels: dict[Group, Any]) -> tuple[Step, ...]:
    """A group without a kernel falls back to its NumPy calls."""
    made: list[Step] = []
    for step in steps:
        made += step.nodes if isinstance(step, Group) and step not in kernels else [step]
    return tuple(made)


def without(views: KeysView[Value], planned: list[Planned], live: set[Value]) -> list[Planned]:
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
