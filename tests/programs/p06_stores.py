"""Stores, in-place operators, overlap and aliasing."""

import numpy as np
from support.arrays import count, f4, f8, i1, i4, i8, u1
from support.program import program


@program(lambda: (f8(6),), lambda: (f4(6),), lambda: (i8(6),))
def in_place_operators(x):
    x += 1
    x *= 2
    x -= x[0]
    return x


@program(lambda: (f8(6),), lambda: (f4(6),))
def in_place_division(x):
    x /= 3
    x //= 2
    x %= 5
    x **= 2


@program(lambda: (i8(6),))
def in_place_division_of_integers_raises(x):
    x += 1
    x /= 2
    return x


@program(lambda: (i8(6),))
def in_place_bits(x):
    x <<= 1
    x |= 1
    x ^= 3
    x &= 7
    x >>= 1
    return x


@program(lambda: (f8(3, 3), f8(3, 3)), lambda: (f8(3, 4), f8(4, 4)), lambda: (f8(3, 4), f8(3, 3)))
def in_place_matmul(x, y):
    x @= y
    return x


@program(lambda: (f8(4), f8(3, 4)))
def in_place_cannot_broadcast_the_target(x, y):
    x += y
    return x


@program(lambda: (f8(6),), lambda: (i8(6),), lambda: (u1(6),))
def store_scalars(x):
    x[0] = 5
    x[-1] = 2.75
    x[1:3] = 7
    return x


@program(lambda: (i1(6),))
def store_out_of_range(x):
    x[0] = 1
    x[1] = 300
    return x


@program(lambda: (f8(6), f8(3)), lambda: (f8(6), i8(3)), lambda: (i8(6), f8(3)))
def store_slices(x, y):
    x[::2] = y
    x[1:4] = y * 2
    return x.sum()


@program(lambda: (f8(6), f8(4)))
def store_of_the_wrong_shape(x, y):
    x[0] = 1
    x[:3] = y
    return x


@program(lambda: (f8(3, 4), f8(4)), lambda: (f8(3, 4), f8(3, 1)))
def store_broadcasts(x, y):
    x[...] = y
    x[1] = 0
    x[:, 2] = 9
    x[:, None, 0] = 4
    return x


@program(lambda: (f8(6), np.array([3, 3, 0])))
def store_fancy_with_repeats(x, i):
    x[i] = [1, 2, 3]
    x[i] += 10
    return x


@program(
    lambda: (f8(6), np.array([3, 3, -1, 0]), f8(4)),
    lambda: (f4(6, 3), np.array([3, 3, -1, 0]), f4(4, 3)),
    lambda: (i8(6), np.array([[3, 5], [0, 3]]), i8(2, 2)),
    lambda: (f8(6), np.array([3, 6, 0]), f8(3)),  # out of bounds: nothing is stored
    lambda: (f8(6), np.array([3, 1, 0]), np.array([1.0, 0.0, np.nan])),
)
def store_fancy_of_what_was_there(x, i, y):
    """The last of several wins; what was read is an array of its own, under two names."""
    part = x[i]
    same = part
    part += y * 2
    part *= part
    x[i] -= y * part
    x[i] /= y
    part -= 1
    return same is part, part, same, x, x[i]


@program(lambda: (f8(6), np.array([3, 3, 0])), lambda: (i4(6), np.array([3, 3, 0])))
def what_is_read_by_places_is_kept(x, i):
    part = x[i]
    kept = [part, part[1:], part * 2]
    part += 1
    rows = part[::2]
    part *= 2
    return kept, rows, part


@program(
    lambda: (f8(6), f8(6)),
    lambda: (f4(40), f4(40)),
    lambda: (i8(3, 4), i8(4)),
    lambda: (u1(30), u1(30)),
    lambda: (f8(9, 9)[::2, 1:], f8(8)),
    lambda: (lambda a: (a, a))(f8(6)),
    lambda: (lambda a: (a, a[::-1]))(f8(6)),
    lambda: (np.array([1.0, np.nan, -0.0, np.inf]), np.array([0.0, 1.0, -1.0, -np.inf])),
    lambda: (f8(2000), f8(2000)),
)
def in_place_several_times(x, y):
    x *= y
    x += y
    x -= x
    x += 3
    x[1:] *= y[1:]
    x[1:] += 1
    return x


@program(lambda: (f8(6), f8(6)), lambda: (i8(6), i8(6)))
def in_place_with_elements_and_views_between(x, y):
    x *= 2
    first = x[0]
    x += 1
    x -= x[1]
    x *= y
    part = x[1:]
    x += part[0]
    x -= y
    part *= 2
    x -= part.sum()
    kept = y[::-1]
    y *= 3
    y += kept
    y -= x
    return first, part, x, y


@program(lambda: (f8(6), f8(6)), lambda: (np.array([1e200, 0.0, np.inf]), np.array([1.0, 2.0, 0])))
def in_place_with_warnings_on_the_way(x, y):
    x *= 1e150
    x *= y
    np.subtract(x, y, out=x)
    x /= y
    x += 1
    return x


@program(lambda: (np.array([1.0, 1e300, 2.0]), f8(3)), lambda: (f8(3), np.array([0.0, 1.0, 2.0])))
def in_place_with_an_error_on_the_way(x, y):
    seen = []
    with np.errstate(all="raise"):
        try:
            x += 1
            x *= 1e100
            x /= y
            x -= 1
        except FloatingPointError as error:
            seen.append(str(error))
    return x, seen


@program(lambda: (f8(6), f8(6)))
def results_put_into_one_place(x, y):
    np.multiply(y, 2, out=x)
    np.add(x, y, out=x)
    np.exp(x, out=x)
    np.negative(y, out=y)
    np.add(y, x, out=x)
    return x, y


@program(lambda: (f8(6),), lambda: (f8(3, 4),), lambda: (i8(6),))
def store_by_mask(x):
    x[x < 0] = 0
    x[x > 2] *= 2
    return x


@program(lambda: (f8(6),))
def in_place_on_a_slice(x):
    x[1:] += x[:-1]
    x[::2] *= 3
    x[2] -= 1
    return x


@program(lambda: (count(7),), lambda: (count(7, dtype="i4"),), lambda: (count(300),))
def overlapping_views(x):
    x[1:] = x[:-1]
    x[:-2] += x[2:]
    x[::-1] = x * 1
    return x


@program(
    lambda: (lambda a: (a, a[1:]))(count(7)),
    lambda: (lambda a: (a, a[:-1]))(count(7)),
    lambda: (count(7), count(6)),
)
def arguments_overlap(x, y):
    x[:-1] += y
    y *= 2
    return x + 1


@program(
    lambda: (lambda a: (a, a))(f8(5)),
    lambda: (f8(5), f8(5)),
    lambda: (lambda a: (a, a[::-1]))(f8(5)),
)
def arguments_are_the_same(x, y):
    x += 1
    y *= 2
    z = x + y
    x[0] = 0
    return z, y


@program(lambda: (lambda a: (a, a[1:], a[:-1]))(count(6)), lambda: (count(6), count(5), count(5)))
def out_overlaps_an_argument(x, out, y):
    np.add(y, 1, out=out)
    return x * 2


@program(
    lambda: (lambda a: (a, a.reshape(3, 2)))(count(6)),
    lambda: (lambda a: (a, a.view("i8")))(count(6)),
)
def arguments_with_other_shapes_share_memory(x, y):
    y[0] = 9
    z = x + 1
    x[-1] = 1
    return z, y


@program(lambda: (lambda a: (a, a[:]))(f8(5)))
def write_then_read_through_the_other(x, y):
    before = y.sum()
    x[:] = 0
    after = y.sum()
    return before, after


@program(lambda: (f8(5), f8(5, seed=1)))
def stores_in_order(x, y):
    x[0] = y[1]
    y[1] = x[0] + 1
    x[1] = y[1]
    return x, y


@program(lambda: (f8(5),))
def effects_before_an_error_stay(x):
    x += 1
    x[1] = 77
    x[9] = 1
    return x


@program(lambda: (f8(5),))
def effects_before_and_after_a_print(x):
    x += 1
    print(x[0] > 0)
    x *= 2
    print(x.sum() > 0)
    x -= 1


@program(lambda: (f8(3, 3),))
def transpose_in_place(x):
    x[:] = x.T
    x += x.T
    return x


@program(lambda: (f8(3, 4), 1), lambda: (f8(3, 4), 0))
def swap_rows(x, i):
    x[[i, 2]] = x[[2, i]]
    x[:, 0], x[:, 1] = x[:, 1].copy(), x[:, 0].copy()
    return x


@program(lambda: (f8(4),))
def tuple_assignment_of_views_aliases(x):
    x[0], x[1] = x[1], x[0]
    x[:2], x[2:] = x[2:], x[:2]
    return x


@program(lambda: (f8(5),))
def fill_copyto_and_put(x):
    y = np.empty_like(x)
    y.fill(3)
    np.copyto(y, x, where=x > 0)
    np.putmask(x, x < 0, 0)
    np.place(y, y > 2, [1, 2])
    return y


@program(lambda: (f8(5),))
def new_array_is_filled(x):
    out = np.zeros_like(x)
    out[1:] = x[:-1]
    out[0] = x[-1]
    out += 1
    return out


@program(lambda: (f8(5), i4(5)))
def store_casts(x, n):
    n[:] = x * 10
    n += np.int64(3)
    x[:] = n
    return x


@program(lambda: (f8(5), i4(5)))
def in_place_with_a_kind_that_does_not_fit(x, n):
    x += 1
    n += x
    return n


@program(lambda: (np.array([np.nan, 1e30]), np.zeros(2, "i4")))
def store_of_nan_into_integers_warns(x, n):
    n[:1] = x[1:]
    return n.shape


@program(lambda: (f8(4, 4),), lambda: (f8(5, 5),))
def diagonal_writes(x):
    x[np.arange(4), np.arange(4)] = 0
    np.fill_diagonal(x, 1)
    x.flat[:: len(x) + 1] += 2
    return x


@program(lambda: (f8(8),))
def write_through_a_view_of_a_temporary(x):
    t = x * 2
    v = t[2:5]
    v[:] = 0
    v[0] += 4
    return t


@program(lambda: ([f8(3), f8(3, seed=1)],))
def arrays_in_a_list_are_updated(items):
    for a in items:
        a *= 0.5
    items[0] += items[1]
    items[1] = items[0] - 1
