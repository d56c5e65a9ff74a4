"""`a[1:-1] = x + y` → the loop that adds writes into `a`, and the sum is never an array.

    store x+y, a[1:-1]     as a node: its result is the view, after the store

What is written cannot be taken back, so csrc/kernel/undo.c keeps what stood there unless that can
never matter (docs/numerics.md). `CannotLower` leaves a store to NumPy, which makes copies of what
overlaps:

    a[:] = a * 2           the same elements in the same order: a loop may read and write them
    a[1:] = a[:-1] * 2     others: no
    a[0] = a[1] * 2        apart: yes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jitcore.ir.c_expression import COPY
from jitcore.ir.cannot_lower import CannotLower
from jitcore.ir.graph import Node
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.types import ArrayType
from jitcore.ir.value import Value
from jitcore.kernels.body import Input, KernelBody, Table
from jitcore.kernels.emit.buffers import blocks_of
from jitcore.kernels.lower import Lowering, signature
from jitcore.kernels.view_offsets import ViewOffset

STORE = Op("store", None, Kind.MAP, Effect.FLAGS, stores=(), returns=1)
HARD = 10_000  # of np.shares_memory: what takes longer is left to NumPy
CERTAIN = frozenset("?bhilqBHILQfd")


def stored(nodes: Iterable[Node]) -> Node | None:
    """The one store among these nodes."""
    found = [node for node in nodes if node.op is STORE]
    if len(found) > 1:
        raise CannotLower("one kernel stores into one array, not into two")
    return found[0] if found else None


def lower_store(node: Node, into: Lowering) -> None:
    """A step of its own: what makes the value may be a call, which never writes into a target."""
    value, target = node.args
    dtype = target.type.dtype
    into.known[node.outputs[0]] = into.step((into.arg(value, dtype),), dtype, COPY)


def target_of(node: Node, views: Mapping[Value, ViewOffset]) -> ViewOffset:
    _, target = node.args
    place = views.get(target) or ViewOffset(target, 0)
    signature(place.array.type)
    if not target.type.writeable or repeats(target.type):
        raise CannotLower(f"a store into {target.type}")
    return place


def settle(node: Node, into: Lowering, views: Mapping[Value, ViewOffset]) -> ViewOffset:
    """Where the store goes; the program is told which operand lies at the very same place."""
    place = target_of(node, views)
    value, target = node.args
    if value not in into.known or value in into.inputs:
        raise CannotLower("what is stored is not computed in the same kernel")
    if place.array in into.known and place.array not in into.inputs:
        raise CannotLower("it stores into an array that the same kernel makes")
    out = into.known[node.outputs[0]]
    variables = [k for k, var in enumerate(into.program.vars) if isinstance(var, Input)]
    for other, k in zip(into.inputs, variables, strict=True):
        at = views.get(other) or ViewOffset(other, 0)
        if at.array is not place.array:
            continue
        if at.offset == place.offset and is_same(into.program.vars[k], target.type):
            into.program.shared[k] = out
        elif overlap(place, target.type, at, other.type):
            raise CannotLower("the array that is stored into is read at other indices")
    if into.program.shared and (into.program.orders or into.program.folds):
        raise CannotLower("it stores a running result, or one of a reduction")
    if not written_last(into.program, out):
        raise CannotLower("the array that is stored into is read later in the same kernel")
    return place


def is_same(var: Any, t: ArrayType) -> bool:
    plain = not isinstance(var, Table) and var.laid is None
    return plain and var.signature.row() == signature(t).row()  # equal dtypes, two numbers


def written_last(program: KernelBody, out: int) -> bool:
    """Is all that lies at the place of `out` read before, in the loop over one chunk?"""
    blocks = blocks_of(program.steps)
    (at,) = (k for k, block in enumerate(blocks) if out in block.makes)
    return all(program.shared.keys().isdisjoint(block.reads) for block in blocks[at + 1 :])


def certain(program: KernelBody) -> bool:
    """Can nothing but floating-point flags refuse a launch, once its operands are taken?"""
    loops = (step.inner for step in program.steps if step.inner is not None)
    floats = all(d.char in CERTAIN for loop in loops for d in loop.dtypes)
    errors = any(step.inner and step.inner.dtypes[0].kind in "iu" for step in program.steps)
    return floats and not errors and not program.folds and not any(s.within for s in program.steps)


# ---- memory -------------------------------------------------------------------------------------


def repeats(t: ArrayType) -> bool:
    """May two elements lie at one place?"""
    reach = t.dtype.itemsize
    moving = zip(t.strides, t.shape, strict=True)
    for step, extent in sorted((abs(step), extent) for step, extent in moving if extent > 1):
        if step < reach:
            return True
        reach += step * (extent - 1)
    return False


class _Memory:
    """What NumPy takes for an array, at an address where nothing need be."""

    def __init__(self, place: ViewOffset, t: ArrayType) -> None:
        self.__array_interface__ = {
            "data": ((1 << 46) + place.offset, True),
            "shape": t.shape,
            "strides": t.strides,
            "typestr": t.dtype.str,
            "version": 3,
        }


def overlap(one: ViewOffset, t: ArrayType, two: ViewOffset, u: Any) -> bool:
    """Two views of one array."""
    shape = u if isinstance(u, ArrayType) else ArrayType(u.dtype, (), ())
    a, b = np.asarray(_Memory(one, t)), np.asarray(_Memory(two, shape))
    try:
        return np.shares_memory(a, b, max_work=HARD)  # type: ignore[arg-type, unused-ignore]
    except np.exceptions.TooHardError:
        return True
