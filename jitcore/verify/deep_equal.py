"""Two live objects → what differs between them, in words; nothing: they are the same to a program.

    predicted   what compiled code made       actual   what CPython made

Types, dtypes, shapes, strides, flags and bits count, and which object is which: an object that was
there before is itself on both sides, and what is one new object here is one there. Addresses do
not count, nor what a NaN looks like.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterator, Set
from contextvars import Token
from dataclasses import field
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass
from jitcore.verify.poison_empty import MARK, is_mark

FLAGS = 0x1 | 0x2 | 0x4 | 0x100 | 0x400 | 0x2000  # C F OWNDATA ALIGNED WRITEABLE WRITEBACKIFCOPY
SHOWN = 3  # differing elements
EXTENDED = 10  # bytes of a number of x87's; the others are padding
DEEPEST = 50

Array = np.ndarray[Any, Any]


@dataclass(slots=True)
class Comparison:
    """`known`: arrays that were there before. `before`: by id, all objects that an entry was given,
    and so may hand on."""

    known: tuple[Array, ...] = ()
    marks: bool = False  # elements with the mark of poison_empty.py are not compared
    before: Set[int] = frozenset()
    partners: dict[int, Any] = field(default_factory=dict)  # new objects, by id: what they are
    taken: dict[int, Any] = field(default_factory=dict)  # the other way round
    unseen: set[str] = field(default_factory=set)  # types of which nothing but the type is compared
    kept: list[Any] = field(default_factory=list)  # an id is an object's while it lives

    def differs(self, predicted: Any, actual: Any, depth: int = 0) -> str:
        """In words; empty: the same."""
        if predicted is actual:
            return ""
        cls = type(predicted)
        if cls is not type(actual):
            return f"{described(predicted)} is {described(actual)} in CPython"
        if cls in NUMBERS or isinstance(predicted, np.generic):
            if bits(predicted) == bits(actual) or (self.marks and is_mark(predicted)):
                return ""
            return unequal(predicted, actual)
        if cls in VALUES:
            return "" if predicted == actual else unequal(predicted, actual)
        if id(predicted) in self.before and cls not in REMADE:
            return f"{described(predicted)} is another object in CPython"
        if cls is not tuple and (id(predicted) in self.partners or id(actual) in self.taken):
            same = self.partners.get(id(predicted)) is actual
            return "" if same else f"{described(predicted)} is another object in CPython"
        self.partners[id(predicted)], self.taken[id(actual)] = actual, predicted
        self.kept += [predicted, actual]
        if depth > DEEPEST:
            return ""
        if isinstance(predicted, np.ndarray):
            return self.of_arrays(predicted, actual)
        parts = PARTS.get(cls) or (of_instance if hasattr(predicted, "__dict__") else None)
        if parts is None:
            self.unseen.add(cls.__qualname__)
            return ""
        return self.of_parts([*parts(predicted)], [*parts(actual)], cls, depth)

    def of_parts(self, predicted: list[Any], actual: list[Any], cls: type, depth: int) -> str:
        if len(predicted) != len(actual):
            return f"a {cls.__name__} of {len(predicted)} is one of {len(actual)} in CPython"
        for at, (one, other) in enumerate(zip(predicted, actual, strict=True)):
            found = self.differs(one, other, depth + 1)
            if found:
                return f"[{at}] of a {cls.__name__}: {found}"
        return ""

    def of_arrays(self, a: Array, b: Array) -> str:
        for name, one, other in zip(FACTS, facts(a), facts(b), strict=True):
            if one != other:
                return f"an array's {name} {one} is {other} in CPython"
        if places(a, self.known) != places(b, self.known):
            return "an array's memory is not where CPython has it"
        return array_differs(a, bits(a), bits(b), self.marks)


def array_differs(a: Array, found: Any, wanted: Any, marks: bool = False) -> str:
    """`found`, `wanted`: the bits that it has and should have, as bits() gives them."""
    if found == wanted:
        return ""
    if not isinstance(found, bytes) or not isinstance(wanted, bytes):
        return "the items of an array of objects"
    size = max(len(found) // a.size, 1)
    plain = [np.frombuffer(one, np.uint8).reshape(a.size, size) for one in (found, wanted)]
    other = (plain[0] != plain[1]).any(axis=1)
    if marks:
        other &= (plain[0] != MARK).any(axis=1)
    places = np.flatnonzero(other)
    if not places.size:
        return ""
    shown = "; ".join(
        f"{list(map(int, np.unravel_index(at, a.shape)))} {readable(found, at, size, a.dtype)}"
        f" is {readable(wanted, at, size, a.dtype)} in CPython"
        for at in places[:SHOWN]
    )
    return f"{len(places)} of {a.size} elements: {shown}"


def readable(text: bytes, at: int, size: int, dtype: np.dtype[Any]) -> str:
    item = text[at * size : (at + 1) * size]
    if size != dtype.itemsize:
        return f"0x{item[::-1].hex()}"
    return f"{np.frombuffer(item, dtype)[0]!s} (0x{item[::-1].hex()})"


def described(obj: Any) -> str:
    cls = type(obj)
    if obj is _C.NULL:
        return "nothing"
    if cls in NUMBERS or cls in VALUES or isinstance(obj, np.generic):
        return f"{cls.__name__} {shortened(obj)}"
    if isinstance(obj, np.ndarray):
        return f"an array {obj.dtype.str.lstrip('<|=')}{list(obj.shape)}"
    return f"a {cls.__name__}"


def unequal(predicted: Any, actual: Any) -> str:
    return f"{described(predicted)} is {shortened(actual)} in CPython"


def shortened(obj: Any) -> str:
    if type(obj) is int and obj.bit_length() > 256:
        return f"of {obj.bit_length()} bits"
    if isinstance(obj, float):
        return f"{obj!r} ({float(obj).hex()})"
    text = repr(obj)
    return text if len(text) <= 60 else f"{text[:57]}..."


# ---- arrays -------------------------------------------------------------------------------------

REMADE = frozenset((tuple, types.MethodType, types.BuiltinMethodType, type([].__iter__)))
FACTS = ("dtype", "shape", "strides", "flags")


def facts(a: Array) -> tuple[Any, ...]:
    """In the order of FACTS. Strides of axes that are not gone along mean nothing."""
    pairs = zip(a.strides, a.shape, strict=True)
    strides = tuple(step if n > 1 and a.size else 0 for step, n in pairs)
    dtype = a.dtype.str if a.dtype.names is None else repr(a.dtype)
    return dtype, a.shape, strides, a.flags.num & FLAGS


def places(a: Array, known: tuple[Array, ...]) -> list[int]:
    """Where it begins in arrays that were there before, in bytes; those that it has nothing of are
    left out."""
    return [start(a) - start(one) for one in known if a is not one and np.may_share_memory(a, one)]


def start(a: Array) -> int:
    at: int = a.__array_interface__["data"][0]
    return at


def bits(value: Any) -> Any:
    """What must be equal: bytes in C order, with one NaN for all NaNs and no padding."""
    if type(value) is int or type(value) is bool:
        return value
    a = np.asarray(value)
    if a.dtype.hasobject:
        return tuple(map(id, a.ravel().tolist()))
    if a.dtype.names is not None:
        return b"".join(bits(a[name]) for name in a.dtype.names)
    if a.dtype.kind not in "fc":
        return a.tobytes()
    if a.dtype.char in "gG":
        return extended(a)
    nans = np.isnan(a)
    if not nans.any():
        return a.tobytes()
    copy = np.array(a, dtype=a.dtype.newbyteorder("="), order="C", ndmin=1)
    parts = copy.view(copy.real.dtype)
    parts[np.isnan(parts)] = np.nan
    return copy.astype(a.dtype).tobytes()


def extended(a: Array) -> bytes:
    parts = np.array(a, dtype=a.dtype.newbyteorder("="), order="C", ndmin=1).view(np.longdouble)
    parts[np.isnan(parts)] = np.nan
    if parts.dtype.itemsize != 16 or np.finfo(np.longdouble).nmant != 63:
        return parts.tobytes()
    rows = np.ascontiguousarray(parts).view(np.uint8).reshape(-1, 16)
    return rows[:, :EXTENDED].tobytes()


# ---- others -------------------------------------------------------------------------------------


def of_instance(obj: Any) -> Iterator[Any]:
    own = object.__getattribute__(obj, "__dict__")
    yield from own
    yield from own.values()
    yield from (*obj.args, obj.__cause__) if isinstance(obj, BaseException) else ()


def of_mapping(obj: Any) -> Iterator[Any]:
    yield from obj
    yield from obj.values()


def of_set(obj: Any) -> Iterator[Any]:
    yield from sorted(obj, key=repr)


def of_cell(obj: types.CellType) -> Iterator[Any]:
    try:
        yield obj.cell_contents
    except ValueError:
        yield _C.NULL


def of_function(fn: types.FunctionType) -> Iterator[Any]:
    yield from (fn.__code__, fn.__defaults__, fn.__kwdefaults__)
    yield from fn.__closure__ or ()


def of_method(method: types.MethodType) -> Iterator[Any]:
    yield from (method.__func__, method.__self__)


def of_builtin(method: types.BuiltinMethodType) -> Iterator[Any]:
    yield from (method.__name__, method.__self__)


def of_slice(obj: slice) -> Iterator[Any]:
    yield from (obj.start, obj.stop, obj.step)


def of_iterator(obj: Any) -> Iterator[Any]:
    """Where it is, and what it goes over."""
    yield from obj.__reduce__()[1:]


NUMBERS = frozenset((bool, int, float, complex))
VALUES = frozenset(
    (str, bytes, range, type(None), type(Ellipsis), type(NotImplemented), types.CodeType)
)
ITERATORS = tuple(
    {
        *map(type, map(iter, ([], (), "", b"", bytearray(), range(0), range(1 << 70), "é", {}))),
        *(type(iter(np.zeros(1))), type(reversed([])), type(reversed(())), enumerate, zip),
    }
)
PARTS: dict[type, Callable[[Any], Iterator[Any]]] = {
    **dict.fromkeys((tuple, list, deque), iter),
    **dict.fromkeys((dict, types.MappingProxyType), of_mapping),
    **dict.fromkeys((set, frozenset), of_set),
    **dict.fromkeys(ITERATORS, of_iterator),
    types.CellType: of_cell,
    types.FunctionType: of_function,
    types.MethodType: of_method,
    types.BuiltinMethodType: of_builtin,
    type([].__iter__): of_builtin,
    slice: of_slice,
    bytearray: lambda obj: iter([bytes(obj)]),
    Token: lambda _: iter(()),
}
