"""A run that stores selected elements only → the mask, and what it takes to know it.

a[a > limit] = limit     most chunks of most arrays have nothing above the limit: they are read,
                         and not written
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from .program import Program, Step


def mask_of(program: Program, steps: Sequence[Step], stored: Set[int]) -> int | None:
    """The mask, if all that these steps leave is `mask ? value : what stands there already`."""
    makers = {step.outs[0]: step for step in steps if step.inner is None}
    kept = [step for step in steps if not stored.isdisjoint(step.outs)]
    if len(kept) != 1 or len(makers) != len(steps):
        return None
    (store,) = kept
    choice = makers.get(store.args[0]) if store.code == "{0}" else None
    if choice is None or "rt_select" not in choice.code:
        return None
    mask, _, other = choice.args
    return mask if program.shared.get(other) == store.outs[0] else None


def needed(steps: Sequence[Step], var: int) -> list[Step]:
    """Those that make a variable, in order."""
    wanted, found = {var}, []
    for step in reversed(steps):
        if not wanted.isdisjoint(step.outs):
            wanted.update(step.args)
            found.append(step)
    return found[::-1]
