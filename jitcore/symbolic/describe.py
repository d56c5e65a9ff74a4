"""A symbolic value → its class, and words for it in a report."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from jitcore.guards.guard import name_of
from jitcore.guards.source import shown
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.ir.value import given
from jitcore.symbolic.values import (
    Bound,
    Cell,
    CompiledFunction,
    Counted,
    Dict,
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
    Set,
    Slice,
    Super,
    TaggedUnion,
    Traced,
    Tuple,
    Var,
    View,
    Zip,
)
from jitcore.user.directives import COMPILED

CLASSES: dict[type, type] = {
    List: list,
    Dict: dict,
    Set: set,
    Func: types.FunctionType,
    CompiledFunction: COMPILED,
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
    CompiledFunction: "a compiled function",
    Method: "a method",
    Bound: "a method",
    Iter: "an iterator",
    Range: "a range",
    Counted: "an iterator",
    TaggedUnion: "a number whose type varies",
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
        case Traced(value):
            kind = value.type
            if isinstance(kind, ArrayType | DynArrayType):
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
        case Traced(value) if isinstance(value.type, ArrayType):
            return f"{with_article(str(value.type.dtype))} array of shape {value.type.shape}"
        case Traced(value) if isinstance(value.type, ScalarType):
            return number_words(value.type)
        case Traced() | Object() | Exc():
            cls = class_of(var)
            return f"{with_article(cls.__name__)} object" if cls is not None else "an object"
        case Tuple(cls=cls):
            return with_article(cls.__name__)
        case View(name=name):
            return f"the {name} of a dict"
    return WORDS.get(type(var), "a value")


def with_article(name: str) -> str:
    """With its article."""
    return f"{'an' if name[:1] in 'aeioAEIO' or name == 'ndarray' else 'a'} {name}"


def number_words(kind: ScalarType) -> str:
    return f"a Python {kind.pytype.__name__}" if kind.python else f"a NumPy {kind.dtype}"


def described(obj: object) -> str:
    """A constant: its value where that is short, else its class and name. It is not asked for
    either: the answer may be code of the user's."""
    if type(obj) in LITERALS:
        text = shown(obj)
        return text if len(text) <= 40 else with_article(type(obj).__name__)
    cls, name = type(obj).__name__, name_of(obj)
    return cls if name == cls else f"{cls} {name}"


def selected(args: tuple[Any, ...]) -> str:
    """What indices give whose values count, in words."""
    types = [value.type for value in given(args[1:], {})]
    by_mask = any(isinstance(t, ArrayType) and t.dtype.kind == "b" for t in types)
    return "boolean indexing" if by_mask else "a slice with ends that are computed at run time"
