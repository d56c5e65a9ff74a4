"""Calls in loops that give tuples, or as many places as they find; loops over what loops make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)
X, A = RNG.random(30), RNG.random((4, 4))


def qr(a: Array, n: int) -> Any:
    for _ in range(n):
        q, r = np.linalg.qr(a)
        a = r @ q
    return a, q, r


def by_name(a: Array, n: int) -> Any:
    for _ in range(n):
        found = np.linalg.qr(a)
        a = found.R @ found.Q + np.linalg.svd(a).S[0] * 1e-3
    return a


def pairs(x: Array, n: int) -> Any:
    t = np.zeros_like(x)
    for _ in range(n):
        q, r = np.divmod(x, 0.3)
        whole, left = np.modf(x * 1.5)
        m, e = np.frexp(x)
        t += q + r + whole + left + m + e
        x = x * 1.01
    return t


def largest_first(a: Array, n: int) -> Any:
    s = 0
    for _ in range(n):
        r, c = np.unravel_index(a.argmax(), a.shape)
        a[r, c] = 0.0
        s += r * 10 + c
    return s


def where(x: Array, n: int) -> Any:
    s = 0
    for i in range(n):
        w = np.nonzero(x > i * 0.1)[0]
        x[w] *= 0.5
        k = np.where(x < 0.2)[0]
        x[k] += 0.25
        (f,) = (x - x[0]).nonzero()
        s += len(w) + w[:2].sum() + np.flatnonzero(x).size + f.sum()
    return s


def in_two_axes(a: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        r, c = np.nonzero(a > i * 0.1)
        a[r, c] *= 0.5
        s += r.sum() - c.sum()
    return s


def kinds_of(n: int) -> Any:
    s = 0
    a, b, c = np.zeros(20), np.zeros(20, np.complex128), np.zeros(20, np.int32)
    for i in range(n):
        a[i], b[i], c[i] = -0.0, complex(0.0, i - 3), i - 4
        a[i - 1] = np.nan
        s += np.flatnonzero(a).sum() + np.flatnonzero(b).sum() * 3 + np.flatnonzero(c).sum() * 7
    return s


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (qr, (A, 9)),
        (by_name, (A, 9)),
        (pairs, (X[:9], 9)),
        (largest_first, (RNG.random((5, 6)), 9)),
        (where, (X, 9)),
        (in_two_axes, (RNG.random((5, 6)), 9)),
        (kinds_of, (20,)),
    ],
    ids=lambda one: one.__name__ if callable(one) else "",
)
def test_in_one_routine(fn: Callable[..., Any], args: Any) -> None:
    made = jitcore.compile(fn)
    for _ in range(3):
        given, others = ([np.array(a) if np.ndim(a) else a for a in args] for _ in range(2))
        for got, want in zip(several(made(*given)), several(fn(*others)), strict=True):
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want, strict=True)
        for got, want in zip(given, others, strict=True):
            np.testing.assert_array_equal(got, want)
    (one,) = routines(made)
    assert (one.launches, one.exits) == (3, 0)


def several(found: Any) -> Any:
    return found if type(found) is tuple else (found,)


def reached(edges: Array, start: int) -> Any:
    far = np.full(len(edges), -1)
    far[start] = 0
    front = np.array([start])
    steps = 0
    while front.size > 0:
        steps += 1
        new = np.zeros(len(edges), bool)
        for v in front:
            new |= edges[v]
        new &= far < 0
        far[new] = steps
        front = np.flatnonzero(new)
    return far, front


def test_what_is_found_is_a_view_after_the_loop_too() -> None:
    made, edges = jitcore.compile(reached), RNG.random((40, 40)) < 0.06
    for _ in range(3):
        got, want = made(edges, 3), reached(edges, 3)
        for a, b in zip(got, want, strict=True):
            same_view(a, b)
    assert sum(one.launches for one in routines(made)) == 3


def same_view(a: Array, b: Array) -> None:
    np.testing.assert_array_equal(a, b, strict=True)
    assert a.strides == b.strides and a.flags.owndata == b.flags.owndata
    assert (a.base is None) == (b.base is None)


def last_places(a: Array, n: int) -> Any:
    r, c = np.nonzero(a)
    for i in range(n):
        r, c = np.nonzero(a > i * 0.1)
        a[r, c] *= 0.9
    return r, c


@pytest.mark.parametrize("n", [0, 1, 7, 30])
def test_columns_of_what_is_found(n: int) -> None:
    made = jitcore.compile(last_places)
    for _ in range(3):
        a, b = (np.random.default_rng(2).random((5, 6)) for _ in range(2))
        for got, want in zip(made(a, n), last_places(b, n), strict=True):
            same_view(got, want)


def rows(a: Array, b: Array) -> Any:
    s = 0.0
    for r in a:
        s += r @ r
        for c, d in zip(r, b, strict=False):
            s += c * d
        r[0] = s
    for i, (p, q) in enumerate(zip(a[::-1], a, strict=False)):
        p += q * i
        b = b + p
    for r in reversed(a):
        s -= r[-1]
    return s, b


def chosen(x: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        for v in x[x > 0.1 * i]:
            s += v
        for k, w in enumerate(np.flatnonzero(x < 0.5)):
            x[w] += 0.1 * k
    return s


@pytest.mark.parametrize(("fn", "args"), [(rows, (30, 5)), (chosen, (30,))])
def test_loops_over_rows_and_over_what_is_found(fn: Any, args: tuple[int, ...]) -> None:
    made = jitcore.compile(fn)
    for _ in range(3):
        given, others = (
            ([RNG.random(args), RNG.random(5)] if fn is rows else [RNG.random(args), 9])
            for RNG in (np.random.default_rng(1), np.random.default_rng(1))
        )
        for got, want in zip(several(made(*given)), several(fn(*others)), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
        np.testing.assert_array_equal(given[0], others[0])
    assert routines(made) and all(one.launches == 3 for one in routines(made))


def left(a: Array, n: int, log: list[Any]) -> Any:
    s = 0.0
    for r in a:
        s += r[0]
        if s > n:
            log.append(r.sum())
            print(end="")
    return s


def test_rows_go_on_where_the_loop_was_left() -> None:
    made, a = jitcore.compile(left), RNG.random((50, 3))
    for _ in range(4):
        got, want = [], []
        assert made(a, 5, got) == left(a, 5, want)
        assert got == want
    assert routines(made)


def fails(a: Array, n: int) -> Any:
    s = 0.0
    for i in range(n):
        _, w, v = np.linalg.svd(a)
        a[0, 0] += i
        if i == 7:
            a[1, 0] = np.nan
        s += w[0] + v[0, 0] * 0
    return s


def test_an_error_is_numpys_own() -> None:
    made = jitcore.compile(fails)
    for _ in range(3):
        states = []
        for fn in (made, fails):
            a = A + A.T
            with pytest.raises(np.linalg.LinAlgError) as error:
                fn(a, 20)
            states.append((str(error.value), a.tobytes()))
        assert states[0] == states[1]
