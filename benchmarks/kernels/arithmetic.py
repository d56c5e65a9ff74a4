"""Chains of elementwise operations on reals and complex numbers."""

import numpy as np

from benchmarks.registry import kernel


@kernel(lambda n, rng: (rng.random(n), rng.random(n)), numexpr="2.5 * x + y")
def triad(x, y):
    return 2.5 * x + y


@kernel(
    lambda n, rng: (rng.random(n), rng.random(n), rng.random(n) + 1.0),
    numexpr="(a * b + c) / (c + a) - b * 0.5 + a",
)
def chain7(a, b, c):
    return (a * b + c) / (c + a) - b * 0.5 + a


@kernel(
    lambda n, rng: (rng.random(n), rng.random(n)),
    numexpr="sqrt(x * x + y * y) * exp(-x) + y",
)
def damped_radius(x, y):
    return np.sqrt(x * x + y * y) * np.exp(-x) + y


@kernel(lambda n, rng: (rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)))
def damped_radius_f32(x, y):
    return np.sqrt(x * x + y * y) * np.exp(-x) + y


@kernel(lambda n, rng: (rng.uniform(-1.0, 1.0, n),))
def horner(x):
    p = 0.3 + x * (0.1 + x * (-0.2 + x * (0.05 + x * (-0.01 + x * 0.002))))
    return p / (1.0 + x * x)


@kernel(lambda n, rng: (rng.normal(size=n), -1.0, 1.5))
def rescale_and_clip(x, low, high):
    return np.clip((x - low) / (high - low), 0.0, 1.0)


@kernel(lambda n, rng: (rng.normal(size=n), 1.0), writes=(0,))
def masked_update(x, limit):
    x[x > limit] = limit
    x[x < 0.0] *= 0.1
    return x


def complex_plane(n, rng):
    z = rng.uniform(-1.5, 1.5, n) + 1j * rng.uniform(-1.5, 1.5, n)
    return z, z * 0.5, np.zeros(n, dtype=np.int64)


@kernel(complex_plane, medium=8_192, large=1_000_000)
def mandelbrot_step(z, c, count):
    inside = z.real * z.real + z.imag * z.imag <= 4.0
    return np.where(inside, z * z + c, z), count + inside
