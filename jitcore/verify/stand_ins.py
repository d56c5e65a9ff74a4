"""An entry → the two that stand in for it while it is rehearsed.

    probe    its guards; returns the objects that its plan is given
    twin     its guards, kernels and steps; its exits tell their effects instead of having them

A transfer of the twin has one more value than the entry's: on the stack, or in a pair with what is
returned. It is a tuple of (what is done, is it done to an object of the region's own, operands).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jitcore import _C
from jitcore.fallback.exit import Built, Computed, Do, Exit, Leave, Loaded, Make
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Node, Value, walk
from jitcore.ir.op import Effect
from jitcore.plan.assemble import entry_of, sources_of
from jitcore.plan.lower_plan import PlanLowering, State
from jitcore.plan.plan_builder import Operand
from jitcore.plan.segments import Schedule, Step
from jitcore.symbolic.state import EffectStep, LoopRegion
from jitcore.verify.poison_empty import is_unwritten, leaves_out, marked


class Marking(PlanLowering):
    """Memory that nobody has written has a mark: poison_empty.py."""

    def step(self, step: Step) -> None:
        if isinstance(step, Node) and is_unwritten(step) and step.op.target is not None:
            target, args, kwargs = self.called(step)
            self.plan.call(step.outputs[0], marked(target), args, kwargs)
        else:
            super().step(step)


class Telling(Marking):
    def state(self, exit: Exit) -> Callable[[], State]:
        plan = self.plan

        def steps() -> State:
            made: dict[int, Operand] = {}
            told: list[Operand] = []
            for effect in exit.effects:
                if effect.do is Do.MAKE:
                    self.effect(effect, made)
                    continue
                parts = [self.recipe(part, made) for part in effect.parts]
                own = isinstance(effect.parts[effect.do is Do.CALL], Built | Computed)
                shown = [plan.const(_C.NULL) if one == plan.null else one for one in parts]
                head = plan.const(effect.do), plan.const(own)
                told.append(plan.build("BUILD_TUPLE", [*head, *shown]))
            stack = [self.recipe(r, made) for r in exit.stack]
            locals = [(i, self.recipe(r, made)) for i, r in exit.locals]
            effects = plan.build("BUILD_TUPLE", told)
            if exit.value is None:
                return [*stack, effects], locals, None
            value = self.recipe(exit.value, made)
            return stack, locals, plan.build("BUILD_TUPLE", [value, effects])

        return steps


@dataclass(frozen=True, slots=True)
class Twins:
    probe: Any
    twin: Any
    inputs: tuple[Value, ...]  # what the probe gives first
    writes: bool  # it may write to what it is given
    loops: bool  # it may be left in any round of a loop
    exits: tuple[Exit, ...]
    marks: bool  # elements of its results may be what nobody has written,
    why_not: str  # and this is why one does not know which


def twins(made: Schedule) -> Twins:
    entry = entry_of(made, {}, Telling)
    segments = made.capture.segments
    nodes = [node for segment in segments for node in nodes_of(segment)]
    return Twins(
        entry_of(probing(made), {}),
        entry,
        tuple(made.capture.inputs[source] for source in sources_of(made)),
        any(map(stores, segments)),
        any(isinstance(one, LoopRegion) for one in segments),
        exits_of(made),
        any(map(is_unwritten, nodes)),
        why_not(segments),
    )


def why_not(segments: Sequence[Any]) -> str:
    for segment in segments:
        nodes = nodes_of(segment)
        if leaves_out(nodes):
            return "elements that `where=` leaves out are not written"
        if isinstance(segment, LoopRegion) and any(map(is_unwritten, nodes)):
            return "elements of np.empty in a loop in C"
    return ""


def nodes_of(segment: Any) -> list[Node]:
    top = [segment.node] if isinstance(segment, EffectStep) else segment.nodes
    return [node for one in top for node in within(one)]


def probing(made: Schedule) -> Schedule:
    capture = made.capture
    sources = tuple(dict.fromkeys([*sources_of(made), *capture.wanted]))
    value = Built(Make.TUPLE, tuple(map(Loaded, sources)))
    asked = replace(
        capture, inputs={}, wanted=sources, segments=(), exit=Exit(Leave.RETURN, value=value)
    )
    return replace(made, capture=asked, live=[], segments=[], kernels={}, frameless=False)


def stores(segment: Any) -> bool:
    """A loop in C may append to a list, whatever its nodes' effects are."""
    if isinstance(segment, EffectStep | LoopRegion):
        return True
    return any(n.op.effect_of(n.args, n.kwargs) >= Effect.STORE for n in nodes_of(segment))


def within(node: Node) -> Iterator[Node]:
    yield node
    for body in node.bodies:
        yield from walk(body)


def exits_of(made: Schedule) -> tuple[Exit, ...]:
    found = [made.capture.exit]
    for segment in made.segments:
        found.append(segment.start)
        found += segment.routine.ways if segment.routine is not None else ()
    return tuple({id(exit): exit for exit in found}.values())
