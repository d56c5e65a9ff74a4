"""A class with annotations → a dataclass, in a fraction of the standard library's time.

`dataclasses` compiles up to six functions for each class, which was more than half of what it took
to load the compiler. Here only `__init__` is compiled, when the class is first called; what
compares, hashes, prints and protects fields is made without. To a type checker it is the standard
library's, and `fields`, `replace`, `asdict` and `is_dataclass` work on what it makes. It has the
options that jitcore uses, and does as the standard library, but for two things: there is no
ClassVar, InitVar and KW_ONLY, and fields are compared as tuples are, identity first, on 3.13 too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import TYPE_CHECKING, Any

Members = dict[str, tuple[Any, "Field[Any]"]]  # field → its annotation, and what field() gives
FIELDS, PARAMS = "__dataclass_fields__", "__dataclass_params__"


class Factory:
    """Stands in a signature for what a factory makes."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = Factory()


class Described:
    """What the standard library knows of a class that it has made; found out when it is asked for,
    from a class with the same fields."""

    __slots__ = ("eq", "frozen", "made", "members", "what")

    def __init__(self, what: str, members: Members, frozen: bool, eq: bool) -> None:
        self.what = what
        self.members = members
        self.frozen = frozen
        self.eq = eq
        self.made: Any = None

    def __get__(self, instance: object, owner: type) -> Any:
        if self.made is None:
            rows = [(name, kind, one) for name, (kind, one) in self.members.items()]
            plain = dataclasses.make_dataclass("Plain", rows, eq=self.eq, frozen=self.frozen)
            self.made = getattr(plain, self.what)
        return self.made


# ------------------------------------------------------------------------------------------ a class


def made(cls: type, frozen: bool, eq: bool, slots: bool, weakref_slot: bool) -> type:
    """The class itself or, with slots, another one in its place."""
    names = dict(vars(cls))
    own = {name: (kind, member(names, name)) for name, kind in annotated(names).items()}
    inherited = members_of_bases(cls)
    members = inherited | own
    new = methods(cls, members, frozen, eq) | (STATE if frozen and slots else {})
    new = {name: value for name, value in new.items() if not is_written(names, name)}
    new |= {what: Described(what, members, frozen, eq) for what in (FIELDS, PARAMS)}
    new["__match_args__"] = tuple(name for name, (_, one) in members.items() if one.init)
    if not slots:
        for name, value in new.items():
            setattr(cls, name, value)
        for name in own:
            if isinstance(names.get(name), Field):
                with_default(cls, name, names[name])
        return cls
    left = {*own, "__dict__", "__weakref__"}
    names = {name: value for name, value in names.items() if name not in left} | new
    names["__slots__"] = tuple(name for name in own if name not in inherited)
    if weakref_slot and not any(base.__weakrefoffset__ for base in cls.__bases__):
        names["__slots__"] += ("__weakref__",)
    new_class: type = type(cls)(cls.__name__, cls.__bases__, names)
    new_class.__qualname__ = cls.__qualname__
    return new_class


def annotated(names: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = names.get("__annotations__", {})
    return found


def member(names: Mapping[str, Any], name: str) -> Field[Any]:
    given = names.get(name, MISSING)
    made: Field[Any] = given if isinstance(given, Field) else dataclasses.field(default=given)
    return made


def members_of_bases(cls: type) -> Members:
    found: Members = {}
    for base in reversed(cls.__mro__[1:]):
        found |= vars(base)[FIELDS].members if FIELDS in vars(base) else {}
    return found


def is_written(names: Mapping[str, Any], name: str) -> bool:
    """In the class. Python adds a `__hash__` of None to one that has an `__eq__`."""
    return name in names and not (name == "__hash__" and names[name] is None)


def with_default(cls: type, name: str, one: Field[Any]) -> None:
    """What `field(default=...)` stands for when nobody has set it."""
    if one.default is MISSING:
        delattr(cls, name)
    else:
        setattr(cls, name, one.default)


# ------------------------------------------------------------------------------------- its methods


def methods(cls: type, members: Members, frozen: bool, eq: bool) -> dict[str, Any]:
    new: dict[str, Any] = {"__init__": Initial(members, frozen)}
    new["__replace__"] = dataclasses.replace
    new["__repr__"] = printing([name for name, (_, one) in members.items() if one.repr])
    if eq:
        key = key_of([name for name, (_, one) in members.items() if one.compare])
        new |= {"__eq__": equality(key), "__hash__": hashing(key) if frozen else None}
    return new | (FROZEN if frozen else {})


class Initial:
    """Stands for `__init__` until it is asked for: most classes are never called in a process."""

    __slots__ = ("frozen", "made", "members")

    def __init__(self, members: Members, frozen: bool) -> None:
        self.members = members
        self.frozen = frozen
        self.made: Any = None

    def __get__(self, instance: object, owner: type) -> Any:
        for cls in owner.__mro__:
            if vars(cls).get("__init__") is self:  # no thread has been here
                self.made = initial(cls, self.members, self.frozen)
                type.__setattr__(cls, "__init__", self.made)
        return self.made if instance is None else MethodType(self.made, instance)


def initial(cls: type, members: Members, frozen: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"FACTORY": FACTORY, "store": object.__setattr__}
    words, lines = ["self"], []
    for name, (_, one) in members.items():
        known |= {f"default_{name}": one.default, f"factory_{name}": one.default_factory}
        fresh = one.default_factory is not MISSING
        if one.init:
            given = "=FACTORY" if fresh else f"=default_{name}"
            words.append(name if not fresh and one.default is MISSING else name + given)
        elif not fresh and one.default is MISSING:
            continue
        value = name if one.init else f"default_{name}"
        if fresh:
            value = f"factory_{name}()"
            value += f" if {name} is FACTORY else {name}" if one.init else ""
        lines.append(f"store(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    lines += ["self.__post_init__()"] * hasattr(cls, "__post_init__")
    text = "def __init__(" + ", ".join(words) + "):\n  " + "\n  ".join(lines or ["pass"])
    exec(compile(text, f"{__file__}:{cls.__qualname__}", "exec"), known)  # a file of this folder
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {name: kind for name, (kind, one) in members.items() if one.init}
    init.__annotations__["return"] = None
    return init


def key_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def equality(key: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def hashing(key: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(key(self))

    return __hash__


def printing(names: Iterable[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def is_kept(self: Any, name: str) -> bool:
    """Subclasses that are no dataclasses may have attributes of their own."""
    return FIELDS in vars(type(self)) or name in getattr(self, FIELDS)


def set_if_free(self: Any, name: str, value: Any) -> None:
    if is_kept(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def delete_if_free(self: Any, name: str) -> None:
    if is_kept(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def set_state(self: Any, values: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), values, strict=True):
        object.__setattr__(self, one.name, value)


FROZEN: dict[str, Any] = {"__setattr__": set_if_free, "__delattr__": delete_if_free}
STATE: dict[str, Any] = {"__getstate__": state, "__setstate__": set_state}

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def replace(one, /, **changes):
        """As the standard library's, of what is made here: it asks for no Field."""
        made_here = next(vars(cls)[FIELDS] for cls in type(one).__mro__ if FIELDS in vars(cls))
        for name, (_, field) in made_here.members.items():
            if field.init:
                changes.setdefault(name, getattr(one, name))
        return type(one)(**changes)

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False, weakref_slot=False):
        """As the standard library's."""
        if cls is not None:
            return made(cls, frozen, eq, slots, weakref_slot)
        return lambda cls: made(cls, frozen, eq, slots, weakref_slot)
