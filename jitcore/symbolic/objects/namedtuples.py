"""Named tuples: classes that are as collections.namedtuple made them, and which item a name is.

Such a class may change later, as any other: what stands in its dict counts, not its `_fields`.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import CodeType, FunctionType
from typing import Any

Example = namedtuple("Example", ("one",))
OWN = frozenset(vars(Example))
SPECIAL = OWN - set(vars(tuple)) | {"__new__", "__doc__", "__repr__", "__getnewargs__"}
FROM_TYPING = {"__annotations__", "__orig_bases__", "__annotate__", "__static_attributes__"}
ALLOWED = SPECIAL | FROM_TYPING | {"__firstlineno__", "__annotations_cache__"}
Getter = type(vars(Example)["one"])


def is_namedtuple(cls: type) -> bool:
    """A tuple in all that Python's operators and builtins ask a class for."""
    return (
        issubclass(cls, tuple)
        and cls.__mro__[1:] == (tuple, object)
        and isinstance(cls.__dict__.get("_fields"), tuple)
        and "__new__" in cls.__dict__
        and not any(is_special(name) and name not in ALLOWED for name in cls.__dict__)
    )


def is_special(name: str) -> bool:
    return name.startswith("__") or name in tuple.__dict__


def item_of(cls: type, name: str) -> int | None:
    """Its index, if the class says that this attribute is an item."""
    found: Any = cls.__dict__.get(name)
    return found.__reduce__()[1][0] if type(found) is Getter else None


def count_of(new: FunctionType) -> int | None:
    """How many items a `__new__` puts into the tuple, if it does nothing else."""
    count = new.__code__.co_argcount - 1
    plain = new.__globals__.get("_tuple_new") is tuple.__new__ and count >= 0
    return count if plain and same_code(new.__code__, code_of(count)) else None


def same_code(a: CodeType, b: CodeType) -> bool:
    return (a.co_code, a.co_names, a.co_flags, a.co_kwonlyargcount) == (
        b.co_code,
        b.co_names,
        b.co_flags,
        b.co_kwonlyargcount,
    )


@cache
def code_of(count: int) -> CodeType:
    made = namedtuple("made", [f"a{i}" for i in range(count)])  # type: ignore[misc]
    code: CodeType = made.__new__.__code__
    return code
