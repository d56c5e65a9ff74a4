"""Each kind of source is found again on a frame, and is missing where it is not there."""

from __future__ import annotations

import functools
import sys
import types

import guard_frames
import pytest
from guard_frames import NULL, checker, loader

from jitcore import _C
from jitcore.errors import InternalError
from jitcore.guards import guard as g
from jitcore.guards import source as s

X = s.Local(0, "x")


class Plain:
    def __init__(self, **attrs):
        self.__dict__.update(attrs)


class Slots:
    __slots__ = ("__weakref__", "a", "b")


class Ruined(str):
    """As a key, it makes every look-up of its hash run this."""

    compared = 0

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        type(self).compared += 1
        return False


def function(a, b=2, *, c=3):
    return a


def closed(value):
    def inner():
        return value

    return inner


def test_roots():
    assert loader(X)(7) == 7
    assert loader(X)(NULL) is NULL
    assert loader(s.Local(1, "y"))(1, 2) == 2
    assert loader(s.Stack(1))(stack=(1, 2)) == 2
    assert loader(s.Stack(0))(stack=(NULL, 2)) is NULL
    assert loader(s.Const(function))() is function
    names = {"a": 5}
    assert loader(s.Global("a"))(globals=names) == 5
    assert loader(s.Global("b"))(globals=names) is NULL
    assert loader(s.FrameGlobals())(globals=names) is names
    assert loader(s.FrameBuiltins())(builtins_=names) is names
    assert loader(s.Builtin("len"))() is len
    assert loader(s.Builtin("a"))(builtins_=names) == 5


def test_cells():
    cell = types.CellType(4)
    assert loader(s.CellContent(0, "x"))(cell) == 4
    del cell.cell_contents
    assert loader(s.CellContent(0, "x"))(cell) is NULL
    assert loader(s.CellContent(0, "x"))(4) is NULL
    assert loader(s.ClosureContent(X, 0))(closed(9)) == 9
    assert loader(s.ClosureContent(X, 1))(closed(9)) is NULL
    assert loader(s.ClosureContent(X, 0))(function) is NULL


@pytest.mark.parametrize(
    "part", ["code", "globals", "builtins", "defaults", "kwdefaults", "closure"]
)
def test_function_parts(part):
    load = loader(s.FunctionPart(X, part))
    for fn in (function, closed(1)):
        assert load(fn) is getattr(fn, f"__{part}__")
    assert load(len) is NULL


def test_methods_and_partials():
    method = Plain().__init__
    assert loader(s.MethodFunc(X))(method) is method.__func__
    assert loader(s.MethodSelf(X))(method) is method.__self__
    assert loader(s.MethodSelf(X))(5) is NULL
    partial = functools.partial(function, 1, c=2)
    for part in ("func", "args", "keywords"):
        assert loader(s.PartialPart(X, part))(partial) is getattr(partial, part)
    assert loader(s.PartialPart(X, "func"))(5) is NULL


def test_items_and_keys():
    for sequence in ((1, 2), [1, 2]):
        assert loader(s.Item(X, 1))(sequence) == 2
        assert loader(s.Item(X, 2))(sequence) is NULL
    assert loader(s.Item(X, 0))("ab") is NULL
    assert loader(s.Key(X, "a", str))({"a": 1}) == 1
    assert loader(s.Key(X, "b", str))({"a": 1}) is NULL
    guarded = loader(s.Key(X, 2, int), g.Keys(X, (1, 2)))
    assert guarded({1: "one", 2: "two"}) == "two"
    assert guarded({2: "two", 1: "one"}) is NULL
    with pytest.raises(InternalError):
        loader(s.Key(X, 2, int))


def instance_states():
    """Instances whose attribute `a` is 1, kept in every way that CPython has."""
    yield Plain(a=1)
    shared = Plain()
    shared.b, shared.a = 0, 1
    yield shared
    shown = Plain()
    shown.a = 1
    assert vars(shown)
    yield shown
    replaced = Plain()
    replaced.__dict__ = {"z": 0, "a": 1}
    yield replaced
    crowded = Plain()
    for i in range(40):
        setattr(crowded, f"n{i}", i)
    crowded.a = 1
    yield crowded
    other_name = Plain()
    other_name.__dict__["".join(["", "a"])] = 1
    yield other_name
    error = type("Error", (Exception,), {})()
    error.a = 1
    yield error
    big = type("Big", (int,), {})(10**30)
    big.a = 1
    yield big
    many = type("Many", (tuple,), {})(range(9))
    many.a = 1
    yield many


@pytest.mark.parametrize("obj", list(instance_states()), ids=range(9))
def test_instance_attributes(obj):
    load, absent = loader(s.Attr(X, "a")), checker(g.Absent(s.Attr(X, "a")))
    assert load(obj) == 1
    assert not absent(obj)
    obj.a = "again"
    assert load(obj) == "again"
    del obj.a
    assert load(obj) is NULL
    assert absent(obj)
    obj.a = 2
    assert load(obj) == 2


def test_reading_an_attribute_makes_no_dict():
    obj = Plain.__new__(Plain)
    obj.a = 1
    size = sys.getsizeof(obj)
    assert loader(s.Attr(X, "a"))(obj) == 1
    assert checker(g.Absent(s.Attr(X, "b")))(obj)
    assert sys.getsizeof(obj) == size


def test_attributes_of_the_class_are_not_the_instance_s():
    obj = Plain()
    assert loader(s.Attr(X, "__init__"))(obj) is NULL
    assert checker(g.Absent(s.Attr(X, "__init__")))(obj)
    obj.__dict__["__init__"] = 5
    assert not checker(g.Absent(s.Attr(X, "__init__")))(obj)


def test_no_descriptor_is_called():
    ran = []

    class Late:
        def __get__(self, instance, owner):
            ran.append("get")

    class Owner:
        late = Late()

        @property
        def data(self):
            ran.append("property")

    class Fallback:
        def __getattr__(self, name):
            ran.append("getattr")

    class Hooked:
        def __getattribute__(self, name):
            ran.append("getattribute")

    obj = Owner()
    obj.__dict__["data"] = 1
    assert loader(s.Attr(X, "late"))(obj) is NULL
    assert loader(s.Attr(X, "data"))(obj) is NULL
    assert loader(s.Attr(X, "nothing"))(obj) is NULL
    assert checker(g.Absent(s.Attr(X, "late")))(obj)
    assert not checker(g.Absent(s.Attr(X, "data")))(obj)
    for other in (Fallback(), Hooked()):
        assert loader(s.Attr(X, "late"))(other) is NULL
        assert not checker(g.Absent(s.Attr(X, "late")))(other)
    assert ran == []


def test_slots():
    load = loader(s.Slot(X, "b", Slots))
    obj = Slots()
    assert load(obj) is NULL
    obj.b = 3
    assert load(obj) == 3
    assert load(type("Sub", (Slots,), {})()) is NULL
    assert load(object()) is NULL
    assert load(5) is NULL


def test_slots_of_a_class_that_is_gone():
    cls = type("Gone", (), {"__slots__": ("a",)})
    load = loader(s.Slot(X, "a", cls))
    del cls
    assert load(Slots()) is NULL


def test_only_objects_have_slots():
    assert _C.slot_offset(Slots.a) > 0
    assert _C.slot_offset(complex.real) == -1
    with pytest.raises(TypeError):
        _C.slot_offset(Plain.__init__)


def test_modules():
    ran = []
    module = types.ModuleType("m")
    module.a = 1
    module.__getattr__ = ran.append
    load = loader(s.ModuleAttr(X, "a"))
    assert load(module) == 1
    assert loader(s.ModuleAttr(X, "b"))(module) is NULL

    class Sub(types.ModuleType):
        @property
        def a(self):
            ran.append("property")

    module.__class__ = Sub
    assert load(module) is NULL
    assert load(Plain(a=1)) is NULL
    assert ran == []


def test_no_comparison_of_the_user_s_runs():
    ruined = {Ruined("a"): 1}
    assert loader(s.Global("a"))(globals=ruined) is NULL
    assert not checker(g.Absent(s.Global("a")))(globals=ruined)
    assert loader(s.Key(X, "a", str))(ruined) is NULL
    assert not checker(g.Absent(s.Key(X, "a", str)))(ruined)
    assert loader(s.Builtin("a"))(builtins_=ruined) is NULL
    obj = Plain()
    obj.__dict__[Ruined("a")] = 1
    assert loader(s.Attr(X, "a"))(obj) is NULL
    assert not checker(g.Absent(s.Attr(X, "a")))(obj)
    assert not checker(g.Keys(X, ("a",)))(ruined)
    assert Ruined.compared == 0


def test_subclasses_of_dict_may_look_up_in_their_own_way():
    class Own(dict):
        def __missing__(self, key):
            raise AssertionError

    for names in (Own(), Own(a=1)):
        assert loader(s.Global("a"))(globals=names) is NULL
        assert not checker(g.Absent(s.Global("a")))(globals=names)
        assert loader(s.Key(X, "a", str))(names) is NULL


def test_sources_print_what_the_user_wrote():
    np, x = s.Global("np"), s.Attr(s.Local(0, "self"), "w")
    assert str(s.ModuleAttr(np, "sin")) == "np.sin"
    assert str(s.Item(x, 0)) == "self.w[0]"
    assert str(s.Key(x, "k", str)) == "self.w['k']"
    reasons = guard_frames.compile_guards((), (x,)).reasons
    assert [*map(str, reasons)] == ["self is missing", "self.w is missing"]
