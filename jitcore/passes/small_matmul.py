"""Products of small vectors and matrices, without what NumPy does around its loop.

    np.dot(a, b), a.dot(b)    →    _C.small_dot(a, b)
    a @ b, np.matmul(a, b)    →    _C.small_matmul(a, b)

csrc/numpy/small_matmul.c has them. np.dot has a way of its own to the functions of BLAS that
matmul's loop calls. That both end at the same ones, with the same bits, a trial says once in a
process, since OpenBLAS chooses its kernels when it is loaded; and whether np.dot says what raised
floating-point flags, as NumPy 2.4 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass
from jitcore.host.private_names import dot, matmul
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind, Op
from jitcore.ir.types import ArrayType
from jitcore.toolchain.numpy_loops import core_loop, same_bits

# Silent: where NumPy would warn they raise, whatever the error state, and CPython repeats the call.
DOT = Op("dot", _C.small_dot, Kind.LINALG)
MATMUL = Op("matmul", _C.small_matmul, Kind.LINALG)

CHARS = "fdFD"
MOST = 1 << 15  # products of two numbers: beyond them what NumPy does around its loop is little

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Served:
    """What the extension does in NumPy's place, for one dtype."""

    dot: bool


def of_dot(node: Node) -> tuple[Any, ...] | None:
    a, b = operands(node)
    if a is None or b is None or not (is_dots(a) and is_dots(b)):
        return None
    use = served(a.dtype)
    return (node.args[0], node.args[1]) if use is not None and use.dot else None


def of_matmul(node: Node) -> tuple[Any, ...] | None:
    a, b = operands(node)
    if a is None or b is None or node.bodies or served(a.dtype) is None:
        return None
    return node.args[0], node.args[1]


def operands(node: Node) -> tuple[ArrayType | None, ArrayType | None]:
    """The types of two arrays whose product is a small one."""
    if node.kwargs or len(node.args) != 2:
        return None, None
    a, b = (one.type if type(one) is Value else None for one in node.args)
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
        return None, None
    right = a.dtype == b.dtype and a.dtype.char in CHARS and a.dtype.isnative
    if not right or not (is_plain(a) and is_plain(b)):
        return None, None
    return (a, b) if a.size * b.size <= MOST * b.shape[0] else (None, None)


def is_plain(t: ArrayType) -> bool:
    return t.ndim in (1, 2) and t.aligned and t.size > 0


def is_dots(t: ArrayType) -> bool:
    """np.dot copies what is not in one piece, and has ways of its own for extents of one."""
    return (t.c_contiguous or t.f_contiguous) and min(t.shape) > 1


@cache
def served(dtype: np.dtype[Any]) -> Served | None:
    """None: products of this dtype are NumPy's."""
    loop = core_loop(matmul, dtype.char * 3)
    if loop is None:
        return None
    _C.products_use(dtype, (loop.capsule,), dot_warns(dtype))
    with np.errstate(all="ignore"):
        if not all(agrees(_C.small_matmul, matmul, a, b) for a, b in tried(dtype)):
            return None
        return Served(all(agrees(_C.small_dot, dot, a, b) for a, b in tried(dtype)))


# ---- the trial -----------------------------------------------------------------------------------

EXTENTS = (2, 3, 4, 5, 8, 17)


def tried(dtype: np.dtype[Any]) -> Iterator[tuple[Array, Array]]:
    """Each form of two operands, in either order of memory, and one array with itself."""
    rng: np.random.Generator = np.random.Generator(np.random.PCG64(1))
    for n in EXTENTS:
        for m in EXTENTS[::2]:
            a, b = numbers(rng, (m, n), dtype), numbers(rng, (n, m), dtype)
            x = numbers(rng, (n,), dtype)
            for left in (a, np.asfortranarray(a)):
                yield left, x
                yield left, left.T
                for right in (b, np.asfortranarray(b)):
                    yield left, right
            yield x, b
            yield x, np.asfortranarray(b)
            yield x, x


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    made: Array = normal(rng, shape) * 2.0 ** np.floor(9 * normal(rng, shape) % 18 - 9)
    if dtype.kind == "c":
        made = made + 1j * normal(rng, shape)
    return np.asarray(made, dtype)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Where no array is given, what stands for `np.empty` in the program makes one."""
    return rng.standard_normal(out=np.empty(shape))


def agrees(own: Any, numpys: Any, a: Array, b: Array) -> bool:
    mine, theirs = own(a, b), numpys(a, b)
    alike = type(mine) is type(theirs) and mine.shape == theirs.shape
    return bool(alike and mine.strides == theirs.strides and same_bits(mine, theirs))


def dot_warns(dtype: np.dtype[Any]) -> bool:
    large = np.full((2, 2), np.finfo(dtype).max, dtype)
    with np.errstate(all="raise"):
        try:
            dot(large, large)
        except FloatingPointError:
            return True
    return False
