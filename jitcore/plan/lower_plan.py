"""Planned segments and exits → calls of the plan builder."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from jitcore import _C
from jitcore.fallback.exit import (
    Built,
    Computed,
    Do,
    Empty,
    Exit,
    ExitEffect,
    KnownObject,
    Leave,
    Loaded,
    Make,
    Recipe,
)
from jitcore.guards.source import Source
from jitcore.host.private_names import make_extobj
from jitcore.ir.errstate import modes
from jitcore.ir.fp_effects import may_warn
from jitcore.ir.graph import Node
from jitcore.ir.ops.array import PART
from jitcore.ir.types import ArrayType
from jitcore.kernels.group import FusionGroup
from jitcore.loops.native_loop import NativeLoop
from jitcore.passes.replace_calls import own_bins
from jitcore.plan.backend_call import Foreign
from jitcore.plan.errstate_raise import quiet_state
from jitcore.plan.plan_builder import Operand, PlanBuilder
from jitcore.plan.segments import PlannedSegment, Schedule, Step


class PlanLowering:
    def __init__(
        self,
        plan: PlanBuilder,
        registers: dict[Source, int],
        made: Schedule,
    ) -> None:
        self.plan = plan
        self.registers = registers
        self.kernels = made.kernels
        self.capture = made.capture
        self.numbered = made.numbered.arguments
        self.numbers: dict[int, int] = {}  # of exits, by id

    def run(self, segments: Sequence[PlannedSegment]) -> None:
        for segment in segments:
            number = self.exit(segment.start)
            if segment.routine is not None:
                self.routine(segment.routine, segment.start, number)
            elif segment.loud is not None:
                self.plan.loud(segment.loud, number, self.state_for(segment.errstate))
            else:
                self.plan.window(number, self.quiet_for(segment))
            for step in segment.steps:
                self.step(step)
        self.plan.leave(self.exit(self.capture.exit))

    def state_for(self, errstate: int | None) -> Operand:
        """In earnest: the user's code may be called, and look at it."""
        if errstate in (None, self.capture.errstate):
            return self.plan.null
        assert errstate is not None
        self.plan.do("QUIET", self.plan.null)
        return self.plan.call_operands(self.plan.const(partial(make_extobj, **modes(errstate))))

    def quiet_for(self, segment: PlannedSegment) -> Any:
        """None: the state that there is."""
        start, here = self.capture.errstate, segment.errstate
        here = start if here is None else here
        if here != start and any(isinstance(step, Foreign) for step in segment.steps):
            return make_extobj(**modes(here))
        calls = [step for step in segment.steps if isinstance(step, Node)]
        return quiet_state(here) if any(here != start or may_warn(s) for s in calls) else None

    def routine(self, made: NativeLoop, start: Exit, number: int) -> None:
        self.plan.loud(start.offset, number)
        self.plan.routine(made, lambda: [number, *map(self.exit, made.ways)])

    def step(self, step: Step) -> None:
        plan = self.plan
        if isinstance(step, FusionGroup):
            inputs = [plan.reg(value) for value in step.inputs]
            plan.kernel(self.kernels[step], inputs, (*step.written, *step.outputs))
            return
        if isinstance(step, Foreign):
            register = plan.call(None, step.run, step.inputs, {})
            several = True
        else:
            several = len(step.outputs) > 1
            single = step.outputs[0] if len(step.outputs) == 1 else None
            register = plan.call(single, *self.called(step))
        if several:
            getitem = plan.const(operator.getitem)
            for i, value in enumerate(step.outputs):
                plan.bind(value, plan.call_operands(getitem, register, plan.const(i)))

    def called(self, node: Node) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        target, args, kwargs = called(node)
        return target, *self.numbered.get(node, (args, kwargs))

    # -- exits ------------------------------------------------------------------------------------

    def exit(self, exit: Exit) -> int:
        number = self.numbers.get(id(exit))
        if exit.leave is Leave.MISS:
            return 0
        if number is None:
            where = exit.leave.value, exit.offset, exit.through_point
            number = self.numbers[id(exit)] = self.plan.exit(*where, self.state(exit))
        return number

    def state(self, exit: Exit) -> Callable[[], State]:
        """Called by the plan builder where the exit's own steps begin."""

        def steps() -> State:
            made: dict[int, Operand] = {}
            for effect in exit.effects:
                self.effect(effect, made)
            return (
                [self.recipe(r, made) for r in exit.stack],
                [(i, self.recipe(r, made)) for i, r in exit.locals],
                None if exit.value is None else self.recipe(exit.value, made),
            )

        return steps

    def effect(self, effect: ExitEffect, made: dict[int, Operand]) -> None:
        parts = [self.recipe(part, made) for part in effect.parts]
        if effect.do is Do.MAKE:
            return
        if effect.do is Do.CALL:
            self.plan.call_operands(*parts)
        else:
            self.plan.do(EFFECT_STEPS[effect.do], *parts)

    def recipe(self, recipe: Recipe, made: dict[int, Operand]) -> Operand:
        found = made.get(id(recipe))
        if found is None:
            found = made[id(recipe)] = self.build(recipe, made)
        return found

    def build(self, recipe: Recipe, made: dict[int, Operand]) -> Operand:
        match recipe:
            case KnownObject(obj):
                return self.plan.known(obj)
            case Loaded(source):
                return self.registers[source]
            case Computed(value):
                return self.plan.reg(value)
            case Empty():
                return self.plan.null
            case Built(make, parts):
                return self.assembled(make, [self.recipe(part, made) for part in parts])

    def assembled(self, make: Make, parts: list[Operand]) -> Operand:
        if make is Make.CALL:
            return self.plan.call_operands(*parts)
        if make is Make.INSTANCE:
            return self.instance(*parts)
        if make in COUNTED:
            return self.plan.build(COUNTED[make], parts)
        return self.plan.fixed(FIXED[make], *parts)

    def instance(self, cls: Operand, *attrs: Operand) -> Operand:
        """As object.__new__ and the assignments in __init__ make it."""
        plan = self.plan
        made = plan.call_operands(plan.const(object.__new__), cls)
        for name, value in zip(attrs[::2], attrs[1::2], strict=True):
            plan.call_operands(plan.const(object.__setattr__), made, name, value)
        return made


def called(node: Node) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What makes it, in C where its definition is Python's, and where its type was presumed."""
    t = node.outputs[0].type if node.outputs else None
    if node.op is PART and isinstance(t, ArrayType):
        return _C.part, (*node.args[:2], t.shape), {}
    bins = own_bins(node)
    if bins is not None:
        return _C.bincount, (bins.numbers, bins.weights, bins.count), {}
    return node.op.target, node.args, dict(node.kwargs)


State = tuple[list[Operand], list[tuple[int, Operand]], Operand | None]

EFFECT_STEPS = {
    Do.SET_GLOBAL: "GLOBAL_SET",
    Do.DEL_GLOBAL: "GLOBAL_DEL",
    Do.SET_CELL: "CELL_SET",
}
COUNTED = {
    Make.TUPLE: "BUILD_TUPLE",
    Make.LIST: "BUILD_LIST",
    Make.SET: "BUILD_SET",
    Make.DICT: "BUILD_MAP",
}
FIXED = {
    Make.SLICE: "BUILD_SLICE",
    Make.METHOD: "METHOD",
    Make.CELL: "CELL_NEW",
    Make.FUNCTION: "FUNCTION",
    Make.ADVANCED: "ADVANCE",
    Make.TAKEN: "TAKE",
}
