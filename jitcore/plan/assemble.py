"""Capture → Entry: kernels and NumPy calls → plan words, with guards before and exits after.

segments ─ segments.py ─▶ kernels and calls        ┐
guards, sources ─▶ guard program                  ├─▶ PlanBuilder ─▶ Entry
exits: recipes, effects ─▶ the steps of each exit ┘
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from jitcore import _C
from jitcore.config import Config
from jitcore.cost.bytes_moved import Moves
from jitcore.cost.peak_memory import Footprint, peak
from jitcore.fallback.breaks import Place
from jitcore.guards.guard import Guard
from jitcore.guards.program import NO_USES, GuardProgram, compile_guards
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node, Value
from jitcore.kernels.group import FusionGroup
from jitcore.kernels.kernel import load_all
from jitcore.plan.backend_call import Foreign
from jitcore.plan.liveness import Live, exit_values, live_windows, recipe_values
from jitcore.plan.lower_plan import PlanLowering, called
from jitcore.plan.plan_builder import PlanBuilder
from jitcore.plan.segments import PlannedSegment, Schedule, flat, is_in_c, scheduled, without_frame
from jitcore.plan.step_remarks import NO_REMARKS, StepRemarks
from jitcore.plan.work import Work
from jitcore.symbolic.state import Capture
from jitcore.symbolic.state import LoopRegion as Looped
from jitcore.toolchain.background import background
from jitcore.toolchain.subprocesses import Stopped

Programs = dict[tuple[Source, ...], GuardProgram]  # by what they load for the plan


@dataclass(frozen=True, slots=True)
class Assembled:
    """An entry and what reports say about it."""

    entry: Any
    kernels: tuple[Any, ...]
    groups: tuple[FusionGroup, ...]
    calls: int  # NumPy calls that stay calls
    foreign: int  # calls of a user's backend
    refusals: tuple[str, ...]  # why a user's backend did not take a window
    frameless: bool
    footprint: Footprint
    moves: Moves
    routines: tuple[Any, ...] = ()
    plan: Schedule | None = None
    in_c: int = 0  # calls of functions of our own, in NumPy's place
    works: tuple[Work, ...] = ()
    remarks: StepRemarks = NO_REMARKS


def assemble(capture: Capture, config: Config) -> Assembled:
    """An entry with kernels must first prove faster than NumPy's own calls, one by one. These run
    in any case while its kernels are compiled in the background. Loops have no such baseline, so an
    entry with them is compiled at once."""
    if config.verify or any(isinstance(segment, Looped) for segment in capture.segments):
        config = replace(config, compiling="eager")
    plan = scheduled(capture, config)
    programs: Programs = {}
    own = without_frame(plan)
    made = assembled(own, entry_of(own, programs), capture)
    later = config.compiling == "background"
    if made.routines or not made.kernels or config.verify or (config.keep_all and not later):
        return made
    baseline = entry_of(without_frame(plan.calls(capture)), programs)
    if later:
        made.entry.wait_beside(baseline)
        background.add(partial(complete, made.entry, own.kernels, config))
    else:
        made.entry.try_against(baseline)
    return made


def complete(entry: Any, kernels: Mapping[FusionGroup, Any], config: Config) -> None:
    """The entry as if it had been compiled at once; without all of its kernels it retires."""
    try:
        good = load_all(kernels, config)
    except Stopped:  # the job will be done anew
        raise
    except Exception as error:
        error.add_note(f"while the kernels of {entry.name} were compiled")
        retire(entry)
        raise
    if good:
        entry.ready(not config.keep_all)
    else:
        retire(entry)


def retire(entry: Any) -> None:
    entry.decline()
    entry.ready(False)


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """An entry before it is one: guards, and the plan with what its words stand for."""

    program: GuardProgram
    words: array[int]
    consts: tuple[Any, ...]
    exits: tuple[Any, ...]
    registers: int
    users: tuple[int, ...]  # ids of the objects that it holds weakly


def sources_of(made: Schedule) -> tuple[Source, ...]:
    """What its steps and its exits load."""
    capture = made.capture
    used = {v for step in flat(made.segments) for v in step.inputs} | exit_values(capture)
    return tuple(source for source, value in capture.inputs.items() if value in used)


def written(
    made: Schedule, programs: Programs, lowering: type[PlanLowering] | None = None
) -> WrittenEntry:
    capture = made.capture
    sources = sources_of(made)
    wanted = tuple(dict.fromkeys([*sources, *capture.wanted, *made.numbered.arrays]))
    program = programs.get(wanted)
    if program is None:
        program = programs[wanted] = compile_guards(capture.guards, wanted, capture.uses)
    plan = PlanBuilder(len(program.registers))
    for source in sources:
        plan.bind(capture.inputs[source], program.registers[source])
    plan.arrays = tuple(program.registers[source] for source in made.numbered.arrays)
    lower = (lowering or PlanLowering)(plan, program.registers, made)
    lower.run(made.segments)
    words, consts, exits, registers = plan.finish()
    return WrittenEntry(program, words, consts, exits, registers, tuple(plan.users))


def entry_of(made: Schedule, programs: Programs, lowering: type[PlanLowering] | None = None) -> Any:
    parts = written(made, programs, lowering)
    entry = _C.Entry(
        made.capture.graph.name,
        parts.registers,
        parts.program.words,
        parts.program.consts,
        parts.program.reasons,
        parts.words,
        parts.consts,
        parts.exits,
    )
    entry.needs_frame = not made.frameless
    entry.no_effects = made.frameless and any(one.routine is not None for one in made.segments)
    return entry


def assembled(plan: Schedule, entry: Any, capture: Capture) -> Assembled:
    """`capture`: what the plan was made of."""
    steps = [*flat(plan.segments)]
    routines = [one.routine for one in plan.segments if one.routine is not None]
    return Assembled(
        entry,
        tuple(plan.kernels.values()),
        tuple(step for step in steps if isinstance(step, FusionGroup)),
        sum(isinstance(step, Node) for step in steps),
        sum(isinstance(step, Foreign) for step in steps),
        tuple(segment.refusal for segment in plan.segments if segment.refusal),
        plan.frameless,
        footprint(plan.live, plan.segments, exit_values(plan.capture)),
        moves(plan, capture),
        tuple(one.code for one in routines),
        plan,
        sum(map(is_in_c, steps)),
        tuple(works(plan)),
        StepRemarks([remark for one in routines for remark in one.remarks], steps),
    )


def moves(plan: Schedule, capture: Capture) -> Moves:
    """NumPy's calls are those of what was captured."""
    same = plan.capture.segments is capture.segments
    live = plan.live if same else live_windows(capture)
    nodes = [node for one in live for node in one.nodes]
    return Moves([*flat(plan.segments)], nodes, recipe_values(capture.exit), plan.views)


def works(plan: Schedule) -> Iterable[Work]:
    """What the plan's steps call, in their order."""
    loops = [one for one in plan.live if one.loops is not None]
    for segment in plan.segments:
        if segment.routine is not None:
            nodes = loops.pop(0).nodes
            yield Work(segment.routine.code, "loop", places(nodes))
        for step in segment.steps:
            if isinstance(step, FusionGroup):
                kernel = plan.kernels[step]
                yield Work(kernel, kernel.name, places(step.nodes))
            elif isinstance(step, Foreign):
                yield Work(step.run, "backend", ())
            else:
                yield Work(called(step)[0], step.op.name, places((step,)))


def places(nodes: Sequence[Node]) -> tuple[Place, ...]:
    """Of the nodes, those in their bodies included."""
    inner = [one for node in nodes for body in node.bodies for one in body.nodes]
    own = [node.where for node in nodes if isinstance(node.where, Place)]
    return tuple(dict.fromkeys([*own, *(places(inner) if inner else ())]))


def footprint(
    live: Iterable[Live], planned: Iterable[PlannedSegment], kept: set[Value]
) -> Footprint:
    nodes = [node for one in live for node in one.nodes]
    return Footprint(peak([*flat(planned)], kept), peak(nodes, kept))


def entry_that_stays(guards: Sequence[Guard], uses: Mapping[Source, str] = NO_USES) -> Any:
    """Where these guards hold, the frame is CPython's, and the compiler is not asked."""
    program = compile_guards(guards, (), uses)
    plan = PlanBuilder(len(program.registers))
    plan.leave(0)
    words, consts, exits, registers = plan.finish()
    entry = _C.Entry(
        "stays", registers, program.words, program.consts, program.reasons, words, consts, exits
    )
    entry.decline()
    entry.meter(False)  # the time is that of whatever went before
    return entry


def assembled_if_it_pays(captured: Capture, config: Config) -> Assembled | None:
    """A region of NumPy calls only is no faster than CPython making them."""
    if not captured.graph.body.nodes and not config.keep_all:
        return None
    assembled = assemble(captured, config)
    pays = (
        assembled.kernels
        or assembled.in_c
        or assembled.routines
        or assembled.foreign
        or assembled.refusals
        or config.keep_all
    )
    return assembled if pays else None
