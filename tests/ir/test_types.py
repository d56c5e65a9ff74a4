"""Types of live objects, and their text."""

import numpy as np
import pytest

from jitcore.ir import UNKNOWN, ArrayType, ObjectType, ScalarType, parse_type, phantom, type_of

ARRAYS = [
    np.zeros(3),
    np.zeros(()),
    np.zeros((3, 4), order="F"),
    np.zeros((3, 4))[::-1],
    np.zeros((3, 4), "i2")[:, ::2],
    np.zeros((0, 3), ">i4"),
    np.zeros(2, bool),
    np.zeros(2, "U5"),
    np.zeros(3, "M8[ns]"),
    np.zeros(3, [("a", "<i4"), ("b", "<f8")]),
    np.broadcast_to(np.zeros(3, "c8"), (2, 3)),
    np.frombuffer(bytes(17), np.uint8)[1:].view("f8"),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: str(type_of(a)))
def test_array(array):
    t = type_of(array)
    assert isinstance(t, ArrayType)
    assert (t.dtype, t.shape, t.strides) == (array.dtype, array.shape, array.strides)
    assert t.aligned == array.flags.aligned and t.writeable == array.flags.writeable
    assert t.c_contiguous == array.flags.c_contiguous
    assert t.f_contiguous == array.flags.f_contiguous
    assert parse_type(str(t)) == t
    assert type_of(phantom(t)) == t


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (True, "pyb1"),
        (1, "pyi8"),
        (1.0, "pyf8"),
        (1j, "pyc16"),
        (np.True_, "b1"),
        (np.float32(1), "f4"),
        (np.uint8(1), "u1"),
        (np.datetime64(1, "s"), "M8[s]"),
    ],
)
def test_number(number, text):
    t = type_of(number)
    assert isinstance(t, ScalarType)
    assert str(t) == text
    assert parse_type(text) == t


class Index(int):
    pass


class Sub(np.ndarray):
    pass


@pytest.mark.parametrize(
    "obj",
    [None, "s", [1], Index(1), np.zeros(2, object), np.zeros(2).view(Sub), np.ma.zeros(2)],
    ids=lambda o: type(o).__name__,
)
def test_object(obj):
    assert type_of(obj) == ObjectType(type(obj))


def test_object_text():
    assert str(UNKNOWN) == "object"
    assert parse_type("object") == UNKNOWN
    assert parse_type(str(ObjectType(list))) == ObjectType(list)
    assert parse_type("object<no.such.Class>") == UNKNOWN


@pytest.mark.parametrize("text", ["", "f8[", "q9", "f8[3]G", "object<>"])
def test_bad_text(text):
    with pytest.raises((ValueError, TypeError)):
        parse_type(text)
