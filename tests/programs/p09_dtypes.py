"""Arrays that are not plain numbers, and classes that are not plain arrays."""

import decimal
import fractions
import tempfile

import numpy as np
from support.arrays import c8, c16, f2, f4, f8, i8, special
from support.program import program


class Tagged(np.ndarray):
    """A subclass with an attribute that views inherit."""

    def __new__(cls, data, tag="none"):
        self = np.asarray(data).view(cls)
        self.tag = tag
        return self

    def __array_finalize__(self, other):
        self.tag = getattr(other, "tag", "none")


class Counting(np.ndarray):
    """A subclass that takes part in every ufunc."""

    calls = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        Counting.calls += 1
        plain = [np.asarray(i) for i in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)


class Duck:
    """Not an array, but NumPy asks it."""

    __array_priority__ = 10

    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.full(3, self.value, dtype)


class Overriding:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "ufunc", ufunc.__name__, method, len(inputs)

    def __array_function__(self, func, types, args, kwargs):
        return "function", func.__name__


class Reflected:
    """Has operators of its own and tells NumPy to leave them alone."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __rmul__(self, other):
        return NotImplemented


@program(lambda: (Tagged(f8(4), "mine"), f8(4)), lambda: (f8(4), Tagged(f8(4), "other")))
def subclass(x, y):
    z = x + y
    return z, z.tag, type(x[1:]), x.sum(), np.sin(x)


@program(lambda: (f8(4), f8(4)), lambda: (Tagged(f8(4), "late"), f8(4)))
def plain_first_subclass_later(x, y):
    return x * y + 1, type(x * y) is np.ndarray


@program(lambda: (f8(4).view(Counting), f8(4)))
def subclass_with_array_ufunc(x, y):
    before = Counting.calls
    z = x + y * 2
    return z, np.sqrt(abs(x)), Counting.calls - before


@program(lambda: (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), f8(3)))
def masked_arrays(x, y):
    z = x + y
    return z, z.sum(), x.mean(), np.ma.masked_less(y, 0), x.filled(9)


@program(lambda: (np.matrix([[1, 2], [3, 4]]),))
def matrices(m):
    return m * m, m.T, m[0], m.sum(axis=0)


@program(
    lambda: (np.array([1, "a", None], dtype=object),),
    lambda: (np.array([1, 2.5, 3], dtype=object),),
)
def object_arrays(x):
    y = x + x if x[2] is not None else x
    return y, x[0], x == 1


@program(lambda: (np.array([1, 2, None], dtype=object),))
def object_arrays_raise_from_inside(x):
    return x + 1


@program(lambda: (np.array([fractions.Fraction(1, 3), 2], dtype=object),))
def objects_with_their_own_arithmetic(x):
    return x * 3, x.sum(), x + decimal.Decimal(0) if False else x - 1


@program(lambda: (f8(3), Duck(2.0)), lambda: (f8(3), [1, 2, 3]))
def ducks(x, d):
    return x + d, np.add(x, d), np.sum(d)


@program(lambda: (f8(3), Overriding()), lambda: (f8(3), 1.0))
def overriding_objects(x, o):
    return x + o, np.sin(o), np.add(x, o), np.concatenate([x, x]) if o == 1.0 else np.sum(o)


@program(lambda: (f8(3), Reflected()))
def reflected_operators(x, r):
    try:
        product = x * r
    except TypeError as error:
        product = str(error)
    return x + r, product


@program(lambda: (np.array(["2024-01-01", "2024-03-01", "NaT"], "M8[D]"),))
def datetimes(t):
    return (
        t[1] - t[0],
        t + np.timedelta64(1, "D"),
        np.diff(t),
        t > t[0],
        np.isnat(t),
        t.astype("M8[M]"),
    )


@program(lambda: (np.array([1, 2, 3], "m8[s]"), 2), lambda: (np.array([1, 2, 3], "m8[D]"), 2.5))
def timedeltas(d, k):
    return d * k, d / np.timedelta64(1, "s"), d.sum(), d // d


@program(lambda: (np.array([(1, 2.5), (3, 4.5)], dtype=[("n", "i4"), ("v", "f8")]),))
def structured(s):
    s["v"] *= 2
    s[0]["n"] = 9
    total = s["n"] + s["v"]
    return total, s[1], s["v"].sum(), s.dtype.names


@program(lambda: (np.zeros(3, dtype=[("p", "f8", (2,)), ("k", "u1")]),))
def structured_with_padding_and_subarrays(s):
    s["p"][:, 0] = [1, 2, 3]
    return s["p"].sum(axis=1), s[["k"]], s


@program(lambda: (np.rec.array([(1, 2.0), (3, 4.0)], names="a,b"),))
def records(r):
    r.a += 1
    return r.a, r.b * 2, r[0]


@program(lambda: (f4(5).astype(np.longdouble),), lambda: (c8(4).astype(np.clongdouble),))
def extended_precision(x):
    return x * 3 + 1, np.sqrt(abs(x)), x.sum()


@program(lambda: (f2(40),), lambda: (special("f2"),))
def half_precision(x):
    return x * 3 + 1, np.exp(x), x.sum(), x.mean(), x / 7


@program(lambda: (np.array([b"ab", b"c"]),), lambda: (np.array(["ab", "c"]),))
def strings(s):
    return s == s[0], s.astype("U4") if s.dtype.kind == "S" else s.astype("S4"), np.sort(s)


@program(lambda: (np.array(["ab", "c"], dtype=np.dtypes.StringDType()),))
def variable_width_strings(s):
    return s == "c", (s + s).tolist(), np.strings.upper(s).tolist()


@program(lambda: (np.dtype("f4"), 3), lambda: (np.dtype("i2"), 3), lambda: (np.dtype(">f8"), 3))
def dtype_arguments(dtype, n):
    x = np.ones(n, dtype)
    return x, (x + 1).dtype, np.promote_types(dtype, "f4"), np.can_cast(dtype, "f4"), dtype.itemsize


@program(lambda: (f8(3), "f4"), lambda: (i8(3), "f4"), lambda: (c16(3), "c8"))
def branches_on_dtypes(x, name):
    if x.dtype == np.float64:
        return x.astype(name)
    if np.issubdtype(x.dtype, np.integer):
        return x / 2
    return np.iscomplexobj(x), x.real


@program(lambda: (f8(4),))
def memory_maps(x):
    with tempfile.TemporaryDirectory() as folder:
        m = np.memmap(folder + "/m", dtype="f8", mode="w+", shape=(4,))
        m[:] = x
        m += 1
        y = m * 2
        kind = type(y).__name__
        result = np.asarray(y) + 0
        del m, y
    return result, kind


@program(lambda: (b"\x01\x02\x03\x04\x05\x06\x07\x08",), lambda: (bytearray(8),))
def buffers(raw):
    x = np.frombuffer(raw, "u2")
    return x + 1, x.flags.writeable


@program(lambda: (memoryview(bytearray(b"abcd")),))
def memory_views(m):
    x = np.asarray(m)
    x[0] = 66
    return x + 1, m[0]


@program(lambda: (np.array([1, 2, 3], "q"), np.array([1, 2, 3], "l")))
def two_names_of_one_size(q, n):
    return q + n, n + q, q * 2, q.dtype == n.dtype


@program(lambda: (np.dtype("f8", metadata={"unit": "m"}), f8(2)))
def dtype_with_metadata(dtype, x):
    y = x.astype(dtype)
    return y + 1, y
