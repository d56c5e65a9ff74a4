"""Loops over arrays, and what enumerate(), zip() and reversed() make of them."""

import numpy as np
from support.arrays import c16, f4, f8, i4, i8, special, strided, u1
from support.program import program


@program(
    lambda: (f8(40),), lambda: (i8(40),), lambda: (f8(3),), lambda: (f8(0),), lambda: (c16(9),)
)
def sum_of_items(x):
    s = 0
    for v in x:
        s += v
    return s, type(s)


@program(lambda: (u1(64),), lambda: (i8(64),), lambda: (u1(0),))
def checksum(data):
    crc = 0xFFFF
    for byte in data:
        current = int(byte) & 0xFF
        for _ in range(8):
            if (crc ^ current) & 1:
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            current >>= 1
    return crc


@program(lambda: (f8(30),), lambda: (f4(30),), lambda: (special(),))
def extremes(x):
    least = most = x[0]
    where = -1
    for k, value in enumerate(x):
        if value < least:
            least = value
        if value > most:
            most, where = value, k
    return least, most, where, k, value


@program(
    lambda: (f8(30), 5),
    lambda: (f8(30), True),
    lambda: (f8(30), 2**63 - 3),
    lambda: (f8(30), 2**70),
)
def counting_from_somewhere(x, start):
    s = 0
    for k, value in enumerate(x, start):
        s += k if value > 0 else 1
    return s, k, type(k)


@program(lambda: (f8(30), True), lambda: (f8(2), 5))
def counting_from_true(x, start):
    return list(enumerate(x[:2], True)), [type(k) for k, _ in enumerate(x, start)][:2]


@program(lambda: (f8(30),), lambda: (i4(30),), lambda: (np.ones(30, "?"),))
def stores_are_seen_by_later_rounds(x):
    s = 0
    for k, value in enumerate(x):
        x[(k + 3) % len(x)] = k % 5
        s = s * 0.5 + value
    return s, x


@program(lambda: (f8(40), f8(30), 35), lambda: (f8(40), f8(30), 20), lambda: (f8(40), i8(41), 99))
def the_shortest_ends(x, y, n):
    s = 0.0
    for a, b, k in zip(x, y, range(n)):
        s += a * b - k
    return s, a, b, k


@program(lambda: (f8(30), f8(30)), lambda: (f8(30), f8(29)), lambda: (f8(29), f8(30)))
def strict_zip(x, y):
    s = 0.0
    for a, b in zip(x, y, strict=True):
        s += a * b
    return s


@program(lambda: (f8(30), 4), lambda: (strided(f8(30)), 20), lambda: (i8(30), 0))
def backward(x, n):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v
    for k in reversed(range(1, n, 3)):
        s = s * 0.25 + k
    for k in reversed(range(40)):
        s -= k * 0.5
    return s


@program(lambda: (f8(30), f8(24)), lambda: (f8(5), f8(24)))
def nested_items(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, reversed(y)), 7):
        for j, c in enumerate(y):
            if c > b:
                break
            s += a * c - i * j
        else:
            s += 0.5
    return s


@program(lambda: (f8(40), 1.5), lambda: (f8(40), 99.0))
def found_by_value(x, limit):
    for k, v in enumerate(x):
        if v > limit:
            break
    else:
        return "none", k
    return k, v


@program(lambda: (f8(40), 1.0))
def prints_now_and_then(x, limit):
    s = 0.0
    for k, (a, b) in enumerate(zip(x, reversed(x))):
        s += a - b
        if a > limit:
            print("at", k, a, b, s)
    for v in x:
        s += v
        if v > limit:
            print("item", v)
    for v in reversed(x):
        s -= v * 0.5
        if v > limit:
            print("back", v)
    for a, k in zip(x, range(90, 10, -1)):
        s -= a
        if a > limit:
            print("pair", a, k)
    return s


@program(lambda: (f8(40), np.zeros(31)), lambda: (f8(40), np.zeros(41)))
def an_index_runs_out(x, y):
    s = 0.0
    for k, v in enumerate(x):
        s += v
        y[k] = s
    return s


@program(lambda: (f8(40), np.zeros(31)))
def caught_in_mid_loop(x, y):
    try:
        for k, (v, _) in enumerate(zip(x, range(100))):
            y[k] = v
    except IndexError as error:
        return k, v, str(error)
    return y


@program(lambda: (special(), f8(12)))
def warns_in_mid_loop(x, y):
    s = np.float64(1)
    for a, b in zip(x, y):
        s = s * 0.5 + a / (b - b)
        b = s
    return s, a


@program(lambda: (f8(40),))
def iterators_with_names(x):
    it = iter(x)
    s = 0.0
    for v in it:
        s += v
        s -= next(it, 0.5)
    pairs = enumerate(x)
    for k, v in pairs:
        if k == 20:
            break
        s += v
    left = len(list(pairs))
    one = iter(x)
    for a, b in zip(one, one):
        s += a * b
    for a, b in zip(x, two := iter(x)):
        s += a * b
        if s > 5:
            break
    return s, left, next(two)


@program(lambda: (f8(40),))
def handed_to_others(x):
    kept = []

    def pairs():
        kept.append(zip(x, range(30)))
        return kept[-1]

    s = 0.0
    for v, k in pairs():
        s += v * k
        if k == 7:
            break
    return s, [(v, k) for v, k in kept[0]]


@program(lambda: (f8(40),))
def of_a_generator(x):
    def steps():
        inner = enumerate(x)
        yield inner
        yield next(inner)

    s = 0.0
    many = steps()
    for k, v in next(many):
        s += v
        if k == 9:
            break
    return s, next(many)


def running(x):
    s = 0.0
    for v in x:
        s += v
        if v > 1:
            yield s


@program(lambda: (f8(40),), lambda: (f8(4),))
def in_a_generator(x):
    return list(running(x))


@program(lambda: (f8(40),))
def the_array_is_replaced(x):
    s = 0.0
    for v in x:
        x = np.zeros(3)
        s += v
    return s, x


def grown(x):
    n = 0
    for v in x:
        n += 1
        if n == 20:
            print("longer")
            x.resize((60,), refcheck=False)
        s = n * v
    return n, s


@program(lambda: (f8(40),), vary=False)
def resized_in_mid_loop(x):
    return grown(np.array(x))


def shrunk(x):
    n = 0
    for k, v in enumerate(x):
        n += 1
        if k == 20:
            print("shorter")
            x.resize((30,), refcheck=False)
    m = 0
    for v in reversed(x):
        m += 1
        if m == 3:
            print("shorter")
            x.resize((10,), refcheck=False)
    return n, m


@program(lambda: (f8(40),), vary=False)
def shortened_in_mid_loop(x):
    return shrunk(np.array(x))


@program(lambda: (f8(6, 7),), lambda: (f8(2, 40),))
def rows_and_columns(x):
    s = 0.0
    for row in x:
        for v in row:
            s += v
    for column in x.T:
        for k, v in enumerate(column):
            s -= k * v
    return s


@program(lambda: (f8(40), 12.0))
def tuples_that_last(x, limit):
    s = 0.0
    for pair in zip(x, range(40)):
        s += pair[0] * pair[1]
        if s > limit:
            break
    return pair, s


@program(
    lambda: (np.zeros(5, "U3"),), lambda: (np.array([1, None, 2.5]),), lambda: (np.zeros(9, "f2"),)
)
def items_that_are_not_compiled(x):
    found = 0
    for v in x:
        if v:
            found += 1
    return found


@program(lambda: (f8(40), 0.0), lambda: (f8(40), 99.0))
def comprehensions_with_conditions(x, limit):
    some = [v * 2 for v in x if v > limit]
    where = [k for k in range(40) if x[k] > limit]
    pairs = {k: v for k, v in enumerate(x) if v > limit}
    keys = {k for k in range(40) if x[k] > limit}
    return some, where, pairs, keys


@program(lambda: (f8(40), 0.5), lambda: (f8(40), 99.0), lambda: (i8(40), -1))
def the_best_so_far(x, limit):
    best = where = None
    for k, v in enumerate(x):
        if v > limit and (best is None or v < best):
            best = v
            where = k
    if best is None:
        return "none", where
    return best, where


@program(lambda: (f8(60), 20), lambda: (i8(60), 3))
def none_and_numbers(x, n):
    last = first = None
    gaps = nothing = 0
    for i in range(len(x)):
        if x[i] < 0:
            last = None
        elif last is not None:
            gaps += i - last
            last = i
        else:
            last = i
        nothing += last is None
        first = first or last
        if i % n == 3:
            print(i, last, first)
    return gaps, last, nothing, first, last is None, first is not None


@program(lambda: (f8(60),), lambda: (-np.abs(f8(60)),))
def sums_with_none(x):
    s = None
    try:
        for v in x:
            if v > 1:
                s = 0.5
            if v > -9:
                s += v
    except TypeError as error:
        return s, str(error)
    return s


@program(lambda: (f8(30), 0.5))
def flags_that_are_one_object(x, limit):
    found = False
    for v in x:
        if v > limit:
            found = v > 1
    return found is True, found is False, found is None


@program(lambda: (np.zeros(9, "u8"), 0.0), lambda: (np.zeros(9, "i4"), 0.0), lambda: (u1(9), 1.5))
def zeros_keep_their_signs(x, s):
    out = []
    for k, v in enumerate(x):
        out.append(0.0 - v)
        out.append(0.0 - k)
        out.append(-0.0 - int(v))
        out.append(0.0 * (k - 3))
        s -= int(v)
    t = 0.0
    for v in x:
        t -= int(v)
    return s, t, out
