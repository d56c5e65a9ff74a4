"""Sequences of numbers into others of the same meaning."""

import numpy as np

from benchmarks.registry import loop


def signal(radix, stages, rng):
    n = radix**stages
    return radix, stages, rng.random(n) + 1j * rng.random(n), np.zeros(n, dtype=np.complex128)


@loop(
    signal,
    small=(2, 3),
    medium=(2, 18),
    large=(4, 10),
    writes=(3,),
    npbench="stockham_fft",
)
def stockham_fft(radix, stages, x, y):
    """Fourier's transform by T. Stockham's way, which needs no reordering of bits."""
    n = x.shape[0]
    digit = np.arange(radix)
    butterfly = np.exp(-2.0j * np.pi * np.outer(digit, digit) / radix)
    y[:] = x
    for stage in range(stages):
        done, left = radix**stage, radix ** (stages - stage - 1)
        parts = y.reshape(done, radix, left).transpose(1, 0, 2)
        turns = np.outer(digit, np.arange(done)) / (done * radix)
        twiddled = parts * np.exp(-2.0j * np.pi * turns)[:, :, np.newaxis]
        y[:] = (butterfly @ twiddled.reshape(radix, n // radix)).reshape(n)


@loop(
    lambda n, rng: (rng.integers(0, 256, n, dtype=np.uint8),),
    small=(20,),
    medium=(16_000,),
    large=(100_000,),
    npbench="crc16",
)
def crc16(data):
    """The checksum of X.25: polynomial 0x8408, bits from the lowest on, bytes swapped at last."""
    crc = 0xFFFF
    for byte in data:
        current = int(byte)
        for _ in range(8):
            if (crc ^ current) & 1:
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8 | crc >> 8) & 0xFFFF


def bins(n, count, rng):
    return rng.random(n), rng.random(n), count


@loop(bins, small=(50, 4), medium=(40_000, 1000), large=(400_000, 1000), npbench="azimint_naive")
def azimuthal_rings(values, radius, rings):
    """The mean of what lies in each ring around the centre, ring by ring."""
    result = np.zeros(rings)
    edge = radius.max()
    for ring in range(rings):
        inner, outer = edge * ring / rings, edge * (ring + 1) / rings
        result[ring] = values[(inner <= radius) & (radius < outer)].mean()
    return result


@loop(
    bins,
    small=(50, 4),
    medium=(4_000_000, 1000),
    large=(8_000_000, 1000),
    npbench="azimint_hist",
)
def azimuthal_histogram(values, radius, rings):
    counts = np.histogram(radius, rings)[0]
    sums = np.histogram(radius, rings, weights=values)[0]
    return sums / counts


@loop(
    lambda n, rng: tuple(rng.random(n) for _ in range(4)),
    small=(10,),
    medium=(1_000_000,),
    large=(2_500_000,),
    npbench="arc_distance",
)
def arc_distance(theta1, phi1, theta2, phi2):
    """Between pairs of points on the sphere of radius one."""
    height = np.sin((theta2 - theta1) / 2.0) ** 2
    a = height + np.cos(theta1) * np.cos(theta2) * np.sin((phi2 - phi1) / 2.0) ** 2
    return 2.0 * np.arctan2(np.sqrt(a), np.sqrt(1.0 - a))


def integers(rows, columns, rng):
    a, b = rng.integers(0, 1000, (2, rows, columns))
    return a, b, np.int64(4), np.int64(3), np.int64(9)


@loop(integers, small=(3, 4), medium=(2000, 2000), large=(5000, 5000), npbench="compute")
def clipped_sum(a, b, x, y, z):
    return np.clip(a, 2, 10) * x + b * y + z


@loop(
    lambda n, rng: (rng.random((n, n)),),
    small=(5,),
    medium=(2000,),
    large=(4000,),
    npbench="go_fast",
)
def go_fast(a):
    """The first example of Numba's manual: hyperbolic tangents along the diagonal, and all of a."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace
