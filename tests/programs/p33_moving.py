"""Loops that CPython runs, with parts of arrays in their bodies that begin elsewhere in each round."""

import numpy as np
from support.arrays import c16, f4, f8, fortran, i4, ints, positive, strided
from support.program import program


@program(
    lambda: (f4(2, 34, 5, 3), f4(3, 2, 3, 4)),
    lambda: (f8(2, 34, 5, 3), f4(3, 2, 3, 4)),
    lambda: (fortran(f8(2, 34, 5, 3)), f8(3, 2, 3, 4)),
)
def convolution(images, weights):
    high, wide = weights.shape[:2]
    rows, columns = images.shape[1] - high + 1, images.shape[2] - wide + 1
    result = np.empty((images.shape[0], rows, columns, weights.shape[3]), images.dtype)
    for i in range(rows):
        for j in range(columns):
            patch = images[:, i : i + high, j : j + wide, :, np.newaxis]
            result[:, i, j, :] = np.sum(patch * weights, axis=(1, 2, 3))
    return result


@program(lambda: (f8(80, 6),), lambda: (strided(f8(80, 6)),), lambda: (c16(80, 6),))
def pooled(x):
    result = np.empty((x.shape[0] // 2, x.shape[1]), x.dtype)
    for i in range(x.shape[0] // 2):
        result[i] = (x[2 * i : 2 * i + 2] * 0.5 + 1.0).sum(axis=0)
    return result


@program(lambda: (f8(60), 3), lambda: (ints(60), 3), lambda: (f8(60), -3))
def beyond_both_ends(x, reach):
    """Near the ends the slice is another one, or empty."""
    found = []
    for i in range(-5, 65):
        part = x[i - reach : i + reach] * 2 + 1
        found.append((part.shape, part))
    return found


@program(lambda: (f8(60, 4),), lambda: (f8(30, 4),))
def index_that_runs_out(x):
    found = []
    for i in range(40):
        found.append(x[i, 1:3] * 2 + 1)
        x[i, :] = i
    return found


@program(lambda: (f8(50, 4),), lambda: (f8(50, 4)[::-1],))
def triangle(x):
    """The length is another in each round."""
    for i in range(1, x.shape[0]):
        x[i] = x[i] - x[:i].sum(axis=0) * 0.1
        x[i, 1:] += x[i, :-1] * 2
    return x


@program(lambda: (f8(50, 4),), lambda: (f4(50, 4),))
def steps_of_slices(x):
    total = np.zeros(2, x.dtype)
    for i in range(40):
        total = total + x[i : i + 6 : 3, 1] * 2
        total = total + x[i + 3 : i : -2, 1] * 2
        total = total - x[None, i : i + 2, ..., -1][0] * 3
    return total


@program(lambda: (f8(40, 40),), lambda: (fortran(f8(40, 40)),))
def rows_and_columns(a):
    for k in range(1, 39):
        a[k, 1:-1] = (a[k - 1, 1:-1] + a[k, :-2]) * 0.25 + a[k + 1, 2:]
        a[:, k] = a[:, k] * 0.5 + a[:, k - 1] * 0.5
    return a


@program(lambda: (f8(40, 40), 2), lambda: (f8(40, 40), 7))
def width_that_changes(a, width):
    found = []
    for k in range(30):
        if k == 20:
            width += 1
        found.append((a[k : k + width] * 2 + a[0]).sum())
    return found


@program(lambda: (f8(40, 6), i4(40) % 40), lambda: (f8(40, 6), np.arange(40, dtype="u2")))
def indices_of_numpy(a, order):
    found = np.zeros(3)
    for k in range(40):
        found = found + a[order[k], 1:4] * 2
        a[order[k], 2:5] = found * 0.1 + 1
    return found, a


@program(lambda: (positive(40, 6),))
def warns_in_some_rounds(a):
    a[7, 2] = 0.0
    a[29, 1] = -1.0
    found = []
    for k in range(38):
        found.append(np.sqrt(a[k : k + 2, 1:3]) / a[k, 1:3])
    return found


@program(lambda: (f8(40, 6),))
def written_where_it_is_read(a):
    for k in range(36):
        a[k + 1 : k + 4] = a[k : k + 3] * 0.5 + 1
        a[k : k + 2] += a[k + 1 : k + 3] * 0.5
        np.multiply(a[k : k + 2], 0.5, out=a[k + 2 : k + 4])
    return a


@program(lambda: (f8(40, 6),))
def numbers_of_the_round(a):
    i, found = 0, []
    while i < 30:
        size = 3
        for j in range(30):
            found.append((a[i + j : size + j + i - 1 + 1] * 2 + 1).sum(axis=0))
            if j + i + size > 35:
                break
        i += 4
    return found


@program(lambda: (f8(60, 6),))
def lists_that_grow(a):
    found, other, lengths = [], [], []
    same = found
    for k in range(40):
        found.append((a[k : k + 3] * 2 + 1).sum())
        if k % 2:
            other.append(a[k] * 2 + 1)
        lengths.append(len(found))
        if k > 20:
            same.append(k)
            lengths.append((len(same), len(found), same[-1], found is same))
    return found, other, lengths


class Log:
    def __init__(self):
        self.rows = []
        self.more = self.rows


@program(lambda: (f8(60, 6),))
def list_of_an_object(a):
    log = Log()
    for k in range(40):
        log.rows.append(a[k] * 2 + 1)
        log.more.append(len(log.rows))
        log.rows.append((a[k] + 1) * 2)
        if k == 30:
            log.more = []
    return log.rows, log.more


@program(lambda: (f8(60, 6),))
def append_that_is_left(a):
    found = []
    for k in range(40):
        found.append(float(str(k)))
        put = found.append
        put(a[k] * 2 + 1)
        try:
            found.append(a[k + 30] * 2 + 1, k)
        except (TypeError, IndexError) as error:
            put(str(error))
    return found


@program(lambda: (f8(40, 6),))
def element_put_back(a):
    """What was read is a copy, or a view."""
    for k in range(40):
        kept = a[k, 2]
        row = a[k, 1:3]
        a[k, 2] = 5.0 + k
        a[k, 2] = kept
        a[k, 1:3] = row
        a[k] += row[0] * 2
        a[k, 3:] *= row[1] + 1
    return a


@program(lambda: (f8(60, 6),))
def shape_that_shrinks(a):
    found = []
    while a.shape[0] > 2:
        found.append((a * 2 + 1).sum())
        a = a[a[:, 0] > a[0, 0] - 3][1:]
    return found


@program(
    lambda: (i4(40, 40),), lambda: (f8(40, 40),), lambda: (fortran(i4(40, 40)),),
    lambda: (np.where(f8(24, 24) > 0.5, np.inf, -np.inf),),
)  # fmt: skip
def shortest_paths(path):
    """What is stored overlaps the row and the column that are read."""
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k]))
    return path


@program(lambda: (f8(30, 30),), lambda: (f4(30, 30),), lambda: (c16(30, 30),))
def ranks_one(a):
    for k in range(3):
        a -= np.multiply.outer(a[:, k], a[k]) * 0.01
        a[1:] = a[1:] + np.subtract.outer(a[1:, k], a[k]) / 3
    return a
