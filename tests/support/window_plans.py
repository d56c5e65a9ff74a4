"""A plan of a window is in order after each pass: what a step reads is made before it, once, and
what is read after the window is there."""

from __future__ import annotations

import functools

from jitcore.ir.value import Value
from jitcore.kernels.store_rules import STORE
from jitcore.passes import window
from jitcore.passes.window import Pass, WindowPlan


def verify(plan: WindowPlan, after: str) -> None:
    if any(step.op is STORE for step in plan.nodes):
        return  # planned anew without that store
    made: set[Value] = set()
    own = {value for step in plan.steps for value in results(step)}
    for step in plan.steps:
        late = own.intersection(step.inputs) - made
        assert not late, f"{after}: {step} reads {late} before they are made"
        twice = made.intersection(results(step))
        assert not twice, f"{after}: {twice} are made twice"
        made.update(results(step))
    lost = plan.given & plan.live_out - made
    assert not lost, f"{after}: nobody makes {lost}"


def results(step: window.Step) -> tuple[Value, ...]:
    return step.results if isinstance(step, window.FusionGroup) else step.outputs


def verified(one: Pass) -> Pass:
    @functools.wraps(one)
    def run(plan: WindowPlan) -> WindowPlan:
        made = one(plan)
        if not made.left:  # else it is not used
            verify(made, one.__name__)
        return made

    return run


def verify_each() -> None:
    """From here on, in this process."""
    window.REWRITES = tuple(map(verified, window.REWRITES))
    window.FUSION = tuple(map(verified, window.FUSION))
    window.FINISH = tuple(map(verified, window.FINISH))
