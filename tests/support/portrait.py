"""Live objects → a portrait: plain frozen records that two runs of one program are compared by.

Nothing that a program could see is left out: exact types, dtypes with byte order, shapes, strides,
flags, bits, the order of dict entries, which object is which (`Again`), and which arrays share
memory (`shares`). What no program may rely on is left out: addresses, and the payload of a NaN.
"""

from __future__ import annotations

import functools
import random
import re
import struct
import types
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
FLAGS = 0x1 | 0x2 | 0x4 | 0x100 | 0x400 | 0x2000  # C F OWNDATA ALIGNED WRITEABLE WRITEBACKIFCOPY
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
DRAINED = {"builtins", "itertools"}  # iterators of these modules are read to their end
ITEM_LIMIT = 2000
ONE_NAN = struct.pack("<d", float("nan"))


class Array(NamedTuple):
    """An ndarray: `bits` in C order; `shares`: (index of an earlier array, byte distance)."""

    type: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    flags: int
    bits: Any
    shares: tuple[tuple[int, int], ...]
    extra: Any = None


class Scalar(NamedTuple):
    type: str
    dtype: str
    bits: bytes


class Plain(NamedTuple):
    """An immutable Python object; floats as their bits."""

    type: str
    value: Any


class Items(NamedTuple):
    """A container, or an iterator with what it gave."""

    type: str
    items: tuple[Any, ...]


class Object(NamedTuple):
    """A user's object, class or exception; `fields` are (name, portrait)."""

    type: str
    fields: tuple[tuple[str, Any], ...]


class Again(NamedTuple):
    """The same object as the one painted `index`-th."""

    index: int


class Painter:
    """Paints objects in order; identities and shared memory are seen across all it painted."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.keep: list[object] = []
        self.memory: list[tuple[int, int, int]] = []

    def paint(self, obj: Any) -> Any:
        cls = type(obj)
        simple = SIMPLE.get(cls)
        if simple is not None:
            return simple(obj)
        if isinstance(obj, np.generic):
            return paint_scalar(obj)
        if cls is tuple:
            return Items("tuple", tuple(self.paint(item) for item in obj))
        if isinstance(obj, np.dtype):
            return Plain("dtype", dtype_text(obj))
        index = self.seen.get(id(obj))
        if index is not None:
            return Again(index)
        self.seen[id(obj)] = len(self.keep)
        self.keep.append(obj)
        if isinstance(obj, np.ndarray):
            return self.paint_array(obj)
        return self.paint_other(obj)

    def paint_array(self, a: np.ndarray[Any, Any]) -> Array:
        pointer = a.__array_interface__["data"][0]
        low, high = np.lib.array_utils.byte_bounds(a) if a.size else (pointer, pointer)
        shares = tuple(
            (n, pointer - other)
            for n, (other, start, end) in enumerate(self.memory)
            if low < end and start < high
        )
        self.memory.append((pointer, low, high))
        strides = tuple(
            s if n > 1 and a.size else 0 for s, n in zip(a.strides, a.shape, strict=True)
        )
        extra = None
        if type(a) is not np.ndarray:
            extra = self.fields(vars(a)) if hasattr(a, "__dict__") else None
            if isinstance(a, np.ma.MaskedArray):
                extra = (self.paint(np.ma.getmaskarray(a).copy()), self.paint(a.fill_value))
        plain = a.view(np.ndarray) if type(a) is not np.ndarray else a
        bits = (
            tuple(self.paint(item) for item in plain.ravel().tolist())
            if a.dtype.hasobject
            else canonical_bytes(plain)
        )
        flags = a.flags.num & FLAGS
        return Array(
            type_name(type(a)), dtype_text(a.dtype), a.shape, strides, flags, bits, shares, extra
        )

    def paint_other(self, obj: Any) -> Any:
        name = type_name(type(obj))
        match obj:
            case Mapping():
                pairs = tuple((self.paint(k), self.paint(v)) for k, v in obj.items())
                return Items(name, pairs)
            case set() | frozenset():
                return Items(name, tuple(sorted((self.paint(item) for item in obj), key=repr)))
            case tuple() | list():
                items = tuple(self.paint(item) for item in obj)
                attributes = self.fields(getattr(obj, "__dict__", {}))
                return Items(name, items + attributes if type(obj) is not list else items)
            case BaseException():
                return self.paint_exception(obj)
            case types.FunctionType() | types.MethodType():
                return self.paint_function(obj)
            case type():
                return Plain("type", type_name(obj))
            case types.ModuleType():
                return Plain("module", obj.__name__)
            case np.ufunc() | types.BuiltinFunctionType():
                return Plain(name, without_address(repr(obj)))
            case np.random.Generator():
                return Object(name, (("state", self.paint(obj.bit_generator.state)),))
            case random.Random():
                return Object(name, (("state", self.paint(obj.getstate())),))
            case functools.partial():
                return Items(name, (self.paint(obj.func), self.paint(obj.args)))
            case memoryview():
                return Plain(name, obj.tobytes())
            case Iterator() if type(obj).__module__ in DRAINED:
                return self.drain(obj)
        wrapped = getattr(obj, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType):
            return self.paint_function(wrapped)
        fields = self.fields(own_fields(obj))
        return Object(name, fields) if fields else Plain(name, without_address(repr(obj)))

    def fields(self, attributes: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        return tuple((name, self.paint(value)) for name, value in attributes.items())

    def paint_function(self, fn: Any) -> Object:
        fn = getattr(fn, "__func__", fn)
        fn = getattr(fn, "__wrapped__", fn)
        name = getattr(fn, "__qualname__", repr(fn))
        cells = getattr(fn, "__closure__", None) or ()
        contents = [cell.cell_contents for cell in cells if filled(cell)]
        return Object(f"function {name}", (("cells", self.paint(contents)),))

    def drain(self, iterator: Iterator[Any]) -> Items:
        items = []
        try:
            for item in iterator:
                items.append(self.paint(item))
                if len(items) == ITEM_LIMIT:
                    break
        except Exception as error:
            items.append(self.paint(error))
        return Items(type_name(type(iterator)), tuple(items))

    def paint_exception(self, error: BaseException) -> Object:
        return Object(
            type_name(type(error)),
            (
                ("text", without_address(safe_text(error))),
                ("args", self.paint(tuple(error.args))),
                ("traceback", traceback_of(error)),
                ("notes", self.paint(getattr(error, "__notes__", None))),
                ("cause", self.paint(error.__cause__)),
                ("context", self.paint(error.__context__)),
                ("suppressed", error.__suppress_context__),
                *self.fields({k: v for k, v in vars(error).items() if k != "__notes__"}),
            ),
        )


def own_fields(obj: Any) -> dict[str, Any]:
    """Of `__dict__` and of `__slots__`, in the order of definition."""
    found = {}
    for cls in type(obj).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if isinstance(vars(cls).get(name), types.MemberDescriptorType) and hasattr(obj, name):
                found[name] = getattr(obj, name)
    found.update(getattr(obj, "__dict__", {}))
    return found


def filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def traceback_of(error: BaseException) -> tuple[tuple[str, str, int], ...]:
    """(file, function, line) of the frames below the harness; jitcore's own would be seen."""
    chain = []
    tb = error.__traceback__
    while tb is not None:
        path = Path(tb.tb_frame.f_code.co_filename)
        if path.parent != HERE:
            chain.append((path.name, tb.tb_frame.f_code.co_qualname, tb.tb_lineno))
        tb = tb.tb_next
    return tuple(chain)


def safe_text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as failure:
        return f"<str() failed: {type(failure).__name__}>"


def without_address(text: str) -> str:
    return ADDRESS.sub("0x?", text)


@functools.cache
def type_name(cls: type) -> str:
    """Without the module where it is the program's own: each run has a module of its own."""
    return (
        cls.__qualname__
        if cls.__module__.startswith("program_")
        else f"{cls.__module__}.{cls.__name__}"
    )


@functools.cache
def dtype_text(dtype: np.dtype[Any]) -> str:
    aligned = " aligned" if dtype.isalignedstruct else ""
    return f"{dtype!r} {dtype.str} {dtype.char}{aligned}"


def canonical_bytes(a: np.ndarray[Any, Any]) -> bytes:
    """The bits in C order, with one NaN for all NaNs and no padding."""
    if a.dtype.names is not None:
        return b"".join(canonical_bytes(a[name]) for name in a.dtype.names)
    kind = a.dtype.kind
    if kind not in "fc":
        return a.tobytes()
    if a.dtype.itemsize * (1 if kind == "f" else 2) >= 16 and a.dtype.char in "gG":
        return extended_bytes(a)
    nans = np.isnan(a)
    if not nans.any():
        return a.tobytes()
    copy = np.array(a, order="C", subok=False)
    if kind == "c":
        parts = copy.view(copy.real.dtype)
        parts[np.isnan(parts)] = np.nan
    else:
        copy[nans] = np.nan
    return copy.tobytes()


def extended_bytes(a: np.ndarray[Any, Any]) -> bytes:
    """x87 numbers have six bytes of padding, whose content means nothing."""
    parts = np.array(a, dtype=a.dtype.newbyteorder("="), order="C", ndmin=1)
    parts = parts.view(np.longdouble)
    parts[np.isnan(parts)] = np.nan
    return np.ascontiguousarray(parts.view(np.uint8).reshape(-1, 16)[:, :10]).tobytes()


def paint_scalar(s: np.generic) -> Any:
    if isinstance(s, np.object_):
        return Plain("numpy.object_", repr(s))
    return Scalar(type_name(type(s)), dtype_text(s.dtype), canonical_bytes(np.asarray(s)))


def paint_float(x: float) -> Plain:
    return Plain("float", ONE_NAN if x != x else struct.pack("<d", x))


def paint_complex(z: complex) -> Plain:
    return Plain("complex", (paint_float(z.real), paint_float(z.imag)))


def paint_plain(obj: Any) -> Plain:
    return Plain(type(obj).__name__, obj)


def paint_text(text: str) -> Plain:
    return Plain("str", without_address(text))


def paint_range(r: range | slice) -> Plain:
    return Plain(type(r).__name__, repr(r))


SIMPLE: dict[type, Any] = {
    bool: paint_plain,
    int: paint_plain,
    float: paint_float,
    complex: paint_complex,
    str: paint_text,
    bytes: paint_plain,
    type(None): paint_plain,
    type(Ellipsis): paint_plain,
    type(NotImplemented): paint_plain,
    range: paint_range,
    slice: paint_range,
    np.float64: paint_scalar,
    np.int64: paint_scalar,
    np.bool_: paint_scalar,
}


def paint_all(objects: Iterable[Any]) -> tuple[Any, ...]:
    painter = Painter()
    return tuple(painter.paint(obj) for obj in objects)
