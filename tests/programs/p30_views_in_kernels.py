"""Views that only compiled loops read, and those that somebody else sees, too."""

import numpy as np
from support.arrays import c16, f4, f8, fortran, i8
from support.program import program


@program(lambda: (f8(5, 6),), lambda: (f4(4, 4),), lambda: (fortran(f8(5, 6)),))
def five_points(u):
    return 4.0 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


@program(lambda: (f8(5, 4), f8(5, 4)))
def views_of_results(p, q):
    both = p * q + 1.0
    turned = both.T[1:, ::-1]
    return (both + both[::-1]) * 0.5, turned * turned + turned[:, :1]


@program(lambda: (f8(5, 4),))
def a_view_that_is_returned(p):
    left = p[:, :2]
    return left, left * 2 + left, left.base is p


@program(lambda: (f8(5, 4),))
def a_view_before_and_after_a_store(p):
    left = p[:, :2]
    before = left * 2 + left
    p[1] = 7.0
    return before, left * 2 + left, left[1] - before[1]


@program(lambda: (f8(5, 4),))
def an_element_before_a_store(p):
    first, row = p[1, 2], p[1]
    p[1] = 7.0
    return p * first + first, row * 2 + first


@program(lambda: (f8(6), f8(3, 3)))
def elements_as_weights(x, w):
    return w[0, 0] * x[:-2] + w[0, 1] * x[1:-1] + w[-1, 2] * x[2:]


@program(lambda: (c16(4, 3),))
def real_and_imaginary_parts(z):
    return z.real * z.real + z.imag * z.imag, z.imag[1:] - z.real[:-1]


@program(lambda: (i8(6), f8(3)))
def outer_sums(n, x):
    wide = np.broadcast_to(x, (6, 3))
    return wide * n[:, None] + wide, (n[:, None] * n + n).reshape(4, 9) * 2 + 1


@program(lambda: (f8(6),), lambda: (f8(9),))
def a_view_in_a_loop(x):
    total = np.zeros_like(x[1:])
    for k in range(3):
        total = total + x[1:] * k - x[:-1]
    return total


@program(lambda: (f8(6), np.zeros(3)))
def flags_of_a_view(x, zeros):
    return x[1:4] / zeros + x[:3]


@program(lambda: (i8(6).astype("u4"),))
def numbers_of_numpy(x):
    x = (x ^ (x >> 3)) * np.uint32(0x7FEB352D) + np.uint32(3) * np.uint32(2)
    return x * np.uint32(1), np.float32(0.5) * x, np.float32(np.pi), np.uint32(7)


@program(lambda: (f4(6),))
def numbers_that_warn(x):
    return x * np.float32(1e60) + np.float32(1e-60), x + np.float16(0.1)


@program(lambda: (f4(6),))
def numbers_that_do_not_fit(x):
    return x * np.uint8(300) + x
