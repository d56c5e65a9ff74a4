"""Arrays that are as long as a mask selects, in each round anew, and stores at places that arrays
of ints say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore
from jitcore import _C
from jitcore.runtime.records import records

Array = np.ndarray[Any, Any]


def same(fn: Callable[..., Any], *args: Any) -> None:
    """Compiled as CPython has it, in one routine, which is launched each time."""
    made = jitcore.compile(fn)
    for _ in range(3):
        given, others = ([copied(one) for one in args] for _ in range(2))
        for got, want in zip(tree(made(*given)), tree(fn(*others)), strict=True):
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want, strict=True)
        for got, want in zip(given, others, strict=True):
            np.testing.assert_array_equal(got, want)
    (one,) = routines(made)
    assert one.launches == 3


def copied(arg: Any) -> Any:
    """With its strides."""
    if not isinstance(arg, np.ndarray) or arg.base is None:
        return arg.copy() if isinstance(arg, np.ndarray) else arg
    return np.repeat(arg, 3)[::3]


def tree(found: Any) -> Any:
    return found if type(found) is tuple else (found,)


def escape(z: Array, c: Array, steps: int, limit: float) -> Any:
    last, when = np.zeros_like(c), np.zeros(c.size, np.int64)
    where = np.arange(c.size)
    for step in range(steps):
        if z.size == 0:
            break
        z = z * z + c
        gone = np.abs(z) > limit
        when[where[gone]] = step + 1
        last[where[gone]] = z[gone]
        stay = ~gone
        z, c, where = z[stay], c[stay], where[stay]
    return last, when


@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 1003])
def test_several_arrays_and_one_mask(n: int) -> None:
    rng = np.random.default_rng(n)
    c = rng.uniform(-2, 1, n) + 1j * rng.uniform(-1.2, 1.2, n)
    same(escape, np.zeros_like(c), c, 40, 2.0)


def squared(z: Array, c: Array, count: Array, n: int) -> Any:
    for step in range(n):
        inside = np.abs(z) < 2.0
        count[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    return z, count


@pytest.mark.parametrize("shape", [(9000,), (90, 101), (11, 3)])
@pytest.mark.parametrize("layout", ["dense", "columns"])
def test_complex_numbers_that_a_mask_selects_of_many(shape: tuple[int, ...], layout: str) -> None:
    """No region has them; the store is into what the mask came from."""
    rng = np.random.default_rng(9)
    c = rng.uniform(-2, 1, shape) + 1j * rng.uniform(-1.2, 1.2, shape)
    c.flat[:6] = [0.0, -0.0, complex(-0.0, -0.0), 5e-324, complex(np.inf, 1), complex(1, np.nan)]
    apart = 3 if layout == "columns" else 1

    def given() -> Any:
        z, count = np.full(shape, -0.0 + 0j), np.zeros(shape, np.int64)
        return np.repeat(z, apart, -1)[..., ::apart], c, np.repeat(count, apart, -1)[..., ::apart]

    made = jitcore.compile(squared)
    with np.errstate(all="ignore"):
        for _ in range(3):
            for got, want in zip(made(*given(), 20), squared(*given(), 20), strict=True):
                assert got.tobytes() == want.tobytes()
    (one,) = routines(made)
    assert one.launches == 3


def ends(x: Array, m: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        y = x[m > i]
        s += y[:3].sum() + len(y) + y.shape[0] + y[-2:].sum()
    return s


@pytest.mark.parametrize("n", [3, 7, 16])
def test_a_length_is_not_that_of_the_first_array(n: int) -> None:
    rng = np.random.default_rng(n)
    same(ends, rng.random(n), rng.integers(0, 9, n), 8)


def means(x: Array, m: Array, n: int) -> Any:
    found, others = np.zeros(n), np.zeros(n)
    for i in range(n):
        found[i] = x[m >= i].mean()
        others[i] = np.mean(x[i : 2 * i + 1])
    return found, others


@pytest.mark.parametrize("char", "dfi")
@pytest.mark.parametrize("step", [1, 3])
def test_means(char: str, step: int) -> None:
    """Of many, in NumPy's order; of zeros with signs, of what is next to nothing, and of none."""
    rng = np.random.default_rng(5)
    x, m = np.repeat((rng.random(3000) * 9).astype(char), step)[::step], rng.integers(9, 99, 3000)
    same(means, x, m, 90)
    jitcore.reset()
    if char == "d":
        few = np.repeat([-0.0, 5e-324, np.inf, 1e308, 1e308, np.nan, 3.0], step)[::step]
        with np.errstate(all="ignore"):
            same(means, few, np.arange(7), 4)
    made = jitcore.compile(means)
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="empty slice") as ours:
            got = made(x[:5], m[:5], 120)
        with pytest.warns(RuntimeWarning, match="empty slice") as theirs:
            want = means(x[:5], m[:5], 120)
        assert [str(one.message) for one in ours] == [str(one.message) for one in theirs]
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(one, other)


def sieve(x: Array, n: int) -> Any:
    count = 0
    for k in range(2, n):
        x = x[(x % k != 0) | (x == k)]
        count += len(x)
    return x, count


def test_runs_of_masks() -> None:
    """All, none, and some of eight at once; from a view that is not dense, too."""
    x = np.arange(2, 300)
    same(sieve, x, 17)
    jitcore.reset()
    same(sieve, np.repeat(x, 3)[::3], 17)


def put(a: Array, at: Array, x: Array, n: int) -> Any:
    for k in range(n):
        a[at] = x + k
        a[at[:3]] = k
    return a


def test_the_last_of_several_stores_stays() -> None:
    rng = np.random.default_rng(3)
    at, x = rng.integers(-20, 20, 30), rng.random(30)
    same(put, np.zeros(20), at, x, 20)
    jitcore.reset()
    same(put, np.zeros(20), at.astype("i1"), x, 20)


def permute(a: Array, n: int) -> Any:
    for k in range(n):
        a[a] = a[::-1]
        a[a] = (a + k) % 20
        a %= 20
    return a


def test_places_in_what_is_written() -> None:
    same(permute, np.random.default_rng(4).permutation(20), 30)


def beyond(a: Array, at: Array, n: int) -> Any:
    for k in range(n):
        a[k] = 1.0
        a[at + k] = 7.0
    return a


def test_places_beyond_the_end() -> None:
    made = jitcore.compile(beyond)
    for _ in range(3):
        got, want, at = np.zeros(30), np.zeros(30), np.array([3, 0, 9])
        with pytest.raises(IndexError) as ours:
            made(got, at, 30)
        with pytest.raises(IndexError) as theirs:
            beyond(want, at, 30)
        assert str(ours.value) == str(theirs.value)
        np.testing.assert_array_equal(got, want)
    assert [one.exits > 0 for one in routines(made)].count(True) == 1


def rotate(n: int, m: int) -> Any:
    a, b, c = np.zeros(m), np.ones(m), np.arange(1.0, m + 1)
    for k in range(n):
        a, b, c = b, c, a + b * 0.5 - c * 0.25
        if c[0] > 1.0:
            c = c * 0.25
        for _ in range(k % 3 + 1):
            a = a + b * 0.125
            a, b = b, a
    return a, b, c


@pytest.mark.parametrize("m", [1, 5, 40])
def test_arrays_that_change_places(m: int) -> None:
    same(rotate, 30, m)


def halved(x: Array, n: int) -> Any:
    s = 0.0
    for _ in range(n):
        x = x[x > x[0]] * 0.5
        s += x.sum()
    return s


def scaled(x: Array, n: int) -> Any:
    for k in range(n):
        x = np.sqrt(x * 0.5 + k)
    return x


def marked(x: Array, m: Array, n: int) -> Any:
    for _ in range(n):
        x[m] = np.sqrt(x[m]) + 1.0
    return x


def test_large_arrays_only_where_lengths_vary() -> None:
    x = np.random.default_rng(5).random(100_000)
    x[0] = 0.001
    same(halved, x, 3)
    for fn, args in ((scaled, (x, 12)), (marked, (x.copy(), x > 0.5, 12))):
        others = jitcore.compile(fn)
        others(*args)
        assert not routines(others)


def solved_for(a: Array, b: Array, shifts: Array) -> Array:
    total = np.zeros_like(b)
    for shift in shifts:
        total += shift * np.linalg.solve(a + shift, b)
    return total


@pytest.mark.parametrize(("n", "loops"), [(6, 1), (100, 0)])
def test_a_call_of_large_arrays_whose_shape_is_given_beforehand(n: int, loops: int) -> None:
    """It does not find as many things as there are, so kernels take what is large."""
    rng = np.random.default_rng(n)
    a, b = rng.random((n, n)) + n * np.eye(n), rng.random((n, 3))
    fn = jitcore.compile(solved_for)
    for _ in range(3):
        shifts = np.linspace(0.5, 2.0, 40)
        np.testing.assert_array_equal(fn(a, b, shifts), solved_for(a, b, shifts), strict=True)
    assert len(routines(fn)) == loops


def test_large_arrays_beside_a_loop_within_that_selects() -> None:
    """The outer loop is CPython's, with a kernel for what is large; the inner one is compiled."""

    def fn(points: Array, centres: Array) -> Any:
        for _ in range(3):
            distance = ((points[:, np.newaxis, :] - centres) ** 2).sum(axis=2)
            nearest = distance.argmin(axis=1)
            for k in range(centres.shape[0]):
                members = points[nearest == k]
                if len(members) > 0:
                    centres[k] = members.mean(axis=0)
        return centres

    made = jitcore.compile(fn)
    rng = np.random.default_rng(4)
    points, centres = rng.normal(size=(10_000, 4)), rng.normal(size=(8, 4))
    for _ in range(2):
        np.testing.assert_array_equal(made(points, centres.copy()), fn(points, centres.copy()))
    record = records.find(fn.__code__)
    assert record is not None and any(region.kernels for region in record.regions)


def test_large_rooms_are_those_of_the_launch_before() -> None:
    x = np.random.default_rng(6).random(400_000)
    x[0] = 0.001
    made = jitcore.compile(halved)
    made(x, 3)
    made(x, 3)
    before = _C.pool_state()[3]
    made(x, 3)
    assert _C.pool_state()[3] - before > 2
    assert routines(made)[0].launches >= 2
