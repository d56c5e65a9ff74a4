"""Python numbers, NumPy scalars and arrays together: NEP 50."""

import math

import numpy as np
from support.arrays import c8, f2, f4, f8, i1, i4, i8, u1
from support.program import program


@program(lambda: (f4(4),), lambda: (f8(4),), lambda: (f2(4),), lambda: (c8(4),), lambda: (i1(4),))
def python_numbers_are_weak(x):
    return x + 1, x * 2.5, x - True, x + 1j


@program(
    lambda: (f4(4), np.float64(2)), lambda: (i4(4), np.int64(3)), lambda: (f4(4), np.float32(1))
)
def numpy_scalars_are_not_weak(x, k):
    return x * k, k * x, k - x


@program(lambda: (i1(4),), lambda: (u1(4),))
def python_int_out_of_range_raises(x):
    return x + 300


@program(lambda: (u1(4),))
def python_int_of_the_wrong_sign_raises(x):
    return x * -1


@program(lambda: (u1(4),), lambda: (i8(4),))
def comparison_with_any_python_int_works(x):
    return x < 300, x >= -1, x == 2**70


@program(lambda: (np.float64(1.5), np.float32(2.5)), lambda: (np.int8(100), np.int8(100)))
def scalar_with_scalar(a, b):
    return a + b, a * b, a - b, a / b


@program(lambda: (np.int8(100),), lambda: (np.uint8(200),))
def scalar_overflow_warns(a):
    return a + a


@program(lambda: (np.float64(0.0),), lambda: (np.float32(0),), lambda: (0.0,))
def scalar_division_by_zero(a):
    return 1.0 / a


@program(lambda: (np.int64(7), np.int64(0)), lambda: (7, 0), lambda: (np.int64(7), np.int64(2)))
def scalar_floor_division(a, b):
    return a // b, a % b


@program(lambda: (3, 4), lambda: (2**62, 4), lambda: (-7, 2), lambda: (2**100, 3))
def python_ints(a, b):
    return a * b + a, a // b, a % b, a**b, a / b, a << 2, a & b, -a


@program(lambda: (1.5, -2.0), lambda: (1e308, 10.0), lambda: (0.0, -0.0))
def python_floats(a, b):
    return a + b, a * b, a - b, -a, a < b, a == b


@program(lambda: (1.5, 0.0), lambda: (1.5, 2.0), lambda: (1, 0))
def python_division_by_zero_raises(a, b):
    return a / b


@program(lambda: (-8.0, 1 / 3), lambda: (0.0, -1.0), lambda: (2.0, 2000.0), lambda: (2, -1))
def python_power(a, b):
    return a**b


@program(lambda: (1 + 2j, 3 - 1j), lambda: (1j, 0j + 1))
def python_complex(a, b):
    return a * b, a / b, abs(a), a.conjugate(), a.real


@program(lambda: (f8(5), 2), lambda: (f8(5), 2.0), lambda: (f8(5), True), lambda: (f8(5), 2 + 0j))
def python_argument_types_are_guarded(x, k):
    return x * k + k


@program(
    lambda: (f8(5), 2.0), lambda: (f8(5), 3.0), lambda: (f8(5), -0.0), lambda: (f8(5), math.nan)
)
def python_argument_values_change(x, k):
    return x * k


@program(lambda: (f8(5), 2), lambda: (f8(5), 3), lambda: (f8(5), 2**70), lambda: (f8(5), -1))
def python_int_argument_values_change(x, n):
    return x * n + n // 2


@program(*[lambda k=k: (f8(3), k) for k in range(12)])
def more_values_than_the_cache_limit(x, k):
    return (x + k) * k


@program(lambda: (f8(5),), lambda: (f4(5),))
def reduction_gives_a_scalar_that_is_used(x):
    m = x.mean()
    s = x.std()
    return (x - m) / s, m, s


@program(lambda: (f8(5),), lambda: (i8(5),))
def item_becomes_python(x):
    first = x.item(0)
    last = float(x[-1])
    return first + last, x * first, int(x[1])


@program(lambda: (f8(5),))
def math_of_elements(x):
    return math.exp(x[0]), math.sqrt(abs(x[1])), math.floor(x[2]), math.hypot(x[3], x[4])


@program(lambda: (-1.0,), lambda: (2.0,), lambda: (0,))
def math_domain_error(v):
    return math.sqrt(v), math.log(v)


@program(
    lambda: (np.float64(2.5),), lambda: (np.float32(-2.5),), lambda: (2.5,), lambda: (np.int16(7),)
)
def scalar_methods_and_builtins(a):
    return abs(a), round(a), int(a), float(a), bool(a), repr(a), f"{a:.2f}"


@program(
    lambda: (np.float64(2.0), f8(3)), lambda: (np.float64(2.0), f8()), lambda: (np.int64(2), i8())
)
def zero_dimensional_results_become_scalars(a, x):
    return x + a, x[...] * a, np.add(x, a)


@program(lambda: (np.array(3.0),), lambda: (np.array(3),), lambda: (np.array(3, "f4"),))
def zero_dimensional_arguments(x):
    return x + 1, x * x, x[()], x.copy(), -x, np.sin(x)


@program(lambda: (np.float64(1.0), 2.0), lambda: (np.float32(1.0), 2.0), lambda: (1.0, 2.0))
def scalar_chain(a, b):
    c = a * b + 0.1
    d = np.sqrt(c) - a
    return c, d, max(a, b), min(c, d)


@program(lambda: (np.True_, np.False_), lambda: (True, False))
def booleans(a, b):
    return a & b, a | b, a ^ b, not a, a and b, a or b


@program(lambda: (np.datetime64("2024-02-28"), np.timedelta64(2, "D")))
def datetime_scalars(day, step):
    return day + step, day - step, day + step > day


@program(lambda: (np.longdouble(1) / 3,), lambda: (np.clongdouble(1) / 3,))
def long_double_scalars(a):
    return a * 3, a + 1


@program(lambda: (1, 2), lambda: (np.int64(1), 2), lambda: (1.0, np.float32(2)), lambda: (True, 2))
def where_types_come_from(a, b):
    return type(a + b), type(a / b), np.result_type(a, b)


@program(
    lambda: (f8(4), 1.5, 2.5),
    lambda: (f8(4), math.nan, 2.5),
    lambda: (f8(4), 0.0, -0.0),
    lambda: (f8(4), 3, 2),
    lambda: (f8(4), np.float64(3), np.float64(math.nan)),
    lambda: (f8(4), np.float32(3), np.float64(4)),
    lambda: (f8(4), 3, 2.5),
    lambda: (f8(4), True, False),
    lambda: (f8(4), 1j, 2.0),
)
def extremes_of_numbers(x, a, b):
    low, high = min(a, b), max([a, b])
    return x * low + high, low, high, type(low), min(a, b, 2.0), max(a, 1)


@program(
    lambda: (f8(4), 2.5, 3.25),
    lambda: (f8(4), math.inf, 3.25),
    lambda: (f8(4), math.nan, 3.25),
    lambda: (f8(4), 7, 8),
    lambda: (f8(4), np.float32(2.5), np.float64(1e300)),
    lambda: (f8(4), np.int64(15), np.int8(3)),
    lambda: (f8(4), True, False),
    lambda: (f8(4), 2j, 1.0),
)
def rounded_numbers(x, a, b):
    return x * 2 + a, round(b, 1), round(a), round(b, -1), round(a, None)


@program(
    lambda: (f8(4), [0.1] * 10 + [1e100, 1.0, -1e100]),
    lambda: (f8(4), [1e308, 1e308, -1e308]),
    lambda: (f8(4), [1, 2, 0.5]),
    lambda: (f8(4), [1, 2, 3]),
    lambda: (f8(4), [1, 2.5, 3j]),
    lambda: (f8(4), [np.float64(1), 2.5]),
    lambda: (f8(4), [True, 2**70, 0.1]),
    lambda: (f8(4), [0.5, 10**400]),
    lambda: (f8(4), []),
)
def sums_of_numbers(x, numbers):
    return x * sum(numbers) + 1, sum(numbers, 0.5), sum([0.1, 0.2, 0.3]), sum(numbers, start=10)


@program(
    lambda: (f8(4), 1.5, 0.0),
    lambda: (f8(4), 0.0, math.nan),
    lambda: (f8(4), np.float64(0), np.bool_(True)),
    lambda: (f8(4), 0, 3),
    lambda: (f8(4), 0j, 0.0),
    lambda: (f8(4), f8(3), 0.0),
)
def quantified_numbers(x, a, b):
    return x * 2 + 1, any([a, b]), all([a, b]), any([a, True, b]), all((a, False)), any([0.0, b])


@program(
    lambda: (f8(4), 2.5), lambda: (f8(4), math.inf), lambda: (f8(4), math.nan),
    lambda: (f8(4), 3), lambda: (f8(4), np.float32(-2.5)), lambda: (f8(4), 1e300),
    lambda: (f8(4), np.array(2.5)), lambda: (f8(4), np.int8(3)),
)  # fmt: skip
def math_predicates(x, a):
    if math.isnan(a) or math.isinf(a):
        return x * 2, math.isfinite(a)
    return x * 2 + a, math.floor(a), math.ceil(a), math.trunc(a), math.isfinite(a)


@program(lambda: (f8(4), True), lambda: (f8(4), 2))
def a_constant_and_a_number_summed(x, k):
    return x * 2, sum([k, 0.1]), sum([k], 0.5)
