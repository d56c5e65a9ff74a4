"""Indexing and views: reads."""

import numpy as np
from support.arrays import b1, c16, f4, f8, fortran, i1, i8
from support.program import program


@program(lambda: (f8(7),), lambda: (f8(7, 2),), lambda: (i1(9),))
def slices(x):
    return x[1:], x[:-1], x[::2], x[::-1], x[2:2], x[-3:], x[5:1:-2], x[:]


@program(lambda: (f8(7), 2), lambda: (f8(7), -1), lambda: (f8(7), 5))
def slices_with_variables(x, n):
    return x[n:], x[:n], x[n : n + 2] * 2


@program(lambda: (f8(3, 4, 5),))
def ellipsis_and_newaxis(x):
    return x[..., 1], x[1, ...], x[None].shape, x[:, None, 2], x[..., None, :2]


@program(lambda: (f8(3, 4),), lambda: (i8(3, 4),))
def integers(x):
    return x[1], x[1, 2], x[-1, -1], x[1][2], x[np.int64(2), 0]


@program(lambda: (f8(4), 9), lambda: (f8(4), 1), lambda: (f8(4), -5))
def index_out_of_range(x, i):
    y = x * 2
    return y[i]


@program(lambda: (f8(4),))
def too_many_indices(x):
    return x[0, 1]


@program(lambda: (f8(4), 1.0), lambda: (f8(4), "a"), lambda: (f8(4), None))
def index_of_the_wrong_type(x, i):
    return x[i]


@program(
    lambda: (f8(6), np.array([4, 0, 0])),
    lambda: (f8(6), [1, 2]),
    lambda: (f8(6, 2), np.array([[1], [2]])),
)
def fancy(x, i):
    return x[i], x[i] * 2


@program(lambda: (f8(6), np.array([4, 6])))
def fancy_out_of_range(x, i):
    return (x + 1)[i]


@program(lambda: (f8(4, 5), np.array([0, 2]), np.array([1, 1])))
def fancy_of_several_axes(x, i, j):
    return x[i, j], x[i][:, j], x[np.ix_(i, j)], x[i, 1:3], x[:, j], x[i, None, 0]


@program(lambda: (f8(6),), lambda: (f8(3, 4),), lambda: (i8(6),))
def boolean_masks(x):
    return x[x > 0], x[~(x > 0)].sum(), (x > 0).sum(), x[x > 100]


@program(lambda: (f8(4, 3), b1(4)))
def boolean_mask_of_one_axis(x, m):
    return x[m], x[m, 1], x[m][:, 0]


@program(lambda: (f8(4), b1(3)))
def boolean_mask_of_the_wrong_length(x, m):
    return x[m]


@program(lambda: (f8(4), True), lambda: (f8(4), False))
def boolean_scalar_as_index(x, b):
    return x[b], x[np.array(b)]


@program(lambda: (f8(5),))
def view_sees_later_writes(x):
    v = x[1:4]
    x[2] = 99
    w = v + 1
    x += 1
    return v, w


@program(lambda: (f8(5),))
def copy_does_not(x):
    c = x.copy()
    f = x[[0, 1, 2]]
    x[:] = 0
    return c, f


@program(lambda: (f8(2, 6),), lambda: (fortran(f8(2, 6)),))
def reshape_view_or_copy(x):
    y = x.reshape(3, 4)
    z = x.T.reshape(12)
    y[0, 0] = 5
    return y, z, x.ravel(), x.flatten()


@program(lambda: (f8(2, 3, 4),))
def axes(x):
    return (
        x.T,
        x.transpose(1, 0, 2),
        x.swapaxes(0, 2),
        np.moveaxis(x, 0, -1),
        np.rollaxis(x, 2),
        np.expand_dims(x, 1),
        x[:, :1].squeeze(1),
        x.mT,
    )


@program(lambda: (f8(4, 4),))
def diagonals(x):
    return x.diagonal(), np.diag(x), np.diag(x[0]), np.diagonal(x, 1), x.trace()


@program(lambda: (f8(6),))
def view_of_view_of_view(x):
    v = x[1:]
    w = v[::2]
    u = w.reshape(3, 1)
    u[1] = -1
    return u.base is x or u.base is v, w


@program(lambda: (c16(4),), lambda: (f8(4),))
def real_and_imaginary_parts(x):
    return x.real, x.imag, np.real(x), np.imag(x)


@program(lambda: (c16(4),))
def parts_can_be_written(x):
    x.real = 1
    x.imag[1:] += 2
    return x


@program(lambda: (f8(3, 4),), lambda: (f4(2, 2),))
def attributes(x):
    return x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes, x.strides, len(x)


@program(lambda: (f8(3, 4),))
def shape_assigned(x):
    y = x.copy()
    y.shape = (4, 3)
    return y, x.shape


@program(lambda: (f8(4),))
def take_put_choose(x):
    t = np.take(x, [0, -1])
    c = np.choose([0, 1, 0, 1], [x, x * 2])
    np.put(x, [0, 2], [8, 9])
    return t, c, np.compress([True, False, True], x)


@program(lambda: (f8(3, 4),))
def flat_iterator(x):
    x.flat[5] = 0
    return x.flat[2:4], [v for v in x.flat], list(np.ndenumerate(x[:1]))


@program(lambda: (f8(3, 4),), lambda: (f8(5),))
def iteration_gives_views(x):
    rows = [row * 2 for row in x]
    for row in x:
        row += 1
    return rows


@program(lambda: (f8(3, 4),))
def unpacking_an_array(x):
    a, b, c = x
    first, *rest = x[0]
    return a + b, c, first, rest


@program(lambda: (f8(3, 4),))
def unpacking_the_wrong_number(x):
    a, b = x
    return a


@program(
    lambda: (f8(6), slice(1, 4)),
    lambda: (f8(6), slice(None, None, -1)),
    lambda: (f8(6), (slice(2),)),
)
def slice_objects(x, s):
    return x[s] + 1, x[s].copy()


@program(lambda: (f8(4, 4), 1), lambda: (f8(4, 4), 2))
def triangles_and_flips(x, k):
    return np.tril(x, k), np.triu(x), np.flip(x), np.fliplr(x), np.rot90(x), np.roll(x, k, axis=1)
