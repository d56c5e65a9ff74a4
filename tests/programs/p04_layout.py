"""Memory layouts: order, strides, alignment, byte order, read-only; which order results have."""

import numpy as np
from support.arrays import (
    backwards,
    f4,
    f8,
    fortran,
    i4,
    i8,
    misaligned,
    readonly,
    stride0,
    strided,
    swapped,
)
from support.program import program


@program(lambda: (fortran(f8(3, 4)), fortran(f8(3, 4))), lambda: (fortran(f8(3, 4)), f8(3, 4)))
def fortran_order(x, y):
    return x + y, x * 2, np.sin(y), x.copy(), x.copy("K")


@program(lambda: (f8(2, 3, 4).transpose(2, 0, 1),), lambda: (f8(2, 3, 4).transpose(1, 2, 0),))
def permuted_axes_keep_their_order(x):
    return x + 1, np.exp(x), x.T * 2


@program(lambda: (f8(2, 3, 4).transpose(2, 0, 1), f8(4, 2, 3)))
def two_orders_in_one_expression(x, y):
    return x + y, y + x, x * y + y


@program(lambda: (backwards(f8(6)), f8(6)), lambda: (backwards(f8(3, 4)), f8(4)))
def negative_strides(x, y):
    return x + y, -x, x[::-1] * 2, np.exp(x)


@program(lambda: (strided(f8(3, 4)), strided(f8(4), 3)))
def gaps_between_elements(x, y):
    return x * y, x.sum(), np.ascontiguousarray(x)


@program(lambda: (stride0(2.5, 4), f8(4)), lambda: (stride0(2.5, 3, 4), f8(4)))
def stride_zero(x, y):
    return x * y, x + 1, x + x, x.sum()


@program(lambda: (np.broadcast_to(f8(3), (4, 3)),), lambda: (np.broadcast_to(f8(4, 1), (4, 3)),))
def broadcast_views(x):
    return x * 2, x.copy(), x.sum(axis=0), x.flags.writeable


@program(lambda: (misaligned(f8(5)), f8(5)), lambda: (misaligned(f4(5)), f4(5)))
def misaligned_data(x, y):
    z = x + y
    x += 1
    return z, x * 2, np.sqrt(abs(x)), x[1:]


@program(lambda: (swapped(f8(5)), f8(5)), lambda: (swapped(i4(5)), i4(5)))
def swapped_bytes(x, y):
    return x + y, x * 2, -x, x.copy(), x[::2], np.exp(x)


@program(lambda: (swapped(f8(5)),))
def swapped_bytes_in_place(x):
    x += 1
    x[2] = 7
    return x.dtype.byteorder


@program(lambda: (readonly(f8(5)),))
def read_only_argument(x):
    return x + 1, x[1:], x.reshape(5, 1)


@program(lambda: (readonly(f8(5)),), lambda: (f8(5),))
def store_into_read_only_raises(x):
    y = x * 2
    x[0] = 1
    return y


@program(lambda: (readonly(f8(5)),), lambda: (f8(5),))
def in_place_on_read_only_raises(x):
    y = x * 2
    x += y
    return y


@program(lambda: (f8(0), f8(0)), lambda: (f8(0, 3), f8(3)), lambda: (f8(3, 0), f8(3, 1)))
def empty_arrays(x, y):
    return x + y, np.exp(x), x.sum(), x * 2 - y


@program(lambda: (f8(0),))
def reduction_of_nothing_raises(x):
    y = x + 1
    return y.max()


@program(lambda: (f8(0),), lambda: (f8(3, 0),))
def mean_of_nothing_warns(x):
    y = x + 1
    return y.mean()


@program(lambda: (f8(1),), lambda: (f8(1, 1),), lambda: (f8(1, 1, 1),))
def single_elements(x):
    return x + 1, x.T, x * x, x.reshape(-1)


@program(lambda: (f8(1, 4), f8(3, 1)), lambda: (f8(1, 4, 1), f8(3, 1, 2)), lambda: (f8(), f8(3, 1)))
def broadcasting_both_ways(x, y):
    return x + y, x * y - x, np.maximum(x, y)


@program(lambda: (f8(2, 3, 1, 2), f8(3, 4, 1), f8(2)))
def broadcasting_three(x, y, z):
    return x * y + z, np.where(x > 0, y, z)


@program(lambda: (f8(3, 4)[:, ::2], f8(3, 4)[::2, :2][0]), lambda: (f8(6, 4)[::2, 1:3], f8(2)))
def views_as_arguments(x, y):
    return x + y, x * 2


@program(
    lambda: (f8(4, 4), f8(4, 4)),
    lambda: (fortran(f8(4, 4)), f8(4, 4)),
    lambda: (f8(4, 4).T, f8(4, 4).T),
)
def flags_are_guarded(x, y):
    return x + y, (x + y).flags.f_contiguous


@program(lambda: (f8(3, 1, 4),), lambda: (f8(1, 3, 4).transpose(1, 0, 2),))
def axes_of_length_one(x):
    return x * 2, x.squeeze() + 1, x + np.ones(3)[:, None, None]


@program(lambda: (np.arange(24.0).reshape(2, 3, 4)[:, ::-1, 1::2],))
def one_view_of_everything(x):
    return x + 1, x.T - 1, x.reshape(-1), x.copy(order="A")


@program(lambda: (np.arange(12).astype("f8"),), lambda: (np.arange(20).astype("f4"),))
def sliding_windows(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 3)
    return windows * 2, windows.mean(axis=1)


@program(lambda: (f8(5),))
def as_strided_overlaps_itself(x):
    v = np.lib.stride_tricks.as_strided(x, (3, 3), (8, 8))
    return v + 1, v.sum(0)


@program(lambda: (f8(5),), lambda: (i8(5),))
def another_dtype_on_the_same_bytes(x):
    y = x.view("i8") + 1
    x.view("u8")[0] = 0
    return y, x + 0


@program(lambda: (f8(4, 6).astype("f4", order="F"),), lambda: (f8(4, 6).astype("f4"),))
def astype_keeps_the_order(x):
    return x.astype("f8"), x.astype("f4", copy=False), x.astype("i4", order="C")
