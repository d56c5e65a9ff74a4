"""Node → what it asks of the loop it runs in, or None: no kernel can or may run it."""

from __future__ import annotations

from functools import lru_cache

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.call_facts import ANSWERS, Facts, facts_of, like
from jitcore.ir.cannot_lower import CannotLower, NotCandidate
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, Op, Unsupported, operand
from jitcore.ir.types import ArrayType, Shape, contiguous
from jitcore.kernels.body import Input, KernelBody
from jitcore.kernels.lower import Lowering, is_elementwise, lower, signature
from jitcore.kernels.lower_argmax import is_first, lower_first
from jitcore.kernels.lower_gather import gathers, lower_gather
from jitcore.kernels.lower_reduce import is_reduction, lower_reduction, order_of, reduced
from jitcore.kernels.lower_scan import is_scan, lower_scan, scanned
from jitcore.kernels.short_axis_rows import UNROLLED, lower_unrolled
from jitcore.kernels.store_rules import STORE, lower_store
from jitcore.toolchain.abi import ARRAY, Signature
from jitcore.toolchain.numpy_loops import Freedom


@dataclass(frozen=True, slots=True)
class SpaceConstraint:
    """What a node asks of the loop it runs in."""

    shape: Shape
    flat: bool  # every operand is C contiguous and whole, or a scalar
    needs_flat: bool  # one of its loops is only right on such operands
    order: Shape | None = None  # of the axes, where NumPy's order of summation hangs on it


def is_lowered(node: Node) -> bool:
    """Of a kind that kernels run?"""
    return is_elementwise(node) or is_scan(node) or gathers(node)


def lower_any(node: Node, into: Lowering) -> None:
    """Append the steps of a node. CannotLower: it stays a NumPy call."""
    before = len(into.program.vars)
    lower_one(node, into)
    made = range(before, len(into.program.vars))
    into.program.places.update(dict.fromkeys(made, node.where))


def lower_one(node: Node, into: Lowering) -> None:
    if is_first(node):
        lower_first(node, into)
    elif is_reduction(node):
        lower_reduction(node, into)
    elif is_scan(node):
        lower_scan(node, into)
    elif gathers(node):
        lower_gather(node, into)
    elif node.op is STORE:
        lower_store(node, into)
    elif node.op is UNROLLED:
        lower_unrolled(node, into)
    else:
        lower(node, into)


def demand(node: Node) -> SpaceConstraint | None:
    """None where no kernel can or may run this node."""
    if node.op.kind is not Kind.MAP or node.kwargs or node.op is STORE:
        return demand_of(node)
    facts, results = facts_of(node.args), facts_of(node.outputs)
    if facts is None or results is None:
        return demand_of(node)
    return demand_for(node.op, facts, results)


@lru_cache(maxsize=ANSWERS)
def demand_for(op: Op, facts: Facts, results: Facts) -> SpaceConstraint | None:
    """Many nodes differ in what they read only."""
    return demand_of(Node(op, like(facts), {}, like(results)))


def demand_of(node: Node) -> SpaceConstraint | None:
    try:
        return constraint_of(node)
    except (CannotLower, Unsupported):
        return None


def constraint_of(node: Node) -> SpaceConstraint:
    """CannotLower, or Unsupported, where no kernel can or may run this node."""
    if is_reduction(node):
        return constraint_of_reduction(node)
    shape = result_shape(node)
    if not shape or 0 in shape:
        raise NotCandidate("its results are no arrays of one shape with elements")
    if not is_lowered(node):
        raise NotCandidate("it is no elementwise operation, reduction or gather")
    trial = Lowering()
    lower_any(node, trial)
    taken = [var.signature for var in trial.program.vars if isinstance(var, Input)]
    operands = [*taken, *(signature(value.type) for value in node.outputs)]
    flat = all(is_flat(operand, shape) for operand in operands)
    if is_scan(node):
        return SpaceConstraint(shape, flat, False, order_of(scanned(node)[0]))
    freedom = min((s.inner.freedom for s in trial.program.steps if s.inner), default=Freedom.FREE)
    if freedom is Freedom.FORWARD and any(stride < 0 for o in operands for stride in o.strides):
        raise CannotLower("NumPy's own loop, which it needs, depends on negative strides")
    if freedom is Freedom.FLAT and not (flat and max(shape) > 1 and uncast(node, trial.program)):
        raise CannotLower("NumPy's own loop, which it needs, depends on strides and casts")
    return SpaceConstraint(shape, flat, freedom is Freedom.FLAT)


def constraint_of_reduction(node: Node) -> SpaceConstraint:
    trial = Lowering()
    t = reduced(node)
    lower_any(node, trial)
    if 0 in t.shape:
        raise NotCandidate("it reduces an empty array")
    fold, *_ = trial.program.folds.values()
    flat = t.c_contiguous and all(extent == 1 for extent in fold.laid.shape)
    return SpaceConstraint(t.shape, flat, False, order_of(t) if fold.in_order else None)


def result_shape(node: Node) -> Shape | None:
    """The shape of all results, if they are arrays of one shape."""
    types = [value.type for value in node.outputs]
    shapes = {t.shape if isinstance(t, ArrayType) else () for t in types}
    return shapes.pop() if len(shapes) == 1 else None


def is_flat(operand: Signature, shape: Shape) -> bool:
    if operand.kind != ARRAY or operand.shape == ():
        return True
    size, strides = operand.dtype.itemsize, operand.strides
    return operand.shape == shape and contiguous(size, shape[::-1], strides[::-1])


def uncast(node: Node, program: KernelBody) -> bool:
    """Does the loop read the node's own operands? NumPy casts in buffers, by another iteration."""
    (*_, step) = program.steps
    if len(program.steps) > 1 or step.inner is None:
        return False
    found = [operand(arg) for arg in node.args]
    return all(
        one is not None and (one.weak or one.type.dtype.char == dtype.char)
        for one, dtype in zip(found, step.inner.dtypes, strict=False)
    )
