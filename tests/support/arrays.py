"""Short names for the arrays that programs start from: the same values in every run.

f8(3, 4)  float64 of that shape, values of both signs, none special, different for each `seed`
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@cache
def normal(count: int, seed: int) -> Array:
    return np.random.default_rng([seed, count]).standard_normal(count) * 2


def real(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    return normal(int(np.prod(shape)), seed).reshape(shape).astype(dtype)


def f8(*shape: int, seed: int = 0) -> Array:
    return real(shape, "f8", seed)


def f4(*shape: int, seed: int = 0) -> Array:
    return real(shape, "f4", seed)


def f2(*shape: int, seed: int = 0) -> Array:
    return real(shape, "f2", seed)


def c16(*shape: int, seed: int = 0) -> Array:
    return real(shape, "f8", seed) + 1j * real(shape, "f8", seed + 1)


def c8(*shape: int, seed: int = 0) -> Array:
    return c16(*shape, seed=seed).astype("c8")


def ints(*shape: int, dtype: str = "i8", seed: int = 0) -> Array:
    values = np.rint(normal(int(np.prod(shape)), seed) * 3).reshape(shape)
    return (np.abs(values) if dtype[0] == "u" else values).astype(dtype)


def i8(*shape: int, seed: int = 0) -> Array:
    return ints(*shape, seed=seed)


def i4(*shape: int, seed: int = 0) -> Array:
    return ints(*shape, dtype="i4", seed=seed)


def i1(*shape: int, seed: int = 0) -> Array:
    return ints(*shape, dtype="i1", seed=seed)


def u1(*shape: int, seed: int = 0) -> Array:
    return ints(*shape, dtype="u1", seed=seed)


def b1(*shape: int, seed: int = 0) -> Array:
    return real(shape, "f8", seed) > 0


def count(*shape: int, dtype: str = "f8") -> Array:
    """0, 1, 2, … in C order."""
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def positive(*shape: int, seed: int = 0) -> Array:
    return np.abs(f8(*shape, seed=seed)) + 0.1


def special(dtype: str = "f8") -> Array:
    """The numbers that tell one implementation from another."""
    tiny = np.finfo(dtype).tiny
    return np.array(
        [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, tiny, -tiny, np.finfo(dtype).max, 0.5, 3.0],
        dtype=dtype,
    )


def fortran(a: Array) -> Array:
    return np.asfortranarray(a)


def strided(a: Array, step: int = 2) -> Array:
    """The same values, `step` elements apart in memory."""
    wide = np.zeros((*a.shape[:-1], a.shape[-1] * step), a.dtype)
    view = wide[..., ::step]
    view[...] = a
    return view


def backwards(a: Array) -> Array:
    """The same values in a view with negative strides."""
    flip = (slice(None, None, -1),) * a.ndim
    return a[flip].copy()[flip]


def stride0(value: float, *shape: int, dtype: str = "f8") -> Array:
    return np.broadcast_to(np.array(value, dtype), shape)


def misaligned(a: Array) -> Array:
    room = np.zeros(a.nbytes + 1, "u1")[1:]
    view = room.view(a.dtype).reshape(a.shape)
    view[...] = a
    return view


def swapped(a: Array) -> Array:
    return a.astype(a.dtype.newbyteorder(">"))


def readonly(a: Array) -> Array:
    a = a.copy()
    a.flags.writeable = False
    return a
