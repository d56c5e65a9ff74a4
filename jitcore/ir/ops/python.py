"""Rows: functions of Python's own on numbers. A row is made for each call, whose type is known.

py.int  py.abs  py.round  …     those of `builtins`, and pow of `operator`
math.sqrt  …                    those of `math`
py.list                         a list of numbers that a loop appends to
list.array  list.asarray        NumPy's, of such a list
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from jitcore.ir.op import Args, Effect, Inferred, Kind, Kwargs, Op, Unsupported
from jitcore.ir.types import ObjectType, ScalarType, type_of
from jitcore.ir.value import Value, map_tree

SAMPLES = (1, 0.5, 2, 0)


def new_list(*items: Any) -> list[Any]:
    return [*items]


def listed() -> dict[str, Callable[..., Any]]:
    names = ("bool", "int", "float", "complex", "abs", "round", "min", "max", "sum", "any", "all")
    found: dict[str, Callable[..., Any]] = {f"py.{name}": getattr(builtins, name) for name in names}
    found |= {f"math.{name}": fn for name, fn in vars(math).items() if callable(fn)}
    return found | {"py.pow": operator.pow, "py.list": new_list}


FUNCTIONS: Mapping[str, Callable[..., Any]] = listed()
NAMES = {id(fn): name for name, fn in FUNCTIONS.items()}


def python_row(fn: Callable[..., Any], kind: Any) -> Op:
    """Of a call that gives this type."""
    name = NAMES.get(id(fn), fn.__name__)
    return Op(name, fn, Kind.OPAQUE, Effect.FLAGS, lambda op, args, kwargs: kind)


def of_lists(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    return ObjectType(np.ndarray)


OF_LISTS = tuple(
    Op(f"list.{call.__name__}", call, Kind.OPAQUE, Effect.FLAGS, of_lists, lists=True)
    for call in (np.array, np.asarray)
)
LISTS = {row.name: row for row in OF_LISTS}


def row_read(name: str) -> Op:
    """As it is read from a text: the type is what the function gives of samples. KeyError if there
    is no such function."""
    if name in LISTS:
        return LISTS[name]
    return Op(name, FUNCTIONS[name], Kind.OPAQUE, Effect.FLAGS, of_samples)


def of_samples(op: Op, args: Args, kwargs: Kwargs) -> Inferred:
    assert op.target is not None
    for number in SAMPLES:
        try:
            found = type_of(op.target(*map_tree(partial(sample, number=number), args)))
        except (TypeError, ValueError, ArithmeticError):
            continue
        if isinstance(found, ScalarType) or found == ObjectType(list):
            return found
    raise Unsupported(f"{op.words} of these arguments")


def sample(leaf: Any, number: float) -> Any:
    if type(leaf) is not Value:
        return leaf
    t = leaf.type
    if not isinstance(t, ScalarType) or t.dtype.kind not in "biufc":
        raise TypeError(f"an argument of type {t}")
    return t.pytype(number) if t.python else t.dtype.type(number)
