"""jitcore's own dataclasses do as the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from jitcore.host.fast_dataclass import made

OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"eq": False, "slots": True},
    {"frozen": True, "eq": False, "slots": True, "weakref_slot": True},
]
DEFAULTS: dict[str, Any] = {"frozen": False, "eq": True, "slots": False, "weakref_slot": False}
Found = TypeVar("Found")


def classes(options: dict[str, Any], ours: bool) -> tuple[type, ...]:
    def make(cls: type) -> Any:
        return made(cls, **DEFAULTS | options) if ours else dataclasses.dataclass(cls, **options)

    @make
    class Point:
        """A point."""

        x: float
        y: float = 0.0
        names: list[str] = field(default_factory=list)
        seen: int = field(default=3, compare=False, repr=False)

        def norm(self) -> float:
            return abs(self.x) + abs(self.y)

    @make
    class Deep(Point):
        depth: int = 7
        y: float = 1.5

    @make
    class Derived:
        x: int
        twice: int = field(init=False)
        text: str = field(init=False, default="none")

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.x)

    @make
    class Own(Generic[Found]):
        x: Any = None

        def __repr__(self) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return True

    @make
    class Empty:
        pass

    return Point, Deep, Derived, Own, Empty


def tried(do: Any) -> Any:
    try:
        return do()
    except Exception as error:
        return type(error), str(error)


def behaviour(kind: type, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """All that can be seen of one object of the class, and of the class."""
    one, two = tried(lambda: kind(*args, **kwargs)), tried(lambda: kind(*args, **kwargs))
    if isinstance(one, tuple):
        return {"error": one}
    names = [each.name for each in dataclasses.fields(kind)]
    return {
        "names": names,
        "values": [tried(lambda n=n: getattr(one, n)) for n in names],
        "repr": repr(one),
        "equal": (one == two, one != two, one == 3, one == copy.copy(one)),
        "hash": tried(lambda: hash(one) == hash(two)),
        "set": tried(lambda: setattr(one, "x", 9)) if "x" in names else None,
        "new": tried(lambda: setattr(one, "other", 9)) is None,
        "delete": tried(lambda: delattr(one, "x")) if "x" in names else None,
        "replaced": tried(lambda: repr(dataclasses.replace(two, x=5))),
        "dict": tried(lambda: dataclasses.asdict(two)),
        "match": kind.__match_args__,
        "frozen": (kind.__dataclass_params__.frozen, kind.__dataclass_params__.eq),
        "copied": tried(lambda: repr(copy.replace(two, x=5))) if hasattr(copy, "replace") else "",
        "subclass": subclass(kind),
        "derived": tried(lambda: repr(dataclasses.dataclass(type("Derived", (kind,), {}))().x)),
        "signature": str(inspect.signature(kind)),
        "slots": kind.__dict__.get("__slots__"),
        "doc": kind.__doc__ if kind.__name__ == "Point" else None,
        "name": (kind.__name__, kind.__qualname__, kind.__module__),
        "is": dataclasses.is_dataclass(kind) and dataclasses.is_dataclass(two),
        "weak": hasattr(two, "__weakref__"),
    }


def subclass(kind: type) -> Any:
    """A plain one has attributes of its own; fields stay as they are."""
    one = tried(lambda: type("Plain", (kind,), {})(1))
    return [tried(lambda n=n: (setattr(one, n, 2), getattr(one, n))) for n in ("x", "own")]


CALLS: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
    (0, (1.0,), {}),
    (0, (1.0, 2.0, ["a"]), {"seen": 4}),
    (0, (), {}),
    (0, (1, 2, 3, 4, 5), {}),
    (0, (1,), {"unknown": 1}),
    (1, (1.0,), {"depth": 2}),
    (1, (1.0,), {}),
    (2, (4,), {}),
    (3, (), {}),
    (3, (3,), {}),
    (4, (), {}),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("which", "args", "kwargs"), CALLS)
def test_it_is_as_the_standard_librarys(options, which, args, kwargs) -> None:
    ours = behaviour(classes(options, True)[which], *args, **kwargs)
    theirs = behaviour(classes(options, False)[which], *args, **kwargs)
    if options.get("frozen") and options.get("slots"):  # the standard library's super() fails there
        ours.pop("subclass", None), theirs.pop("subclass", None)
    assert ours == theirs


def test_the_same_nan_is_equal_to_itself() -> None:
    """As in tuples: what is compared are the caller's own objects, arrays among them."""
    point, nan = classes({"eq": True}, True)[0], float("nan")
    assert point(nan) == point(nan) != point(float("nan"))


def test_a_plain_subclass_of_a_frozen_one_with_slots_has_attributes_of_its_own() -> None:
    kind = type("Plain", classes({"frozen": True, "slots": True}, True)[:1], {})
    one = kind(1.0)
    one.own = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 2
    assert (one.x, one.own) == (1.0, 2)


def test_each_object_has_a_list_of_its_own() -> None:
    point = classes({"slots": True}, True)[0]
    assert point(1).names is not point(1).names


def test_what_holds_itself_is_printed() -> None:
    point = classes({}, True)[0](1.0)
    point.names.append(point)
    assert repr(point).endswith("names=[...])")


class Plain:
    x: int
    y: int


Frozen = made(Plain, frozen=True, eq=True, slots=True, weakref_slot=False)
Frozen.__qualname__ = "Frozen"


def test_frozen_ones_with_slots_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Frozen(1, 2))) == copy.deepcopy(Frozen(1, 2)) == Frozen(1, 2)
