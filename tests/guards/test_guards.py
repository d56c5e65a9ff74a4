"""Each guard holds for what it was made for, and for nothing else that looks like it."""

from __future__ import annotations

import gc
import struct
import sys
import types
import weakref

import numpy as np
import pytest
from guard_frames import NULL, Frame, checker, entry_of, loader

from jitcore import _C
from jitcore.guards import guard as g
from jitcore.guards import source as s
from jitcore.guards.program import compile_guards
from jitcore.ir.types import type_of

X, Y = s.Local(0, "x"), s.Local(1, "y")


def nan(payload: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 | payload))[0]


CONSTANTS = [
    0, 1, -1, True, False, 2**70, 0.0, -0.0, 1.0, nan(0), nan(1), 1j, complex(-0.0, 0),
    complex(0, -0.0), "", "a", "\ud800", b"", b"a", None, ..., NotImplemented,
    (), (1,), (1.0,), (True,), ((1,), "a"), (-0.0,), slice(None), slice(1), slice(1.0),
    slice(0, 1, 2), range(0), range(5, 5), range(3), range(0, 3, 1), range(0, 3, 2),
]  # fmt: skip


def bits(value):
    """A key that tells apart what a program could tell apart."""
    match value:
        case float():
            return "float", struct.pack("d", value)
        case complex():
            return "complex", bits(value.real), bits(value.imag)
        case tuple():
            return "tuple", tuple(bits(item) for item in value)
        case slice() | range():
            return type(value).__name__, bits((value.start, value.stop, value.step))
    return type(value).__name__, value


def copied(value):
    """Equal, but another object wherever there can be one."""
    match value:
        case bool() | None | types.EllipsisType() | types.NotImplementedType():
            return value
        case int():
            return int(str(value))
        case float():
            return struct.unpack("d", struct.pack("d", value))[0]
        case complex():
            return complex(value.real, value.imag)
        case str():
            return "".join(list(value))
        case bytes():
            return bytes(bytearray(value))
        case tuple():
            return tuple(copied(item) for item in value)
        case slice():
            return slice(*map(copied, (value.start, value.stop, value.step)))
        case range():
            return range(value.start, value.stop, value.step)
    raise AssertionError(value)


@pytest.mark.parametrize("value", CONSTANTS, ids=repr)
def test_equals(value):
    holds = checker(g.Equals(X, value))
    assert holds(copied(value))
    for other in CONSTANTS:
        assert holds(other) == (bits(other) == bits(value)), other


def test_equals_is_for_exact_builtins():
    ran = []

    class Sly(int):
        def __eq__(self, other):
            ran.append(other)
            return True

        __hash__ = int.__hash__

    class Text(str):
        __slots__ = ()

    assert not checker(g.Equals(X, 1))(Sly(1))
    assert not checker(g.Equals(X, (1,)))((Sly(1),))
    assert not checker(g.Equals(X, slice(1)))(slice(Sly(1)))
    assert not checker(g.Equals(X, "a"))(Text("a"))
    assert not checker(g.Equals(X, 1))(np.int64(1))
    assert ran == []


def test_has_type():
    holds = checker(g.HasType(X, int))
    assert holds(1)
    assert not holds(True)
    assert not holds(NULL)
    assert not checker(g.HasType(X, float))(np.float64(1))


def make_class(**body):
    return type("Made", (), body)


def test_has_type_of_a_class_that_is_gone():
    """The address may be used again: what was there before does not count."""
    cls = make_class()
    holds = checker(g.HasType(X, cls))
    assert holds(cls())
    watch = weakref.ref(cls)
    del cls
    gc.collect()
    assert watch() is None, "the guard keeps a class alive"
    assert not any(holds(make_class()()) for _ in range(200))


def test_is_object():
    def function():
        pass

    holds = checker(g.IsObject(X, function))
    assert holds(function)
    assert not holds(lambda: None)
    watch = weakref.ref(function)
    del function
    gc.collect()
    assert watch() is None, "the guard keeps a function alive"
    assert not holds(None), "a dead weak reference points to None"
    assert not any(holds(eval("lambda: None")) for _ in range(200))


@pytest.mark.parametrize("obj", [None, len, np, np.add, np.sum, int, (1,), np.dtype("f8")])
def test_is_object_of_all_kinds(obj):
    holds = checker(g.IsObject(X, obj))
    assert holds(obj)
    assert not holds(object())


def test_an_object_that_cannot_be_referenced_weakly_is_held():
    names = {"a": 1}
    before = sys.getrefcount(names)
    holds = checker(g.IsObject(X, names))
    assert sys.getrefcount(names) == before + 1
    assert holds(names)
    del holds
    assert sys.getrefcount(names) == before


def test_const_that_is_gone():
    cls = make_class()
    load = loader(s.Const(cls))
    assert load() is cls
    del cls
    gc.collect()
    assert load() is NULL


def test_a_weak_reference_in_its_own_garbage():
    """Cleared before finalizers run, whether or not a callback would have been called."""
    seen = []

    class Cycle:
        def __del__(self):
            seen.append(self.holds(self.target))

    target = make_class()
    cycle = Cycle()
    cycle.me, cycle.target, cycle.holds = cycle, target, checker(g.IsObject(X, target))
    del cycle, target
    gc.collect()
    assert seen in ([True], [False])


def test_type_version():
    class Base:
        a = 1

    class Sub(Base):
        pass

    holds = checker(g.TypeVersion(Sub))
    assert holds()
    Sub().own = 1
    assert holds()
    Base.a = 2
    assert not holds()
    again = checker(g.TypeVersion(Sub))
    assert again()
    Sub.b = 1
    assert not again()
    assert not holds()
    last = checker(g.TypeVersion(Sub))
    Sub.__bases__ = (make_class(),)
    assert not last()


def test_type_version_of_a_class_that_is_gone():
    cls = make_class()
    holds = checker(g.TypeVersion(cls))
    assert holds()
    watch = weakref.ref(cls)
    del cls
    gc.collect()
    assert watch() is None
    assert not holds()


def test_a_class_that_changes_without_end_has_no_version():
    class Counter:
        count = 0

    for _ in range(3_000):
        Counter.count += 1
        holds = checker(g.TypeVersion(Counter))
        assert holds() == (_C.type_version(Counter) != 0)
    with pytest.raises(TypeError):
        _C.type_version(5)


def is_array(example):
    return checker(g.IsArray(X, type_of(example)))


def test_arrays_of_the_same_layout():
    for example in ARRAYS.values():
        holds = is_array(example)
        same = example.copy(order="K")
        if type_of(same) == type_of(example):
            assert holds(same)
        assert holds(example)


ARRAYS = {
    "f8": np.zeros(4),
    "f8 big-endian": np.zeros(4, ">f8"),
    "i8": np.zeros(4, "i8"),
    "u8": np.zeros(4, "u8"),
    "q": np.zeros(4, "q"),
    "longer": np.zeros(5),
    "0-d": np.zeros(()),
    "2-d": np.zeros((2, 2)),
    "wide": np.zeros((3, 4)),
    "Fortran": np.zeros((3, 4), order="F"),
    "transposed": np.zeros((4, 3)).T[::-1],
    "strided": np.zeros(8)[::2],
    "backwards": np.zeros(4)[::-1],
    "read-only": np.broadcast_to(np.zeros(1), 4),
    "misaligned": np.frombuffer(bytearray(33), offset=1),
    "empty": np.zeros((0, 4)),
    "empty too": np.zeros((4, 0)),
    "text": np.zeros(4, "U2"),
    "longer text": np.zeros(4, "U3"),
    "time": np.zeros(4, "M8[s]"),
    "finer time": np.zeros(4, "M8[ms]"),
    "fields": np.zeros(4, "i4,f4"),
    "other fields": np.zeros(4, "f4,i4"),
    "aligned fields": np.zeros(4, np.dtype("i4,f4", align=True)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    holds = is_array(ARRAYS[name])
    twins = {"i8": "q", "q": "i8"} if type_of(ARRAYS["q"]) == type_of(ARRAYS["i8"]) else {}
    for other, array in ARRAYS.items():
        if twins.get(name) != other:
            assert holds(array) == (other == name), other


def test_arrays_that_only_look_so():
    class Sub(np.ndarray):
        pass

    x = np.zeros(4)
    holds = is_array(x)
    assert not holds(x.view(Sub))
    assert not holds([0.0] * 4)
    assert not holds(0.0)
    assert not holds(x.astype(np.dtype("f8", metadata={"a": 1})))
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    assert not holds(frozen)
    assert holds(x)
    x.resize((2, 2), refcheck=False)
    assert not holds(x)


def test_a_write_that_warns_is_another_array():
    one, _ = np.broadcast_arrays(np.zeros((1, 4)), np.zeros((4, 4)))
    assert not is_array(np.zeros(4))(one)


def test_length():
    holds = checker(g.Length(X, 2))
    assert holds((1, 2)) and holds([1, 2]) and holds({1: 1, 2: 2})
    assert not holds((1,)) and not holds([]) and not holds("ab") and not holds(5)


def test_keys():
    holds = checker(g.Keys(X, ("a", 1)))
    assert holds({"a": 0, 1: 5})
    assert not holds({1: 5, "a": 0})
    assert not holds({"a": 0, True: 5})
    assert not holds({"a": 0, 1.0: 5})
    assert not holds({"a": 0})
    assert not holds({"a": 0, 1: 5, 2: 6})
    assert not holds([("a", 1)])
    changed = {"b": 0, "a": 0, 1: 5}
    del changed["b"]
    assert holds(changed)


def test_absence():
    absent = checker(g.Absent(s.Global("a")))
    assert absent(globals={})
    assert not absent(globals={"a": None})
    assert checker(g.Absent(X))(NULL)
    assert not checker(g.Absent(X))(None)
    assert checker(g.Absent(s.Stack(0)))(stack=(NULL,))
    assert not checker(g.Absent(s.Stack(0)))(stack=(1,))
    other = checker(g.Absent(s.Key(X, 2, int)), g.Keys(X, (1,)))
    assert other({1: 1})
    assert not other({2: 1})
    named = checker(g.Absent(s.Key(X, "b", str)))
    assert named({"a": 1})
    assert not named({"b": 1})
    assert not named([])


def test_same_object():
    x, y = [], []
    same, other = checker(g.SameObject(X, Y, True)), checker(g.SameObject(X, Y, False))
    assert same(x, x) and not same(x, y)
    assert other(x, y) and not other(x, x)


def test_apart():
    apart = checker(g.Apart(X, Y))
    one, other = Owner(), Owner()
    assert apart(one, other) and not apart(one, one)
    assert apart(one, {}) and apart({}, {}) and not apart(one, vars(one))
    other.__dict__ = one.__dict__
    assert not apart(one, other), "stored through one, read through the other"
    assert not apart(np, vars(np)) and apart(np, np.linalg)


def test_errstate():
    holds = checker(g.ErrState(_C.errstate_code()))
    assert holds()
    with np.errstate(divide="raise"):
        assert not holds()
        assert checker(g.ErrState(_C.errstate_code()))()
    assert holds()
    size = np.getbufsize()
    with np.errstate():
        np.setbufsize(size * 2)
        assert not holds(), "the buffer size decides in which order a sum is made"
    assert holds()


def test_cheap_checks_come_first_and_loads_are_shared():
    w = s.Attr(X, "w")
    program = compile_guards(
        [
            g.Equals(s.Item(w, 0), 1),
            g.IsArray(Y, type_of(np.zeros(1))),
            g.HasType(w, list),
            g.HasType(X, Owner),
            g.TypeVersion(Owner),
        ],
        (s.Item(w, 0),),
    )
    names = {number: name for name, (number, _) in _C.GUARD_OPS.items()}
    widths = {number: len(operands) for number, operands in _C.GUARD_OPS.values()}
    order, at = [], 0
    while at < len(program.words):
        order.append(names[program.words[at]])
        at += widths[program.words[at]] + 2
    assert order == [
        "TYPE_VERSION", "LOAD_LOCAL", "HAS_TYPE", "LOAD_LOCAL", "IS_ARRAY",
        "LOAD_OWN", "HAS_TYPE", "LOAD_ITEM", "EQUALS",
    ]  # fmt: skip


class Owner:
    pass


def test_a_miss_says_why():
    holds = checker(g.HasType(X, int), g.Equals(Y, 3), g.Length(s.Item(Y, 0), 2))
    entry = holds.entry
    assert entry.explain_miss() is None
    assert not holds(1.0, 3)
    assert entry.explain_miss() == "type(x) is int"
    assert not holds(1, 4)
    assert entry.explain_miss() == "y == 3"
    assert not holds(NULL, 4)
    assert entry.explain_miss() == "x is missing"


def test_nothing_is_kept():
    x, attrs = [np.zeros(3)], {"k": 1.5}
    obj = Owner()
    obj.w = x
    guards = [
        g.HasType(s.Local(0, "o"), Owner),
        g.HasType(s.Attr(s.Local(0, "o"), "w"), list),
        g.IsArray(s.Item(s.Attr(s.Local(0, "o"), "w"), 0), type_of(x[0])),
        g.Equals(s.Key(s.Local(1, "d"), "k", str), 1.5),
    ]
    entry = entry_of(compile_guards(guards, ()))
    watched = (obj, x, x[0], attrs, attrs["k"])
    counts = [sys.getrefcount(thing) for thing in watched]
    for _ in range(50):
        assert Frame(obj, attrs).run(entry)[0] == "return"
        assert Frame(obj, {"k": 2.5}).run(entry)[0] == "miss"
        assert Frame(Owner(), attrs).run(entry)[0] == "miss"
    assert [sys.getrefcount(thing) for thing in watched] == counts


def test_words_that_are_no_program_are_refused():
    program = compile_guards([g.Equals(X, 1)], ())
    for at in range(len(program.words)):
        for wrong in (-1, 1_000):
            words = program.words[:]
            words[at] = wrong
            ruined = type(program)(words, program.consts, program.registers, program.reasons)
            if at == 2:  # which local: the frame's business
                continue
            with pytest.raises(ValueError, match="guard program"):
                entry_of(ruined)
    short = type(program)(program.words[:-1], program.consts, program.registers, program.reasons)
    with pytest.raises(ValueError, match="guard program"):
        entry_of(short)


def test_constants_that_are_long_to_print() -> None:
    for value, text in [(10**5000, "an int of"), ("x" * 10_000, "...")]:
        guard = g.Equals(s.Local(0, "x"), value)
        assert text in str(guard)
        assert len(str(guard)) < 120
        assert guard == g.Equals(s.Local(0, "x"), value) != g.Equals(s.Local(0, "x"), value + value)
        holds = checker(guard)
        assert holds(value)
        assert not holds(value + value)
    keys = (10**5000, True, "a")
    d = dict.fromkeys(keys)
    assert checker(g.Keys(s.Local(0, "d"), keys))(d)
    assert "an int of" in str(g.Keys(s.Local(0, "d"), keys))
    assert "an int of" in str(s.Key(s.Local(0, "d"), 10**5000, int))
