"""Products of large complex arrays: NumPy's operator exchanges the operands where it writes into the
right one, which nobody else has. The bits tell."""

import numpy as np
from support.arrays import c8, c16
from support.program import program

SIZE = 40_000
PAIRS = (
    lambda: (c16(SIZE), c16(SIZE, seed=1)),
    lambda: (c8(SIZE), c8(SIZE, seed=1)),
    lambda: (c16(SIZE), c8(SIZE, seed=1)),
    lambda: (c8(SIZE), c16(SIZE, seed=1)),
    lambda: (c16(SIZE // 4), c16(SIZE // 4, seed=1)),
)


class Holder:
    pass


def times(a, b):
    return a * b


def named(b):
    made = b + 1
    return made


@program(*PAIRS)
def exchanged(a, b):
    return (
        a * (b + 1),
        (a + 1) * (b + 1),
        a * (b * (a * (b + 1))),
        (1.5 + 0.25j) * (a + b),
        np.complex128(1.5 + 0.25j) * (a + b),
        a * named(b),
        a * [b + 1][0],
        a * b.copy(),
        a * b[::-1].conj(),
        a * np.where(b.real > 0, b, a),
    )


@program(*PAIRS)
def not_exchanged(a, b):
    t = b + 1
    kept = Holder()
    kept.part = b - 1
    both = [b + 2, b - 2]
    return (
        a * t,
        a * (u := b + 3),
        times(a, b + 1),
        a * kept.part,
        sum(a * x for x in both),
        np.multiply(a, b + 1),
        a.real * (b + 1),
        a * (b + 1)[::-1],
        u,
    )


@program(*PAIRS)
def in_doubt(a, b):
    return (
        a * np.fft.fft(b),
        np.fft.ifft(a * np.exp(-0.5j * b.real)),
        a * b[np.arange(len(b))],
        a * np.concatenate([b[:5], b[5:]]),
        a * b.reshape(2, -1).T.ravel(),
    )


@program(*PAIRS)
def in_a_loop(a, b):
    for i in range(3):
        a = a * (b + 1)
        a = b * (a * 0.5 + i)
    return a


@program(
    lambda: (c16(30, 50), c16(30, 50, seed=1)),
    lambda: (c16(4, 20_000), c16(4, 20_000, seed=1)),
    lambda: (c8(4, 40_000), c8(4, 40_000, seed=1)),
)
def of_rows(a, b):
    total = 0j
    for i in range(len(a)):
        total += (a[i] * (b[i] + 1)).sum() + ((1 + 2j) * (b[i] * 0.5)).sum()
        a[i] = a[i] * b[i]
        total += ((0.5 + 2j) * (b[i, :i] + 1)).sum() + (a[i, i:] * (b[i, i:] + 2)).sum()
    return a, total
