"""Class with annotations → a record, as dataclasses makes it, in a sixth of the time.

    @dataclass(frozen=True, slots=True)       __init__                 compiled from a text
    class Place:                              __eq__ __hash__ …        one function for all records,
        array: Value                                                   over the fields' names
        offset: int

dataclasses compiles half a dozen texts for a class, which was half of the time that it took to load
jitcore. This does what records here need, and its fields are those of the standard library, so
`replace` is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import _FIELD as PLAIN  # type: ignore[attr-defined]
from dataclasses import MISSING, Field, FrozenInstanceError, field, replace
from inspect import get_annotations
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")
Fields = dict[str, Field[Any]]
Methods = dict[str, Any]


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, weakref_slot: bool = False
) -> Callable[[type[T]], type[T]]:
    """The decorator, with the arguments of the standard library's."""

    def record(cls: type[T]) -> type[T]:
        own = own_fields(cls)
        inherited = (getattr(base, "__dataclass_fields__", {}) for base in reversed(cls.__mro__))
        fields = {name: one for some in (*inherited, own) for name, one in some.items()}
        methods = {
            "__dataclass_fields__": fields,
            "__match_args__": tuple(name for name, one in fields.items() if one.init),
            "__init__": initialiser(cls, fields, frozen),
            "__repr__": shown,
            **(comparing(fields, frozen) if eq else {}),
            **(FROZEN if frozen else {}),
            **(PICKLED if frozen and slots else {}),
        }
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(cls, name, method)
        return slotted(cls, own, weakref_slot) if slots else cls

    return record


def own_fields(cls: type) -> Fields:
    """Those that the class itself declares; its attributes become their defaults."""
    found: Fields = {}
    for name, kind in get_annotations(cls).items():
        default = cls.__dict__.get(name, MISSING)
        one: Any = default if isinstance(default, Field) else field(default=default)
        one.name, one.type, one.kw_only, one._field_type = name, kind, False, PLAIN
        if one is default:
            delattr(cls, name)
        if one.default is not MISSING:
            setattr(cls, name, one.default)
        found[name] = one
    return found


def initialiser(cls: type, fields: Fields, frozen: bool) -> Any:
    """Assigns the fields; where the class refuses that, past the class."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    given = ["self"]
    lines = ["pass"]
    for name, one in fields.items():
        if not one.init:
            continue
        value = name
        if one.default_factory is not MISSING:
            known[f"_{name}"] = one.default_factory
            given.append(f"{name}=_missing")
            value = f"_{name}() if {name} is _missing else {name}"
        elif one.default is not MISSING:
            known[f"_{name}"] = one.default
            given.append(f"{name}=_{name}")
        else:
            given.append(name)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(given)}):\n " + "\n ".join(lines), known)
    return known["__init__"]


def comparing(fields: Fields, frozen: bool) -> Methods:
    """By the fields' values, in order; only what cannot change has a hash."""
    names = [name for name, one in fields.items() if one.compare]
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda self: ()
    if len(names) == 1:
        (only,) = names
        values = attrgetter(only, only)  # a tuple: an object is equal to itself inside one

    def equal(self: Any, other: Any) -> Any:
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def shown(self: Any) -> str:
    fields = self.__dataclass_fields__.values()
    parts = (f"{one.name}={getattr(self, one.name)!r}" for one in fields if one.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def refused(self: object, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def restore(self: Any, values: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, values, strict=True):
        object.__setattr__(self, name, value)


FROZEN: Methods = {"__setattr__": refused, "__delattr__": refused}
PICKLED: Methods = {"__getstate__": state, "__setstate__": restore}


def slotted(cls: type[T], own: Fields, weakref_slot: bool) -> type[T]:
    """The same class with a slot for each of its own fields."""
    left = {*own, "__dict__", "__weakref__"}
    inside = {name: value for name, value in cls.__dict__.items() if name not in left}
    inside["__slots__"] = (*own, *(["__weakref__"] if weakref_slot else []))
    made: type[T] = type(cls)(cls.__name__, cls.__bases__, inside)  # type: ignore[misc]
    made.__qualname__ = cls.__qualname__
    return made
