"""PolyBench 4.2: decompositions of matrices and solvers of linear systems, row by row."""

import numpy as np

from benchmarks.registry import loop


def definite(n):
    """Symmetric and positive definite."""
    lower = np.tril(1.0 + (-np.arange(n) % n) / n * np.ones((n, 1)), -1) + np.eye(n)
    return lower @ lower.T


@loop(
    lambda n, rng: (definite(n),),
    small=(6,),
    medium=(300,),
    large=(500,),
    writes=(0,),
    npbench="cholesky",
)
def cholesky(a):
    """L, where L Lᵀ is a, in the lower triangle of a."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])


@loop(
    lambda n, rng: (definite(n),),
    small=(6,),
    medium=(1000,),
    large=(2200,),
    writes=(0,),
    npbench="cholesky2",
)
def cholesky_lapack(a):
    a[:] = np.linalg.cholesky(a) + np.triu(a, 1)


@loop(
    lambda n, rng: (definite(n),),
    small=(6,),
    medium=(220,),
    large=(350,),
    writes=(0,),
    npbench="lu",
)
def lu(a):
    """L below the diagonal of a, where it is one, and U."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


@loop(
    lambda n, rng: (definite(n), (np.arange(n) + 1) / n / 2.0 + 4.0),
    small=(6,),
    medium=(220,),
    large=(350,),
    writes=(0,),
    npbench="ludcmp",
)
def ludcmp(a, b):
    """x and y, where a is L U, L y is b, and U x is y."""
    lu(a)
    n = a.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


@loop(
    lambda n, rng: (n + 1.0 - np.arange(n),),
    small=(6,),
    medium=(6000,),
    large=(16_000,),
    npbench="durbin",
)
def durbin(r):
    """The Yule-Walker equations, by the recursion of Levinson and Durbin."""
    y = np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.flip(r[:k]) @ y[:k]) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@loop(
    lambda m, n, rng: (rng.random((m, n)),),
    small=(6, 5),
    medium=(220, 180),
    large=(380, 320),
    writes=(0,),
    npbench="gramschmidt",
)
def gramschmidt(a):
    """q and r: a is their product, and the columns of q are orthonormal."""
    columns = a.shape[1]
    q = np.zeros_like(a)
    r = np.zeros((columns, columns))
    for k in range(columns):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, columns):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= r[k, j] * q[:, k]
    return q, r


def triangle(n, rng):
    i, j = np.ogrid[:n, :n]
    return (i + n - j + 1) * 2.0 / n, np.full(n, -999.0), np.arange(n, dtype=np.float64)


@loop(triangle, small=(6,), medium=(5000,), large=(10_000,), writes=(1,), npbench="trisolv")
def trisolv(lower, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]


def well_conditioned(n, rng):
    return np.tril(rng.random((n, n))) + n * np.eye(n), rng.random(n)


@loop(well_conditioned, small=(6,), medium=(400,), large=(1600,))
def forward_substitution(lower, b):
    """The same system as trisolv's, number by number."""
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= lower[i, j] * x[j]
        x[i] = total / lower[i, i]
    return x
