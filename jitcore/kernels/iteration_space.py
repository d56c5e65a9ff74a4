"""Operand layouts → the loop nest over all elements: axes in memory order, merged where possible.

    shape (4, 5, 6), all C contiguous             one loop of 120
    shape (4, 5) of x[::2, :] and its result      4 rows of 5
    shape (4, 5) of x.T and x                     5 or 4 rows, by the results' order

The nest's extents and steps are run-time data of a kernel; only its depth and how each operand
moves along the innermost axis (`StrideClass`) stand in the C text.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import prod

from jitcore.host.fast_dataclass import dataclass
from jitcore.kernels.body import Input, KernelBody
from jitcore.toolchain.abi import ARRAY, Signature


class StrideClass(Enum):
    """How an operand moves along the innermost loop."""

    UNIT = "unit"  # element by element
    STILL = "still"  # one element for all
    STRIDE = "stride"  # by a step known at run time


@dataclass(frozen=True, slots=True)
class IterationSpace:
    dim: tuple[int, ...]  # outermost first
    steps: tuple[tuple[int, ...], ...]  # for each operand, along each axis
    walks: tuple[StrideClass, ...]

    @property
    def depth(self) -> int:
        return len(self.dim)

    @property
    def size(self) -> int:
        return prod(self.dim)

    @property
    def flat(self) -> bool:
        """One loop over whole arrays, the way NumPy itself would run."""
        return self.depth == 1 and StrideClass.STRIDE not in self.walks


def broadcast_steps(operand: Signature, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Byte steps of an operand along the axes of `shape`: 0 where it is repeated."""
    if operand.kind != ARRAY:
        return (0,) * len(shape)
    missing = len(shape) - len(operand.shape)
    own = zip(operand.shape, operand.strides, strict=True)
    return (0,) * missing + tuple(0 if extent == 1 else stride for extent, stride in own)


def nest(
    shape: tuple[int, ...], operands: Sequence[Signature], order: Sequence[Signature] = ()
) -> IterationSpace:
    """The loops over `shape`. The axes are in the order of `order`, which are no operands, or of
    the last results."""
    columns = [broadcast_steps(operand, shape) for operand in (*operands, *order)]
    axes = [axis for axis, extent in enumerate(shape) if extent != 1]
    axes.sort(key=lambda axis: [abs(column[axis]) for column in reversed(columns)], reverse=True)
    merged: list[tuple[int, tuple[int, ...]]] = []
    for axis in axes:
        inner = (shape[axis], tuple(column[axis] for column in columns))
        if merged and all(
            outer == step * inner[0] for outer, step in zip(merged[-1][1], inner[1], strict=True)
        ):
            inner = (merged.pop()[0] * inner[0], inner[1])
        merged.append(inner)
    if not merged:
        whole = tuple(
            0 if prod(o.shape) == 1 and len(o.shape) < len(shape) else o.dtype.itemsize
            for o in operands
        )
        merged.append((1, whole))
    steps = tuple(zip(*(steps[: len(operands)] for _, steps in merged), strict=True))
    walks = tuple(
        walk(column[-1], op.dtype.itemsize) for column, op in zip(steps, operands, strict=True)
    )
    return IterationSpace(tuple(extent for extent, _ in merged), steps, walks)


def nest_of(program: KernelBody, shape: tuple[int, ...]) -> IterationSpace:
    """The loops that run a program over `shape`, in the order that folds need, if any do."""
    folds = program.folds.values()
    orders = [fold.order for fold in sorted(folds, key=lambda fold: fold.in_order)]
    taken = [var.placed for var in program.vars if isinstance(var, Input)]
    laid = [*taken, *program.outputs.values(), *(fold.laid for fold in folds)]
    return nest(shape, laid, [*orders, *program.orders])


def walk(step: int, itemsize: int) -> StrideClass:
    if step == 0:
        return StrideClass.STILL
    return StrideClass.UNIT if step == itemsize else StrideClass.STRIDE
