"""Loops whose bodies call NumPy's functions that C has no form for: the routine calls them."""

import signal
import warnings

import numpy as np
from support.arrays import c16, f4, f8, fortran, i8, special, strided
from support.program import program, scenario


def regular(n, seed=0):
    return f8(n, n, seed=seed) + 9 * n * np.eye(n)


@program(
    lambda: (f8(9, 2), np.eye(4) + np.eye(4, k=2), np.eye(4)[:2], 0.1 * np.eye(4), np.eye(2)),
    lambda: (f4(9, 2), np.eye(4), np.eye(4)[:2], 0.1 * np.eye(4), np.eye(2)),
    lambda: (f8(9, 2), np.eye(4), np.zeros((2, 4)), 0.1 * np.eye(4), np.zeros((2, 2))),
)
def kalman(measured, model, seen, noise, error):
    states = np.zeros((measured.shape[0], 4))
    x = np.zeros(4)
    p = 10.0 * np.eye(4)
    for k in range(measured.shape[0]):
        x = model @ x
        p = model @ p @ model.T + noise
        gain = p @ seen.T @ np.linalg.inv(seen @ p @ seen.T + error)
        x = x + gain @ (measured[k] - seen @ x)
        p = (np.eye(4) - gain @ seen) @ p
        states[k] = x
    return states, x, p


@program(
    lambda: (np.stack([regular(3, s) for s in range(12)]), f8(3)),
    lambda: (np.stack([regular(3, s) * (s != 9) for s in range(12)]), f8(3)),
    lambda: (np.stack([regular(3, s) for s in range(12)]).astype(np.float32), f8(3)),
    lambda: (np.stack([regular(3, s) * (s != 10) for s in range(12)]) + 0j, c16(3)),
    lambda: (np.stack([regular(3, s) for s in range(12)]), f8(2)),
)
def singular_at_a_late_round(many, b):
    out = np.zeros(len(many))
    x = b
    for k in range(len(many)):
        out[k] = k
        x = np.linalg.solve(many[k], b)
        out[k] += abs(x[0])
    return out, x


@program(lambda: (f8(4, 4), 9), lambda: (f8(4, 4) * np.inf, 9), lambda: (f8(3, 3), 1))
def kept_after_the_loop(a, n):
    last = np.cumsum(a, axis=0)
    for k in range(n):
        last = np.cumsum(last + k, axis=0)
    return last, last.base is None, last.flags.writeable, last.strides


@program(lambda: (f8(6),), lambda: (i8(6),), lambda: (special()[:8],), lambda: (f4(5),))
def kept_in_lists(x):
    found, s = [], 0.0
    for k in range(len(x)):
        y = np.sort(x[k:])
        s = s + y[0]
        found.append(s)
    return found, y


@program(
    lambda: (f8(8), f8(8, seed=1)),
    lambda: (np.where(np.arange(8) == 6, np.inf, f8(8)), f8(8)),
    lambda: (np.full(8, 1e300), f8(8)),
)
def warnings_of_calls(x, y):
    s = 0.0
    for k in range(1, 8):
        y[0] = k
        s += np.outer(x[:k], x[:k] * 1e10)[0, 0]
        s += np.cumprod(x[:k])[-1]
        y[1] = s
    return s, y


@program(lambda: (f8(5, 5),), lambda: (fortran(f8(5, 5)),), lambda: (strided(f8(5, 5)),))
def aliases_of_arguments(a):
    s = 0.0
    for k in range(6):
        b = np.ascontiguousarray(a[1:])
        c = np.asarray(a[k % 5])
        c += 1.0
        b = b + k
        b[0] = 7
        d = np.atleast_1d(a[0])
        d[0] = k
        s += b[0, 0] + c[0] + d.sum()
    return s, a, b, c


@program(lambda: (f8(5, 6),), lambda: (fortran(f8(5, 6)),), lambda: (f4(2, 2),))
def views_of_results(a):
    s = 0.0
    for k in range(6):
        b = np.cumsum(a, axis=1).T
        r = np.ravel(a[k % 2])
        q = np.reshape(np.cumsum(a[0]), (2, -1))
        q[0, 0] = k
        r[0] = k
        s += b[0, 0] + r.sum() + q[0, 0]
    return s, b, r, q


@program(lambda: (f8(12),), lambda: (i8(12),), lambda: (f4(12),))
def inner_loops_and_branches(x):
    n = len(x)
    s = 0.0
    for i in range(1, n):
        if x[i] > 0:
            y = np.sort(x[:i])
            for j in range(i):
                s += y[j] * j
                if j % 3 == 2:
                    s += np.cumsum(y[:j])[j - 1]
        else:
            s -= np.diff(x[: i + 1])[0]
    return s


@program(lambda: (7,), lambda: (0,), lambda: (1,))
def arrays_from_numbers(n):
    s = 0.0
    for k in range(n):
        a = np.arange(k + 2)
        b = np.linspace(0.0, 1.0 + k, 5)
        c = np.full(3, s + 1.5)
        d = np.eye(k + 1)
        s += a[-1] + b[1] + c[0] + d[0, 0] + np.arange(4)[k % 4]
    return s


@program(lambda: (f8(4, 4), 5))
def constants_are_new_in_each_round(a, n):
    s = 0.0
    for k in range(n):
        b = np.eye(4)
        b[0, 1] += k
        c = np.arange(6)
        c[2] *= 3
        s += (a @ b)[0, 1] + b[0, 1] + c[2]
    return s, b, c


@program(
    lambda: (np.arange(10.0), 4),
    lambda: (np.arange(10.0) - 3, 6),
    lambda: (np.zeros(10), 4),
)
def lengths_that_contents_decide(x, n):
    s = 0
    for k in range(n):
        at = np.flatnonzero(x > k)
        u = np.unique(x // 2)
        s += len(at) + len(u)
        x[0] = s
    return s, at, u


@program(lambda: (f8(6, 6), 4), lambda: (f8(6, 6) * 0, 4), lambda: (c16(4, 4), 3))
def numbers_that_calls_give(a, n):
    s = 0.0
    t = 0
    for k in range(n):
        s += np.linalg.det(a[:k, :k]) + np.trace(a) + np.linalg.norm(a[k])
        t += np.count_nonzero(a[k]) + np.ndim(a[k])
    return s, t


@program(lambda: (f8(20), 3), lambda: (f8(20), 0), lambda: (f8(3), 3))
def joined_in_loops(x, n):
    y = x[:2]
    for k in range(n):
        y = np.concatenate((x[k : k + 2], x[:k]))
        z = np.hstack((y, y))
        z[0] = k
        w = np.stack([x[:3], x[:3] * 2.0])
    return y


@program(lambda: (f8(9), f8(9)), lambda: (special()[:9], f8(9)), errstate={"all": "ignore"})
def flags_that_nobody_heeds(x, y):
    s = 0.0
    for k in range(1, 9):
        s += np.cumprod(x[:k] * 1e200)[-1] + (x[:k] / (y[:k] - y[0])).sum()
    return s


@program(lambda: (f8(9), f8(9)), lambda: (special()[:9], f8(9)), errstate={"all": "raise"})
def flags_that_raise(x, y):
    s = 0.0
    for k in range(1, 9):
        y[k] = s
        s += np.cumprod(x[:k] * 1e200)[-1]
    return s


@program(lambda: (i8(6, 6),), lambda: (f8(6, 6),), lambda: (fortran(f4(6, 6)),))
def methods_of_ufuncs(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k]))
        path[k] = np.add.accumulate(path[k]) - np.multiply.reduce(path[0])
        path[k, k] = np.subtract.outer(path[k, 0], path[0, 0]) + np.maximum.reduce(path[k])
    return path


def inverted_again(a, n):
    s = a
    for _ in range(n):
        s = np.linalg.inv(s + a)
    return s


@scenario
def patched_between_calls(jit):
    fn = jit(inverted_again)
    a = regular(3)
    real = np.linalg.inv
    yield fn(a, 8)
    yield fn(a, 8)
    try:
        np.linalg.inv = lambda x: x * 2.0
        yield fn(a, 8)
    finally:
        np.linalg.inv = real
    yield fn(a, 8)


@scenario
def patched_inside_the_call(jit):
    """A function that NumPy's own calls, and that changes what the loop calls."""

    fn = jit(inverted_again)
    a = regular(3)
    module = np.linalg._linalg
    real, inner = np.linalg.inv, module._makearray
    yield fn(a, 8)
    yield fn(a, 8)
    calls = []

    def makearray(x):
        calls.append(1)
        return inner(x)

    try:
        module._makearray = makearray
        yield fn(a, 8)
        yield len(calls)
    finally:
        module._makearray, np.linalg.inv = inner, real
    yield fn(a, 8)


@scenario
def once_for_each_line(jit):
    def products(x, n):
        s = 0.0
        for k in range(1, n):
            s += np.cumprod(x[:k])[-1]
            s += np.outer(x[:k], x[:k])[0, 0]
        return s

    fn = jit(products)
    for x in (f8(9), np.full(9, 1e200), f8(9), np.full(9, -1e200)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            yield fn(x, 9)
            yield [(str(one.message), one.lineno - fn.__code__.co_firstlineno) for one in seen]


@scenario
def an_alarm_within_a_call(jit):
    def many(a, n, done):
        s = a
        for k in range(n):
            s = np.sort(s + a)
            done[0] = k
        return s

    fn = jit(many)
    a = regular(4)
    done = np.zeros(1)
    yield fn(a, 50, done)
    yield fn(a, 50, done)

    class Alarm(Exception):
        pass

    def ring(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                fn(a, 10**7, done)
            except TimeoutError:
                yield done[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@program(
    lambda: (f8(5, 6) * 0.2 + 1j * f8(5, 6, seed=1) * 0.2, 9),
    lambda: (c16(3, 3), 9),
    lambda: (c16(3, 3).astype(np.complex64), 9),
)
def masks(c, steps):
    z = np.zeros_like(c)
    escape = np.zeros(c.shape, dtype=np.int64)
    for step in range(steps):
        inside = np.abs(z) < 2.0
        escape[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    escape[escape == steps - 1] = 0
    return z, escape


@program(lambda: (f8(8), i8(8), 4), lambda: (f4(8), i8(8) * 9, 4), lambda: (i8(8), i8(8), 4))
def several_places(x, at, n):
    s = 0.0
    g = np.outer(x, x)
    for k in range(n):
        at = np.abs(at) % 8
        s += g[at, 0].sum() + x[at[k:]].sum() + g[at, at].sum()
        x[at] = x[::-1]
        x[at[:k]] = 2
        g[at[0], at] = x
        g[:, k][x > 0] = 1
        at = at + k
    return s, x, g


@program(lambda: (f8(8), 6), lambda: (i8(8), 6), lambda: (f4(8), 9))
def masks_that_do_not_fit(x, n):
    for k in range(1, n):
        x[0] = k
        x[:k][x[:6] > 0] = 1
    return x


@program(lambda: (f8(8), 6), lambda: (special()[:8], 6), lambda: (f4(8), 3))
def values_that_do_not_fit(x, n):
    y = np.arange(8.0)
    for k in range(1, n):
        x[0] = k
        y[x > 0] = y[:k]
    return x, y


@program(lambda: (np.abs(f8(8)),), lambda: (f8(8),))
def items_of_numbers(x):
    u = x[0]
    s = 0.0
    for k, v in enumerate(x):
        if v > 0:
            s += v
        else:
            s = u[k]
    return s


@program(
    lambda: (f8(6, 5), f8(6, 5, seed=1)),
    lambda: (fortran(f8(6, 5)), f8(6, 5, seed=1)),
    lambda: (f8(6, 5), strided(f8(6, 5, seed=1))),
    lambda: (i8(6, 20), i8(6, 20, seed=1)),
)
def masks_of_parts(x, y):
    s = 0.0
    for k in range(1, 6):
        m = x[:k] > y[:k] + 0.5
        one = x[:k][m]
        s += one.sum() + len(one)
        y[:k][m] = one
        x[k][x[k] < 0] = 0
        y[:, 1:][x[:, 1:] > 1] = s
        s = s * 0.5
        x[:k][~m] = x[:k][~m] * 2
        b = m & (y[:k] > 0)
        b[m] = False
        b[b] = True
        s += b.sum()
    return s, x, y, m, one


@program(lambda: (f8(7),), lambda: (special()[:9],), lambda: (f4(9),))
def what_masks_leave_is_carried(x):
    sizes = []
    y, z = x * 1.0, x * 2.0
    for k in range(9):
        if y.size == 0:
            break
        stay = y > -1.0 + 0.3 * k
        y, z = y[stay] * 1.01, z[stay]
        sizes.append(len(y))
    return sizes, y, z


@program(lambda: (f8(7), 3), lambda: (f8(7), 0), lambda: (f8(7) * 0, 3))
def masks_with_other_counts(x, n):
    s = 0.0
    for k in range(n):
        x[0] = k
        x[x > 0] = x[x >= 0]
        s += x[x > 5].sum()
    return s, x
