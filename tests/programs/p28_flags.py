"""Floating-point warnings of results that a C compiler could do without."""

import numpy as np
from support.arrays import f2, f4, f8
from support.program import program


def zeros_among(make, n=100):
    x = make(n)
    x[::7] = 0
    return x


def doubles():
    return f8(100) + 1, zeros_among(f8)


def floats():
    return f4(100) + 1, zeros_among(f4)


@program(doubles, floats)
def infinity_of_a_comparison(x, y):
    return np.isinf(np.equal(x / y, 1))


@program(doubles, floats)
def the_side_that_is_never_chosen(x, y):
    return np.where(False, x / y, y)


@program(doubles, floats)
def the_side_that_is_chosen_elsewhere(x, y):
    return np.where(y != 0, x / y, 0.0)


@program(doubles, floats)
def decided_without_it(x, y):
    return np.logical_or(x / y, True), np.logical_and(x - y / 0.0, False)


@program(doubles, floats)
def never_negative(x, y):
    return (np.abs(x / y) < 0) | (y > 1), np.sqrt(x / y) < 0, (x / y) ** 2 < 0


@program(doubles, floats)
def never_above_infinity(x, y):
    return x / y > np.inf, (x / y < np.nan) | False


@program(doubles)
def narrowed_and_compared(x, y):
    return ((x * 1e300).astype("f4") > 3) & (y > 2)


@program(doubles)
def complex_and_then_its_truth(x, y):
    return np.isnan((x.astype("c16") + y * 1e308 * 1e10).astype(bool))


@program(doubles, floats)
def several_of_them(x, y):
    a, b = x / y, y / x
    return (a == b) & (a != a) & False, np.where(True, x, a * b)


@program(lambda: (f2(4),), lambda: (f4(4),), lambda: (f8(4),))
def too_large_where_nobody_reads(x):
    np.where(x, x, 1e300)


@program(lambda: (f2(4),), lambda: (f4(4),))
def too_large_for_the_larger(x):
    np.maximum(x, -1e300)
    return np.where(x < 9, x, 7)


@program(lambda: (f4(4),), lambda: (f2(4),), errstate={"under": "warn"})
def too_small_where_nobody_reads(x):
    np.minimum(x, 1e-300)


@program(lambda: (f2(4), 1e300), lambda: (f4(4), 1e300), lambda: (f2(4), 0.5), lambda: (f8(4), 7))
def numbers_too_large_for_narrow_floats(x, k):
    np.where(x, x, 1e300)
    y = np.maximum(x, k), x < 1e300, np.where(x > 0, x, 100_000)
    np.minimum(x, 1e-30)
    return y, np.full(3, k, dtype="f4"), x.clip(-1e5, k)


@program(lambda: (f2(4),), lambda: (f4(4),), errstate={"under": "warn"})
def numbers_too_small_for_narrow_floats(x):
    np.maximum(x, 1e-30)
    return np.where(x > 0, x, 1e-300), np.equal(x, 1e-42)
