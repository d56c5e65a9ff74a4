"""`a[mask]`, of a length that only run time knows, as all of a's elements: what is computed of it
is computed of all, and only those that the mask selects are stored in the end (masks.py).

    t = a[mask]            lanes: a
    u = np.log(t) * 2      lanes: np.log(np.where(mask, a, first)) * 2

An operation that may raise a flag for an element that was not selected gets the first selected
one instead. Any other use of it is CPython's, from a[mask] on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakSignal
from jitcore.ir.graph import Value
from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, leaf_type
from jitcore.ir.ops import OPS
from jitcore.ir.ops_operator import specialise
from jitcore.ir.types import ArrayType, ScalarType
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Loud, Window
from jitcore.symbolic.values import Known, Masked, Run, Var

WHERE = OPS["where"]
# These seldom raise flags; where one does, NumPy does the work.
QUIET = frozenset(("add", "subtract", "multiply", "square"))
NUMBERS = (bool, int, float, complex)
SCALARS = (*NUMBERS, np.generic)


def first_selected(array: Any, mask: Any) -> Any:
    """The first element where the mask is true; the first of all where it is so nowhere."""
    return array.flat[int(np.argmax(mask))]


def infer_first(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return ScalarType(leaf_type(args[0]).dtype)  # type: ignore[union-attr]


FIRST = Op("first_selected", first_selected, Kind.OPAQUE, Effect.SILENT, infer_first, operands=2)


def selected(vm: Machine, array: Run, mask: Run, getitem: Callable[..., Any]) -> Masked:
    instr = vm.outer.instr
    assert instr is not None
    parts = (Run(array.value), Run(mask.value))
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
    row, _ = specialise(op, tuple(lane(one, arg) for arg in args), {})
    if kwargs or row.kind is not Kind.MAP or row.target is None or one.stores != loud_steps(vm):
        give_up(one)
    quiet = row.name in QUIET or row.effect is Effect.SILENT
    tree = tuple(lane(one, arg) if quiet else filled(vm, one, arg) for arg in args)
    made = vm.emit(op, tree, {})
    if not isinstance(made, Run) or not isinstance(made.value.type, ArrayType):
        give_up(one)
    return Masked(made.value, one.mask, row.target, args, one.stores, one.made_at)


def lane(one: Masked, arg: Var) -> Any:
    """The argument for all elements, selected or not."""
    match arg:
        case Masked(lanes=lanes, mask=mask, stores=stores):
            if mask is one.mask and stores == one.stores:
                return lanes
        case Known(obj) if type(obj) in NUMBERS:
            return obj
        case Run(value) if isinstance(value.type, ScalarType):
            return value
    give_up(one)


def filled(vm: Machine, one: Masked, arg: Var) -> Any:
    found = lane(one, arg)
    if not isinstance(arg, Masked):
        return found
    first = vm.emit(FIRST, (found, one.mask), {})
    assert isinstance(first, Run)
    made = vm.emit(WHERE, (one.mask, found, first.value), {})
    assert isinstance(made, Run)
    return made.value


def assigned(vm: Machine, masked: Masked, made: Masked) -> Masked:
    """`masked` after an operation in place, which gave `made`: its dtype stays."""
    if made.lanes.type.dtype != masked.lanes.type.dtype:  # type: ignore[union-attr]
        give_up(masked)
    before = replace(masked)
    masked.lanes, masked.fn = made.lanes, made.fn
    masked.parts = tuple(before if part is masked else part for part in made.parts)
    return masked


def loud_steps(vm: Machine) -> int:
    """After another of them the array may be another."""
    return sum(isinstance(segment, Loud) for segment in vm.segments)


def give_up(masked: Masked) -> NoReturn:
    """Its length is asked for: CPython selects."""
    text = "the length of what a mask selects"
    raise BreakSignal(breaks.RESULT_TYPE_UNKNOWN, text, masked.made_at)
