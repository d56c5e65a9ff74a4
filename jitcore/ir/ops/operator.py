"""Rows: Python's operators and the built-in functions on numbers.

Three worlds differ in bits and warnings: an operator with an array among its operands IS the
ufunc (`specialise` says which); with a NumPy scalar it is scalar arithmetic; with Python numbers it
is Python's. Of two scalars the result type is asked by running the operator on samples.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jitcore.ir.infer.elementwise import map_types, operands
from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, Unsupported, leaf_type
from jitcore.ir.ops.numpy_scalar import GENERIC
from jitcore.ir.ops.ufunc import UFUNC
from jitcore.ir.strided import broadcast
from jitcore.ir.types import (
    PYBOOL,
    PYFLOAT,
    PYINT,
    ArrayType,
    ObjectType,
    ScalarType,
    Type,
    type_of,
)
from jitcore.ir.value import Value

#   text    operator           in place            ufunc
_BINARY: tuple[tuple[str, Callable[..., Any], Callable[..., Any] | None, str], ...] = (
    ("+", operator.add, operator.iadd, "add"),
    ("-", operator.sub, operator.isub, "subtract"),
    ("*", operator.mul, operator.imul, "multiply"),
    ("/", operator.truediv, operator.itruediv, "divide"),
    ("//", operator.floordiv, operator.ifloordiv, "floor_divide"),
    ("%", operator.mod, operator.imod, "remainder"),
    ("**", operator.pow, operator.ipow, "power"),
    ("<<", operator.lshift, operator.ilshift, "left_shift"),
    (">>", operator.rshift, operator.irshift, "right_shift"),
    ("&", operator.and_, operator.iand, "bitwise_and"),
    ("|", operator.or_, operator.ior, "bitwise_or"),
    ("^", operator.xor, operator.ixor, "bitwise_xor"),
    ("<", operator.lt, None, "less"),
    ("<=", operator.le, None, "less_equal"),
    ("==", operator.eq, None, "equal"),
    ("!=", operator.ne, None, "not_equal"),
    (">", operator.gt, None, "greater"),
    (">=", operator.ge, None, "greater_equal"),
    ("divmod", builtins.divmod, None, "divmod"),
    ("@", operator.matmul, None, "matmul"),
)

_UNARY: tuple[tuple[str, Callable[..., Any], str], ...] = (
    ("neg", operator.neg, "negative"),
    ("pos", operator.pos, "positive"),
    ("invert", operator.invert, "invert"),
    ("abs", builtins.abs, "absolute"),
)


# ---------------------------------------------------------------- scalars


def infer_scalar(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """Two scalars: the operator is run on samples of their types."""
    if kwargs:
        return None
    samples = [_sample(arg) for arg in args]
    with np.errstate(all="ignore"):
        if op.target is operator.pow:
            return _power(args, samples)
        if op.target in (operator.lshift, operator.rshift) and _python(args):
            return type_of(1 << 1)
        return _types(op.target(*samples))  # type: ignore[misc]


def _types(result: Any) -> Inferred:
    return tuple(map(type_of, result)) if type(result) is tuple else type_of(result)


def _sample(arg: Any) -> Any:
    """A number of the argument's type, safe to divide by."""
    t = leaf_type(arg)
    if not isinstance(t, ScalarType):
        raise Unsupported(f"operand of type {t}")
    return t.pytype(1) if t.python else t.dtype.type(1)


def _python(args: Args) -> bool:
    types = [leaf_type(arg) for arg in args]
    return all(isinstance(t, ScalarType) and t.python for t in types)


def _power(args: Args, samples: list[Any]) -> Inferred:
    """Python's power changes its type with its operands' values: int to float, float to complex."""
    t = type_of(samples[0] ** samples[1])
    if not _python(args) or t.dtype.kind == "c":  # type: ignore[union-attr]
        return t
    base, exponent = args
    if type(base) in (int, float) and base > 0 and leaf_type(exponent) == PYFLOAT:
        return t
    if type(exponent) is Value or exponent < 0 or exponent != int(exponent):
        return None
    return t


# ---------------------------------------------------------------- in place


def infer_inplace(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """`a += b`: the array itself, if the result may be cast into it."""
    target = leaf_type(args[0])
    found = operands(args)
    assert op.ufunc is not None
    if found is None or not isinstance(target, ArrayType):
        return None
    if not target.writeable:
        raise Unsupported(f"{op.words}: array is read-only")
    asked = [one.type.pytype if one.weak else one.type.dtype for one in found]  # type: ignore[union-attr]
    op.ufunc.resolve_dtypes((*asked, target.dtype), casting="same_kind")
    if broadcast(*(one.type.shape for one in found)) != target.shape:
        raise Unsupported(f"{op.words}: the result does not fit into {target}")
    return target


def infer_power(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """`**` that is neither a ufunc nor settled: the exponent's value decides which ufunc runs."""
    types = [leaf_type(arg) for arg in args]
    if not any(isinstance(t, ArrayType) for t in types):
        return infer_scalar(op, args, kwargs)
    found = operands(args)
    # The ufuncs that may run differ in what they make of bool and long long.
    if found is None or types[0].dtype.char in "?qQ":  # type: ignore[union-attr]
        return None
    return map_types(np.power, found)


# ---------------------------------------------------------------- built-in functions


def infer_truth(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    (arg,) = args
    t = leaf_type(arg)
    if isinstance(t, ArrayType) and t.size != 1:
        raise Unsupported("the truth value of this array is ambiguous")
    return PYBOOL


def infer_number(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    """int(x), float(x), complex(x): NumPy warns of arrays with dimensions."""
    (arg,) = args
    t = leaf_type(arg)
    if not isinstance(t, ArrayType | ScalarType) or t.ndim or not t.numeric:
        return None
    if t.dtype.kind == "c" and op.target is not complex:
        raise Unsupported(f"{op.words} of a complex number")
    assert op.target is not None
    return type_of(op.target(1))


def effect_of_number(op: Op, args: Args, kwargs: Kwargs) -> Effect:
    t = leaf_type(args[0]) if args else None
    return Effect.LOUD if isinstance(t, ArrayType) and t.ndim else Effect.FLAGS


def infer_whole(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return PYINT


# An int, by itself: that of an extent. It is no constant, so nothing is folded.
WHOLE = Op("op.index", operator.index, Kind.OPAQUE, Effect.SILENT, infer_whole)


def _rows() -> list[Op]:
    rows = [WHOLE]
    for text, call, _, _ in _BINARY:
        rule = infer_power if text == "**" else infer_scalar
        rows.append(Op(f"op.{call.__name__}", call, Kind.MAP, Effect.FLAGS, rule))
    for _, call, _ in _UNARY:
        rows.append(Op(f"op.{call.__name__}", call, Kind.MAP, Effect.FLAGS, infer_scalar))
    for _, _, inplace, ufunc in _BINARY:
        if inplace is not None:
            rows.append(
                Op(
                    f"op.{inplace.__name__}", inplace, Kind.STORE, Effect.STORE, infer_inplace,
                    ufunc=getattr(np, ufunc), stores=(0,), returns=0,
                )
            )  # fmt: skip
    rows.append(
        Op("op.imatmul", operator.imatmul, Kind.STORE, Effect.STORE, stores=(0,), returns=0)
    )
    rows.append(Op("op.truth", operator.truth, Kind.INDEX, Effect.SILENT, infer_truth))
    rows.append(Op("op.not_", operator.not_, Kind.INDEX, Effect.SILENT, infer_truth))
    for number in (int, float, complex):
        rows.append(
            Op(
                f"op.{number.__name__}", number, Kind.INDEX, Effect.FLAGS, infer_number,
                effect_rule=effect_of_number,
            )
        )  # fmt: skip
    return rows


ROWS: tuple[Op, ...] = tuple(_rows())
_BY_NAME = {row.name: row for row in ROWS}
OP_POWER = _BY_NAME["op.pow"]


def _op(call: Callable[..., Any]) -> Op:
    return _BY_NAME[f"op.{call.__name__}"]


# Operator text, as in the bytecode -> row.
BY_OPERATOR: Mapping[str, Op] = {
    **{text: _op(call) for text, call, _, _ in _BINARY},
    **{f"{text}=": _op(inplace) for text, _, inplace, _ in _BINARY if inplace},
    **{text: _op(call) for text, call, _ in _UNARY},
    "@=": _BY_NAME["op.imatmul"],
    "not": _BY_NAME["op.not_"],
    "bool": _BY_NAME["op.truth"],
}


# ---------------------------------------------------------------- which row

_TO_UFUNC = {BY_OPERATOR[text].name: ufunc for text, _, _, ufunc in _BINARY}
_TO_UFUNC |= {BY_OPERATOR[text].name: ufunc for text, _, ufunc in _UNARY}
_INPLACE = {text: BY_OPERATOR.get(f"{text}=") for text, _, inplace, _ in _BINARY if inplace}
_PLAIN = {row.name: BY_OPERATOR[text] for text, row in _INPLACE.items() if row}
_PLAIN[BY_OPERATOR["@="].name] = BY_OPERATOR["@"]


def specialise(op: Op, args: Args, kwargs: Kwargs) -> tuple[Op, Args]:
    """The row that an operator is on these operands, and its arguments."""
    if op.name in GENERIC and args and isinstance(leaf_type(args[0]), ScalarType):
        return GENERIC[op.name], args
    if kwargs or not (op.name in _TO_UFUNC or op.name in _PLAIN):
        return op, args
    types = [leaf_type(arg) for arg in args]
    if op.name in _PLAIN:
        return (
            (op, args) if isinstance(types[0], ArrayType) else specialise(_PLAIN[op.name], args, {})
        )
    if not any(isinstance(t, ArrayType) for t in types):
        return op, args
    return _specialise_power(args, types) if op is OP_POWER else (UFUNC[_TO_UFUNC[op.name]], args)


def _specialise_power(args: Args, types: list[Type]) -> tuple[Op, Args]:
    """`array ** number` is not np.power for all numbers (number.c: fast_scalar_power).

    Which numbers depends on the release; for float32 and float64 all releases give the same bits,
    and the square of an int 2 is one for complex numbers, too.
    """
    array, exponent = types
    if isinstance(exponent, ObjectType) or exponent.ndim:
        return UFUNC["power"], args
    if not isinstance(array, ArrayType) or type(args[1]) not in (int, float):
        return OP_POWER, args
    fast = _FAST_POWER.get((type(args[1]), args[1]))
    if array.dtype.char in "fd":
        return (UFUNC["power"], args) if fast is None else (UFUNC[fast], args[:1])
    if array.dtype.char in "bhilBHILFD" and fast == "square" and type(args[1]) is int:
        return UFUNC["square"], args[:1]
    return OP_POWER, args


_FAST_POWER: Mapping[tuple[type, Any], str] = {
    (int, 2): "square",
    (int, -1): "reciprocal",
    (float, 0.5): "sqrt",
    (float, 2.0): "square",
    (float, -1.0): "reciprocal",
}
