"""Symbolic values → graph nodes: argument trees, result types, and what a scalar result is now."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from jitcore.fallback import breaks
from jitcore.ir.infer.by_sample import asked_repeated, asked_shape
from jitcore.ir.op import Kind, Op
from jitcore.ir.ops.python import python_row
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType, Type, type_of
from jitcore.ir.value import given
from jitcore.symbolic.arrays.masked_select import give_up, mapped
from jitcore.symbolic.arrays.shape_facts import (
    derived,
    is_known,
    reject_lengths,
    reject_many,
    shaping,
    told,
)
from jitcore.symbolic.break_rows import row_of_operands
from jitcore.symbolic.describe import describe
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.values import (
    NOTHING,
    Dict,
    Known,
    Lazy,
    List,
    Masked,
    Set,
    Slice,
    Traced,
    Tuple,
    Var,
)
from jitcore.symbolic.wrap import realize


def leaf(vm: Machine, var: Var, concrete: bool = False) -> Any:
    """The argument tree of a value: Values at the leaves, constants elsewhere."""
    match var:
        case Traced(value, hint=hint):
            if concrete and hint is not NOTHING:
                return shaping(vm, var)
            return value
        case Known(obj):
            return obj
        case Lazy():
            return leaf(vm, realize(vm, var), concrete)
        case Tuple(items, cls=cls) if cls is tuple:
            return tuple(leaf(vm, x, concrete) for x in items)
        case List(items):
            return [leaf(vm, x, concrete) for x in items]
        case Slice(parts):
            return slice(*(leaf(vm, x, True) for x in parts))
        case Dict(items):
            return {key: leaf(vm, x, concrete) for key, x in items.items()}
        case Set(items):
            return set(items)
        case Masked():
            give_up(var)
    kind = row_of_operands(vm, (var,), breaks.TYPE_UNSUPPORTED)
    vm.stop(kind, f"{describe(var)} as an argument of an array operation")


def is_array_like(vm: Machine, var: Var) -> bool:
    """Does NumPy decide what an operation on this value means?"""
    var = realize(vm, var)
    if isinstance(var, Masked):
        return True
    return isinstance(var, Traced) and (
        isinstance(var.value.type, ArrayType | DynArrayType)
        or (isinstance(var.value.type, ScalarType) and not var.value.type.python)
    )


def python_scalar(vm: Machine, var: Var) -> bool:
    """A run-time Python number."""
    var = realize(vm, var)
    return (
        isinstance(var, Traced) and isinstance(var.value.type, ScalarType) and var.value.type.python
    )


def emit_row(vm: Machine, op: Op, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var:
    """A row of the op table applied to symbolic arguments. Numbers that shape the result become
    constants."""
    args = tuple(realize(vm, arg) for arg in args)
    if any(isinstance(arg, Masked) for arg in args):
        return mapped(vm, op, args, kwargs)
    only = realize(vm, args[0]) if len(args) == 1 and not kwargs and op.fold is not None else None
    if op.fold is not None and isinstance(only, Traced) and isinstance(only.value.type, ArrayType):
        return told(vm, only, op.name.rpartition(".")[2], op.fold)
    scalars = op.kind in (Kind.MAP, Kind.STORE) or is_of_length(vm, op, args)
    if not scalars and op.kind is not Kind.VIEW and op.name not in OF_LENGTHS:
        reject_lengths(vm, (*args, *kwargs.values()))
    tree = tuple(leaf(vm, arg, not scalars) for arg in args)
    words = {key: leaf(vm, arg, True) for key, arg in kwargs.items()}
    if op.rule in ONE_BY_ONE:
        reject_many(vm, given(tree, words))
    return vm.emit(op, tree, words)


# Asked of elements of no size, which NumPy goes through one by one.
ONE_BY_ONE = (asked_shape, asked_repeated)
# Of these NumPy, or a rule of ours, tells the type without making the array.
OF_LENGTHS = frozenset(
    (
        *("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"),
        *("arange", "linspace", "eye", "identity", "tri"),
        *("logspace", "geomspace", "hanning", "hamming", "bartlett", "blackman", "kaiser"),
        *("repeat", "ndarray.repeat", "tile", "roll", "clip", "ndarray.clip"),
    )
)


def is_of_length(vm: Machine, op: Op, args: tuple[Var, ...]) -> bool:
    """np.float64(len(x))."""
    return op.name.startswith("scalar.") and any(
        isinstance(arg, Traced) and arg.value in vm.lengths for arg in args
    )


def number_type(vm: Machine, var: Var) -> ScalarType | None:
    """The type of a number, constant or not; None for everything else."""
    match realize(vm, var):
        case Known(obj) if type(obj) in (bool, int, float, complex):
            kind = type_of(obj)
        case Traced(value):
            kind = value.type
        case _:
            return None
    return kind if isinstance(kind, ScalarType) and kind.dtype.kind in "biufc" else None


def call_builtin(vm: Machine, fn: Callable[..., Any], args: tuple[Var, ...], kind: Type) -> Var:
    """A node that calls a builtin on run-time numbers; the type of its result is known."""
    vars = tuple(realize(vm, arg) for arg in args)
    out = vm.emit(python_row(fn, kind), tuple(leaf(vm, v) for v in vars), {})
    return hinted(vm, out, fn, vars)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def hinted(vm: Machine, out: Var, fn: Callable[..., Any], args: tuple[Var, ...]) -> Var:
    """If what every operand is now is known, so is the result; small ints only."""
    if not isinstance(out, Traced):
        return out
    now: list[Any] = []
    deps: frozenset[Any] = frozenset()
    for arg in args:
        arg = realize(vm, arg)
        match arg:
            case Known(obj):
                now.append(obj)
            case Traced(hint=hint) if hint is not NOTHING:
                now.append(hint)
                deps |= arg.deps
            case _:
                return out
    if not is_known(vm, fn, deps):
        return out
    try:
        result = fn(*now)
    except Exception:
        return out
    if type(result) is int and abs(result) < 1 << 62:
        out.hint, out.deps = result, deps
        derived(vm, out, fn, args)
    return out
