"""A record is what the standard library would have made of the same class."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import weakref
from functools import cached_property
from typing import Any

import pytest

from jitcore import record

FORMS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"eq": False},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "weakref_slot": True},
]


def classes(made: Any, form: dict[str, bool]) -> tuple[type, type, type]:
    """The same three classes by either decorator."""

    @made.dataclass(**form)
    class Point:
        x: int
        y: Any = 0
        rest: list[int] = made.field(default_factory=list)
        length: int = made.field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", 2)

        def moved(self) -> Any:
            return type(self)(self.x + 1, self.y)

    @made.dataclass(**{**form, "weakref_slot": False})
    class Named(Point):
        name: str = "origin"

    @made.dataclass(**form)
    class Nothing:
        pass

    return Point, Named, Nothing


def tried(action: Any) -> Any:
    """What it gives, or the class of what it raises."""
    try:
        return action()
    except Exception as error:
        return type(error)


def facts(made: Any, form: dict[str, bool]) -> list[Any]:
    point, named, nothing = classes(made, form)
    a, b, c = point(1), point(1, 0, []), named(1, name="n")
    plain = point(1, rest=())
    return [
        *(a == b, a != b, a == c, a == 1, nothing() == nothing(), plain == point(1, rest=())),
        *(repr(one).replace("test_record.", "") for one in (a, c, nothing())),
        tried(lambda: isinstance(hash(plain), int)),
        tried(lambda: hash(plain) == hash(point(1, rest=()))),
        tried(lambda: isinstance(hash(a), int)),
        tried(lambda: setattr(a, "x", 5)),
        tried(lambda: delattr(a, "y")),
        tried(point),
        tried(lambda: point(1, 2, [], 4)),
        *(point.__match_args__, named.__match_args__),  # type: ignore[attr-defined]
        [one.name for one in dataclasses.fields(named)],
        dataclasses.replace(c, y=7).y,
        dataclasses.is_dataclass(a),
        *(hasattr(a, "__dict__"), point.__dict__.get("__slots__")),
        *(point.__name__, point.__qualname__, point.__module__),
        copy.copy(b).rest is b.rest,
        tried(lambda: isinstance(weakref.ref(a), weakref.ref)),
        *(point(1).moved().x, a.rest is not b.rest),
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(form) or "plain")
def test_like_the_standard_library(form: dict[str, bool]) -> None:
    assert facts(record, form) == facts(dataclasses, form)


def test_nan_is_itself_inside_a_record() -> None:
    """As in tuples, and on all versions; CPython 3.13 made another choice for dataclasses."""
    nan = float("nan")
    point, *_ = classes(record, {"frozen": True})
    assert point(nan) == point(nan) and point(nan) != point(float("nan"))

    @record.dataclass(frozen=True)
    class Only:
        value: float

    assert Only(nan) == Only(nan) and Only(nan) != Only(float("nan"))


@record.dataclass(frozen=True, slots=True)
class Kept:
    x: int
    y: str = "y"


def test_frozen_records_with_slots_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(3))) == copy.deepcopy(Kept(3)) == Kept(3)


def test_patterns() -> None:
    match Kept(1, "a"):
        case Kept(x, y):
            assert (x, y) == (1, "a")


def test_methods_of_the_class_stay() -> None:
    @record.dataclass(frozen=True)
    class Own:
        x: int

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

        @cached_property
        def twice(self) -> int:
            return 2 * self.x

    one = Own(3)
    assert hash(one) == 7 and repr(one) == "own" and one == Own(3) and one.twice == 6
