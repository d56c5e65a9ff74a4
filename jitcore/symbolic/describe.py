"""A symbolic value → its class, and words for it in a report."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from jitcore.guards.guard import name_of
from jitcore.guards.source import shown
from jitcore.ir.types import ArrayType, ScalarType, SpanType
from jitcore.ir.value import given as values_in
from jitcore.marks import COMPILED
from jitcore.symbolic.values import (
    Bound,
    Cell,
    Compiled,
    Counted,
    Dict,
    Either,
    Enumerate,
    Exc,
    Filter,
    Func,
    Generator,
    Iter,
    Known,
    List,
    Map,
    Masked,
    Method,
    Object,
    Partial,
    Range,
    Run,
    Set,
    Slice,
    Super,
    Tuple,
    Var,
    View,
    Zip,
)

CLASSES: dict[type, type] = {
    List: list,
    Dict: dict,
    Set: set,
    Func: types.FunctionType,
    Compiled: COMPILED,
    Method: types.MethodType,
    Masked: np.ndarray,
    Range: range,
}
LITERALS = (str, bytes, int, float, complex, bool, type(None))
WORDS: dict[type, str] = {
    List: "a list",
    Dict: "a dict",
    Set: "a set",
    Slice: "a slice",
    Cell: "a captured variable",
    Func: "a function",
    Compiled: "a compiled function",
    Method: "a method",
    Bound: "a method",
    Iter: "an iterator",
    Range: "a range",
    Counted: "an iterator",
    Either: "a number of one type or another",
    Zip: "a zip() in use",
    Enumerate: "an enumerate() in use",
    Map: "a map() in use",
    Filter: "a filter() in use",
    Generator: "a generator",
    Super: "super()",
    Partial: "a functools.partial",
    Masked: "an array",
}


def class_of(var: Var) -> type | None:
    """The class that `type()` would give; None where only run time knows."""
    match var:
        case Known(obj):
            return type(obj)
        case Object(cls=cls) | Tuple(cls=cls) | Exc(cls=cls):
            return cls
        case Run(value):
            kind = value.type
            if isinstance(kind, ArrayType | SpanType):
                return np.ndarray
            if isinstance(kind, ScalarType):
                return type(kind.dtype.type(0).item()) if kind.python else kind.dtype.type
            return kind.cls
        case View(name=name):
            return type(getattr({}, name)())
    return CLASSES.get(type(var))


def describe(var: Var) -> str:
    match var:
        case Known(obj):
            return described(obj)
        case Run(value) if isinstance(value.type, ArrayType):
            return f"a {value.type.dtype} array of shape {value.type.shape}"
        case Run(value) if isinstance(value.type, ScalarType):
            return number_words(value.type)
        case Run() | Object() | Exc():
            cls = class_of(var)
            return f"a {cls.__name__} object" if cls is not None else "an object"
        case Tuple(cls=cls):
            return f"a {cls.__name__}"
        case View(name=name):
            return f"the {name} of a dict"
    return WORDS.get(type(var), "a value")


def number_words(kind: ScalarType) -> str:
    return f"a Python {kind.pytype.__name__}" if kind.python else f"a NumPy {kind.dtype}"


def described(obj: object) -> str:
    """A constant: its value where that is short, else its class and name. It is not asked for
    either: the answer may be code of the user's."""
    if type(obj) in LITERALS:
        text = shown(obj)
        return text if len(text) <= 40 else f"a {type(obj).__name__}"
    cls, name = type(obj).__name__, name_of(obj)
    return cls if name == cls else f"{cls} {name}"


def selected(given: tuple[Any, ...]) -> str:
    """What indices give whose values count, in words."""
    types = [value.type for value in values_in(given[1:], {})]
    by_mask = any(isinstance(t, ArrayType) and t.dtype.kind == "b" for t in types)
    return "boolean indexing" if by_mask else "a slice with ends that are computed at run time"
