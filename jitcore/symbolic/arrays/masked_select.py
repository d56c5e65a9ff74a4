"""`a[mask]`, of a length that only run time knows, as all of a's elements: what is computed of it
is computed of all, and only those that the mask selects are stored in the end (masked_store.py).

    t = a[mask]            lanes: a
    u = (t + 1) * 2        lanes: (a + 1) * 2

Only what costs next to nothing: of few elements NumPy would compute a logarithm sooner than a
kernel of all, and of the others it may not exist. A divisor and the operand of a square root, which
would raise flags where nothing is selected, are 1 there. Any other use is CPython's, from a[mask]
on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakSignal
from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Value
from jitcore.ir.op import Args, Effect, Kind, Op
from jitcore.ir.ops import OPS
from jitcore.ir.ops.operator import specialise
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.symbolic.machine import Machine, is_array
from jitcore.symbolic.state import Window
from jitcore.symbolic.values import Known, Masked, Traced, Var

WHERE = OPS["where"]
# Where one of these does raise a flag, NumPy does the work.
QUIET = frozenset(("add", "subtract", "multiply", "square"))
TESTED = {"divide": 1, "sqrt": 0}  # which operand is asked for flags
NUMBERS = (bool, int, float, complex)
SCALARS = (*NUMBERS, np.generic)


def selected(vm: Machine, array: Traced, mask: Traced, getitem: Callable[..., Any]) -> Masked:
    instr = vm.outer.instr
    assert instr is not None
    parts = (Traced(array.value), Traced(mask.value))
    first = first_like(vm, mask.value)
    return Masked(array.value, first, getitem, parts, loud_steps(vm), instr.offset)


def first_like(vm: Machine, mask: Value) -> Value:
    """The first value that the same operation gave for the same arguments: `x < 0` is often written
    twice."""
    nodes = (n for s in vm.segments if isinstance(s, Window) for n in s.nodes)
    made = next((node for node in nodes if mask in node.outputs), None)
    if made is None or made.kwargs or made.op.kind is not Kind.MAP:
        return mask
    if any(type(arg) is not Value and not isinstance(arg, SCALARS) for arg in made.args):
        return mask
    args = tuple(arg if type(arg) is Value else (type(arg), repr(arg)) for arg in made.args)
    return vm.masks.setdefault((loud_steps(vm), made.op, args), mask)


def mapped(vm: Machine, op: Op, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Masked:
    """An operation, element by element, on what one mask has selected and on scalars."""
    one = next(arg for arg in args if isinstance(arg, Masked))
    tree = tuple(lane(one, arg) for arg in args)
    row, _ = specialise(op, tree, {})
    if (
        kwargs
        or row.kind is not Kind.MAP
        or not is_cheap(row, tree, one)
        or one.stores != loud_steps(vm)
    ):
        give_up(one)
    assert row.target is not None
    made = vm.emit(op, harmless(vm, row, tree, one), {})
    if not isinstance(made, Traced) or not isinstance(made.value.type, ArrayType):
        give_up(one)
    return Masked(made.value, one.mask, row.target, args, one.stores, one.made_at)


def is_cheap(row: Op, tree: Args, one: Masked) -> bool:
    """Is it an instruction or two of C, and quiet?"""
    kind = one.lanes.type.dtype.kind  # type: ignore[union-attr]
    if row.name in TESTED:
        tested = tree[TESTED[row.name]]
        if not is_array(tested) and (type(tested) not in NUMBERS or tested == 0):
            return False
    return may_be_cheap(row, kind)


def may_be_cheap(row: Op, kind: str) -> bool:
    """For a dtype of this kind, whatever the operands are."""
    quiet = row.name in QUIET or row.name in TESTED or row.effect is Effect.SILENT
    return row.c is not None and kind in row.c and quiet


def harmless(vm: Machine, row: Op, tree: Args, one: Masked) -> Args:
    """The operands, with 1 in the tested one where nothing is selected."""
    at = TESTED.get(row.name, len(tree))
    if at == len(tree) or not is_array(tree[at]):
        return tree
    safe = vm.emit(WHERE, (one.mask, tree[at], 1), {})
    if not isinstance(safe, Traced) or safe.value.type != tree[at].type:
        give_up(one)
    return (*tree[:at], safe.value, *tree[at + 1 :])


def lane(one: Masked, arg: Var) -> Any:
    """The argument for all elements, selected or not."""
    match arg:
        case Masked(lanes=lanes, mask=mask, stores=stores):
            if mask is one.mask and stores == one.stores:
                return lanes
        case Known(obj) if type(obj) in NUMBERS:
            return obj
        case Traced(value) if isinstance(value.type, ScalarType):
            return value
    give_up(one)


def assigned(vm: Machine, masked: Masked, made: Masked) -> Masked:
    """`masked` after an operation in place, which gave `made`: its dtype stays."""
    if made.lanes.type.dtype != masked.lanes.type.dtype:  # type: ignore[union-attr]
        give_up(masked)
    before = replace(masked)
    masked.lanes, masked.fn = made.lanes, made.fn
    masked.parts = tuple(before if part is masked else part for part in made.parts)
    return masked


def loud_steps(vm: Machine) -> int:
    """And loops: after another of them the array may be another."""
    return sum(not isinstance(segment, Window) for segment in vm.segments)


def give_up(masked: Masked) -> NoReturn:
    """Its length is asked for: CPython selects."""
    text = "the length of boolean indexing"
    raise BreakSignal(breaks.RESULT_TYPE_UNKNOWN, text, masked.made_at)
