"""Pictures: filters, colours, blending, and integers that stand for fractions."""

import numpy as np

from benchmarks.registry import kernel, side


def gray(n, rng, dtype=np.float64):
    return rng.random((side(n), side(n))).astype(dtype)


@kernel(lambda n, rng: (gray(n, rng),), large=3_000_000)
def sobel_magnitude(p):
    gx = (p[:-2, 2:] + 2.0 * p[1:-1, 2:] + p[2:, 2:]) - (
        p[:-2, :-2] + 2.0 * p[1:-1, :-2] + p[2:, :-2]
    )
    gy = (p[2:, :-2] + 2.0 * p[2:, 1:-1] + p[2:, 2:]) - (
        p[:-2, :-2] + 2.0 * p[:-2, 1:-1] + p[:-2, 2:]
    )
    return np.sqrt(gx * gx + gy * gy)


@kernel(lambda n, rng: (gray(n, rng), rng.random((3, 3))), large=3_000_000)
def convolution(p, w):
    rows, columns = p.shape[0] - 2, p.shape[1] - 2
    out = np.zeros((rows, columns))
    for i in range(3):
        for j in range(3):
            out += w[i, j] * p[i : i + rows, j : j + columns]
    return out


def places(n, rng):
    s = side(n)
    return rng.random((s, s)), rng.uniform(0.0, s - 1.01, n), rng.uniform(0.0, s - 1.01, n)


@kernel(places, large=1_400_000)
def bilinear(p, x, y):
    left, top = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    fx, fy = x - left, y - top
    above = p[top, left] * (1.0 - fx) + p[top, left + 1] * fx
    below = p[top + 1, left] * (1.0 - fx) + p[top + 1, left + 1] * fx
    return above * (1.0 - fy) + below * fy


@kernel(lambda n, rng: (rng.random(n),), large=3_000_000)
def srgb_gamma(linear):
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


@kernel(lambda n, rng: tuple(rng.random(n, dtype=np.float32) for _ in range(3)))
def rgb_to_ycbcr(r, g, b):
    y = 0.299 * r + 0.587 * g + 0.114 * b
    return y, 0.564 * (b - y) + 0.5, 0.713 * (r - y) + 0.5


def layers(n, rng):
    return tuple(rng.integers(0, 256, n, dtype=np.uint8) for _ in range(3))


@kernel(layers, medium=65_536, large=14_000_000)
def composite_u8(front, back, alpha):
    """front over back, rounded, in 16 bits."""
    a = alpha.astype(np.uint16)
    t = front * a + back * (255 - a) + 128
    return ((t + (t >> 8)) >> 8).astype(np.uint8)


def fixed(n, rng):
    return tuple(rng.integers(-32768, 32768, n, dtype=np.int16) for _ in range(3))


@kernel(fixed, medium=32_768, large=6_000_000)
def fixed_point_q15(a, b, c):
    """a * b + c in Q15, rounded and saturated."""
    product = (a.astype(np.int32) * b + 16384) >> 15
    return np.clip(product + c, -32768, 32767).astype(np.int16)


@kernel(lambda n, rng: (rng.integers(0, 2**32, n, dtype=np.uint32),), large=5_000_000)
def xorshift_hash(x):
    x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    return x ^ (x >> 16)
