"""A program's whole world as a tree: also functions, classes, modules and objects, by their parts.
None of the program's code runs.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Iterator
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from fuzzing.names import Names, cells

PLAIN = (
    np.ndarray, np.generic, np.dtype, int, float, complex, str, bytes, tuple, list, dict,
)  # fmt: skip
AS_IT_IS = (int, str, bool, bytes, type(None))
OF_CLASSES = (
    "__dict__", "__weakref__", "__annotations__", "__annotate__", "__doc__", "__module__",
    "__dataclass_fields__", "__dataclass_params__",
)  # fmt: skip
TAKEN_APART: dict[type, tuple[str, ...]] = {
    functools.partial: ("func", "args", "keywords"),
    MethodType: ("__func__", "__self__"),
    property: ("fget", "fset"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    ModuleType: ("__dict__",),
    types.SimpleNamespace: ("__dict__",),
}


class World(Names):
    def of(self, obj: Any) -> Any:
        cls = type(obj)
        if cls in AS_IT_IS:
            return cls.__name__, obj
        if cls is FunctionType:
            return self.function(obj)
        if isinstance(obj, ModuleType) and sys.modules.get(obj.__name__) is obj:
            return "module", obj.__name__
        mine = cls.__module__ == "program" and not issubclass(cls, np.ndarray)
        if mine or isinstance(obj, type | set | frozenset) or cls in TAKEN_APART:
            return self.again(obj) or (cls.__name__, *map(self.of, parts_of(obj)))
        if isinstance(obj, PLAIN):
            return super().of(obj)
        return cls.__name__, getattr(obj, "__name__", "")

    def again(self, obj: Any) -> Any:
        if id(obj) in self.met:
            return "again", self.met[id(obj)]
        self.met[id(obj)] = len(self.met)
        self.kept.append(obj)
        return None

    def function(self, obj: FunctionType) -> Any:
        code = obj.__code__.co_qualname, obj.__code__.co_firstlineno, len(obj.__code__.co_code)
        parts = cells(obj), obj.__defaults__, obj.__kwdefaults__
        if not any(parts):
            return obj.__qualname__, code
        return self.again(obj) or (obj.__qualname__, code, self.of(parts))


def parts_of(obj: Any) -> Iterator[Any]:
    cls = type(obj)
    if isinstance(obj, type):
        yield from (obj.__name__, tuple(base.__name__ for base in obj.__mro__))
        if obj.__module__ == "program":
            yield [(k, v) for k, v in vars(obj).items() if k not in OF_CLASSES]
    elif isinstance(obj, set | frozenset):
        yield sorted(map(repr, obj))
    elif cls in TAKEN_APART:
        yield [getattr(obj, name) for name in TAKEN_APART[cls]]
    else:
        yield from parts_of_instance(obj)


def parts_of_instance(obj: Any) -> Iterator[Any]:
    if isinstance(obj, tuple):
        yield tuple(tuple.__iter__(obj))
    if isinstance(obj, dict):
        yield list(dict.items(obj))
    for base in type(obj).__mro__:
        for name, member in vars(base).items():
            if isinstance(member, MemberDescriptorType):
                with contextlib.suppress(AttributeError, TypeError):
                    yield name, member.__get__(obj)
    with contextlib.suppress(AttributeError):
        yield list(object.__getattribute__(obj, "__dict__").items())
