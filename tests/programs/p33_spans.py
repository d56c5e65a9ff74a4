"""Loops over parts of arrays: slices with bounds that vary, what is computed of them, stores."""

import numpy as np
from support.arrays import c16, f4, f8, fortran, i4, i8, special, strided, u1
from support.program import program


def definite(n):
    low = np.tril(f8(n, n)) + 9 * n * np.eye(n)
    return low @ low.T


@program(
    lambda: (definite(7),),
    lambda: (fortran(definite(6)),),
    lambda: (strided(definite(6)),),
    lambda: (-definite(4),),
    lambda: (definite(5).astype(np.float32),),
)
def cholesky(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return a


@program(lambda: (definite(7),), lambda: (fortran(definite(6)),), lambda: (definite(5) * 0,))
def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@program(lambda: (f8(9),), lambda: (f4(9),), lambda: (strided(f8(12)),), lambda: (f8(1),))
def durbin(r):
    y = np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.flip(r[:k]) @ y[:k]) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(lambda: (2, f8(7, 9)), lambda: (2, fortran(f8(6, 6))), lambda: (1, f4(6, 5)))
def views_live_through_an_inner_loop(steps, a):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            above, row, below = a[i - 1], a[i], a[i + 1]
            known = above[:-2] + above[1:-1] + above[2:] + row[2:]
            row[1:-1] += known + below[:-2] + below[1:-1] + below[2:]
            for j in range(1, m - 1):
                row[j] = (row[j] + row[j - 1]) / 9.0
    return a


@program(lambda: (f8(8, 8), 11), lambda: (f8(8, 8), 3))
def row_index_runs_out(a, n):
    s = 0.0
    for i in range(n):
        row = a[i]
        row[1:] -= row[:-1]
        s += row[i]
    return s, row


@program(lambda: (f8(30),), lambda: (i8(30),), lambda: (c16(30),), lambda: (u1(30),))
def slices_of_every_kind(x):
    s = x[0]
    for i in range(-34, 34, 3):
        s = s + x[i:].sum() - x[:i].sum() + x[i : i + 4].sum() + x[::-1][i:].sum()
        s = s - x[i : i - 9 : -2].sum() + x[-3:i:-1].sum() + x[i:5].sum()
        s = s + x[i:i].sum()
    return s


@program(lambda: (f8(20), f8(20)), lambda: (i4(20), i4(20)), lambda: (i8(20), f8(20)))
def overlapping_stores(x, y):
    for i in range(2, 9):
        x[1:i] = x[: i - 1] + y[1:i]
        x[: i - 1] = x[1:i]
        x[i::-1] = x[: i + 1]
        y[i : 2 * i] += 1
        y[i:] = 3
    return x, y


@program(lambda: (special()[:12], np.full(12, 1e300)), lambda: (f8(12), f8(12)))
def warnings_in_parts(x, y):
    s = 0.0
    for i in range(1, 12):
        y[:i] = y[:i] * 1e10 + x[:i]
        s += (x[:i] / y[i - 1 : i]).sum()
        y[:i] *= 1e-10
    return s, y


@program(lambda: (f8(10), 5, 7), lambda: (f8(10), 3, 3), lambda: (f8(10), 1, 4))
def extents_that_differ(x, i, j):
    s = 0.0
    for k in range(3):
        s += k
        x[k] = s
        s += (x[:i] + x[:j]).sum()
    return s


@program(lambda: (f8(9), 5), lambda: (f8(9), 0))
def nothing_to_fold(x, n):
    s = 0.0
    for i in range(n):
        s += x[:i].sum() + x[i:i] @ x[i:i]
        x[i] = s
        s += x[: n - 1 - i].max()
    return s


@program(lambda: (f8(40), np.arange(40) % 7), lambda: (f8(5), np.arange(40) % 7))
def gathers(x, at):
    s = 0.0
    for i in range(1, 12):
        s += x[at[i : 3 * i]] @ x[at[: 2 * i]]
        x[0] = s * 1e-3
    return s


@program(lambda: (f8(40), -np.arange(40) % 9), lambda: (f8(40), np.arange(40) - 60))
def gathers_from_behind(x, at):
    s = 0.0
    for i in range(1, 12):
        s += x[at[:i] - 9].sum()
        x[i] = s * 1e-3
    return s


@program(lambda: (f8(6, 6), f8(6)), lambda: (fortran(f8(6, 6)), f8(6)), lambda: (f4(6, 6), f4(6)))
def matrices(a, x):
    s = 0.0
    for i in range(1, 5):
        s += (a[:i] @ x).sum() + (x[:i] @ a[:i]).sum() + (a[:i, :i] @ a[:i]).max(axis=None)
        s += (a.T[:i] @ x[:6])[0] if i > 9 else 0.0
        x[:] = a[:6, :6] @ x * 0.1
        a[:i, 1:3] = a[i : 2 * i, 1:3] if i < 4 else 0.0
    return s


@program(lambda: (f8(7, 5),), lambda: (fortran(f8(7, 5)),))
def new_axes(a):
    for i in range(1, 5):
        a[:i] = a[:i, 0][:, None] * a[0] + a[:i, None, 1]
        a[:, i] *= a[:, 0]
    return a


@program(lambda: (f8(9), 4), lambda: (f8(9), 20))
def read_only(x, n):
    x.flags.writeable = False
    s = 0.0
    for i in range(n):
        s += x[: i + 1] @ x[: i + 1]
        if i > 5:
            x[:2] = 1.0
    return s


@program(lambda: (f8(9), 9), lambda: (f8(9), 12))
def views_at_exits(x, n):
    part = x
    for i in range(n):
        part = x[i : i + 2]
        whole = part * 2.0
        part[0] = whole[1] + whole[0]
    return part, whole


@program(lambda: (f8(12), 0.5), lambda: (f4(12), 0.5), lambda: (f4(12), 1e300), lambda: (i8(12), 2))
def numbers_beside(x, a):
    for i in range(1, 12):
        x[:i] = a
        x[i:] *= a
        x[i - 1 :] += i
    return x


@program(lambda: (f8(12),), lambda: (f8(12, 3),))
def lengths(x):
    s = 0
    for i in range(-14, 14):
        s += len(x[i:]) * 3 + x[:i].shape[0] + x[i : i + 3].size + x[2:i].ndim
    return s


@program(lambda: (f8(30), i8(30)), lambda: (special()[:20], i8(20)))
def numpy_functions(x, k):
    s = 0.0
    for i in range(2, 20, 3):
        s += np.exp(x[:i] * 0.1).sum() + np.tanh(x[i:])[0] + np.maximum(x[:i], x[1 : i + 1]).max()
        s += np.dot(x[:i], x[1 : i + 1]) + abs(x[:i]).min() + (x[:i] ** 2).sum() + (x[:i] > 0).sum()
        s += (k[:i] // 3 % 2).sum()
        x[: i - 1] = np.sqrt(np.abs(x[1:i]))
    return s


@program(lambda: (np.zeros(12, bool), 12), lambda: (np.zeros(30, bool), 30))
def sieve(prime, n):
    prime[2:] = True
    for p in range(2, n):
        if prime[p]:
            prime[2 * p :: 2] &= prime[p]
            prime[p + 1 : p + 2] ^= prime[p]
    return prime


@program(lambda: (-np.zeros(9),), lambda: (-np.zeros(9, np.float32),))
def sum_of_minus_zero(x):
    s = 1.0
    for i in range(9):
        s = x[i : i + 3].sum()
    return s


@program(lambda: (np.array([1.0, 1.0, 20.0]), 0.01, 20), lambda: (np.array([1, 2, 3]), 0.5, 4))
def small_arrays(start, dt, steps):
    path = np.zeros((steps + 1, 3))
    path[0] = start

    def slope(state):
        x, y, z = state
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    for k in range(steps):
        one = slope(path[k])
        two = slope(path[k] + dt * one)
        path[k + 1] = path[k] + dt / 2 * (one + two)
    return path


@program(lambda: (f8(20), 9), lambda: (f4(20), 9), lambda: (i8(20), 9))
def arrays_made_in_the_loop(x, n):
    s = 0.0
    for i in range(1, n):
        a = np.zeros(3)
        a[1] = i
        a += x[i]
        b = np.where(x[:i] > 0, x[:i], -1)
        c = np.ones_like(b)
        c[0] = 2
        c *= b
        s += a.sum() + (b * c).sum() + np.array([s, i, 0.5]).max() + b.copy()[-1]
        x[i] = s
    return s


@program(lambda: (fortran(f8(4, 6)), f8(6)), lambda: (f8(4, 6), f8(6)))
def layouts_of_what_is_made(a, x):
    s = 0.0
    for i in range(1, 4):
        s += ((a[:i] + 1) @ x).sum() + (a[:i] * 2).sum()
        x[i] = s
    return s


def field(n, dtype, rest):
    made = np.zeros(n, [("a", dtype), ("b", rest)])
    made["a"] = f8(n) if dtype in "fd" else c16(n)
    return made["a"]


@program(
    lambda: (field(20, "D", "f8"), c16(20)),
    lambda: (field(20, "F", "f4"), c16(20).astype("F")),
    lambda: (field(20, "d", "f4"), f8(20)),
    lambda: (f8(20), f8(20)),
)
def dots_of_odd_steps(x, y):
    return [np.dot(x[:i], y[:i]) for i in range(20)] + [x[i:].dot(y[i:]) for i in range(15)]


@program(lambda: (-np.zeros(9), np.ones(9)), lambda: (np.ones(9, "F"), -np.zeros(9, "F")))
def dots_of_one(x, y):
    s = 1.0
    for i in range(9):
        s = np.dot(x[i : i + 1], y[i : i + 1])
    return s


def frozen(x):
    x.flags.writeable = False
    return x


@program(lambda: (f8(30), 20), lambda: (frozen(f8(30)), 20))
def a_part_stored_into_itself(x, n):
    s = 0.0
    for i in range(1, n):
        part = x[:i]
        s += part[0]
        x[:i] = part
    return s


@program(lambda: (f8(30), 20), lambda: (frozen(f8(30)), 20))
def a_moving_part_stored_into_itself(x, n):
    found = []
    for i in range(1, n):
        part = x[i : i + 2]
        found.append(str(part))
        x[i : i + 2] = part
    return found


@program(lambda: (np.zeros(801, "u1")[1:].view("f8"), 90))
def unaligned(x, n):
    s = 0.0
    for i in range(n):
        s += x[i : i + 2].sum()
        x[i : i + 2] = 3
    return s


# ---- arrays that are carried from round to round -------------------------------------------------


def slope(state):
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


@program(lambda: (np.array([1.0, 1, 20]), 0.01, 30), lambda: (np.array([1, 2, 3]), 0.01, 9))
def integrated(y, dt, n):
    start = y
    for _ in range(n):
        y = y + dt * slope(y + 0.5 * dt * slope(y))
    return y, start, y is start


@program(lambda: (f8(9), 50), lambda: (f8(9), 1), lambda: (f8(9), 0), lambda: (f4(9), 2))
def leapfrog(u, n):
    before, now = u, u * 1.01
    for _ in range(n):
        later = 2 * now - before - 0.01 * now
        before, now = now, later
    return before, now, before is u, before is now


@program(lambda: (f8(40), 20), lambda: (f8(40), 45), lambda: (i8(40), 30))
def shrinking(y, n):
    for i in range(n):
        y = y[1:] + y[:-1] // 2
        if i == 17:
            print(y.sum())
    return y


@program(lambda: (f8(6), 1e-3), lambda: (f8(6), 1e9), lambda: (f8(1), 1e-9))
def until_it_is_flat(y, tolerance):
    k = 0
    while y.max() - y.min() > tolerance:
        y = 0.5 * (y + y[::-1]) + 0.01 * y
        k += 1
        if k > 60:
            break
    return y, k


@program(lambda: (f8(5), 30), lambda: (f8(5), 2))
def two_names(y, n):
    best, low = y, 1e9
    for i in range(n):
        y = y * 0.9 + 0.1 * i
        if y.sum() < low:
            low, best = y.sum(), y
    best[0] = 99
    return best, low, y


@program(lambda: (f8(5), 30), lambda: (f8(5), 3))
def the_best_so_far(y, n):
    y = y * 2.0
    best, low = y * 0.0, 1e9
    for i in range(n):
        y = y * 0.9 + 0.1 * (i % 7)
        if y.sum() < low:
            low, best = y.sum(), y * 1.0
    return best, low, y


@program(lambda: (f8(5), np.ones(5), 60), lambda: (f4(5), np.ones(5, "f4"), 9))
def changed_in_place(y, v, n):
    x = y.copy()
    for _ in range(n):
        v += 0.1 * x
        x -= v * 0.01
        if x[0] < -1:
            v *= 0.5
    return x, v


@program(lambda: (f8(4), 9), lambda: (f8(4), 1))
def carried_through_an_inner_loop(y, n):
    y = y * 1.0
    s = 0.0
    for i in range(n):
        for j in range(i):
            y = y * 0.5 + j
            y[0] += s
        s += y.sum()
        y = y - s * 1e-3
    return y, s


@program(lambda: (f8(3, 3), f8(3), 12), lambda: (f8(3, 3), f8(3), 0))
def matrices_carried(a, x, n):
    p = np.eye(3) * 2.0
    for k in range(n):
        x = a @ x * 0.3
        p = a @ p @ a.T * 0.1 + np.ones((3, 3))
        if k == 7:
            print(p[0], x)
    return p, x, p.flags.c_contiguous


@program(lambda: (f8(3, 4), 12), lambda: (fortran(f8(3, 4)), 12))
def layouts_carried(a, n):
    for _ in range(n):
        a = a * 0.5 + 1
    return a, a.flags.c_contiguous, a.strides


@program(lambda: (f8(6), 8), lambda: (f8(6), 20))
def an_exception_in_mid_loop(y, n):
    z = y * 1.0
    try:
        for i in range(n):
            z = z + y
            y[i] = z[0]
    except IndexError as error:
        return str(error), z, y
    return z, y


@program(lambda: (f8(6), 300), lambda: (f8(6) * 1e300, 9))
def a_warning_in_mid_loop(y, n):
    z = y * 1.0
    for _ in range(n):
        z = z * 1.5 + y
    return z


@program(lambda: (f8(6), 40))
def handed_to_a_call(y, n):
    z = y * 1.0
    kept = []
    for i in range(n):
        z = z * 0.5 + i
        if i % 9 == 0:
            kept.append(str(z))
    z[0] = 7
    return kept, z


@program(lambda: (f8(2), 3), lambda: (f8(2), 0), lambda: (f8(2), 45))
def rebound_before_it_is_read(x, n):
    w = np.ones(2)
    v = x
    i = 0
    while i < n:
        i += 1
        w = x * 2
        v = x[::-1]
    return w, v, v is x


@program(lambda: (f8(2), 3), lambda: (f8(2), 0))
def rebound_until_a_break(x, n):
    w = np.ones(2, "f4")
    i = 0
    while True:
        i += 1
        w = x * 2
        if i > n:
            break
    return w


@program(lambda: (f8(2), 30))
def outer_in_a_loop(x, n):
    for i in range(n):
        p = np.outer(x * i, x * 2) * 0.1
        s = p[0, 1]
    return s


@program(
    lambda: (f8(4), f8(9), 6),
)
def extents_of_each_other(z, x, n):
    z = z * 1.0
    u = z * 1.0
    for i in range(n):
        u = z * 2.0
        z = x[: i + 2] * 1.0
    return u, z


@program(
    lambda: (f8(4), f8(9), 6),
)
def a_branch_into_an_outer_loop(z, x, n):
    z = z * 1.0
    u = z * 0.5
    for i in range(n):
        z = z * 1.0 + 1
        u = u + z
        for j in range(3):
            if x[i] > 0.1:
                u = z * 1.0
            z = u * 0.5 + x[i] + j
    return u, z


@program(
    lambda: (f8(4), f8(9), 6),
)
def places_that_change(z, x, n):
    z = z * 1.0
    u = z * 0.5
    for i in range(n):
        for j in range(i):
            u, z = z, u * 0.5 + z + x[j]
        u = u + 1.0
    return u, z


@program(
    lambda: (f8(3), f8(30), 20),
)
def held_by_a_dict(y, x, n):
    z = y * 0.0
    d = {"z": z}
    for i in range(n):
        z += 1
        if x[i] > 0.9:
            z = z * 2
    return d["z"], z


@program(
    lambda: (f8(3), f8(30), 20),
)
def held_by_a_cell(y, x, n):
    z = y * 0.0

    def look():
        return z

    w = z
    for i in range(n):
        w += 1
        if x[i] > 0.9:
            w = w * 2
    return look(), w


def pick(c, z, u):
    if c > 0.5:
        return z
    return u


@program(
    lambda: (f8(3), f8(30), 20),
)
def one_of_two(y, x, n):
    for i in range(n):
        z = y * 2.0
        u = y + i
        w = pick(x[i], z, u)
        z = z + 1
    w += 100
    return w, u, z, w is u


@program(lambda: (f8(5), 9), lambda: (f8(2), 3))
def reversed_into_itself(y, n):
    for i in range(n):
        z = y * 2.0
        z[0] = i
        z[::-1] = z
        p = np.zeros((2, 3)) + i
        p[0, 0] = 9
        p[:, ::-1] = p
    return z, p


@program(lambda: (f8(5), 9))
def orders_asked_for(y, n):
    for i in range(n):
        p = np.zeros((3, 3), order="F")
        q = np.ones_like(p, order="C")
        p[0] += i
    return p, q, p.strides, q.strides


@program(lambda: (f8(6, 3), 5))
def no_axes(x, n):
    s = 0.0
    for i in range(n):
        s += (x[i, 1, ...] * 2.0).sum()
    return s


@program(lambda: (f8(9), f8(2), 8), lambda: (f8(9), f8(1), 8))
def extents_at_a_break(z, y, n):
    z = z * 1.0
    for i in range(n):
        if i > 3:
            z = z[:1] * 2.0
            break
        z = z * 0.5 + 1
    return z, y


@program(lambda: (f8(9), 2, True), lambda: (f8(9), 2, False))
def an_index_into_a_number(x, k, whole):
    u = x[k]
    for i in range(len(x)):
        if not whole and i > 3:
            u = u[i]
    return u


@program(lambda: (f8(9), 2, True), lambda: (f8(9), 2, False))
def a_store_into_a_number(x, k, whole):
    u = x[k]
    for i in range(len(x)):
        if not whole and i > 3:
            u[i] = 1.0
    return u
