"""Values → trees that can be compared: arrays by their bits, objects that are met again by name."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np


class Names:
    """Values → comparable trees; what is met again is named, so that aliases show."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.arrays: list[Any] = []
        self.kept: list[Any] = []

    def of(self, obj: Any) -> Any:
        if isinstance(obj, np.ndarray | list | dict) or hasattr(obj, "__dict__"):
            if id(obj) in self.met:
                return "again", self.met[id(obj)]
            self.met[id(obj)] = len(self.met)
            self.kept.append(obj)
        match obj:
            case np.ndarray():
                return self.array(obj)
            case np.generic():
                return type(obj).__name__, bits(np.asarray(obj))
            case float():
                return "float", "nan" if obj != obj else struct.pack("d", obj)
            case complex():
                return "complex", self.of(obj.real), self.of(obj.imag)
            case tuple() | list():
                return type(obj).__name__, tuple(self.of(item) for item in obj)
            case Mapping():
                return type(obj).__name__, tuple((k, self.of(v)) for k, v in obj.items())
            case FunctionType():
                return "function", obj.__qualname__, self.of(cells(obj)), self.of(obj.__defaults__)
            case CodeType() | ModuleType() | type():
                return type(obj).__name__, getattr(obj, "__name__", "")
        if "__dict__" in dir(obj) and not callable(obj):
            return type(obj).__name__, self.of(vars(obj))
        text = repr(obj)
        return type(obj).__name__, text if " at 0x" not in text else ""

    def array(self, obj: Any) -> Any:
        strides = tuple(s for s, n in zip(obj.strides, obj.shape, strict=True) if n > 1)
        flags = (obj.flags.c_contiguous, obj.flags.f_contiguous, obj.flags.writeable)
        shares = tuple(i for i, other in enumerate(self.arrays) if np.may_share_memory(obj, other))
        self.arrays.append(obj)
        kind = type(obj).__name__, obj.dtype.str, obj.shape
        return (*kind, strides if obj.size > 1 else (), flags, shares, bits(obj))


def cells(fn: FunctionType) -> Any:
    found = []
    for cell in fn.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            found.append("empty")
    return found


def bits(array: Any) -> Any:
    """The bytes in index order; every NaN is the same one."""
    if array.dtype.kind == "O":
        return repr(array.tolist())
    if array.dtype.kind not in "fc":
        return array.tobytes()
    nan = np.isnan(array)
    if not nan.any():
        return array.tobytes()
    if array.dtype.kind == "c":
        return bits(array.real), bits(array.imag)
    return np.where(nan, array.dtype.type(0), array).tobytes(), nan.tobytes()
