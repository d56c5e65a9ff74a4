"""Operators on arrays: kinds, promotion, warnings."""

import numpy as np
from support.arrays import b1, c16, f2, f4, f8, i1, i8, ints, positive, special, u1
from support.program import program


@program(lambda: (f8(6), f8(6, seed=1)), lambda: (f4(3, 4), f8(4)), lambda: (i8(5), f8(1)))
def add(x, y):
    return x + y


@program(lambda: (f8(6), f8(6, seed=1)), lambda: (i8(6), u1(6)), lambda: (c16(6), f4(6)))
def subtract(x, y):
    return x - y


@program(lambda: (f8(2, 3), f8(3)), lambda: (f2(2, 3), f2(3)), lambda: (c16(3), c16(3, seed=4)))
def multiply(x, y):
    return x * y


@program(lambda: (f8(6), f8(6, seed=1)), lambda: (i8(6), i8(6, seed=1) | 1))
def divide(x, y):
    return x / y


@program(lambda: (i8(9), i8(9, seed=2)), lambda: (f8(9), f8(9, seed=2)), lambda: (u1(9), u1(9)))
def floor_divide_warns_on_zero(x, y):
    return x // y


@program(lambda: (i8(9), i8(9, seed=2)), lambda: (f8(9), f8(9, seed=2)), lambda: (i1(9), i1(9)))
def remainder_warns_on_zero(x, y):
    return x % y


@program(lambda: (f8(9), f8(9, seed=2)), lambda: (i8(9), i8(9, seed=1) | 1))
def divmod_gives_two(x, y):
    quotient, rest = divmod(x, y)
    return quotient, rest


@program(lambda: (positive(7), f8(7)), lambda: (f8(7), f8(7)), lambda: (i8(7), np.abs(i8(7))))
def power_of_arrays(x, y):
    return x**y


@program(lambda: (f8(7),), lambda: (f4(7),), lambda: (i8(7),), lambda: (c16(4),))
def power_by_small_numbers(x):
    return x**2, x**0.5 if x.dtype.kind == "c" else abs(x) ** 0.5, x**3, x**1


@program(lambda: (i8(4),))
def integer_to_negative_power_raises(x):
    return x**-1


@program(lambda: (f8(3, 4), f8(4, 2)), lambda: (i8(3, 4), i8(4)), lambda: (c16(4), f8(4)))
def matmul(x, y):
    return x @ y


@program(lambda: (f8(6),), lambda: (i8(6),), lambda: (c16(6),), lambda: (u1(6),))
def unary_signs(x):
    return -x, +x, abs(x)


@program(lambda: (b1(4),))
def negative_of_bool_raises(x):
    return -x


@program(lambda: (i8(6), i8(6, seed=1)), lambda: (b1(6), b1(6, seed=1)), lambda: (u1(6), i1(6)))
def bitwise(x, y):
    return x & y, x | y, x ^ y, ~x


@program(lambda: (i8(6), ints(6, dtype="u1") % 8), lambda: (i1(6), 2))
def shifts(x, n):
    return x << n, x >> n


@program(lambda: (f8(4), i8(4)))
def bitwise_of_floats_raises(x, n):
    return x & n


@program(lambda: (f8(6), f8(6, seed=1)), lambda: (special(), special()[::-1].copy()))
def comparisons(x, y):
    return x < y, x <= y, x == y, x != y, x > y, x >= y


@program(lambda: (c16(4), c16(4)), lambda: (b1(4), b1(4, seed=3)))
def comparisons_of_other_kinds(x, y):
    return x == y, x != y


@program(lambda: (special(), special()[::-1].copy()), lambda: (special("f4"), special("f4")))
def special_values_and_their_warnings(x, y):
    s = x + y
    d = x - y
    p = x * y
    q = x / y
    return s, d, p, q


@program(lambda: (f8(3),), lambda: (f8(0),))
def division_by_zero_warns(x):
    y = x * 0
    z = x / y
    return z + 1


@program(lambda: (np.array([1e300, -1e300, 1.0]),))
def overflow_warns(x):
    return x * x + 1


@program(lambda: (np.array([1e-300, 1.0]),), errstate={"under": "warn"})
def underflow_warns_when_asked(x):
    return x * x


@program(lambda: (np.array([100, -100, 3], "i1"),), lambda: (np.array([200, 3], "u1"),))
def integers_wrap(x):
    return x + x, x * x


@program(lambda: (f8(3), f8(4)))
def shapes_that_do_not_fit(x, y):
    a = x * 2
    return a + y


@program(lambda: (f8(5), f8(5, seed=1), f8(5, seed=2)), lambda: (f4(5), f4(5), f8(5)))
def chain(x, y, z):
    t = x * y + z
    u = t / (abs(z) + 1.0)
    return u - t * 0.5


@program(lambda: (f8(5), f8(5, seed=1)))
def common_subexpression(x, y):
    return (x + y) * (x + y) - (x + y)


@program(lambda: (f8(5),))
def unused_results(x):
    x * 3
    y = x + 1
    y = x - 1
    return y


@program(lambda: (f8(4),))
def argument_comes_back(x):
    y = x
    return y, x


@program(lambda: (f8(4),), lambda: (i8(2, 2),))
def one_result_twice(x):
    y = x + 1
    return y, y, [y]


@program(
    lambda: (f8(1000), f8(1000, seed=1)), lambda: (f4(1001), f4(1001)), lambda: (f8(33, 31), f8(31))
)
def long_arrays(x, y):
    return np.sqrt(x * x + y * y) * np.exp(-x) + y
