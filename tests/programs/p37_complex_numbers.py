"""What a Python number has besides its arithmetic: real, imag, conjugate(), numerator."""

import numpy as np
from support.arrays import f8
from support.program import program


@program(
    lambda: (f8(12), f8(9), 25),
    lambda: (f8(3) * 0.0, -f8(2) * 0.0, 4),
    lambda: (f8(3) * np.inf, f8(2), 4),
)
def escape(xs, ys, most):
    out = np.zeros((len(ys), len(xs)), np.int64)
    for i in range(len(ys)):
        for j in range(len(xs)):
            c = complex(xs[j], ys[i])
            z, n = 0j, 0
            while n < most and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                n += 1
            out[i, j] = n
    return out


@program(lambda: (30, 0.25 - 0.5j), lambda: (30, -0.0 + 0.0j), lambda: (3, complex("nan-infj")))
def conjugates(n, z):
    found = []
    for _ in range(n):
        z = z.conjugate() * 0.75 + 0.1j
        found.append(z.imag)
    return z, z.conjugate(), z.real, z.imag, np.array(found)


@program(lambda: (f8(9), 3, 2.5), lambda: (f8(9), -7, -0.0))
def of_real_numbers(x, k, a):
    total = x.sum() * a.real + k.real + a.imag + k.imag + a.conjugate()
    for i in range(len(x)):
        t = float(x[i])
        total += t.real + t.imag + i.real + i.imag + t.conjugate()
    return (
        total,
        a.real is a,
        k.imag,
        (3).numerator,
        (2.5).imag,
        (1 - 2j).conjugate(),
        (1 - 2j).real,
    )


@program(lambda: (f8(9), True), lambda: (f8(9), False))
def of_truths(x, yes):
    return x * yes.real, yes.real, yes.imag, type(yes.real)


@program(lambda: (f8(9), 2.5), lambda: (f8(9), 2))
def stored_to(x, a):
    y = x * a
    try:
        a.real = 3.0
    except AttributeError as error:
        return str(error), y
