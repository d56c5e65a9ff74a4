"""PolyBench 4.2: products of matrices and vectors, by array expressions where whole arrays are
meant, by loops over rows and columns where only a triangle is."""

import numpy as np

from benchmarks.registry import loop


def ramp(rows, columns, modulus, scale):
    """PolyBench's way to fill a matrix: numbers without a pattern that matters, below one."""
    i, j = np.ogrid[:rows, :columns]
    return ((i * j + 1) % modulus) / scale


def gemm_inputs(ni, nj, nk, rng):
    return 1.5, 1.2, ramp(ni, nj, ni, ni), ramp(ni, nk, nk, nk), ramp(nk, nj, nj, nj)


@loop(
    gemm_inputs,
    small=(4, 5, 6),
    medium=(1000, 1100, 1200),
    large=(2000, 2200, 2400),
    writes=(2,),
    npbench="gemm",
)
def gemm(alpha, beta, c, a, b):
    c[:] = beta * c + alpha * a @ b


def k2mm_inputs(ni, nj, nk, nl, rng):
    return (
        *(1.5, 1.2, ramp(ni, nk, ni, ni), ramp(nk, nj, nj, nj)),
        *(ramp(nj, nl, nl, nl), ramp(ni, nl, nk, nk)),
    )


@loop(
    k2mm_inputs,
    small=(4, 5, 6, 7),
    medium=(800, 850, 900, 950),
    large=(1600, 1800, 2000, 2200),
    writes=(5,),
    npbench="k2mm",
)
def k2mm(alpha, beta, a, b, c, d):
    d[:] = beta * d + alpha * a @ b @ c


def k3mm_inputs(ni, nj, nk, nl, nm, rng):
    return (
        *(ramp(ni, nk, ni, 5 * ni), ramp(nk, nj, nj, 5 * nj)),
        *(ramp(nj, nm, nl, 5 * nl), ramp(nm, nl, nk, 5 * nk)),
    )


@loop(
    k3mm_inputs,
    small=(4, 5, 6, 7, 8),
    medium=(800, 850, 900, 950, 1000),
    large=(1300, 1400, 1500, 1600, 1700),
    npbench="k3mm",
)
def k3mm(a, b, c, d):
    return (a @ b) @ (c @ d)


@loop(
    lambda m, n, rng: (ramp(m, n, m, 5 * m), 1.0 + np.arange(n) / n),
    small=(4, 5),
    medium=(4000, 5000),
    large=(10_000, 12_500),
    npbench="atax",
)
def atax(a, x):
    return a.T @ (a @ x)


@loop(
    lambda m, n, rng: (ramp(n, m, n, n), np.arange(m) / m, np.arange(n) / n),
    small=(4, 5),
    medium=(4000, 5000),
    large=(10_000, 12_500),
    npbench="bicg",
)
def bicg(a, p, r):
    return r @ a, a @ p


def mvt_inputs(n, rng):
    i = np.arange(n)
    return i / n, (i + 1) % n / n, (i + 3) % n / n, (i + 4) % n / n, ramp(n, n, n, n)


@loop(mvt_inputs, small=(5,), medium=(5500,), large=(11_000,), writes=(0, 1), npbench="mvt")
def mvt(x1, x2, y1, y2, a):
    x1 += a @ y1
    x2 += a.T @ y2


def gemver_inputs(n, rng):
    i = np.arange(n) / n
    u1, u2, v1, v2 = i, (i + 1) / 2.0, (i + 1) / 4.0, (i + 1) / 6.0
    y, z = (i + 1) / 8.0, (i + 1) / 9.0
    return 1.5, 1.2, ramp(n, n, n, n), u1, v1, u2, v2, np.zeros(n), np.zeros(n), y, z


@loop(
    gemver_inputs,
    small=(5,),
    medium=(3000,),
    large=(5000,),
    writes=(2, 7, 8),
    npbench="gemver",
)
def gemver_in_place(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * (y @ a) + z
    w += alpha * (a @ x)


@loop(
    lambda n, rng: (1.5, 1.2, ramp(n, n, n, n), ramp(n, n, n + 2, n), np.arange(n) / n),
    small=(5,),
    medium=(4000,),
    large=(7000,),
    npbench="gesummv",
)
def gesummv_vector(alpha, beta, a, b, x):
    return alpha * a @ x + beta * b @ x


def doitgen_inputs(nr, nq, np_, rng):
    r, q, p = np.ogrid[:nr, :nq, :np_]
    return ((r * q + p) % np_) / np_, ramp(np_, np_, np_, np_)


@loop(
    doitgen_inputs,
    small=(2, 3, 4),
    medium=(60, 60, 128),
    large=(110, 125, 256),
    writes=(0,),
    npbench="doitgen",
)
def doitgen(a, c4):
    for r in range(a.shape[0]):
        for q in range(a.shape[1]):
            a[r, q] = a[r, q] @ c4


def symm_inputs(m, n, rng):
    i, j = np.ogrid[:m, :n]
    lower = np.tril(ramp(m, m, 100, m)) + np.triu(np.full((m, m), -999.0), 1)
    return 1.5, 1.2, ((i + j) % 100) / m, lower, ((n + i - j) % 100) / m


@loop(
    symm_inputs,
    small=(4, 5),
    medium=(120, 150),
    large=(220, 280),
    writes=(2,),
    npbench="symm",
)
def symm(alpha, beta, c, a, b):
    """a is symmetric; only its lower triangle is stored."""
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            c[i, j] += alpha * (b[i, j] * a[i, i] + a[i, :i] @ b[:i, j])


@loop(
    lambda m, n, rng: (1.5, 1.2, ramp(n, n, m, m), ramp(n, m, n, n)),
    small=(4, 5),
    medium=(150, 200),
    large=(300, 350),
    writes=(2,),
    npbench="syrk",
)
def syrk(alpha, beta, c, a):
    """The lower triangle of c."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


@loop(
    lambda m, n, rng: (1.5, 1.2, ramp(n, n, m, m), ramp(n, m, n, n), ramp(n, m, m, m)),
    small=(4, 5),
    medium=(110, 140),
    large=(200, 250),
    writes=(2,),
    npbench="syr2k",
)
def syr2k(alpha, beta, c, a, b):
    """The lower triangle of c."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * (a[: i + 1, k] * b[i, k] + b[: i + 1, k] * a[i, k])


@loop(
    lambda m, n, rng: (1.5, ramp(m, m, m, m), ramp(m, n, n, n)),
    small=(4, 5),
    medium=(200, 250),
    large=(300, 400),
    writes=(2,),
    npbench="trmm",
)
def trmm(alpha, a, b):
    """b becomes alpha times aᵀ b, where a is lower triangular with ones on the diagonal."""
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] = alpha * (b[i, j] + a[i + 1 :, i] @ b[i + 1 :, j])
