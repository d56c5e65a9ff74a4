"""Results of loops that go straight into arrays that the program sees."""

import warnings

import numpy as np
from support.arrays import c16, f4, f8, fortran, i8, u1
from support.program import program


def grid():
    return f8(5, 6), np.zeros((5, 6))


@program(grid, lambda: (f4(5, 6), np.zeros((5, 6), "f4")), lambda: (f8(7, 4), np.zeros((7, 4))))
def jacobi(u, new):
    new[1:-1, 1:-1] = 0.2 * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1])
    return new


@program(lambda: (f8(5, 6), fortran(np.zeros((5, 6)))), lambda: (f8(5, 6), np.zeros((6, 5)).T))
def other_orders(u, new):
    new[1:] = u[1:] * 2 + u[:-1]
    new[:, ::-2] = u[:, ::2] - u[:, 1::2] * 3


@program(lambda: (f8(5, 6), f8(4, 6, seed=1)))
def in_place(e, h):
    e[1:] -= 0.5 * (h + 1.0)
    e[:, 2] += h[0, 2] * e[:, 1] + 1.0
    e[0] *= e[1] + e[2]
    return e


@program(lambda: (f8(5), f8(5, seed=1)))
def whole_arrays(x, y):
    x += y * 2 + 1
    x[:] = x * y + x
    x[...] = x - y * y
    x /= y + 100.0
    return x


@program(lambda: (f8(5), f8(5, seed=1), np.zeros(5)))
def out_arguments(x, y, z):
    np.add(x * 2, y, out=z)
    first = z.copy()
    np.multiply(x - y, z, z)
    np.subtract(z + 1, y, out=(z,))
    return first, z


@program(lambda: (np.arange(12.0),), lambda: (np.arange(12.0)[::-1],))
def overlaps(a):
    a[1:] = a[:-1] * 2 + 1
    a[:] = a[::-1] + a
    a[::2] = a[1::2] * 3 - 1
    a[:6] = a[6:] + a[:6]
    a[2:8] += a[1:7] * 2
    return a


@program(lambda: (np.arange(12.0).reshape(3, 4),))
def an_element_of_the_target(a):
    a[1:] = a[1:] * a[1, 2] + 1
    a[0] = a[0] + a[2, 3] * a[0, 0]
    a -= a[0] * 2
    return a


@program(lambda: (np.arange(16.0).reshape(4, 4),))
def the_transpose_of_the_target(a):
    a[:] = a.T + a
    a += a.T * 2
    return a


def twice(x):
    return x, x


@program(
    lambda: (f8(6), f8(6, seed=1)),
    lambda: twice(f8(6)),
    lambda: (lambda x: (x[1:], x[:-1]))(f8(7)),
    lambda: (lambda x: (x, x[::-1]))(f8(6)),
    lambda: (lambda x: (x[:6], x[6:]))(f8(12)),
)
def aliases(x, y):
    x[:] = y * 2 + x
    x += y * y
    return x, y


def repeated():
    return np.lib.stride_tricks.as_strided(np.zeros(3), (4, 3), (0, 8)), f8(4, 3)


def windows():
    x = np.zeros(6)
    return np.lib.stride_tricks.sliding_window_view(x, 3, writeable=True), f8(4, 3)


@program(repeated, windows)
def targets_that_repeat(x, y):
    x[:] = y * 2 + 1
    x += y * 3
    return x


def read_only():
    x = f8(6)
    x.flags.writeable = False
    return x, f8(6)


@program(read_only, lambda: (np.broadcast_to(f8(6), (6,)), f8(6)), lambda: (f8(6), f8(6)))
def read_only_targets(x, y):
    z = y * 2 + 1
    x[:] = z * y
    return x


@program(read_only)
def read_only_in_place(x, y):
    x += y * 2


@program(lambda: (i8(6), f8(6)), lambda: (u1(6), f8(6)))
def casts(x, y):
    x[:] = y * 2 + 1
    x[1:] = y[1:] > y[:-1]
    return x


@program(lambda: (i8(6), f8(6)))
def casts_that_are_refused(x, y):
    x += 1
    x += y * 2
    return x


@program(lambda: (f8(6), c16(6)))
def casts_that_warn(x, y):
    x[:] = y * 2 + 1
    return x


@program(lambda: (f4(6), f8(6) * 1e300))
def narrowing(x, y):
    x[1:] = y[1:] * 2 + 1
    return x


@program(lambda: (f4(6), f8(6)))
def narrower_in_place(x, y):
    x += y * 2
    np.multiply(y + 1, y, out=x, casting="unsafe")
    return x


@program(lambda: (f8(4, 6), f8(6)), lambda: (f8(4, 6), f8(4, 1)))
def broadcast_right_sides(x, y):
    x[:] = y * 2 + 1
    x[1:] += y[..., :1] * 3
    x[2] = 7.0
    return x


@program(lambda: (f8(4, 6), f8(5)))
def right_sides_that_do_not_fit(x, y):
    x[:] = y * 2 + 1


@program(lambda: (np.array([1, "a", None], object), f8(3)))
def objects(x, y):
    x[:] = y * 2 + 1
    return x


@program(lambda: (np.zeros(3, [("a", "f8"), ("b", "i4")]), f8(3)))
def fields(x, y):
    x["a"] = y * 2 + 1
    x["b"][1:] = y[1:] * 3 + 2
    return x


def with_zeros():
    y = f8(6)
    y[3] = 0
    return np.ones(6), y


@program(with_zeros)
def flags_before_the_store(x, y):
    x[:] = 1 / y + x
    return x


@program(with_zeros)
def flags_in_place(x, y):
    x += 2 / y
    x -= x / y
    return x


@program(with_zeros, errstate={"all": "raise"})
def the_array_after_an_error(x, y):
    try:
        x[1:] = 1 / y[1:] + x[1:]
    except FloatingPointError as error:
        return x, str(error)


@program(with_zeros, errstate={"all": "ignore"})
def flags_that_nobody_wants(x, y):
    x[1:] = 1 / y[1:] + y[1:]
    x += x / y
    return x


@program(with_zeros)
def the_array_after_a_warning_that_raises(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            inverse_into(x, y)
        except RuntimeWarning as warning:
            return x.copy(), str(warning)


@program(with_zeros)
def the_array_when_a_warning_is_shown(x, y):
    seen = []

    def show(*args, **kwargs):
        seen.append(x.copy())

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        inverse_into(x, y)
    return seen, x


def inverse_into(x, y):
    x[1:] = 1 / y[1:] + y[1:]
    x[0] = 5


def large():
    y = np.full(100_000, 2.0)
    y[70_000] = 0
    return np.ones(100_000), y


@program(large, vary=False)
def a_large_array_after_a_warning_that_raises(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            inverse_into(x, y)
        except RuntimeWarning as warning:
            return x.sum(), str(warning)


@program(large, vary=False)
def a_large_array_and_a_warning(x, y):
    inverse_into(x, y)
    return x.sum()


@program(lambda: (f8(6), np.array([4, 9])))
def an_index_out_of_range(x, i):
    x[:2] = x[i] * 2 + 1


@program(lambda: (f8(6), np.array([4, 1])))
def a_gather_from_the_target(x, i):
    x[:2] = x[i] * 2 + 1
    x[i] = x[:2] * 3 + 1
    return x


@program(lambda: (f8(4, 4),))
def the_value_is_read_later(x):
    y = np.zeros_like(x)
    made = x * 2 + 1
    y[:] = made
    made2 = made * y
    y[1:] = made2[1:] - made[:-1]
    return made, made2, y


@program(lambda: (f8(4, 4),))
def into_what_was_just_made(x):
    y = x * 2 + 1
    z = y[1:]
    z[:] = x[1:] * 3 - z
    y[0] = x[0] * x[1] + y[0]
    return y, z


@program(lambda: (f8(6), f8(6, seed=1)))
def stores_in_a_loop(x, y):
    for k in range(3):
        x[1:] = y[1:] * k + y[:-1]
        y[:-1] -= x[1:] * 0.25 + k
    return x, y


@program(lambda: (f8(6), f8(6, seed=1)))
def in_a_called_function(x, y):
    update(x, y)
    update(y, x)
    return x


def update(x, y):
    x[1:-1] = (y[2:] + y[:-2]) * 0.5
