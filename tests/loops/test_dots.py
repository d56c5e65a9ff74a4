"""Products of vectors in loops have the bits of NumPy's BLAS, whoever adds them up."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore
from jitcore import _C
from jitcore.loops.transform import dots
from jitcore.toolchain.numpy_loops import core_loop

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
ROWS = ("eights, fused", "eights", "fours, fused", "fours")
APART = ("products", "products, fused", "fused, fused")


@pytest.fixture(autouse=True)
def tried_again() -> Iterator[None]:
    yield
    tried(())


def tried(without: tuple[str, ...]) -> tuple[str | None, str | None]:
    inner = core_loop(np.matmul, "ddd")
    assert inner is not None
    return _C.try_dots((inner.capsule,), without)


def launches(fn: Any) -> int:
    return sum(one.launches for one in routines(fn))


def outcome(fn: Callable[..., Any], *args: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            said = [str(fn(*args))]
        except (IndexError, ValueError) as error:
            said = [str(error)]
    return said + [f"{one.lineno}: {one.message}" for one in caught]


def agrees(fn: Callable[..., Any], *args: Any) -> None:
    jitted = jitcore.compile(fn)
    for _ in range(2):
        own = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        want = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        assert outcome(jitted, *own) == outcome(fn, *want)
        for a, b in zip(own, want, strict=True):
            if isinstance(a, np.ndarray):
                np.testing.assert_array_equal(a.view("u8"), b.view("u8"))
    assert launches(jitted) >= 1


def lengths(x: Array, y: Array, out: Array, most: int) -> None:
    for n in range(most):
        out[n] = x[:n] @ y[:n]


def with_steps(x: Array, y: Array, out: Array, most: int) -> None:
    for n in range(most):
        out[n] = x[: 3 * n : 3] @ y[: 2 * n : 2]


def backwards(x: Array, y: Array, out: Array, most: int) -> None:
    for n in range(most):
        out[n] = np.flip(x[:n]) @ y[:n]


def other_starts(x: Array, y: Array, out: Array, most: int) -> None:
    for n in range(most - 40):
        out[n] = x[n : n + 40] @ y[1:41]


def by_dot(x: Array, y: Array, out: Array, most: int) -> None:
    for n in range(2, most):
        out[n] = np.dot(x[:n], y[:n]) + np.dot(x[: 2 * n : 2], y[:n])


VECTORS = (lengths, with_steps, backwards, other_starts, by_dot)


def numbers(seed: int, size: int, special: tuple[float, ...] = ()) -> Array:
    rng = np.random.default_rng(seed)
    made = rng.normal(size=size) * 10.0 ** rng.integers(-3, 4, size)
    for k, value in enumerate(special):
        made[37 + 29 * k] = value
    return made


@pytest.mark.parametrize("special", [(), (np.inf,), (np.nan, -np.inf), (1e300, 1e308), (5e-324,)])
@pytest.mark.parametrize("fn", VECTORS)
def test_vectors(fn: Callable[..., None], special: tuple[float, ...]) -> None:
    x, y = numbers(1, 700, special), numbers(2, 700, special)
    agrees(fn, x, y, np.zeros(220), 220)


@pytest.mark.parametrize("most", [8192, 8193, 10_000, 10_001, 20_000])
def test_long_vectors(most: int) -> None:
    def near(x: Array, y: Array, out: Array, most: int) -> None:
        for k in range(6):
            out[k] = x[:most] @ y[k : k + most]
            out[k] += x[: 2 * most : 2] @ y[k : k + most]

    agrees(near, numbers(1, 40_010), numbers(2, 40_010), np.zeros(6), most)


@pytest.mark.parametrize("fn", VECTORS)
def test_without_an_order_of_our_own(fn: Callable[..., None]) -> None:
    dots.orders()
    assert tried((*ROWS, *APART)) == (None, None)
    agrees(fn, numbers(1, 700), numbers(2, 700), np.zeros(220), 220)


def test_a_wrong_order_is_not_taken() -> None:
    """Of several at most one is NumPy's: without it there is none."""
    row, apart = tried(())
    without = tuple(name for name in (row, apart) if name is not None)
    assert tried(without) == (None, None)
    assert tried(()) == (row, apart)


def test_other_loops_are_no_trial() -> None:
    with pytest.raises(ValueError, match="one loop"):
        _C.try_dots((), ())
