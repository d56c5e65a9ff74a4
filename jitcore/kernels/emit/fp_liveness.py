"""Program → the values that a C compiler may find unread, and whose flags would go with them.

    isinf(a / b == k)     is 0 whatever a and b are: the division would not be made, nor warn

Compilers keep arithmetic that leads, through nothing but arithmetic, to memory. Behind
comparisons, selections and integers they may know the answer; there the bits are read by a sink.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitcore.ir.c_expression import CKind
from jitcore.kernels.body import BodyStep, KernelBody, Table

SINKS = {"f": ("f32",), "d": ("f64",), "F": ("f32", ".re", ".im"), "D": ("f64", ".re", ".im")}


def unkept(program: KernelBody, stored: Iterable[int]) -> set[int]:
    """The results of flag-raising C steps that do not reach one of `stored` by arithmetic alone."""
    kept = set(stored)
    found: set[int] = set()
    for step in reversed(program.steps):
        if (
            step.code and step.code.kind is CKind.CONVERTS
        ):  # whether it is a value is known by converting it
            kept.update(step.args)
        if not is_arithmetic(program, step):
            continue
        if step.outs[0] in kept:
            kept.update(step.args)
        else:
            found.add(step.outs[0])
    return found


def is_arithmetic(program: KernelBody, step: BodyStep) -> bool:
    """A C step from numbers with a fraction to one of them that computes, not selects."""
    if step.code is None or step.code.kind is CKind.SELECTS:
        return False
    if any(isinstance(program.vars[var], Table) for var in step.args):
        return False
    dtypes = [program.vars[var].dtype for var in (*step.args, *step.outs)]
    return dtypes[-1].char in SINKS and any(dtype.char in SINKS for dtype in dtypes[:-1])


def sink(var: int, char: str) -> str:
    """A statement that reads the bits of v`var`."""
    kind, *parts = SINKS[char]
    bits = " | ".join(f"rt_bits_{kind}(v{var}{part})" for part in parts or [""])
    return f"sink_{kind} |= {bits};"
