"""ufunc and types → NumPy's inner loop, and how it may be called so that the bits stay.

NumPy is asked for the loop (ufunc._get_strided_loop, which it documents for other compilers).
A kernel calls it on chunks in buffers, NumPy on whole rows of arrays. Most loops treat all elements
alike, but some take another path by stride, position, length or aliasing (complex square, float16
cbrt; others on other processors). So each loop is tried once on this processor:

    FREE     every way of calling gives the same bits: integers, whose results are exact
    FORWARD  every way without negative strides, with which NumPy often leaves its vector code
    FLAT     chunks that start at multiples of 64, if all is contiguous as in NumPy's own call
    NEVER    none

A trial is no proof: where two paths differ, they do so in some elements of a thousand, so a sample
has thousands. float16 hides differences by rounding, so it is never more than FLAT. The verdict is
kept on disk with all that it hangs on: this loop's code in this file, the processor, the C library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from jitcore import _C
from jitcore.config import environment
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.private_names import get_strided_loop, resolve_dtypes_and_context
from jitcore.toolchain.cache_dir import recall, remember
from jitcore.toolchain.compiler import processor
from jitcore.version import __version__

TRIAL = 1  # of the trials below: a verdict of others is not taken
SIZE = 8209  # of the sample: prime, many chunks
GRAIN = 64  # a chunk starts at multiples of it; covers every vector loop that NumPy unrolls
SCALARS = (0, 1, 2, 3, 0.5, -1, -0.5, np.inf, np.nan, 1.7)  # loops know some: x ** 0.5 is sqrt
INTEGERS = (0, 1, 2, 3, -1, 77)
REPEATS = 4  # of each pair of special values
LEAST = 1031  # where results are exact, or there is much to try
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-310, 1e-40, 1e300, 1e38, np.inf, -np.inf, np.nan, 3.0)

Array = np.ndarray[Any, Any]


class Freedom(IntEnum):
    NEVER = 0
    FLAT = 1
    FORWARD = 2
    FREE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """One loop of a ufunc. `capsule` holds its address for csrc/kernel/launch.c and keeps it
    alive."""

    ufunc: np.ufunc
    dtypes: tuple[np.dtype, ...]  # inputs, then outputs
    capsule: object
    freedom: Freedom


@cache
def inner_loop(ufunc: np.ufunc, chars: str) -> Inner | None:
    """The loop for these types (chars of inputs, then outputs); None: leave it to NumPy."""
    found = core_loop(ufunc, chars)
    try:
        freedom = Freedom.NEVER if found is None else verdict(ufunc, found.dtypes)
    except (AttributeError, TypeError, ValueError, NotImplementedError):
        return None
    return replace(found, freedom=freedom) if found and freedom > Freedom.NEVER else None


@cache
def core_loop(ufunc: np.ufunc, chars: str) -> Inner | None:
    """The same untried, for calls with the very strides that NumPy would give it."""
    dtypes = tuple(np.dtype(char) for char in chars)
    wanted = (*dtypes[: ufunc.nin], *(None,) * ufunc.nout)
    try:
        found, capsule = resolve_dtypes_and_context(ufunc, wanted)
        if any(a is None or a.char != b.char for a, b in zip(found, dtypes, strict=True)):
            return None
        get_strided_loop(ufunc, capsule)
    except (AttributeError, TypeError, ValueError, NotImplementedError):
        return None
    return Inner(ufunc, dtypes, capsule, Freedom.NEVER)


# ---- what is known of a loop --------------------------------------------------------------------


def verdict(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> Freedom:
    """That of an earlier process, or of a trial now."""
    key, folder = key_of(ufunc, dtypes), environment().cache_dir
    kept = recall(folder, key) if key is not None else None
    if kept is not None and kept in Freedom.__members__:
        return Freedom[kept]
    found = probe(ufunc, dtypes)
    if key is not None:
        remember(folder, key, found.name)
    return found


def key_of(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> str | None:
    """Changes when another trial might end otherwise; None: there is no telling."""
    place = _C.loop_place(ufunc, dtypes)
    if place is None:
        return None
    try:
        files = [(path and file_state(path), offset) for path, offset in place]
    except OSError:
        return None
    chars = "".join(dtype.char for dtype in dtypes)
    return repr((__version__, TRIAL, np.__version__, processor(), c_library(), files, chars))


@cache
def file_state(path: str) -> tuple[str, int, int]:
    real = os.path.realpath(path)
    found = os.stat(real)
    return real, found.st_size, found.st_mtime_ns


@cache
def c_library() -> str:
    """NumPy's loops call it, where it says what it is."""
    names = os.confstr_names
    return os.confstr("CS_GNU_LIBC_VERSION") or "" if "CS_GNU_LIBC_VERSION" in names else ""


# ---- trying a loop ------------------------------------------------------------------------------


def probe(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> Freedom:
    """Call the ufunc in every way that a kernel or NumPy might, and compare with one plain call."""
    ins, outs = dtypes[: ufunc.nin], dtypes[ufunc.nin :]
    size = SIZE if any(one.kind in "fc" for one in dtypes) else LEAST
    args = [sample(dtype, size, seed) for seed, dtype in enumerate(ins)]
    with np.errstate(all="ignore"):
        want = results(ufunc(*args))
        if not all(same(got, want) for got in chunked(ufunc, args)):
            return Freedom.NEVER
        if not all(same(got, want) for got in aliased(ufunc, args, outs)):
            return Freedom.NEVER
        if not scalars_chunked(ufunc, args):
            return Freedom.NEVER
        if "e" in [one.char for one in dtypes]:
            return Freedom.FLAT
        if not all(same(got, want) for got in scattered(ufunc, args)):
            return Freedom.FLAT
        if not scalars_spread(ufunc, args):
            return Freedom.FLAT
    return Freedom.FREE if all(one.kind in "biu" for one in dtypes) else Freedom.FORWARD


def sample(dtype: np.dtype[Any], size: int, seed: int) -> Array:
    """Values of every magnitude, in no order, with the special ones spread through."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(size) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = rng.integers(limits.min, limits.max, size, dtype, endpoint=True)
        small: Array = (whole % dtype.type(100)).astype(dtype)
        mixed: Array = np.where(rng.random(size) < 0.5, whole, small)
        return mixed
    if dtype.kind == "c":
        part = np.dtype(dtype.char.lower())
        pair = np.stack([sample(part, size, seed), sample(part, size, seed + 7)], axis=-1)
        return pair.reshape(-1).view(dtype)
    near = rng.normal(size=size) * rng.choice([0.1, 1.0, 10.0, 100.0], size)
    wide = np.ldexp(near, rng.integers(-40, 40, size).astype(np.int32))
    spread: Array = np.where(rng.random(size) < 0.7, near, wide)
    at, count = meetings(size), len(SPECIAL)
    spread[at] = np.asarray(SPECIAL)[np.arange(at.size) // count ** (seed % 3) % count]
    with np.errstate(all="ignore"):
        return spread.astype(dtype)


@cache
def meetings(size: int) -> Array:
    """Places where the special values of two operands meet, each pair REPEATS times."""
    return np.random.default_rng(0).choice(size, REPEATS * len(SPECIAL) ** 2, replace=False)


def results(value: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    return value if isinstance(value, tuple) else (value,)


def same(got: tuple[Array, ...], want: tuple[Array, ...]) -> bool:
    """The elements that were got, which are the first of those wanted."""
    return all(same_bits(a, b[: a.size]) for a, b in zip(got, want, strict=True))


def same_bits(a: Array, b: Array) -> bool:
    """Bit for bit, but any NaN is as good as another."""
    if a.dtype.kind == "c":
        part = a.dtype.char.lower()
        return same_bits(np.ascontiguousarray(a).view(part), np.ascontiguousarray(b).view(part))
    bits = f"u{a.dtype.itemsize}"
    equal = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    if a.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
    return bool(equal.all())


def pieces(ufunc: np.ufunc, args: list[Array], bounds: list[int]) -> tuple[Array, ...]:
    """The ufunc called on each range between bounds, and the results joined."""
    spans = list(pairwise(bounds))
    parts = [results(ufunc(*(arg[a:b] for arg in args))) for a, b in spans]
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def chunked(ufunc: np.ufunc, args: list[Array]) -> Iterator[tuple[Array, ...]]:
    for step in (GRAIN, 7 * GRAIN):
        yield pieces(ufunc, args, [*range(0, len(args[0]), step), len(args[0])])


def aliased(
    ufunc: np.ufunc, args: list[Array], outs: tuple[np.dtype, ...]
) -> Iterator[tuple[Array, ...]]:
    """Written over an operand, as NumPy does with the temporaries of large expressions."""
    if len(outs) != 1:
        return
    for k, arg in enumerate(args):
        if arg.dtype == outs[0]:
            copies = [a.copy() for a in args]
            yield (ufunc(*copies, out=copies[k]),)


SPREADS: tuple[Callable[[Array], Array], ...] = (
    lambda a: np.repeat(a, 2)[::2],
    lambda a: np.repeat(a, 5)[::5],
    lambda a: np.repeat(a[:LEAST], 257)[::257],
    lambda a: np.concatenate([a[:1], a])[1:],
)


def laid_out(
    ufunc: np.ufunc, args: list[Array], layout: Callable[[Array], Array]
) -> Iterator[tuple[Array, ...]]:
    """Other strides: of all operands at once, and of each alone."""
    yield results(ufunc(*map(layout, args)))
    for k in range(len(args) if len(args) > 1 else 0):
        one = layout(args[k])
        yield results(ufunc(*first(args[:k], one.size), one, *first(args[k + 1 :], one.size)))


def first(args: list[Array], count: int) -> list[Array]:
    return [arg[:count] for arg in args]


def scattered(ufunc: np.ufunc, args: list[Array]) -> Iterator[tuple[Array, ...]]:
    """Other starts and lengths, other strides."""
    for start, step in ((1, 1), (3, 5), (2, 13), (17, 31), (63, 129), (500, 500)):
        some = first(args, LEAST if step < GRAIN else SIZE)
        size = some[0].size
        yield pieces(ufunc, some, [0, *range(start, size, step), size])
    for layout in SPREADS:
        yield from laid_out(ufunc, args, layout)


def with_scalar(ufunc: np.ufunc, args: list[Array]) -> Iterator[list[Array]]:
    """The operands with each in turn replaced by one of its values (stride 0), several times."""
    some = first(args, LEAST)
    for k in range(ufunc.nin if ufunc.nin > 1 else 0):
        dtype = some[k].dtype
        for value in SCALARS if dtype.kind in "fc" else INTEGERS:
            scalar = np.asarray(value).astype(dtype)
            yield [*some[:k], np.broadcast_to(scalar, some[k].shape), *some[k + 1 :]]


def scalars_chunked(ufunc: np.ufunc, args: list[Array]) -> bool:
    """With a scalar operand, a chunk gives what the whole gives."""
    return all(
        same(got, results(ufunc(*some)))
        for some in with_scalar(ufunc, args)
        for got in chunked(ufunc, some)
    )


def scalars_spread(ufunc: np.ufunc, args: list[Array]) -> bool:
    """A scalar operand gives what an array of it gives, whatever the other operands' strides."""
    for some in with_scalar(ufunc, args):
        want = results(ufunc(*map(np.ascontiguousarray, some)))
        if not same(results(ufunc(*some)), want):
            return False
        for layout in SPREADS[:2]:
            spread = [layout(one) if one.strides[0] else one for one in some]
            if not same(results(ufunc(*spread)), want):
                return False
    return True
