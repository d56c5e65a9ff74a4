"""The row: all that the compiler knows of an operation.

    op.infer(args, kwargs)      Values and constants -> the type of the result
    op.effect_of(args, kwargs)  what this call may do besides computing its result

`infer` is exact or silent: a type (a tuple of types for several results), None for "known only at
run time", or Unsupported: the call may run the user's code, or NumPy will refuse it. CPython must
then execute it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from typing import Any

import numpy as np

from .types import ArrayType, ObjectType, ScalarType, Type, type_of
from .value import Value, leaves

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]
Inferred = Type | tuple[Type, ...] | None


class Unsupported(Exception):
    """This call is not for a graph: CPython executes it."""


class Kind(Enum):
    MAP = auto()  # one output element per broadcast position
    REDUCE = auto()
    VIEW = auto()  # may share memory with its first argument
    INDEX = auto()  # gathers elements
    CREATE = auto()  # a new array from shapes, numbers or a copy
    LINALG = auto()
    OPAQUE = auto()  # NumPy's function, called as it is
    STORE = auto()  # writes to an argument
    CONTROL = auto()  # has bodies


class Effect(IntEnum):
    """Ordered: a call does what its worst part does."""

    SILENT = 0  # pure, cannot warn
    FLAGS = 1  # pure, may raise floating-point flags: NumPy warns through np.errstate
    LOUD = 2  # may emit Python warnings
    STORE = 3  # writes to an argument; may warn as well


Rule = Callable[["Op", Args, Kwargs], Inferred]
EffectRule = Callable[["Op", Args, Kwargs], Effect]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One row. `rule is None`: the type is known at run time only."""

    name: str
    target: Callable[..., Any] | None
    kind: Kind
    effect: Effect = Effect.SILENT
    rule: Rule | None = None
    effect_rule: EffectRule | None = None
    ufunc: np.ufunc | None = None  # the ufunc whose inner loop this is, element by element
    c: Mapping[str, str] | None = None  # dtype kind -> C expression, see ops_ufunc.py
    loop: bool = False  # a kernel may call the ufunc's own inner loop
    stores: tuple[int | str, ...] = ()  # arguments that are written: positions or keywords
    returns: int | None = None  # the result is this argument, the same object

    def infer(self, args: Args, kwargs: Kwargs) -> Inferred:
        """The type of the result; raises Unsupported where CPython must execute the call."""
        reject_objects(self, (args, kwargs))
        if self.rule is None:
            return None
        try:
            return self.rule(self, args, kwargs)
        except _REFUSALS as refusal:
            raise Unsupported(f"{self.name}: {refusal}") from refusal

    def effect_of(self, args: Args, kwargs: Kwargs) -> Effect:
        if self.effect_rule is not None:
            return self.effect_rule(self, args, kwargs)
        if writes_out(self, args, kwargs):
            return Effect.STORE
        return self.effect

    def same_object(self, args: Args, kwargs: Kwargs) -> Any:
        """The argument that comes back as the result, the same object; None if there is none."""
        if self.returns is not None and len(args) > self.returns:
            return args[self.returns]
        out = kwargs.get("out")
        if out is None and self.ufunc is not None and self.kind is Kind.MAP:
            out = args[self.ufunc.nin :] or None
        return out[0] if type(out) is tuple and len(out) == 1 else out

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


# What NumPy raises for arguments that do not fit.
_REFUSALS = (
    TypeError, ValueError, IndexError, OverflowError, AttributeError, ZeroDivisionError, MemoryError
)  # fmt: skip


def reject_objects(op: Op, tree: Any) -> None:
    """Raises Unsupported if a leaf is an object whose methods NumPy might call."""
    for leaf in leaves(tree):
        t = leaf_type(leaf)
        if isinstance(t, ObjectType) and not _plain(leaf):
            raise Unsupported(f"{op.name}: argument of type {t}")


def _plain(leaf: Any) -> bool:
    cls = type(leaf)
    if cls in _PLAIN_CLASSES or issubclass(cls, np.dtype):
        return True
    return cls is type and (leaf in _PYTHON_NUMBERS or issubclass(leaf, np.generic))


# Constants through which no NumPy function can reach the user's code.
_PYTHON_NUMBERS = frozenset((bool, int, float, complex, str, bytes))
_PLAIN_CLASSES = frozenset(
    (bool, int, float, complex, str, bytes, type(None), type(...), range, np.str_, np.bytes_)
) | {type(np._NoValue)}


def leaf_type(leaf: Any) -> Type:
    """The type of an argument: a value's, or that of a constant."""
    return leaf.type if type(leaf) is Value else type_of(leaf)


def writes_out(op: Op, args: Args, kwargs: Kwargs) -> bool:
    """Whether the call writes to an argument: a row that stores, `out=`, or a positional out."""
    if op.stores or kwargs.get("out") is not None:
        return True
    return op.ufunc is not None and op.kind is Kind.MAP and len(args) > op.ufunc.nin


@dataclass(frozen=True, slots=True)
class Operand:
    """An array-like argument as NumPy will see it."""

    type: ArrayType | ScalarType
    value: Any = field(default=None)  # the number, if constant

    @property
    def promotes_as(self) -> Any:
        """What ufunc.resolve_dtypes takes for it."""
        return self.type.pytype if self.weak else self.type.dtype  # type: ignore[union-attr]

    @property
    def weak(self) -> bool:
        """A Python int, float or complex; a Python bool promotes as NumPy's."""
        return (
            isinstance(self.type, ScalarType) and self.type.python and self.type.dtype.kind != "b"
        )


def operand(arg: Any) -> Operand | None:
    """The argument as an operand; None where only NumPy could tell (a list with values in it)."""
    t = leaf_type(arg)
    if isinstance(t, ArrayType):
        return Operand(t)
    if isinstance(t, ScalarType):
        return Operand(t, None if type(arg) is Value else arg)
    if type(arg) in (list, tuple):
        return _sequence(arg)
    raise Unsupported(f"argument of type {t}")


def _sequence(arg: list[Any] | tuple[Any, ...]) -> Operand | None:
    if any(type(leaf) is Value for leaf in leaves(arg)):
        return None
    t = type_of(np.asarray(arg))
    return Operand(t) if isinstance(t, ArrayType) else None
