"""How long points of the complex plane take to escape."""

import numpy as np

from benchmarks.registry import loop

MANDELBROT = (-2.0, 0.5, -1.25, 1.25, 2.0)  # from left to right, from bottom to top, horizon


@loop(
    lambda n, steps, rng: (*(-1.75, 0.25, -1.0, 1.0, 2.0), n, steps),
    small=(8, 6),
    medium=(250, 150),
    large=(400, 200),
    npbench="mandelbrot1",
)
def mandelbrot_masked(left, right, bottom, top, horizon, n, steps):
    """All points at every step; those that have escaped are left as they are."""
    c = np.linspace(left, right, n) + 1j * np.linspace(bottom, top, n)[:, None]
    z = np.zeros_like(c)
    escape = np.zeros(c.shape, dtype=np.int64)
    for step in range(steps):
        inside = np.abs(z) < horizon
        escape[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    escape[escape == steps - 1] = 0
    return z, escape


@loop(
    lambda n, steps, rng: (*MANDELBROT, n, steps),
    small=(8, 6),
    medium=(500, 80),
    large=(800, 200),
    npbench="mandelbrot2",
)
def mandelbrot_shrinking(left, right, bottom, top, horizon, n, steps):
    """Only the points that have not escaped are gone on with."""
    c = (np.linspace(left, right, n) + 1j * np.linspace(bottom, top, n)[:, None]).ravel()
    z = np.zeros_like(c)
    last = np.zeros_like(c)
    escape = np.zeros(c.size, dtype=np.int64)
    where = np.arange(c.size)
    for step in range(steps):
        if z.size == 0:
            break
        z = z * z + c
        gone = np.abs(z) > horizon
        escape[where[gone]] = step + 1
        last[where[gone]] = z[gone]
        stay = ~gone
        z, c, where = z[stay], c[stay], where[stay]
    return last.reshape(n, n), escape.reshape(n, n)


@loop(
    lambda n, steps, rng: (-0.8 + 0.156j, n, steps),
    small=(6, 10),
    medium=(60, 100),
    large=(220, 200),
)
def julia(c, n, steps):
    """Point by point, with complex numbers."""
    escape = np.zeros((n, n), dtype=np.int64)
    for row in range(n):
        for column in range(n):
            z = complex(3.0 * column / n - 1.5, 3.0 * row / n - 1.5)
            step = 0
            while abs(z) <= 2.0 and step < steps:
                z = z * z + c
                step += 1
            escape[row, column] = step
    return escape


@loop(
    lambda n, steps, rng: (*MANDELBROT, n, steps),
    small=(6, 10),
    medium=(60, 100),
    large=(160, 200),
)
def mandelbrot_points(left, right, bottom, top, horizon, n, steps):
    """Point by point, with real numbers."""
    escape = np.zeros((n, n), dtype=np.int64)
    limit = horizon * horizon
    for row in range(n):
        b = bottom + (top - bottom) * row / (n - 1)
        for column in range(n):
            a = left + (right - left) * column / (n - 1)
            x, y = 0.0, 0.0
            for step in range(steps):
                if x * x + y * y > limit:
                    escape[row, column] = step
                    break
                x, y = x * x - y * y + a, 2.0 * x * y + b
            else:
                escape[row, column] = steps
    return escape
