"""Ufuncs: calls, out=, where=, dtype=, their methods."""

import numpy as np
from support.arrays import b1, c8, c16, count, f2, f4, f8, i4, i8, positive, readonly, special, u1
from support.program import program

REAL_FUNCTIONS = [
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "tan",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "cbrt",
    "floor",
    "ceil",
    "rint",
    "trunc",
    "fabs",
    "sign",
    "square",
    "negative",
    "positive",
    "absolute",
    "reciprocal",
    "degrees",
    "radians",
    "isfinite",
    "isnan",
    "isinf",
    "signbit",
    "spacing",
    "logical_not",
]


@program(
    lambda: (f8(9),), lambda: (f4(9),), lambda: (f2(9),), lambda: (i4(9),), lambda: (f8(4, 70),)
)
def all_of_one_argument(x):
    return [getattr(np, name)(x) for name in REAL_FUNCTIONS]


@program(lambda: (positive(9),), lambda: (positive(9).astype("f4"),), lambda: (f8(9),))
def on_positive_numbers(x):
    return np.sqrt(x), np.log(x), np.log2(x), np.log10(x), np.log1p(x), np.arccosh(x + 1)


@program(lambda: (f8(9) / 9,), lambda: (f8(9),), lambda: (f4(9) / 9,))
def inverse_functions_warn_outside_their_domain(x):
    return np.arcsin(x), np.arccos(x), np.arctanh(x)


@program(
    lambda: (f8(9), f8(9, seed=1)),
    lambda: (f4(9), f4(9, seed=1)),
    lambda: (special(), special()[::-1].copy()),
)
def all_of_two_arguments(x, y):
    names = "maximum minimum fmax fmin arctan2 hypot copysign logaddexp logaddexp2 fmod heaviside"
    return [getattr(np, name)(x, y) for name in names.split()]


@program(lambda: (i8(9), i8(9, seed=1)), lambda: (u1(9), u1(9)), lambda: (i4(9), i4(9)))
def of_integers(x, y):
    return np.gcd(x, y), np.lcm(x, y), np.maximum(x, y), np.bitwise_and(x, y), np.invert(x)


@program(lambda: (c16(5), c16(5, seed=7)), lambda: (c8(5), c8(5, seed=7)))
def of_complex_numbers(x, y):
    return np.exp(x), np.sqrt(x), np.conjugate(x), np.absolute(x), x * y, x / y, np.square(x)


@program(lambda: (special(),), lambda: (special("f4"),), lambda: (special("f2"),))
def of_special_values(x):
    return np.exp(x), np.sin(x), np.sqrt(x), np.log(x), np.tanh(x), np.floor(x), np.sign(x)


@program(lambda: (f8(6),), lambda: (i8(6),))
def with_several_outputs(x):
    fraction, whole = np.modf(x)
    mantissa, exponent = np.frexp(x)
    return fraction, whole, mantissa, exponent, np.ldexp(mantissa, exponent)


@program(
    lambda: (f8(6), f8(6, seed=1), np.zeros(6)), lambda: (f4(2, 3), f4(3), np.zeros((2, 3), "f4"))
)
def out_is_filled_and_returned(x, y, out):
    result = np.add(x, y, out=out)
    return result is out


@program(lambda: (f8(6), f8(6, seed=1), np.zeros(6)))
def out_by_position_and_as_tuple(x, y, out):
    np.multiply(x, y, out)
    z = out + 1
    np.subtract(x, y, out=(out,))
    return z


@program(
    lambda: (f8(6), np.zeros(6, "f4")),
    lambda: (i8(6), np.zeros(6)),
    lambda: (f8(6), np.zeros(6, "i8")),
)
def out_of_another_dtype(x, out):
    return np.add(x, 1, out=out)


@program(lambda: (f8(6), np.zeros(5)), lambda: (f8(6), np.zeros((2, 6))))
def out_of_another_shape(x, out):
    return np.sqrt(abs(x), out=out)


@program(lambda: (f8(6), readonly(f8(6))))
def read_only_out_raises(x, out):
    y = x * 2
    np.add(y, 1, out=out)
    return y


@program(lambda: (count(8),), lambda: (count(8, dtype="f4"),))
def out_overlaps_the_input(x):
    np.add(x[:-1], x[1:], out=x[1:])
    np.multiply(x[::-1], 2, out=x)
    return x


@program(lambda: (f8(6), b1(6, seed=5)), lambda: (f8(2, 3), b1(3, seed=5)))
def where_with_out(x, mask):
    out = np.full(x.shape, -1.0)
    np.sqrt(x, out=out, where=mask)
    np.negative(x, out=out, where=x < 0)
    return out


@program(lambda: (f8(6), f8(6, seed=1)))
def dtype_and_casting(x, y):
    return np.add(x, y, dtype="f4", casting="same_kind"), np.multiply(x, y, dtype=np.longdouble)


@program(lambda: (f8(6),))
def casting_that_is_not_allowed(x):
    return np.add(x, 1, dtype="i4")


@program(lambda: (f8(6), "dd->d"), lambda: (f4(6), "ff->f"))
def signature_and_order(x, signature):
    return np.add(x, x, signature=signature), np.add(x, x, order="F")


@program(lambda: (f8(3, 4),), lambda: (i8(3, 4),))
def reduce(x):
    return np.add.reduce(x), np.add.reduce(x, axis=1), np.multiply.reduce(x, axis=(0, 1))


@program(lambda: (f8(3, 4), b1(3, 4)))
def reduce_with_everything(x, mask):
    return (
        np.add.reduce(x, axis=1, keepdims=True, initial=5.0, where=mask),
        np.maximum.reduce(x, axis=0, initial=-9, where=mask),
        np.add.reduce(x, dtype="f4"),
    )


@program(lambda: (f8(3, 4),), lambda: (i4(2, 2),))
def accumulate(x):
    return np.add.accumulate(x), np.multiply.accumulate(x, axis=1), np.maximum.accumulate(x)


@program(lambda: (f8(3), f8(4)), lambda: (i8(2), f4(3)))
def outer(x, y):
    return np.multiply.outer(x, y), np.subtract.outer(x, y)


@program(lambda: (f8(5), np.array([0, 0, 3])), lambda: (i8(5), np.array([1, 1, 1])))
def at_counts_repeats(x, where):
    np.add.at(x, where, 2)
    np.negative.at(x, where[:1])
    return x.sum()


@program(lambda: (f8(9), np.array([0, 3, 5])))
def reduceat(x, starts):
    return np.add.reduceat(x, starts)


@program(lambda: (f8(6), 1))
def wrong_number_of_arguments(x, n):
    return np.sin(x, x, x) if n == 0 else np.add(x)


@program(lambda: (f8(3), "abc"), lambda: (f8(3), None), lambda: (f8(3), {}))
def unsuitable_argument(x, other):
    y = x + 1
    return np.sin(y) + other


@program(lambda: (f8(6),))
def frompyfunc_and_vectorize(x):
    double = np.frompyfunc(lambda v: v * 2, 1, 1)
    return double(x), np.vectorize(lambda v: v > 0)(x)


@program(lambda: (f8(4), [1, 2, 3, 4]), lambda: (f8(4), (1.5, 2, 3, 4)), lambda: (f8(4), range(4)))
def sequences_as_operands(x, items):
    return x + np.array(items), np.add(x, items), x * items


@program(
    lambda: (f8(200),), lambda: (f8(129),), lambda: (f8(64),), lambda: (f8(1),), lambda: (f8(0),)
)
def chunks_of_every_length(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), np.sin(x) * np.cos(x), np.tanh(x + 1)


@program(lambda: (f4(200),), lambda: (f4(1030),), lambda: (f4(63),))
def chunks_of_single_precision(x):
    return np.exp(-(x**2) / 2) * 3, np.log(abs(x)) + 1, np.arctan2(x, 2) - x


@program(lambda: (np.linspace(-750, 750, 300),), lambda: (np.linspace(-90, 90, 300).astype("f4"),))
def exponentials_that_overflow(x):
    y = np.exp(x)
    return y / (1 + y)


@program(lambda: (f8(7), f8(7, seed=1), f8(7, seed=2)))
def clip_and_where(x, low, high):
    return np.clip(x, -1, 1), np.clip(x, low, None), np.where(x > 0, low, high), x.clip(max=0.5)
