"""dtype → the values that arithmetic is known to fail at, all pairs of them, and random ones.

wild    every magnitude, infinities, NaNs, the ends of the integers
tame    small numbers of which hardly an operation raises a flag
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from support.elements import same_elements

Array = np.ndarray[Any, Any]

DTYPES = "?bBhHiIlLqQefdFD"
TWINS = "bhHILqQF"  # the same C as others, but for the width: for the deep run
RANDOM = 1500  # elements after the pairs

FRACTIONS = (0.5, 1.5, 2.5, 0.1, np.pi / 2, 1e-5, 7.0, 88.8, 709.8)


def special(dtype: np.dtype[Any]) -> Array:
    """The values of a type that stand apart, none of them twice."""
    if dtype.kind == "b":
        return np.arange(0, 256, 51, dtype=np.uint8).view(bool)  # any byte but 0 is true
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        near = [ends.min, ends.min + 1, ends.max, ends.max - 1, ends.max // 2]
        small = [0, 1, 2, 3, 7, 8 * dtype.itemsize - 1, 8 * dtype.itemsize, 100]
        below = [-1, -2, -100] if dtype.kind == "i" else []
        return np.array(sorted({*near, *small, *below}), dtype)
    if dtype.kind == "c":
        part = np.dtype(dtype.char.lower())
        few = special(part)[[0, 1, 2, 4, 7, 15, -1, -17, -18, -20]]
        return pairs_of(few, dtype)
    limits = np.finfo(dtype)
    one = dtype.type(1)
    positive = [
        *(limits.max, limits.tiny, limits.smallest_subnormal, limits.tiny / 2, limits.eps, one),
        *(np.nextafter(one, one * 0), np.nextafter(one, one * 2)),
        *(2.0 ** (limits.nmant + 1), 2.0 ** min(limits.maxexp - 1, 31)),
        *(2.0 ** min(limits.maxexp - 1, 63), np.sqrt(limits.max), *FRACTIONS),
    ]
    with np.errstate(all="ignore"):
        half = np.array([0, np.inf, *positive], dtype)
        return np.concatenate([half, -half, np.array([np.nan], dtype)])


def pairs_of(parts: Array, dtype: np.dtype[Any]) -> Array:
    """Complex numbers with each pair of the parts."""
    made = np.empty((len(parts), len(parts)), dtype)
    made.real, made.imag = parts[:, None], parts
    return made.reshape(-1)


@cache
def wild(char: str, place: int) -> Array:
    """As the operand at `place`: first all pairs of special values, then anything."""
    dtype = np.dtype(char)
    few = special(dtype)
    pairs = few.repeat(len(few)) if place % 2 == 0 else np.tile(few, len(few))
    rng = np.random.default_rng(17 + place)
    if dtype.kind == "c":
        parts = wild(char.lower(), place)[-RANDOM:], wild(char.lower(), place + 1)[-RANDOM:]
        anything = np.empty(RANDOM, dtype)
        anything.real, anything.imag = parts
    else:
        anything = random(dtype, few, rng)
    mixed = np.concatenate([pairs[np.random.default_rng(5).permutation(pairs.size)], anything])
    mixed.flags.writeable = False
    return mixed


def random(dtype: np.dtype[Any], few: Array, rng: np.random.Generator) -> Array:
    if dtype.kind == "b":
        return rng.choice(few, RANDOM)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        whole = rng.integers(ends.min, ends.max, RANDOM, dtype, endpoint=True)
        return np.where(rng.random(RANDOM) < 0.5, whole, rng.integers(0, 9, RANDOM).astype(dtype))
    near = rng.normal(size=RANDOM) * rng.choice([0.01, 1.0, 30.0, 1e4], RANDOM)
    with np.errstate(all="ignore"):
        return np.where(rng.random(RANDOM) < 0.8, near.astype(dtype), rng.choice(few, RANDOM))


@cache
def tame(char: str, place: int) -> Array:
    rng = np.random.default_rng(29 + place)
    dtype = np.dtype(char)
    made: Array = (rng.random(RANDOM) * 2.75 + 0.25).astype(dtype)
    if dtype.kind == "c":
        made.imag = rng.random(RANDOM)
    made.flags.writeable = False
    return made


def same(a: Array, b: Array) -> bool:
    """Bit for bit; any NaN is as good as another."""
    return a.tobytes() == b.tobytes() or bool(same_elements(a, b).all())
