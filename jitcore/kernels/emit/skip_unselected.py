"""A run that stores selected elements only → the mask, and what it takes to know it.

a[a > limit] = limit     most chunks of most arrays have nothing above the limit: they are read,
                         and not written

What is left out with the store must be silent: `a[:] = np.where(mask, x / y, a)` divides, and
warns, everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from jitcore.ir.c_expression import COPY, CKind
from jitcore.kernels.body import BodyStep, KernelBody
from jitcore.kernels.emit.fp_liveness import is_arithmetic


def mask_of(program: KernelBody, steps: Sequence[BodyStep], stored: Set[int]) -> int | None:
    """The mask, if all that these steps leave is `mask ? value : what stands there already`, and
    nobody notices where the value is not computed."""
    makers = {step.outs[0]: step for step in steps if step.inner is None}
    kept = [step for step in steps if not stored.isdisjoint(step.outs)]
    if len(kept) != 1 or len(makers) != len(steps):
        return None
    (store,) = kept
    choice = makers.get(store.args[0]) if store.code == COPY else None
    if choice is None or choice.code is None or choice.code.kind is not CKind.SELECTS:
        return None
    mask, _, other = choice.args
    if program.shared.get(other) != store.outs[0]:
        return None
    computed = needed(steps, mask)
    return mask if all(s in computed or is_unnoticed(program, s) for s in steps) else None


def is_unnoticed(program: KernelBody, step: BodyStep) -> bool:
    """Can it neither raise a flag nor be in doubt?"""
    copies = (
        step.code == COPY and len({program.vars[v].dtype for v in (*step.args, *step.outs)}) == 1
    )
    return copies or not (step.within or is_arithmetic(program, step))


def needed(steps: Sequence[BodyStep], var: int) -> list[BodyStep]:
    """Those that make a variable, in order."""
    wanted, found = {var}, []
    for step in reversed(steps):
        if not wanted.isdisjoint(step.outs):
            wanted.update(step.args)
            found.append(step)
    return found[::-1]
