"""J4xx: arrays."""

import numpy as np
from support.arrays import f8
from support.breaking import breaks


class Masked:
    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return self.data


def stores(a):
    a[0] = 1.0  # J408
    return a


def warns_maybe(a):
    return np.median(a)  # J409


@breaks("J401", lambda: (f8(4), np.ma.masked_array(f8(4), [0, 1, 0, 0])))
def adds_a_subclass(x, masked):
    y = x * 2
    z = y + masked  # J401
    return np.asarray(z), y + 1


@breaks("J402", lambda: (f8(4), np.array([1, 2.5, 3, 4], object)))
def adds_objects(x, items):
    y = x * 2
    z = items + 1  # J402
    return z, y + 1


@breaks("J404", lambda: (f8(4), np.array(["a", "bc", "d", "e"], np.dtypes.StringDType())))
def compares_strings(x, names):
    y = x * 2
    z = names == "a"  # J404
    return z, y + 1


@breaks("J405", lambda: (f8(4),))
def selects(x):
    y = x * 2
    z = y[y > 0]  # J405
    return z + 1


@breaks("J406", lambda: (f8(4),), after=False)
def tests_an_array(x):
    y = x * 2
    try:
        if y > 0:  # J406
            y = y - 1
    except ValueError:
        y = y + 1
    return y


@breaks("J408", lambda: (f8(4),))
def calls_what_stores(x):
    y = x * 2
    z = stores(y[::2])
    return z + 1


@breaks("J409", lambda: (f8(4),))
def calls_what_may_warn(x):
    y = x * 2
    z = warns_maybe(y)
    return y + z


@breaks("J410", lambda: (f8(4), Masked(f8(4))))
def adds_by_a_protocol(x, other):
    y = x * 2
    z = np.add(y, other)  # J410
    return z + 1


@breaks("J411", lambda: (f8(4), f8(3)), after=False)
def adds_what_does_not_fit(x, other):
    y = x * 2
    try:
        y = y + other  # J411
    except ValueError:
        y = y - 1
    return y


@breaks("J412", lambda: (f8(4),))
def changes_a_shape(x):
    y = x * 2
    y.shape = (2, 2)  # J412
    return y + 1


@breaks("J413", lambda: (f8(4),))
def hands_out_memory(x):
    y = x * 2
    size = memoryview(y).nbytes  # J413
    return y + size
