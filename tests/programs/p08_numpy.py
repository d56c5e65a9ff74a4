"""The rest of NumPy: linear algebra, sorting, stacking, creation, strings of calls."""

import io

import numpy as np
from support.arrays import c16, f4, f8, fortran, i8, readonly, special, u1
from support.program import program


@program(lambda: (f8(3, 4), f8(4, 2)), lambda: (f4(3, 4), f4(4)), lambda: (f8(2, 3, 4), f8(4, 3)))
def products(x, y):
    return x @ y, np.dot(x, y), np.matmul(x, y)


@program(lambda: (f8(3, 4), f8(3, 4)))
def matmul_of_the_wrong_shape(x, y):
    z = x + y
    return z @ y


@program(lambda: (f8(4), f8(4, seed=1)), lambda: (c16(4), c16(4, seed=3)), lambda: (i8(4), i8(4)))
def vector_products(x, y):
    return (
        x @ y,
        np.inner(x, y),
        np.outer(x, y),
        np.vdot(x, y),
        np.kron(x, y),
        np.cross(x[:3], y[:3]),
    )


@program(lambda: (f8(3, 3), f8(3)), lambda: (f4(3, 3), f4(3)), lambda: (f8(2, 3, 3), f8(2, 3, 1)))
def solving(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a)


@program(lambda: (np.ones((3, 3)), f8(3)), lambda: (f8(3, 3), f8(3)))
def singular_matrix_raises(a, b):
    c = a * 2
    return np.linalg.solve(c, b)


@program(lambda: (np.ones((3, 3)), f8(3)), lambda: (f8(3, 3), f8(3)))
def singular_matrix_is_caught(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError as error:
        x = b * 0
        print("caught", error)
    return x + 1


@program(lambda: (f8(4, 4),), lambda: (f8(3, 3),))
def decompositions(a):
    s = a @ a.T + np.eye(len(a))
    return np.linalg.cholesky(s), np.linalg.eigvalsh(s), np.linalg.svd(a)[1], np.linalg.qr(a)[0]


@program(lambda: (f8(3, 4),), lambda: (f8(5),), lambda: (c16(4),))
def norms(x):
    return (
        np.linalg.norm(x),
        np.linalg.norm(x, axis=0),
        np.linalg.norm(x, ord=1 if x.ndim == 1 else "fro"),
    )


@program(lambda: (f8(2, 3), f8(3, 2)), lambda: (i8(2, 3), f4(3, 2)))
def einstein_sums(x, y):
    return (
        np.einsum("ij,jk->ik", x, y),
        np.einsum("ij->j", x),
        np.tensordot(x, y, 1),
        np.einsum("ij,ji", x, y),
    )


@program(lambda: (f8(9),), lambda: (i8(9),), lambda: (f8(3, 4),), lambda: (special(),))
def sorting(x):
    return np.sort(x), np.argsort(x, kind="stable"), np.sort(x, axis=0)[::-1], np.partition(x, 2)


@program(lambda: (f8(6),), lambda: (f8(3, 4),))
def sorting_in_place(x):
    y = x * 2
    x.sort()
    y.sort(axis=0)
    return y


@program(lambda: (np.array([3, 1, 3, 2, 1]),), lambda: (f8(5),))
def sets_of_values(x):
    return (
        np.unique(x, return_counts=True),
        np.isin(x, [1, 2]),
        np.union1d(x, [9]),
        np.setdiff1d(x, [1]),
    )


@program(lambda: (f8(6), f8(3)), lambda: (i8(6), i8(3)))
def searching(x, y):
    s = np.sort(x)
    return (
        np.searchsorted(s, y),
        np.nonzero(x),
        np.argwhere(x > 0),
        np.flatnonzero(x),
        np.where(x > 0),
    )


@program(
    lambda: (f8(2, 3), f8(2, 3)),
    lambda: (f8(2, 3), i8(2, 3)),
    lambda: (fortran(f8(2, 3)), f8(2, 3)),
)
def stacking(x, y):
    return (
        np.concatenate([x, y]),
        np.concatenate((x, y), axis=1),
        np.stack([x, y], axis=-1),
        np.vstack([x, y]),
        np.hstack((x, y)),
        np.column_stack([x, y]),
        np.dstack([x, y]),
        np.block([[x, y], [y, x]]),
    )


@program(lambda: (f8(2, 3), f8(3, 2)))
def concatenating_shapes_that_do_not_fit(x, y):
    a = x + 1
    return np.concatenate([a, y])


@program(lambda: (f8(6),), lambda: (f8(6, 2),))
def splitting_and_repeating(x):
    return (
        np.split(x, 3),
        np.array_split(x, 4),
        np.repeat(x, 2, axis=0),
        np.tile(x, 2),
        np.append(x, 1),
    )


@program(lambda: (f8(7), 3), lambda: (f8(6), 3))
def split_that_is_not_even_raises(x, n):
    return np.split(x + 0, n)


@program(lambda: (3,), lambda: (0,), lambda: (np.int32(4),))
def creation(n):
    return (
        np.zeros(n),
        np.ones((n, 2), "f4"),
        np.full(n, 7),
        np.full((2, n), 1.5, order="F"),
        np.arange(n),
        np.arange(1.0, n, 0.5),
        np.linspace(0, 1, n),
        np.eye(n),
        np.identity(n),
        np.logspace(0, 1, n),
    )


@program(lambda: (f8(3, 4),), lambda: (fortran(i8(3, 4)),), lambda: (readonly(f4(3, 4)),))
def creation_like(x):
    e = np.empty_like(x)
    return np.zeros_like(x), np.ones_like(x, dtype="f4"), np.full_like(x, 2), e.shape, e.strides


@program(lambda: (-1,), lambda: (2,))
def negative_dimension_raises(n):
    return np.zeros(n)


@program(lambda: ([1, 2, 3],), lambda: ([[1.0, 2], [3, 4]],), lambda: ((True, 2.5),), lambda: ([],))
def arrays_from_lists(items):
    return np.array(items), np.asarray(items, dtype="f4"), np.array(items, ndmin=3)


@program(lambda: ([[1, 2], [3]],))
def ragged_list_raises(items):
    return np.array(items)


@program(lambda: (f8(3),), lambda: (fortran(f8(3, 3)),))
def asarray_is_the_same_object(x):
    return np.asarray(x) is x, np.asarray(x), np.array(x, copy=True), np.ascontiguousarray(x)


@program(
    lambda: (3, 4),
)
def grids(n, m):
    x, y = np.meshgrid(np.arange(n), np.linspace(0, 1, m))
    i, j = np.indices((n, m))
    return (
        x + y,
        i * j,
        np.mgrid[0:n, 0:m],
        np.ogrid[0:n, 0:m],
        np.r_[1:n, 9],
        np.c_[[1, 2], [3, 4]],
    )


@program(lambda: (f8(3, 1), f8(4)))
def broadcasting_functions(x, y):
    a, b = np.broadcast_arrays(x, y)
    return (
        a + b,
        np.broadcast_to(x, (3, 4)),
        np.broadcast_shapes((3, 1), (4,)),
        np.broadcast(x, y).shape,
    )


@program(lambda: (f8(8),), lambda: (f8(9),), lambda: (c16(8),))
def fourier(x):
    return np.fft.fft(x), np.fft.ifft(x), np.abs(np.fft.fft(x)) ** 2, np.fft.fftfreq(len(x))


@program(lambda: (f8(6), [1, 0, -1]), lambda: (f8(6), [2.0]))
def convolve_interp_polynomials(x, k):
    return (
        np.convolve(x, k),
        np.convolve(x, k, mode="same"),
        np.interp([0.5, 1.5], np.arange(6), x),
        np.polyval(k, x),
        np.polyfit(np.arange(6), x, 2),
        np.gradient(x),
        np.trapezoid(x),
    )


@program(lambda: (f8(6),))
def select_and_piecewise(x):
    a = np.select([x < -1, x > 1], [x * 0, x * 2], default=7)
    b = np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, 1])
    return a, b, np.where(x > 0, 1, 0), np.where(x > 0, x, None is None)


@program(lambda: (np.array([0.1, np.nan, np.inf]),), lambda: (f8(3),))
def nan_to_num_and_closeness(x):
    return np.nan_to_num(x), np.allclose(x, x), np.isclose(x, 0.1), np.array_equal(x, x)


@program(lambda: (f8(5), 2), lambda: (i8(5), -1))
def rounding(x, n):
    return np.round(x, n), x.round(), np.around(x * 10, 1), np.fix(x), np.floor(x).astype(int)


@program(lambda: (u1(3),), lambda: (u1(2, 3),))
def bits(x):
    return np.unpackbits(x), np.packbits(x > 1), np.bitwise_count(x), np.bitwise_or.reduce(x)


@program(lambda: (f8(2, 3),))
def padding_inserting_deleting(x):
    return (
        np.pad(x, 1),
        np.pad(x, ((0, 1), (2, 0)), mode="edge"),
        np.insert(x, 1, 9, axis=0),
        np.delete(x, 0, 1),
    )


@program(lambda: (f8(3, 4),))
def apply_along_and_over(x):
    return np.apply_along_axis(lambda row: row.max() - row.min(), 1, x), np.apply_over_axes(
        np.sum, x, [0]
    )


@program(lambda: (f8(3),), lambda: (i8(2),))
def text_of_arrays(x):
    with np.printoptions(precision=2):
        short = str(x)
    return repr(x), short, np.array2string(x, precision=3), x.tolist(), x.tobytes()


@program(
    lambda: (f8(3), "f4"),
    lambda: (f8(3), np.int16),
    lambda: (i8(3), bool),
    lambda: (i8(3), complex),
)
def astype(x, dtype):
    return x.astype(dtype), x.astype(dtype) * 2


@program(lambda: (np.array([1.5, np.nan, 1e20]),))
def invalid_cast_warns(x):
    y = x + 0
    return y.astype("i4").shape


@program(lambda: (5,), lambda: (6,))
def random_numbers_keep_their_stream(seed):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(4) * 2
    b = rng.integers(0, 10, 3)
    return a, b, rng.random(), rng


@program(lambda: (f8(4),))
def legacy_random_state(x):
    np.random.seed(3)
    a = np.random.rand(4) + x
    b = np.random.permutation(4)
    return a, b, x[b]


@program(lambda: (f8(4),))
def file_in_memory(x):
    store = io.BytesIO()
    np.save(store, x * 2)
    store.seek(0)
    return np.load(store) + 1


@program(lambda: (f8(3, 3), 3), lambda: (f8(3, 3), 0), lambda: (i8(2, 2), 5))
def matrix_power_and_friends(x, n):
    return np.linalg.matrix_power(x, n), np.linalg.matrix_rank(x), np.linalg.cond(x * 1.0) > 0


@program(lambda: ("abc",), lambda: ("x",))
def arrays_of_text(s):
    a = np.array([s, s + "d"])
    return np.char.upper(a), a == s, np.strings.str_len(a)


@program(lambda: (f8(4),), lambda: (f8(2, 4),), lambda: ([1, 2],), lambda: (3.0,))
def shape_function(x):
    return np.shape(x)


@program(lambda: (f8(4),), lambda: (f8(2, 4),), lambda: ([[1, 2]],))
def questions_about_shapes(x):
    return np.ndim(x), np.size(x), np.iterable(x), np.isscalar(x)
