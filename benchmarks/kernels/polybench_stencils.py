"""PolyBench 4.2: stencils over time, from two arrays in turn and in place. Where PolyBench's own
inputs are what the stencil leaves as it is, these are random."""

import numpy as np

from benchmarks.registry import loop


def adi_inputs(steps, n, rng):
    i, j = np.ogrid[:n, :n]
    return steps, (i + n - j) / n


@loop(adi_inputs, small=(2, 8), medium=(20, 200), large=(40, 220), writes=(1,), npbench="adi")
def adi(steps, u):
    """Heat by alternating directions: along columns first, then along rows, each by Thomas's
    algorithm for three diagonals."""
    n = u.shape[0]
    across, along = 2.0 * n * n / steps, 1.0 * n * n / steps
    a, b = -across / 2.0, 1.0 + across
    d, e = -along / 2.0, 1.0 + along
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = 1.0
        for j in range(1, n - 1):
            below = a * p[1:-1, j - 1] + b
            p[1:-1, j] = -a / below
            known = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:]
            q[1:-1, j] = (known - a * q[1:-1, j - 1]) / below
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]

        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = 1.0
        for j in range(1, n - 1):
            below = d * p[1:-1, j - 1] + e
            p[1:-1, j] = -d / below
            known = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j]
            q[1:-1, j] = (known - d * q[1:-1, j - 1]) / below
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def fdtd_inputs(steps, nx, ny, rng):
    i, j = np.ogrid[:nx, :ny]
    ex, ey, hz = i * (j + 1) / nx, i * (j + 2) / ny, i * (j + 3) / nx
    return ex, ey, hz, np.arange(steps, dtype=np.float64)


@loop(
    fdtd_inputs,
    small=(3, 6, 7),
    medium=(60, 400, 450),
    large=(120, 500, 550),
    writes=(0, 1, 2),
    npbench="fdtd_2d",
)
def fdtd_2d(ex, ey, hz, source):
    """Maxwell's equations in two dimensions, with a source along one edge."""
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def heat_step(u, new):
    middle = u[1:-1, 1:-1, 1:-1]
    new[1:-1, 1:-1, 1:-1] = (
        0.125 * (u[2:, 1:-1, 1:-1] - 2.0 * middle + u[:-2, 1:-1, 1:-1])
        + 0.125 * (u[1:-1, 2:, 1:-1] - 2.0 * middle + u[1:-1, :-2, 1:-1])
        + 0.125 * (u[1:-1, 1:-1, 2:] - 2.0 * middle + u[1:-1, 1:-1, :-2])
        + middle
    )


@loop(
    lambda steps, n, rng: (steps, rng.random((n, n, n)), rng.random((n, n, n))),
    small=(3, 6),
    medium=(50, 40),
    large=(80, 60),
    writes=(1, 2),
    npbench="heat_3d",
)
def heat_3d(steps, a, b):
    for _ in range(1, steps):
        heat_step(a, b)
        heat_step(b, a)


@loop(
    lambda steps, n, rng: (steps, (np.arange(n) + 2.0) / n, (np.arange(n) + 3.0) / n),
    small=(5, 12),
    medium=(3000, 12_000),
    large=(6000, 16_000),
    writes=(1, 2),
    npbench="jacobi_1d",
)
def jacobi_1d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


def five_points(u):
    return 0.2 * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] + u[:-2, 1:-1])


@loop(
    lambda steps, n, rng: (steps, rng.random((n, n)), rng.random((n, n))),
    small=(4, 8),
    medium=(80, 350),
    large=(150, 450),
    writes=(1, 2),
    npbench="jacobi_2d",
)
def jacobi_2d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = five_points(a)
        a[1:-1, 1:-1] = five_points(b)


@loop(
    lambda steps, n, rng: (steps, rng.random((n, n))),
    small=(3, 8),
    medium=(15, 100),
    large=(40, 120),
    writes=(1,),
    npbench="seidel_2d",
)
def seidel_2d(steps, a):
    """Nine points in place: a row's sum of what is known at once, then the recurrence."""
    n = a.shape[0]
    for _ in range(1, steps):
        for i in range(1, n - 1):
            above, row, below = a[i - 1], a[i], a[i + 1]
            known = above[:-2] + above[1:-1] + above[2:] + row[2:]
            row[1:-1] += known + below[:-2] + below[1:-1] + below[2:]
            for j in range(1, n - 1):
                row[j] = (row[j] + row[j - 1]) / 9.0


@loop(
    lambda steps, n, rng: (steps, rng.random((n, n))),
    small=(2, 8),
    medium=(5, 100),
    large=(10, 160),
    writes=(1,),
)
def gauss_seidel(steps, a):
    """The same points as seidel_2d's, number by number."""
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                total = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1]
                total += a[i, j - 1] + a[i, j] + a[i, j + 1]
                total += a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = total / 9.0
