"""Recurrences: what a loop has just stored is read from a variable, and is what stands there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def onward(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        a[j] = (a[j] + a[j - 1]) * 0.5 + b[j - 1]


def from_the_end(a: Array, b: Array, n: int) -> None:
    for j in range(0, n):
        a[j] = (a[j] + a[j - 1]) * 0.5 + b[j]


def backward(a: Array, b: Array, n: int) -> None:
    for j in range(n - 2, -1, -1):
        a[j] = a[j] * 0.25 + a[j + 1] * b[j + 1]


def ahead(a: Array, b: Array, n: int) -> None:
    for j in range(n - 1):
        a[j + 1] = a[j] * 0.5 + b[j]


def ahead_of_the_end(a: Array, b: Array, n: int) -> None:
    for j in range(-3, n - 1):
        a[j + 1] = a[j] * 0.5 + b[j]


def two_by_two(a: Array, b: Array, n: int) -> None:
    for j in range(2, n, 2):
        a[j] = a[j - 2] * 0.5 + a[j - 1] * b[j]


def at_one_place(a: Array, b: Array, n: int) -> None:
    for i in range(3):
        for j in range(n):
            a[i] += a[j] * b[j] * 0.125


def while_it_goes(a: Array, b: Array, n: int) -> None:
    j = 1
    while j < n:
        a[j] = a[j - 1] * 0.5 + b[j]
        j += 1


def on_two_ways(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        x = a[j - 1] + 1.0
        if b[j] > 0.5:
            x = x * 0.5 + a[j - 1]
            if x > 0.75:
                a[j] = x


def in_between(a: Array, b: Array, n: int) -> None:
    """The other array may be the same one: with two stores nothing is kept."""
    for j in range(1, n):
        x = a[j - 1]
        b[j - 1] = x * 2.0
        a[j] = a[j - 1] * 0.25 + b[j]


def called(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        a[j] = a[j - 1] * 0.5 + np.linalg.norm(b[j - 1 : j + 1])


def of_rows(a: Array, b: Array, n: int) -> None:
    rows = a.reshape(4, -1)
    for i in range(1, 4):
        row = rows[i]
        for j in range(1, row.shape[0]):
            row[j] = row[j - 1] * 0.5 + rows[i - 1, j]


def shown(a: Array, b: Array, n: int) -> None:
    for j in range(1, n):
        if j % 40 == 0:
            str(a[j - 1])
        a[j] = a[j - 1] * 0.5 + b[j]


def too_far(a: Array, b: Array, n: int) -> None:
    for j in range(1, n + 5):
        a[j] = a[j - 1] * 0.5 + b[j - 5]


def made_anew(a: Array, b: Array, n: int) -> None:
    """In each round, and at the same place."""
    for j in range(n - 2):
        x = b[j : j + 3] * 0.5
        x[0] += a[j]
        a[j + 1] = x.sum()


def carried(a: Array, b: Array, n: int) -> None:
    x = b[:3] * 1.0
    for i in range(n // 2):
        for j in range(i % 3):
            x = x * 0.5 + j
            x[0] += a[i]
        a[i] = x.sum()


NOTHING_KEPT = (in_between, made_anew, carried)
PROGRAMS = [
    made_anew,
    carried,
    onward,
    from_the_end,
    backward,
    ahead,
    ahead_of_the_end,
    two_by_two,
    at_one_place,
    while_it_goes,
    on_two_ways,
    in_between,
    called,
    of_rows,
    shown,
    too_far,
]


def outcome(fn: Callable[..., None], a: Array, b: Array) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fn(a, b, 200)
            said = []
        except IndexError as error:
            said = [str(error)]
    return said + [f"{one.lineno}: {one.message}" for one in caught]


def apart(dtype: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    return rng.random(200).astype(dtype), rng.random(200).astype(dtype)


def huge(dtype: str) -> tuple[Array, Array]:
    a, b = apart(dtype)
    a[50] = b[20] = np.finfo(dtype).max
    return a, b


def same(dtype: str) -> tuple[Array, Array]:
    a, _ = apart(dtype)
    return a, a


def shifted(dtype: str) -> tuple[Array, Array]:
    a = np.random.default_rng(3).random(201).astype(dtype)
    return a[:-1], a[1:]


def turned(dtype: str) -> tuple[Array, Array]:
    a, _ = apart(dtype)
    return a, a[::-1]


def every_other(dtype: str) -> tuple[Array, Array]:
    a = np.random.default_rng(3).random(400).astype(dtype)
    return a[::2], a[1::2]


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("make", [apart, huge, same, shifted, turned, every_other])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_recurrences(fn: Callable[..., None], make: Callable[..., Any], dtype: str) -> None:
    jitted = jitcore.compile(fn)
    for _ in range(3):
        mine, plain = make(dtype), make(dtype)
        assert outcome(jitted, *mine) == outcome(fn, *plain)
        for one, other in zip(mine, plain, strict=True):
            assert one.tobytes() == other.tobytes()
    assert routines(jitted)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_a_variable_is_kept(fn: Callable[..., None]) -> None:
    jitted = jitcore.compile(fn)
    outcome(jitted, *apart("d"))
    text = "".join(one.source for one in routines(jitted))
    assert ("__builtin_expect(t" in text and ", 1) ? t" in text) == (fn not in NOTHING_KEPT)


def test_long_doubles(caplog: pytest.LogCaptureFixture) -> None:
    """They have no form in C."""

    def handed_on(x: Any) -> None:
        for j in range(1, len(x)):
            x[j] = x[j - 1]

    x = np.arange(40, dtype="g")
    jitcore.compile(handed_on)(x)
    assert not x.any()
    assert not caplog.records  # internal errors are logged
