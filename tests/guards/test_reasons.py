"""What failed, in the user's words: expression, before, after."""

from __future__ import annotations

import enum
from collections import namedtuple

import numpy as np
import pytest
from guard_frames import NULL, Frame, entry_of

from jitcore import _C
from jitcore.guards import guard as g
from jitcore.guards import source as s
from jitcore.guards.program import compile_guards
from jitcore.guards.reason import changes
from jitcore.ir.types import type_of
from jitcore.user.dynamic_axes import mark_static

X, Y = s.Local(0, "x"), s.Local(1, "y")
W = s.Attr(s.Local(0, "self"), "w")
ONES = np.ones((3, 64))


def told(guards, *locals, uses=None, **frame):
    """All changes, as text, of a made-up frame."""
    entry = entry_of(compile_guards(guards, (), uses or {}))
    at = Frame(*locals, **frame)
    found = entry.failing(at.locals, at.stack, at.globals, at.builtins)
    return [str(one) for row, seen in found for one in changes(entry.reasons[row], seen)]


class Layer:
    def __init__(self, w):
        self.w = w


class Sly(np.ndarray):
    """Says that it is something else."""

    __class__ = property(lambda self: pytest.fail("asked"))
    shape = property(lambda self: pytest.fail("asked"))


class Long(tuple):
    __slots__ = ()

    def __len__(self):
        pytest.fail("asked")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def of_array(now, source=X):
    return told([g.IsArray(source, type_of(ONES))], now)


def test_arrays():
    assert of_array(np.ones((3, 64))) == []
    assert of_array(np.ones((3, 128))) == ["x.shape[1]: 64 → 128"]
    assert of_array(np.ones((4, 128))) == ["x.shape[0]: 3 → 4", "x.shape[1]: 64 → 128"]
    assert of_array(ONES.astype("f4")) == ["x.dtype: float64 → float32"]
    assert of_array(ONES.astype("i8")) == ["x.dtype: float64 → int64"]
    assert of_array(np.asfortranarray(ONES)) == ["x.strides: (512, 8) → (8, 24)"]
    assert of_array(ONES[0]) == ["x.ndim: 2 → 1"]
    assert of_array(ONES.tolist()) == ["type(x): ndarray → list"]
    assert of_array(ONES.view(Sly)) == ["type(x): ndarray → Sly"]
    fixed = ONES.copy()
    fixed.flags.writeable = False
    assert of_array(fixed) == ["x.flags.writeable: True → False"]
    assert of_array(NULL) == ["x: there → missing"]
    assert told([g.IsArray(W, type_of(ONES))], Layer(np.ones((3, 128)))) == [
        "self.w.shape[1]: 64 → 128"
    ]


def test_arrays_of_many_sizes():
    guards = [
        g.IsSized(X, type_of(ONES), (2, 64), (100, 64), "C"),
        g.IsSized(Y, type_of(np.ones(9)), (2,), (100,), "C"),
        g.SameExtent(X, 0, Y, 0),
    ]
    assert told(guards, ONES, np.ones(3)) == []
    assert told(guards, ONES, np.ones(4)) == ["x.shape[0] == y.shape[0]: True → 3 and 4"]
    own = np.ones((3, 64))
    mark_static(own, 0)
    static = "x.shape: of any size → (3, 64), which is marked static"
    assert told(guards, own, np.ones(3)) == [static]
    assert told([*guards, g.Remainder(X, 0, 2, 1)], ONES, np.ones(3)) == []
    assert told([g.Remainder(X, 0, 2, 0)], ONES) == ["x.shape[0] % 2: 0 → 1"]
    assert told(guards, np.ones((1, 64)), np.ones(1)) == [
        "x.shape[0]: 2 to 100 → 1", "y.shape[0]: 2 to 100 → 1"
    ]  # fmt: skip
    assert told(guards, np.ones((3, 65)), np.ones(3)) == ["x.shape[1]: 64 → 65"]
    assert told(guards, np.ones((64, 3)).T, np.ones(3)) == ["x.strides: in C order → (8, 24)"]


def test_numbers_say_what_made_them_constants():
    guards = [g.Equals(X, 3)]
    uses = {X: "reaches a shape at line 12"}
    assert told(guards, 4, uses=uses) == ["x: 3 → 4 (reaches a shape at line 12)"]
    assert told(guards, 3.0) == ["x: 3 → 3.0"]
    assert told(guards, [3]) == ["x: 3 → a list"]
    assert told([g.Equals(X, "relu")], "x" * 1000)[0].endswith("…'")


def test_each_kind_of_guard():
    def own():
        pass

    names = {"a": np.add}
    assert told([g.HasType(X, int)], 1.0) == ["type(x): int → float"]
    assert told([g.IsObject(X, np.add)], np.multiply) == ["x: add → multiply"]
    assert told([g.IsObject(X, own)], lambda: None) == [
        f"x: {own.__qualname__} → {own.__qualname__.replace('own', '<lambda>')}"
    ]
    assert told([g.IsObject(X, Color.RED)], Color.BLUE) == ["x: Color.RED → Color.BLUE"]
    assert told([g.Length(X, 2)], [1, 2, 3]) == ["len(x): 2 → 3"]
    assert told([g.Length(X, 2)], Long((1, 2, 3))) == ["len(x): 2 → 3"]
    assert told([g.Keys(X, ("a",))], {"a": 1, "b": 2}) == ["list(x): ['a'] → ['a', 'b']"]
    assert told([g.Absent(s.Global("k"))], globals={"k": 1}) == ["k: absent → there"]
    assert told([g.SameObject(X, Y, True)], [], []) == ["x is y: True → False"]
    shared: dict[str, int] = {}
    assert told([g.Apart(X, Y)], shared, shared) == ["the dicts of x and y: two → one"]
    assert told([g.IsObject(s.Global("a"), np.subtract)], globals=names) == ["a: subtract → add"]


def test_a_class_that_was_changed():
    class Model:
        pass

    guards = [g.HasType(X, Model), g.TypeVersion(Model)]
    entry = entry_of(compile_guards(guards, ()))
    Model.extra = 1
    at = Frame(Model())
    ((row, seen),) = entry.failing(at.locals, at.stack, at.globals, at.builtins)
    (one,) = changes(entry.reasons[row], seen)
    assert str(one) == "class Model: as it was → changed"
    assert one.guard == f"class {Model.__qualname__} is unchanged"


def test_error_states():
    code = _C.errstate_code()
    with np.errstate(over="ignore"):
        assert told([g.ErrState(code)]) == ["np.geterr()['over']: warn → ignore"]


def test_what_hangs_below_is_left_out():
    """The second item of something that is no list is nothing to tell of."""
    below = s.Item(X, 1)
    guards = [g.HasType(X, list), g.Length(X, 2), g.Equals(below, 3), g.Equals(Y, 1)]
    assert told(guards, [0, 4], 1) == ["x[1]: 3 → 4"]
    assert told(guards, (0, 4), 2) == ["type(x): list → tuple", "y: 1 → 2"]
    assert told(guards, [0], 1) == ["len(x): 2 → 1"]
    assert told([g.HasType(W, list)], Layer(3)) == ["type(self.w): list → int"]
    assert told([g.HasType(W, list)], object()) == ["self.w: there → missing"]


def test_a_named_tuple_counts_its_items():
    Pair = namedtuple("Pair", "a b")
    assert told([g.Length(X, 3)], Pair(1, 2)) == ["len(x): 3 → 2"]
