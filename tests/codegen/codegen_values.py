"""Arrays to compute with: every magnitude, the special values, every layout that NumPy knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

DTYPES = "?bBhHiIlLqQefdFD"
SIZES = (1, 2, 3, 7, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 500, 1023, 1024, 1025, 2049, 5000)
SPECIAL = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-310, -1e-310, 5e-324, 1e-40, 1e300, -1e300, 1e38),
    *(np.inf, -np.inf, np.nan, 2.0**31, 2.0**63, -(2.0**63), 1.7976931348623157e308),
)


def wild(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    """Anything that fits into the type."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        limits = np.iinfo(dtype)
        every = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        small = rng.integers(0, 9, shape).astype(dtype)
        return np.where(rng.random(shape) < 0.5, every, small)
    if kind == "c":
        part = dtype.lower()
        made = np.empty(shape, dtype)
        made.real, made.imag = wild(part, shape, seed), wild(part, shape, seed + 1)
        return made
    near = rng.normal(size=shape) * rng.choice([0.1, 1.0, 30.0, 1e6], shape)
    chosen = np.where(rng.random(shape) < 0.8, near, rng.choice(SPECIAL, shape))
    with np.errstate(all="ignore"):
        return np.asarray(chosen).astype(dtype)


def tame(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    """Small positive numbers: hardly an operation raises a flag."""
    rng = np.random.default_rng(seed)
    return (rng.random(shape) * 3 + 0.25).astype(dtype)


def misaligned(a: Array) -> Array:
    memory = np.zeros(a.nbytes + 1, np.uint8)
    made = memory[1:].view(a.dtype).reshape(a.shape)
    made[...] = a
    return made


def spread(a: Array) -> Array:
    wide = np.repeat(a, 3, axis=-1)
    return wide[..., ::3]


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": lambda a: a.copy(),
    "F": lambda a: a.copy(order="F"),
    "spread": spread,
    "rows": lambda a: np.repeat(a, 2, axis=0)[::2],
    "backward": lambda a: a[..., ::-1].copy()[..., ::-1],
    "upside down": lambda a: a[::-1].copy()[::-1],
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "row": lambda a: a[:1],
    "column": lambda a: a[:, :1],
    "repeated": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "vector": lambda a: a[0],
    "zero-d": lambda a: np.asarray(a[0, 0]),
}
