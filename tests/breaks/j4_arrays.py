"""J4xx: arrays."""

import numpy as np
from support.arrays import f8
from support.breaking import breaks, way_out


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


@breaks("J401", lambda: (f8(4), np.ma.masked_array(f8(4), [0, 0, 0, 0])))
def adds_a_subclass(x, masked):
    y = x * 2
    z = y + masked  # J401
    return np.asarray(z), y + 1


@way_out(adds_a_subclass, lambda: (f8(4), np.asarray(np.ma.masked_array(f8(4)))))
def adds_its_array(x, plain):
    y = x * 2
    z = y + plain
    return z, y + 1


@breaks("J402", lambda: (f8(4), np.array([1, 2.5, 3, 4], object)))
def adds_objects(x, items):
    y = x * 2
    z = items + 1  # J402
    return np.asarray(z, float), y + 1


@way_out(adds_objects, lambda: (f8(4), np.array([1, 2.5, 3, 4])))
def adds_numbers(x, items):
    y = x * 2
    z = items + 1
    return z, y + 1


@breaks("J404", lambda: (f8(4), np.array(["a", "bc", "d", "e"], np.dtypes.StringDType())))
def compares_strings(x, names):
    y = x * 2
    z = names == "a"  # J404
    return z, y + 1


@way_out(compares_strings, lambda: (f8(4), np.array([0, 1, 2, 3])))
def compares_codes(x, names):
    y = x * 2
    z = names == 0
    return z, y + 1


@breaks("J405", lambda: (f8(4),))
def fits_a_line(x):
    y = x * 2
    line = np.polyfit(np.arange(4.0), y, 1)  # J405
    return y * line[0] + line[1]


@way_out(fits_a_line, lambda: (f8(4), np.polyfit(np.arange(4.0), f8(4) * 2, 1)))
def is_given_the_line(x, line):
    y = x * 2
    return y * line[0] + line[1]


@breaks("J406", lambda: (np.arange(1.0, 5.0),), after=False)
def tests_an_array(x):
    y = x * 2
    try:
        if y > 0:  # J406
            y = y - 1
    except ValueError:
        y = y + 1
    return y


@way_out(tests_an_array)
def decides_for_each_element(x):
    y = x * 2
    return np.where(y > 0, y + 1, y - 1)


@breaks("J408", lambda: (f8(4),))
def calls_what_stores(x):
    y = x * 2
    z = stores(y[::2])
    return z + 1


def what_is_stored(a):
    return a[0] * 0 + 1.0


@way_out(calls_what_stores)
def stores_what_a_call_returns(x):
    y = x * 2
    z = y[::2]
    z[0] = what_is_stored(z)
    return z + 1


@breaks("J409", lambda: (f8(4),))
def calls_what_may_warn(x):
    y = x * 2
    z = warns_maybe(y)
    return y + z


@way_out(calls_what_may_warn, others=("J405",))
def calls_it_itself(x):
    y = x * 2
    z = np.median(y)
    return y + z


@breaks("J410", lambda: (f8(4), Masked(f8(4))))
def adds_by_a_protocol(x, other):
    y = x * 2
    z = np.add(y, other)  # J410
    return z + 1


@way_out(adds_by_a_protocol, lambda: (f8(4), f8(4)))
def adds_an_array(x, other):
    y = x * 2
    z = np.add(y, other)
    return z + 1


@breaks("J411", lambda: (f8(4), f8(3)), after=False)
def adds_what_does_not_fit(x, other):
    y = x * 2
    try:
        y = y + other  # J411
    except ValueError:
        y = y - 1
    return y


@way_out(adds_what_does_not_fit, lambda: (f8(4), -np.ones(4)))
def adds_what_fits(x, other):
    y = x * 2
    y = y + other
    return y


@breaks("J412", lambda: (f8(4),))
def changes_a_shape(x):
    y = x * 2
    y.shape = (2, 2)  # J412
    return y + 1


@way_out(changes_a_shape)
def reshapes(x):
    y = x * 2
    y = y.reshape(2, 2)
    return y + 1


@breaks("J413", lambda: (f8(4),))
def hands_out_memory(x):
    y = x * 2
    size = memoryview(y).nbytes  # J413
    return y + size


@way_out(hands_out_memory)
def asks_the_array(x):
    y = x * 2
    size = y.nbytes
    return y + size
