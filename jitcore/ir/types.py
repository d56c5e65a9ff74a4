"""Live objects -> types: what the compiler knows of a value without its contents.

    ArrayType     an exact np.ndarray without Python objects in it: dtype, shape, strides, flags
    ScalarType    a NumPy scalar, or an exact Python bool, int, float or complex
    DynArrayType      inside a loop: part of an array, with extents that only run time knows
    ObjectType    anything else; the class may be unknown

A Python int is unbounded: its dtype int64 is a label, not a promise. `str(type)` parses back.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cached_property
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.private_names import writeable_no_warn

# U, S and V arrays hold no Python objects: NumPy may work on them without running user code.
_ARRAY_KINDS = frozenset("biufcmMSUV")
_NUMERIC_KINDS = frozenset("biufc")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ArrayType:
    """An exact np.ndarray; strides are in bytes."""

    dtype: np.dtype[Any]
    shape: Shape
    strides: Shape
    aligned: bool = True
    writeable: bool = True

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.dtype, self.shape, self.strides, self.aligned, self.writeable))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @cached_property
    def size(self) -> int:
        size = 1
        for dim in self.shape:
            size *= dim
        return size

    @cached_property
    def numeric(self) -> bool:
        """Numbers in native byte order: what kernels are made for. Other arrays are NumPy's."""
        return self.dtype.kind in _NUMERIC_KINDS and self.dtype.isnative

    @cached_property
    def c_contiguous(self) -> bool:
        return contiguous(self.dtype.itemsize, self.shape[::-1], self.strides[::-1])

    @cached_property
    def f_contiguous(self) -> bool:
        return contiguous(self.dtype.itemsize, self.shape, self.strides)

    def __str__(self) -> str:
        dims = ",".join(map(str, self.shape))
        layout = "{" + ",".join(map(str, self.strides)) + "}"
        if self.strides == standard_strides(self.dtype, self.shape):
            layout = ""
        elif self.strides == standard_strides(self.dtype, self.shape, "F"):
            layout = "F"
        flags = ("" if self.aligned else "~") + ("" if self.writeable else "!")
        return f"{_dtype_text(self.dtype)}[{dims}]{layout}{flags}"


@dataclass(frozen=True)
class ScalarType:
    """A NumPy scalar, or a Python number, which never promotes an array (NEP 50)."""

    dtype: np.dtype[Any]
    python: bool = False

    @property
    def shape(self) -> Shape:
        return ()

    @property
    def ndim(self) -> int:
        return 0

    @property
    def strides(self) -> Shape:
        return ()

    @property
    def size(self) -> int:
        return 1

    @property
    def numeric(self) -> bool:
        return self.dtype.kind in _NUMERIC_KINDS

    @property
    def pytype(self) -> type:
        """The Python class of such a number (python=True only)."""
        return _PYTHON_CLASS[self.dtype.kind]

    def __str__(self) -> str:
        return ("py" if self.python else "") + _dtype_text(self.dtype)


@dataclass(frozen=True)
class ObjectType:
    """Neither array nor number. `cls is None`: known only at run time."""

    cls: type | None = None

    def __str__(self) -> str:
        if self.cls is None:
            return "object"
        return f"object<{self.cls.__module__}.{self.cls.__qualname__}>"

    @property
    def name(self) -> str:
        """As Python's own messages have it."""
        return self.cls.__qualname__ if self.cls is not None else "object"


@dataclass(frozen=True)
class CharacterType(ObjectType):
    """An item of a str, in a loop that runs in C."""

    cls: type | None = str

    def __str__(self) -> str:
        return "character"


@dataclass(frozen=True)
class StackType(ObjectType):
    """A list that a routine keeps to itself: of numbers of one type, or of tuples of such."""

    kinds: tuple[ScalarType, ...] = ()
    tuples: bool = False

    def __str__(self) -> str:
        return f"pile<{' '.join(map(str, self.kinds))}{'; tuples' if self.tuples else ''}>"


@dataclass(frozen=True)
class DynArrayType:
    """Part of an array, or what was computed of such: an exact np.ndarray. An extent is None, or 1
    where it is known to be. `view`: NumPy gives a view of an array that nobody else has."""

    dtype: np.dtype[Any]
    dims: tuple[int | None, ...]
    view: bool = False

    @property
    def ndim(self) -> int:
        return len(self.dims)

    @property
    def numeric(self) -> bool:
        return self.dtype.kind in _NUMERIC_KINDS and self.dtype.isnative

    def __str__(self) -> str:
        dims = ",".join(":" if dim is None else f"={dim}" for dim in self.dims)
        return f"{_dtype_text(self.dtype)}[{dims}]{'~' if self.view else ''}"


Type = ArrayType | ScalarType | ObjectType | DynArrayType

UNKNOWN = ObjectType(None)
NONE = ObjectType(type(None))
CHARACTER = CharacterType()
PYBOOL = ScalarType(np.dtype(bool), True)
PYINT = ScalarType(np.dtype(np.int64), True)
PYFLOAT = ScalarType(np.dtype(np.float64), True)
PYCOMPLEX = ScalarType(np.dtype(np.complex128), True)

_PYTHON: dict[type, ScalarType] = {bool: PYBOOL, int: PYINT, float: PYFLOAT, complex: PYCOMPLEX}
_PYTHON_CLASS = {t.dtype.kind: cls for cls, t in _PYTHON.items()}
_NUMPY_SCALARS: dict[type, ScalarType] = {
    cls: ScalarType(np.dtype(cls))
    for cls in set(np.sctypeDict.values())
    if np.dtype(cls).kind in _NUMERIC_KINDS
}


def is_plain_dtype(obj: Any) -> bool:
    """A dtype that runs no Python code. StringDType compares what stands for missing texts, an
    object of the user's, when it is made or compared; titles of fields may be such objects, too."""
    if not issubclass(type(obj), np.dtype) or obj.char == "T":
        return False
    fields = obj.base.fields or {}
    return all(
        is_plain_dtype(dtype) and all(type(title) is str for title in titles)
        for dtype, _, *titles in fields.values()
    )


def type_of(obj: Any) -> Type:
    """The type of a live object. Runs no code of the object's class."""
    cls = type(obj)
    if cls is np.ndarray:
        return array_type(obj)
    scalar = _PYTHON.get(cls) or _NUMPY_SCALARS.get(cls)
    if scalar is not None:
        return scalar
    if cls in (np.datetime64, np.timedelta64):
        return ScalarType(obj.dtype)
    return ObjectType(cls)


def array_type(array: np.ndarray[Any, Any]) -> ArrayType | ObjectType:
    dtype = array.dtype
    if dtype.kind not in _ARRAY_KINDS or dtype.hasobject or dtype.metadata is not None:
        return ObjectType(np.ndarray)
    flags = array.flags
    writeable: bool = writeable_no_warn.__get__(flags)
    return ArrayType(dtype, array.shape, array.strides, flags.aligned, writeable)


def fresh(dtype: np.dtype[Any], shape: Shape, order: str = "C") -> ArrayType:
    """The type of an array that NumPy has just allocated."""
    return ArrayType(dtype, shape, standard_strides(dtype, shape, order))


def standard_strides(dtype: np.dtype[Any], shape: Shape, order: str = "C") -> Shape:
    if 0 in shape:  # releases of NumPy differ here, and an empty array costs nothing
        return np.empty(shape, dtype, order="F" if order == "F" else "C").strides
    step, strides = dtype.itemsize, []
    for dim in shape if order == "F" else shape[::-1]:
        strides.append(step)
        step *= dim
    return tuple(strides if order == "F" else strides[::-1])


def contiguous(itemsize: int, shape: Shape, strides: Shape) -> bool:
    """Is an array dense, its first axis moving fastest?"""
    step = itemsize
    for dim, stride in zip(shape, strides, strict=True):
        if dim == 0:
            return True
        if dim != 1 and stride != step:
            return 0 in shape
        step *= dim
    return True


# ---------------------------------------------------------------- text


def _dtype_text(dtype: np.dtype[Any]) -> str:
    if dtype.names is not None or dtype.subdtype is not None:
        return f"<{_fields_of(dtype)}>"
    return dtype.str.lstrip("|=" + ("<" if sys.byteorder == "little" else ">"))


def _fields_of(dtype: np.dtype[Any]) -> str:
    try:
        return repr(dtype.descr)
    except ValueError:  # they overlap, or are out of order
        return str(dtype)


# Not compiled here: only bug reports and tests read types back.
_TYPE_TEXT = (
    r"(?P<python>py)?(?P<dtype><\[.*?\)\]>|[<>]?(?:[mM]8(?:\[[0-9a-z]*[a-zA-Z]+\])?|[biufcSUV]\d+))"
    r"(?:\[(?P<dims>[\d,:=]*)\](?:(?P<order>F)|\{(?P<strides>[-\d,]*)\})?(?P<flags>~?!?))?"
)


def parse_type(text: str) -> Type:
    """The type that prints as `text`; ValueError if there is none."""
    if text.startswith("object"):
        return _parse_object(text)
    if text == str(CHARACTER):
        return CHARACTER
    if text.startswith("pile<"):
        return _parse_pile(text)
    match = re.fullmatch(_TYPE_TEXT, text)
    if match is None:
        raise ValueError(f"not a type: {text!r}")
    dtype = _parse_dtype(match["dtype"])
    if match["dims"] is None:
        return ScalarType(dtype, match["python"] is not None)
    dims = match["dims"].split(",")
    if any(dim.startswith((":", "=")) for dim in dims):
        known = tuple(None if dim == ":" else int(dim.removeprefix("=")) for dim in dims)
        return DynArrayType(dtype, known, "~" in match["flags"])
    shape = _ints(match["dims"])
    strides = standard_strides(dtype, shape, match["order"] or "C")
    if match["strides"] is not None:
        strides = _ints(match["strides"])
    t = ArrayType(dtype, shape, strides)
    return replace(t, aligned="~" not in match["flags"], writeable="!" not in match["flags"])


def _parse_dtype(text: str) -> np.dtype[Any]:
    return np.dtype(ast.literal_eval(text[1:-1]) if text.startswith("<[") else text)


def _parse_object(text: str) -> ObjectType:
    """A class is found among the modules that are loaded; a class that is not there is unknown."""
    if text == "object":
        return UNKNOWN
    found = re.fullmatch(r"object<([\w.]+)>", text)
    if found is None:
        raise ValueError(f"not a type: {text!r}")
    parts = found[1].split(".")
    for cut in range(len(parts) - 1, 0, -1):
        at: Any = sys.modules.get(".".join(parts[:cut]))
        for name in parts[cut:]:
            at = vars(at).get(name) if at is not None else None
        if isinstance(at, type):
            return ObjectType(at)
    return UNKNOWN


def _parse_pile(text: str) -> StackType:
    words, semicolon, _ = text.removeprefix("pile<").removesuffix(">").partition("; tuples")
    kinds = tuple(map(parse_type, words.split()))
    if not kinds or not all(isinstance(kind, ScalarType) for kind in kinds):
        raise ValueError(f"not a type: {text!r}")
    return StackType(kinds=kinds, tuples=bool(semicolon))  # type: ignore[arg-type]


def _ints(text: str) -> Shape:
    return tuple(int(part) for part in text.split(",") if part)
