"""Vectors and matrices."""

from benchmarks.registry import kernel, side


def gemver_inputs(n, rng):
    s = side(n)
    return 1.5, 1.2, rng.random((s, s)), *(rng.random(s) for _ in range(6))


@kernel(gemver_inputs, large=6_000_000)
def gemver(alpha, beta, a, u1, v1, u2, v2, y, z):
    a = a + u1[:, None] * v1 + u2[:, None] * v2
    x = beta * (y @ a) + z
    return a, x, alpha * (a @ x)


@kernel(
    lambda n, rng: (1.5, 1.2, rng.random((side(n),) * 2), rng.random((side(n),) * 2)),
    large=3_000_000,
)
def gesummv(alpha, beta, a, b):
    x = b[0]
    return alpha * a @ x + beta * b @ x
