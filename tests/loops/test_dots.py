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


# ---- of several rounds at once -------------------------------------------------------------------


def columns(a: Array, b: Array, n: int) -> None:
    """b's column is written after it was read."""
    for i in range(n):
        for j in range(n):
            b[i, j] = 0.5 * (b[i, j] + a[i + 1 :, i] @ b[i + 1 :, j])


def columns_before(a: Array, b: Array, n: int) -> None:
    """And here before: the next round's is not yet what it will be."""
    for i in range(n):
        for j in range(n):
            b[n - 1, j] = a[i, j] * 0.5
            b[0, j] = a[i, :] @ b[:, j]


def next_column(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n - 1):
            b[i, j + 1] = a[:, i] @ b[:, j] * 0.01


def one_column(a: Array, b: Array, n: int) -> None:
    """At one place, which some rounds read."""
    for i in range(n):
        for j in range(n):
            b[1, i] = a[:, i] @ b[:, j] * 0.01


def beside(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[i, 0] += a[:, j] @ b[:, j] * 0.01


def decomposed(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / (a[j, j] + n)
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


def rows_that_grow(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / (b[j, j] + n)
        a[i, i] = np.sqrt(abs(a[i, i] - a[i, :i] @ a[i, :i]))


def written_ahead(a: Array, b: Array, n: int) -> None:
    """Within what has grown, not behind it."""
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, :j] @ a[j, :j]
            a[i, i] = b[i, j] * 0.01


def orthonormal(a: Array, b: Array, n: int) -> None:
    for k in range(n):
        b[:, k] = a[:, k] * 0.1
        for j in range(k + 1, n):
            b[k, j] = b[:, k] @ a[:, j]
            a[:, j] -= b[k, j] * 0.01


def from_below(a: Array, b: Array, n: int) -> None:
    """Negative indices first."""
    for i in range(n):
        for j in range(-n, n):
            b[i, j] = a[i, :] @ a[:, j]


def growing_from_below(a: Array, b: Array, n: int) -> None:
    for j in range(-n, n):
        b[0, j] = a[1, :j] @ a[:j, 0] if a[1, :j].shape[0] == a[:j, 0].shape[0] else 0.0


def too_far(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n + 3):
            b[i, 0] = a[i, :] @ a[:, j] * 0.01


def by_twos(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(0, n, 2):
            b[i, j] = a[i, ::2] @ a[::2, j]
            b[i, j] += a[i, ::-1] @ a[:, j]


def until(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            x = a[i, :] @ a[:, j]
            if x > 40.0:
                break
            b[i, j] = x


def with_a_call(a: Array, b: Array, n: int) -> None:
    for i in range(3):
        for j in range(n):
            b[i, j] = a[i, :] @ a[:, j] + np.linalg.norm(b[i, :3])


def updated(a: Array, b: Array, n: int) -> None:
    for k in range(n):
        for j in range(k + 1, n):
            b[k, j] = b[:, k] @ a[:, j] * 0.01
            a[:, j] -= b[k, j] * b[:, k]


def in_two_parts(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:i, j] += 0.5 * a[i, j] * a[i, :i]
            b[i, j] += 0.5 * (a[i, j] * a[i, i] + a[i, :i] @ a[:i, j])


def read_again(a: Array, b: Array, n: int) -> None:
    """Of a column that was just written."""
    for i in range(n):
        for j in range(n):
            b[:, j] = a[:, j] * 0.5
            b[0, j] = b[i, j] + 1.0


def handed_on(a: Array, b: Array, n: int) -> None:
    for i in range(1, n):
        for j in range(n):
            b[0, j] = a[i, j] - 0.5
            b[i:, j] = b[0, j] * a[i:, j] - b[i:, i]


def stored_twice(a: Array, b: Array, n: int) -> None:
    for i in range(1, n):
        for j in range(n):
            b[0, j] = a[i, j] - 0.5
            b[:, j] = b[0, j] * a[:, j]
            b[i, j] = a[0, j]


def from_the_last(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(1, n):
            a[:, j] = a[:, j - 1] * 0.5 + b[:, i]


def from_a_column(a: Array, b: Array, n: int) -> None:
    """Which some round writes."""
    for i in range(n):
        for j in range(n):
            a[:, j] = a[:, i] * 0.5 + b[:, j]


def at_one_number(a: Array, b: Array, n: int) -> None:
    for j in range(n):
        b[0, 0] = a[0, j]
        b[1:, j] = b[0, 0] * a[1:, j]


def divided(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:, j] = a[i, j] / a[j, 20] * a[:, j]


def columns_too_far(a: Array, b: Array, n: int) -> None:
    for j in range(-n, n + 3):
        b[:, j] = 0.5 * a[:, j] + b[:, 1]


def of_other_lengths(a: Array, b: Array, n: int) -> None:
    for i in range(n):
        for j in range(n):
            b[:i, j] = 0.5 * a[:1, j] + a[i : i + i, j]


def rows_and_columns(a: Array, b: Array, n: int) -> None:
    """A later round's row is a part of this one's column."""
    for i in range(3):
        for j in range(n):
            b[:, j] = a[:, j] * 0.5
            b[j, i] = a[0, j]


def from_the_left_end(a: Array, b: Array, n: int) -> None:
    for j in range(-n, -1):
        b[:, j] = 0.5 * a[:, j] + a[:, 1]
        a[0, j] = 3.0


SQUARES = (
    rows_and_columns,
    from_the_left_end,
    updated,
    in_two_parts,
    read_again,
    handed_on,
    stored_twice,
    from_the_last,
    from_a_column,
    at_one_number,
    divided,
    columns_too_far,
    of_other_lengths,
    columns,
    columns_before,
    next_column,
    one_column,
    beside,
    decomposed,
    rows_that_grow,
    written_ahead,
    orthonormal,
    from_below,
    growing_from_below,
    too_far,
    by_twos,
    until,
    with_a_call,
)
SIZE = 53


def squares(*special: float) -> tuple[Array, Array]:
    a, b = (np.random.default_rng(k).normal(size=(SIZE, SIZE)) for k in (1, 2))
    for k, value in enumerate(special):
        a[3 + k, 20 + 5 * k] = b[7, 30 + k] = value
    return a, b


def apart() -> tuple[Array, Array]:
    return squares()


def one_array() -> tuple[Array, Array]:
    a, _ = squares()
    return a, a


def shifted() -> tuple[Array, Array]:
    both = np.random.default_rng(1).normal(size=(SIZE + 1, SIZE + 2))
    return both[:-1, 1:-1], both[1:, 2:]


def transposed() -> tuple[Array, Array]:
    a, b = squares()
    return a.T, np.asfortranarray(b)


def with_gaps() -> tuple[Array, Array]:
    both = np.random.default_rng(1).normal(size=(SIZE, 2 * SIZE))
    return both[:, ::2], both[:, 1::2]


def not_finite() -> tuple[Array, Array]:
    return squares(np.inf, np.nan)


def huge() -> tuple[Array, Array]:
    return squares(1.7e308, -1.6e308, 1.5e308)


def overlapping() -> tuple[Array, Array]:
    """Elements of a are in several of its rows."""
    flat = np.random.default_rng(1).normal(size=(SIZE + 1) * SIZE)
    return np.lib.stride_tricks.as_strided(flat, (SIZE, SIZE), (8 * 20, 8)), squares()[1]


def overlapping_too() -> tuple[Array, Array]:
    return overlapping()[::-1]


MAKES = (
    overlapping,
    overlapping_too,
    apart,
    one_array,
    shifted,
    transposed,
    with_gaps,
    not_finite,
    huge,
)


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("fn", SQUARES)
def test_of_several_rounds(
    fn: Callable[..., None], make: Callable[[], tuple[Array, Array]]
) -> None:
    """Warnings too, each as often as CPython gives them."""
    results = []
    for run in (jitcore.compile(fn), jitcore.compile(fn), fn):
        a, b = make()
        results.append((outcome(run, a, b, SIZE), a, b))
    *own, (want, x, y) = results
    for said, a, b in own:
        assert said == want
        np.testing.assert_array_equal(a, x)
        np.testing.assert_array_equal(b, y)


@pytest.mark.parametrize("fn", [columns, decomposed, rows_that_grow, orthonormal])
def test_rounds_look_ahead(fn: Callable[..., None]) -> None:
    jitted = jitcore.compile(fn)
    jitted(*squares(), SIZE)
    assert dots.orders() == (None, None) or any(
        "world->ahead(" in one.source for one in routines(jitted)
    )


@pytest.mark.parametrize("fn", [updated, in_two_parts, handed_on, from_a_column, divided])
def test_rounds_side_by_side(fn: Callable[..., None]) -> None:
    jitted = jitcore.compile(fn)
    jitted(*squares(), SIZE)
    assert any("goto alone" in one.source for one in routines(jitted))


def scaled(a: Array, p: float, q: float, n: int) -> None:
    for j in range(n):
        a[:, j] = p / q * a[:, j]


@pytest.mark.parametrize("q", [2.0, 0.0])
def test_a_division_of_pythons(q: float) -> None:
    jitted = jitcore.compile(scaled)
    with np.errstate(all="ignore"):
        for fn in (jitted, jitted, scaled):
            a, _ = squares()
            if q:
                fn(a, 1.0, q, SIZE)
            else:
                with pytest.raises(ZeroDivisionError):
                    fn(a, 1.0, q, SIZE)
            np.testing.assert_array_equal(a, squares()[0] / (q or 1.0))
    assert any("goto alone" in one.source for one in routines(jitted))
