"""What Python and C must agree on: NumPy's type numbers ↔ C types, operand letters, flag bits.

The C side is jitcore/runtime_c/kernel_rt.h (whose text heads every source) and
csrc/kernel/launch.c.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from jitcore.host.fast_dataclass import dataclass

ABI = 1  # RT_ABI of kernel_rt.h
SYMBOL = "jitcore_kernel"
LIMIT = 64  # MAX_OPERANDS of csrc/kernel/launch.h
ASK_ERRSTATE = -1
FLAGS = {"divide": 0x04, "over": 0x08, "under": 0x10, "invalid": 0x01}  # RT_*, in NumPy's order

# How a kernel takes an operand. A Python scalar has the type that NEP 50 gives it there.
ARRAY = "a"
NUMPY_SCALAR = "s"
PYTHON_SCALARS: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c"}

C_TYPES: dict[str, str] = {
    "?": "u8",  # any nonzero byte is true
    "b": "i8",
    "B": "u8",
    "h": "i16",
    "H": "u16",
    "i": "i32",
    "I": "u32",
    "l": f"i{8 * np.dtype('l').itemsize}",
    "L": f"u{8 * np.dtype('L').itemsize}",
    "q": "i64",
    "Q": "u64",
    "e": "u16",  # float16 is carried, never computed with
    "f": "f32",
    "d": "f64",
    "F": "c64",
    "D": "c128",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """One operand as csrc/kernel/launch.c checks it at each launch; scalars have no shape."""

    kind: str
    dtype: np.dtype
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    def row(self) -> tuple[str, int, tuple[int, ...], tuple[int, ...]]:
        return self.kind, self.dtype.num, self.shape, self.strides


def is_native(dtype: np.dtype) -> bool:
    """Has generated C a type for it?"""
    return dtype.char in C_TYPES and dtype.isnative and dtype.metadata is None


def c_type(dtype: np.dtype) -> str:
    return C_TYPES[dtype.char]


def unsigned(dtype: np.dtype) -> str:
    """Of the same width; a float's is its own type."""
    return f"u{c_type(dtype)[1:]}" if dtype.kind in "iu" else c_type(dtype)


def runtime_text() -> str:
    """The declarations at the head of every kernel."""
    return text_of("kernel_rt.h")


@cache
def text_of(name: str) -> str:
    """A file of jitcore/runtime_c."""
    return (Path(__file__).parent.parent / "runtime_c" / name).read_text(encoding="utf-8")
