"""The row: all that the compiler knows of an operation.

    op.infer(args, kwargs)      Values and constants -> the type of the result
    op.effect_of(args, kwargs)  what this call may do besides computing its result

`infer` is exact or silent: a type (a tuple of types for several results), None for "known only at
run time", or Unsupported: the call may run the user's code, or NumPy will refuse it. CPython must
then execute it.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import Enum, IntEnum, auto
from functools import cache, lru_cache
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import no_value
from jitcore.ir.c_expression import CExpression
from jitcore.ir.call_facts import ANSWERS, Facts, facts_of, like
from jitcore.ir.types import ArrayType, ObjectType, ScalarType, Type, is_plain_dtype, type_of
from jitcore.ir.value import Value, arguments, leaves

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
SameRule = Callable[["Op", Args, Kwargs], Any]


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
    c: Mapping[str, CExpression] | None = None  # by dtype kind, see ir/ops/ufunc.py
    loop: bool = False  # a kernel may call the ufunc's own inner loop
    stores: tuple[int | str, ...] = ()  # arguments that are written: positions or keywords
    returns: int | None = None  # the result is this argument, the same object
    same_rule: SameRule | None = None  # as `returns`, where it depends on the arguments
    fold: Callable[[ArrayType], Any] | None = None  # the value, told by the type of one array
    operands: int = 1  # so many leading arguments are operands; others should be constants
    lists: bool = False  # its first argument may be a list of plain objects that the region made

    def infer(self, args: Args, kwargs: Kwargs) -> Inferred:
        """The type of the result; raises Unsupported where CPython must execute the call."""
        facts = facts_of(args) if self.kind is Kind.MAP and not kwargs else None
        return self.ask(args, kwargs) if facts is None else _type_for(self, facts)

    def ask(self, args: Args, kwargs: Kwargs) -> Inferred:
        """The same, of NumPy if need be."""
        reject_objects(self, args, kwargs)
        out = out_argument(self, args, kwargs)
        if any(one is ... for one in (out if type(out) is tuple else (out,))):
            raise Unsupported(f"{self.words}: out=... asks for an array, even for a number")
        if out is not None:  # it comes back, the same object
            kind = None if type(out) is tuple else leaf_type(out)
            if self.name in _NUMBERS and getattr(kind, "shape", None) == ():
                raise Unsupported(f"{self.words} with a zero-dimensional out= returns a number")
            return kind
        if self.rule is None:
            return None
        try:
            return self.rule(self, args, kwargs)
        except _REFUSALS as refusal:
            raise Unsupported(f"{self.words}: {refusal}") from refusal

    def effect_of(self, args: Args, kwargs: Kwargs) -> Effect:
        effect = self._own_effect(args, kwargs)
        numbers = effect is Effect.SILENT and self.kind is not Kind.VIEW  # there they are places
        return Effect.FLAGS if numbers and narrows(args, kwargs) else effect

    def _own_effect(self, args: Args, kwargs: Kwargs) -> Effect:
        if self.effect_rule is not None:
            return self.effect_rule(self, args, kwargs)
        if writes_out(self, args, kwargs):
            return Effect.STORE
        if self.kind is not Kind.VIEW and discards_imaginary(args, kwargs):
            return max(self.effect, Effect.LOUD)
        return self.effect

    def same_object(self, args: Args, kwargs: Kwargs) -> Any:
        """The argument that comes back as the result, the same object; None if there is none."""
        if self.returns is not None and isinstance(leaf_type(args[self.returns]), ArrayType):
            return args[self.returns]
        if self.same_rule is not None:
            return self.same_rule(self, args, kwargs)
        return out_argument(self, args, kwargs)

    @property
    def words(self) -> str:
        """Its name for users, who know NumPy's and Python's."""
        prefix, _, rest = self.name.rpartition(".")
        if self.name in _WORDS:
            return _WORDS[self.name]
        if prefix == "op" and hasattr(operator, rest):
            return f"operator.{rest}"
        return rest if prefix in ("op", "list", "scalar") else self.name

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


_WORDS = {
    **dict.fromkeys(("getitem", "span.item", "span.take", "seq.item", "span"), "indexing"),
    **dict.fromkeys(("setitem", "span.put", "span.store", "seq.store"), "assignment to items"),
    "masked_store": "assignment to items",
    "span.transpose": "transpose",
    "seq.append": "list.append",
    "for": "a for loop",
    "leave": "leaving it (break, return)",
}


@lru_cache(maxsize=ANSWERS)
def _type_for(op: Op, facts: Facts) -> Inferred:
    return op.ask(like(facts), {})


# What NumPy raises for arguments that do not fit.
_REFUSALS = (
    TypeError, ValueError, IndexError, OverflowError, AttributeError, ZeroDivisionError, MemoryError
)  # fmt: skip


def reject_objects(op: Op, args: Args, kwargs: Kwargs) -> None:
    """Raises Unsupported if a leaf is an object whose methods NumPy might call."""
    for leaf in arguments(args[op.lists :], kwargs):
        t = leaf_type(leaf)
        if isinstance(t, ObjectType) and not _plain(leaf):
            what = "dtype object" if leaf is object else f"an argument of type {t.name}"
            raise Unsupported(f"{op.words} with {what}")


def _plain(leaf: Any) -> bool:
    cls = type(leaf)
    if cls in _PLAIN_CLASSES or is_plain_dtype(leaf):
        return True
    return cls is type and (leaf in _PYTHON_NUMBERS or issubclass(leaf, np.generic))


# Constants through which no NumPy function can reach the user's code.
_PYTHON_NUMBERS = frozenset((bool, int, float, complex, str, bytes))
_PLAIN_CLASSES = frozenset(
    (bool, int, float, complex, str, bytes, type(None), type(...), range, np.str_, np.bytes_)
) | {type(no_value)}


def leaf_type(leaf: Any) -> Type:
    """The type of an argument: a value's, or that of a constant."""
    return leaf.type if type(leaf) is Value else type_of(leaf)


def writes_out(op: Op, args: Args, kwargs: Kwargs) -> bool:
    """Whether the call writes to an argument: a row that stores, or an `out`."""
    if op.stores or kwargs.get("overwrite_input"):
        return True
    return out_argument(op, args, kwargs) is not None


def discards_imaginary(args: Args, kwargs: Kwargs) -> bool:
    """Whether a complex operand meets an explicit dtype: a cast to real emits a ComplexWarning."""
    if not any(_is_dtype(leaf) for leaf in arguments(args[1:], kwargs)):
        return False
    types = map(leaf_type, arguments(args, kwargs))
    return any(not isinstance(t, ObjectType) and t.dtype.kind == "c" for t in types)


def narrows(args: Args, kwargs: Kwargs) -> bool:
    """Whether a number may be cast to floats that do not reach so far: NumPy warns of overflow."""
    given = arguments(args, kwargs)
    numbers = [one for one in given if _is_python_number(one)]
    return bool(numbers) and any(
        not _reaches(char, number) for char in _narrow_floats(given) for number in numbers
    )


def _is_python_number(leaf: Any) -> bool:
    if type(leaf) is Value:
        return isinstance(leaf.type, ScalarType) and leaf.type.python
    return type(leaf) in (int, float, complex)


def _narrow_floats(given: Iterable[Any]) -> set[str]:
    """float16, float32 and complex64 among the arrays, scalars and dtypes of a call."""
    found = set()
    for leaf in given:
        if type(leaf) in _WIDE:
            continue
        t = leaf if isinstance(leaf, np.dtype) else getattr(leaf_type(leaf), "dtype", None)
        if _is_dtype(leaf) and not isinstance(leaf, np.dtype):
            t = _named_dtype(leaf)
        if isinstance(t, np.dtype) and t.char in "efF":
            found.add(t.char.lower())
    return found


_WIDE = frozenset((bool, int, float, complex, type(None)))


def _named_dtype(leaf: Any) -> np.dtype[Any] | None:
    """A text may be anything: NumPy reads parts of it as Python."""
    try:
        named: np.dtype[Any] = np.dtype(leaf)
    except (TypeError, ValueError, SyntaxError):
        return None
    return named


def _reaches(char: str, number: Any) -> bool:
    if type(number) is Value:
        return False
    limits = np.finfo(char)
    parts = (number.real, number.imag)
    return all(
        part == 0 or part in (np.inf, -np.inf) or part != part
        or float(limits.tiny) <= abs(part) <= float(limits.max)
        for part in parts
    )  # fmt: skip


def _is_dtype(leaf: Any) -> bool:
    return type(leaf) in (str, type) or isinstance(leaf, np.dtype)


def out_argument(op: Op, args: Args, kwargs: Kwargs) -> Any:
    """What the result is written to: an array, or a tuple of them; None if there is none."""
    out = kwargs.get("out")
    if out is None and op.target is not None and len(args) > 1:
        if op.ufunc is not None and op.kind is Kind.MAP:
            out = args[op.ufunc.nin :] or None
        else:
            place = out_position(op.name, op.target)
            out = args[place] if place is not None and len(args) > place else None
    if type(out) is tuple and all(one is None for one in out):
        return None
    return out[0] if type(out) is tuple and len(out) == 1 else out


_NUMBERS = frozenset(("dot", "ndarray.dot"))  # of an `out` with no axis it gives what is in it

# Where built-in functions without a signature take `out` by position, the array being the first.
_OUT_POSITIONS: Mapping[str, int] = {
    **dict.fromkeys(("sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "take"), 3),
    **dict.fromkeys(("max", "min", "any", "all", "argmax", "argmin", "round", "dot", "choose"), 2),
    **dict.fromkeys(("clip", "compress", "reduce", "accumulate"), 3),
    **dict.fromkeys(("concatenate", "outer"), 2),
    "reduceat": 4,
    "trace": 5,
}


@cache
def out_position(name: str, target: Callable[..., Any]) -> int | None:
    if isinstance(target, np.ufunc):
        return target.nin
    if getattr(target, "__module__", None) == "builtins":  # min(a, b, c) is no min(a, axis, out)
        return None
    if name == "ndarray.choose":  # a.choose(x, y, z) has three choices
        return None
    known = _OUT_POSITIONS.get(name.rpartition(".")[2])
    text = getattr(target, "__text_signature__", None)
    if text is not None and "out" not in text:  # parsing it takes long
        return None
    try:
        words = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return known
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [word.name for word in words if word.kind in by_position]
    return names.index("out") if "out" in names else None


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
        t = self.type
        return isinstance(t, ScalarType) and t.python and t.dtype.kind != "b"


def operand(arg: Any) -> Operand | None:
    """The argument as an operand; None where only NumPy could tell (a list with values in it)."""
    t = leaf_type(arg)
    if isinstance(t, ArrayType):
        return Operand(t)
    if isinstance(t, ScalarType):
        return Operand(t, None if type(arg) is Value else arg)
    if type(arg) in (list, tuple):
        return _sequence(arg)
    name = t.name if isinstance(t, ObjectType) else str(t)
    raise Unsupported(f"an argument of type {name}")


def _sequence(arg: list[Any] | tuple[Any, ...]) -> Operand | None:
    if any(type(leaf) is Value for leaf in leaves(arg)):
        return None
    t = type_of(np.asarray(arg))
    return Operand(t) if isinstance(t, ArrayType) else None
