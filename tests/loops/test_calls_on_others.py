"""Calls in loops on arrays of types that C has not: the loop is left to CPython, without a word."""

from __future__ import annotations

import numpy as np
import pytest

import jitcore


def roots(x, n):
    for _ in range(n):
        r = np.sqrt(x)
        s = np.sort(r)
    return r, s


def halves(y, g):
    for i in range(len(y)):
        y[-i - 1 :] = np.sqrt(g[-i - 1 :, 1] < i)


def test_float16_is_not_its_bits():
    made, g = jitcore.compile(halves), np.arange(-16.0, 16.0).reshape(8, 4)
    for _ in range(2):
        got, want = np.zeros(8), np.zeros(8)
        made(got, g), halves(want, g)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["float16", "longdouble"])
def test_of_another_type(dtype, caplog):
    x = np.arange(20, 0, -1).astype(dtype)
    made = jitcore.compile(roots)
    for _ in range(2):
        for got, want in zip(made(x, 20), roots(x, 20), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
    assert not caplog.records
