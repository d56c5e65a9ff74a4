"""np.roll in calculations: one array with its edges around it, and views of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.passes.pad_rolls import wrapped
from jitcore.runtime.records import records

pytestmark = pytest.mark.by_turns


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    jitcore.reset()
    yield
    jitcore.reset()


def neighbours(a: Any) -> Any:
    near = np.zeros_like(a)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            near += np.roll(a, (down, right), axis=(0, 1))
    return near


def laplacian(a: Any) -> Any:
    along = np.roll(a, 1, 0) + np.roll(a, -1, axis=-2) + np.roll(a, shift=2, axis=1)
    return along + np.roll(a, (1, 1, -1), (0, 1, 1)) * 2 - 4 * a


def one_axis(a: Any) -> Any:
    b = a.reshape(-1)[: a.size]
    return b * 2 + np.roll(b, 3) * np.roll(b, -1)


def far(a: Any) -> Any:
    return np.roll(a, 100_001, axis=0) + np.roll(a, -7, axis=1) * 3


def of_two(a: Any) -> Any:
    b = a * 2
    return np.roll(a, 1, axis=0) + np.roll(b, -1, axis=0) * b


def handed_out(a: Any) -> Any:
    b, c = np.roll(a, 1, axis=0), np.roll(a, 1, axis=1)
    return b, b + c, np.sort(c, axis=0) + c


def summed(a: Any) -> Any:
    return np.roll(a, 1, axis=0).sum(), (np.roll(a, 1, axis=0) * a).sum(axis=0)


def flat(a: Any) -> Any:
    return np.roll(a, 5) + a


PROGRAMS = (neighbours, laplacian, one_axis, far, of_two, handed_out, summed, flat)
SHAPES = ((8, 9), (64, 128), (1, 5), (2, 2), (3, 1), (70, 3))
TYPES = ("f8", "f4", "i1", "i8", "u2", "c16", "?")


def same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return all(map(same, one, other))
    layout = (one.dtype, one.shape, one.strides) == (other.dtype, other.shape, other.strides)
    return bool(layout and one.tobytes() == other.tobytes())


def array(shape: tuple[int, ...], dtype: str) -> Any:
    return (np.random.default_rng(3).normal(size=shape) * 3).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits(program: Callable[[Any], Any], dtype: str) -> None:
    if dtype == "?" and program in (laplacian,):
        pytest.skip("NumPy has no - of bools")
    fn = jitcore.compile(program)
    for shape in SHAPES:
        for a in (array(shape, dtype), np.asfortranarray(array(shape, dtype))):
            for _ in range(2):
                assert same(fn(a), program(a))


@pytest.mark.parametrize("program", [neighbours, laplacian])
def test_no_roll_is_left(program: Callable[[Any], Any]) -> None:
    fn = jitcore.compile(program)
    fn(array((64, 128), "f8"))
    record = records.find(program.__code__)
    assert record is not None
    (region,) = record.regions
    assert len(region.kernels) == 1 and region.calls <= 2


def test_edges() -> None:
    a = np.arange(12).reshape(3, 4)
    for before, after in (((1, 2), (0, 1)), ((0, 0), (1, 0)), ((3, 4), (3, 4))):
        pad = [*zip(before, after, strict=True)]
        assert wrapped(a, before, after).tolist() == np.pad(a, pad, mode="wrap").tolist()
