"""PolyBench's kernels in benchmarks/ do what PolyBench says: each beside another way to say it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from kernel_runs import run

close = np.testing.assert_allclose


def test_products() -> None:
    alpha, beta, c, a, b = run("gemm").before
    close(run("gemm").after[2], np.einsum("ik,kj", a, b) * alpha + beta * c)
    alpha, beta, a, b, c, d = run("k2mm").before
    close(run("k2mm").after[5], np.einsum("ik,kj,jl", a, b, c) * alpha + beta * d)
    close(run("k3mm").result, np.einsum("ik,kj,jm,ml", *run("k3mm").before))
    a, c4 = run("doitgen").before
    close(run("doitgen").after[0], np.einsum("rqp,ps->rqs", a, c4))


def test_products_with_vectors() -> None:
    a, x = run("atax").before
    close(run("atax").result, np.einsum("ji,jk,k", a, a, x))
    a, p, r = run("bicg").before
    s, q = run("bicg").result
    close(s, np.einsum("i,ij", r, a))
    close(q, np.einsum("ij,j", a, p))
    x1, x2, y1, y2, a = run("mvt").before
    close(run("mvt").after[0], x1 + np.einsum("ij,j", a, y1))
    close(run("mvt").after[1], x2 + np.einsum("ji,j", a, y2))
    alpha, beta, a, b, x = run("gesummv_vector").before
    close(run("gesummv_vector").result, np.einsum("ij,j", alpha * a + beta * b, x))


def test_gemver() -> None:
    alpha, beta, a, u1, v1, u2, v2, w, x, y, z = run("gemver_in_place").before
    after = run("gemver_in_place").after
    a = a + np.einsum("i,j", u1, v1) + np.einsum("i,j", u2, v2)
    x = x + beta * np.einsum("ji,j", a, y) + z
    close(after[2], a)
    close(after[8], x)
    close(after[7], w + alpha * np.einsum("ij,j", a, x))


def test_triangles() -> None:
    alpha, beta, c, a, b = run("symm").before
    whole = np.tril(a) + np.tril(a, -1).T
    close(run("symm").after[2], alpha * whole @ b + beta * c)
    alpha, beta, c, a = run("syrk").before
    close(run("syrk").after[2], np.tril(alpha * a @ a.T + beta * c) + np.triu(c, 1))
    alpha, beta, c, a, b = run("syr2k").before
    both = alpha * (a @ b.T + b @ a.T) + beta * c
    close(run("syr2k").after[2], np.tril(both) + np.triu(c, 1))
    alpha, a, b = run("trmm").before
    close(run("trmm").after[2], alpha * (np.tril(a, -1) + np.eye(len(a))).T @ b)


@pytest.mark.parametrize("name", ["cholesky", "cholesky_lapack"])
def test_cholesky(name: str) -> None:
    (a,), (after,) = run(name).before, run(name).after
    close(np.tril(after) @ np.tril(after).T, a)
    assert (np.triu(after, 1) == np.triu(a, 1)).all()


def test_decompositions() -> None:
    (a,), (after,) = run("lu").before, run("lu").after
    close((np.tril(after, -1) + np.eye(len(a))) @ np.triu(after), a)
    a, b = run("ludcmp").before
    close(a @ run("ludcmp").result[0], b)
    (a,) = run("gramschmidt").before
    q, r = run("gramschmidt").result
    close(q @ r, a)
    close(q.T @ q, np.eye(a.shape[1]), atol=1e-10)


def test_solvers() -> None:
    lower, _, b = run("trisolv").before
    close(np.tril(lower) @ run("trisolv").after[1], b)
    lower, b = run("forward_substitution").before
    close(lower @ run("forward_substitution").result, b)
    (r,) = run("durbin").before
    apart = np.abs(np.subtract.outer(np.arange(len(r)), np.arange(len(r))))
    close(np.where(apart == 0, 1.0, r[apart - 1]) @ run("durbin").result, -r)


def test_moments() -> None:
    (x,) = run("correlation_by_rows").before
    close(run("correlation_by_rows").result[1:, 1:], np.corrcoef(x.T)[1:, 1:])
    (x,) = run("covariance_by_rows").before
    close(run("covariance_by_rows").result, run("covariance_cov").result)
    close(run("covariance_cov").result, np.cov(x.T))


def points(u: np.ndarray) -> np.ndarray:
    """What lies inside, as indices."""
    return np.argwhere(np.pad(np.ones([n - 2 for n in u.shape], bool), 1))


def test_jacobi() -> None:
    for name, weight, near in (("jacobi_1d", 0.33333, 1), ("jacobi_2d", 0.2, 2)):
        steps, a, b = run(name).before
        for _ in range(1, steps):
            for u, new in ((a, b), (b, a)):
                for at in map(tuple, points(u)):
                    moves = [np.eye(near, dtype=int)[k] * s for k in range(near) for s in (-1, 1)]
                    new[at] = weight * (u[at] + sum(u[tuple(at + move)] for move in moves))
        close(run(name).after[1], a)
        close(run(name).after[2], b)


def test_heat() -> None:
    steps, a, b = run("heat_3d").before
    for _ in range(1, steps):
        for u, new in ((a, b), (b, a)):
            for i, j, k in points(u):
                near = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                near += u[i, j, k - 1] + u[i, j, k + 1]
                new[i, j, k] = u[i, j, k] + 0.125 * (near - 6.0 * u[i, j, k])
    close(run("heat_3d").after[1], a)
    close(run("heat_3d").after[2], b)


def test_seidel() -> None:
    for name, fewer in (("seidel_2d", 1), ("gauss_seidel", 0)):
        steps, a = run(name).before
        for _ in range(steps - fewer):
            for i, j in points(a):
                a[i, j] = a[i - 1 : i + 2, j - 1 : j + 2].mean()
        close(run(name).after[1], a)


def test_fdtd() -> None:
    ex, ey, hz, source = run("fdtd_2d").before
    rows, columns = ex.shape
    for value in source:
        for i in range(rows):
            for j in range(columns):
                ey[i, j] = value if i == 0 else ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(rows):
            for j in range(1, columns):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(rows - 1):
            for j in range(columns - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    for k, field in enumerate((ex, ey, hz)):
        close(run("fdtd_2d").after[k], field)


def three_diagonals(n: int, side: float) -> np.ndarray:
    return (1.0 - 2.0 * side) * np.eye(n) + side * (np.eye(n, k=1) + np.eye(n, k=-1))


def half_step(u: np.ndarray, explicit: float, implicit: float) -> np.ndarray:
    """Explicit along the rows of u, implicit along its columns, which are one at both ends."""
    n = len(u)
    known = np.ones((n, n - 2))
    known[1:-1] = (u @ three_diagonals(n, -explicit))[1:-1, 1:-1]
    system = three_diagonals(n, implicit)
    system[[0, -1]] = np.eye(n)[[0, -1]]
    return np.pad(np.linalg.solve(system, known), ((0, 0), (1, 1)))


def test_adi() -> None:
    steps, u = run("adi").before
    n = len(u)
    a, d = -n * n / steps, -n * n / steps / 2.0
    for _ in range(steps):
        v = half_step(u, d, a)
        u[1:-1] = half_step(v.T, a, d).T[1:-1]
    close(run("adi").after[1], u)


def line_filtered(x: np.ndarray, alpha: float) -> np.ndarray:
    """PolyBench's form of Deriche's filter for one line, term by term."""
    e = np.exp(-alpha)
    k = (1 - e) ** 2 / (1 + alpha * e - np.exp(2 * alpha))
    b1, b2 = 2.0**-alpha, -np.exp(-2 * alpha)
    x = np.concatenate(([0.0, 0.0], x, [0.0, 0.0]))
    one, two = np.zeros(len(x)), np.zeros(len(x))
    for t in range(2, len(x) - 2):
        one[t] = k * x[t] + k * e * (alpha - 1) * x[t - 1] + b1 * one[t - 1] + b2 * one[t - 2]
    for t in range(len(x) - 3, 1, -1):
        two[t] = k * e * (alpha + 1) * x[t + 1] - k * e * e * x[t + 2]
        two[t] += b1 * two[t + 1] + b2 * two[t + 2]
    return (one + two)[2:-2]


def test_deriche() -> None:
    alpha, image = run("deriche").before
    rows = np.array([line_filtered(row, alpha) for row in image])
    columns = np.array([line_filtered(column, alpha) for column in rows.T]).T
    close(run("deriche").result, columns)


def test_shortest_paths() -> None:
    (path,) = run("floyd_warshall").before
    n = len(path)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    assert (run("floyd_warshall").after[0] == path).all()


def test_nussinov() -> None:
    (bases,) = run("nussinov").before

    @cache
    def most(i: int, j: int) -> int:
        if j <= i:
            return 0
        paired = most(i + 1, j - 1) + (bases[i] + bases[j] == 3 and i < j - 1)
        return max(paired, *(most(i, k) + most(k + 1, j) for k in range(i, j)))

    n = len(bases)
    table = run("nussinov").result
    assert all(table[i, j] == most(i, j) for i in range(n) for j in range(i, n))
