"""Loops that read and write items of lists, tuples, strings and bytes."""

import numpy as np
from support.arrays import f8, i8
from support.program import program


def floats(n, seed=0):
    return f8(n, seed=seed).tolist()


def whole(n):
    return (i8(n) % 97).tolist()


@program(
    lambda: (floats(40),),
    lambda: (whole(400),),
    lambda: ([True, False] * 30,),
    lambda: ([1.5, 2] * 30,),
    lambda: ([2**62, 2**70] * 9,),
    lambda: ([],),
    lambda: (tuple(floats(50)),),
    lambda: (list(f8(30)),),
    lambda: ([1j, 2.5j] * 20,),
    lambda: ([float("nan"), 1.0] * 20,),
)
def sum_of_items(xs):
    s = 0
    for v in xs:
        s += v
    return s, type(s)


@program(lambda: (floats(40),), lambda: (floats(400),), lambda: (whole(300),), lambda: (f8(40),))
def by_index(xs):
    s = 0
    for i in range(len(xs) - 1):
        if xs[i] > xs[i + 1]:
            s += xs[-i] * i
    return s


@program(
    lambda: (whole(60),), lambda: (floats(300),), lambda: (f8(60),), lambda: ([3, 1.5, 2] * 9,)
)
def bubble_sort(xs):
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs, xs[0]


@program(lambda: (300,), lambda: (5,), lambda: (0,))
def sieve(n):
    flags = [True] * (n + 1)
    small = bytearray([1]) * (n + 1)
    for i in range(2, n + 1):
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
                small[j] = 0
    return [i for i in range(n) if flags[i]], small


@program(lambda: (40, 3), lambda: (40, -3), lambda: (40, 0), lambda: (40, 2**61 + 1))
def steps_that_vary(n, step):
    s = 0
    for i in range(9):
        for j in range(i, n, step + i - i):
            s += j
            if s > 10**6:
                break
    return s


@program(
    lambda: ("gattaca" * 9, "tacgat" * 9),
    lambda: ("ab", "b\u0101" * 40),
    lambda: ("\U00010001a" * 200, "a" * 300),
)
def edit_distance(one, other):
    n, m = len(one), len(other)
    d = np.zeros((n + 1, m + 1), np.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if one[i - 1] == other[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


@program(
    lambda: ("gattaca" * 20,),
    lambda: ("a\0b" * 9,),
    lambda: ("\U00010001a\u0101" * 99,),
    lambda: ("",),
)
def characters(text):
    counts = total = 0
    for k, c in enumerate(text):
        if c == "a" or c > "s":
            counts += 1
        if c:
            total = (total * 31 + ord(c) - k) % 65521
        if c == "aa" or c != "":
            total += 1
        if k == 15:
            print(c, k)
    return counts, total, c


@program(lambda: (bytes(range(256)) * 3,), lambda: (bytearray(range(200)),), lambda: (b"",))
def checksum(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    for i in range(len(data)):
        b ^= data[i] << (i % 7)
    return b << 16 | a


@program(
    lambda: (bytearray(60), 3),
    lambda: (bytearray(60), 7),
    lambda: (bytes(60), 1),
    lambda: (bytearray(60), -1),
)
def stores_in_bytes(data, k):
    for i in range(60):
        data[i] = i * k % 300
        data[-i] ^= 1
    return data


@program(
    lambda: ([0.0] * 30, 40),
    lambda: ([0] * 30, 30),
    lambda: ([None] * 30, 30),
    lambda: ([[]] * 30, 9),
    lambda: ((0,) * 30, 9),
)
def stores_of_floats(xs, n):
    for i in range(n):
        xs[i] = i * 0.5
        xs[-1] = i
    return xs


@program(lambda: ([0.0] * 30, f8(30)), lambda: (list(f8(30)), f8(30)), lambda: ([0] * 300, i8(300)))
def stores_of_scalars(xs, y):
    for i in range(len(y)):
        xs[i] = y[i] + i
        y[i] = xs[i - 1]
    return xs, y, [type(v) for v in xs]


@program(lambda: (floats(40), floats(40, 1)), lambda: (whole(40), whole(300)))
def two_lists(xs, ys):
    s = 0.0
    for i, (a, b) in enumerate(zip(xs, ys)):
        s += a * b
        ys[i] = s
        xs[(i + 1) % 40] = a + b
    return xs, ys, s


@program(lambda: (floats(40),), lambda: (whole(300),))
def one_list_twice(xs):
    ys = xs
    s = 0
    for i in range(1, len(xs)):
        ys[i] = xs[i - 1] + 1
        s += xs[i]
    return s, xs[3], ys


@program(lambda: (floats(40),), lambda: (whole(40),))
def known_items_and_stores(xs):
    first = xs[0]
    s = 0
    for i in range(40):
        xs[(i + 39) % 40] = i
        s += first + xs[0]
    a, b, *_ = xs
    return s, a, b, xs[0], first


@program(lambda: (floats(40),), lambda: (whole(300),))
def changed_before(xs):
    xs.append(7.5)
    xs[0] = 2.5
    s = 0
    for v in xs:
        s += v
    xs.pop()
    for i in range(len(xs)):
        s -= xs[i] * 0.5
    return s


@program(lambda: (floats(40),), lambda: (whole(300),))
def changed_in_the_loop(xs):
    n = 0
    for v in xs:
        n += 1
        if n % 10 == 0:
            xs.pop()
        if n == 11:
            xs.append(v)
            xs.insert(0, 1.5)
    return n, xs


@program(lambda: ([1.5] * 40, 0.25), lambda: ([1.5] * 300, 0.25))
def types_that_change(xs, v):
    s = 0.0
    for i in range(40):
        if i == 20:
            xs[30] = 7
        s += xs[i]
    return s, xs[30]


@program(lambda: (floats(60),), lambda: (floats(600),))
def index_runs_out(xs):
    s = 0.0
    for i in range(1000):
        xs[i] = s
        s += xs[i + 1]
    return s


@program(lambda: (floats(60),), lambda: (floats(600),))
def caught(xs):
    s = 0.0
    try:
        for i in range(1000):
            s += xs[i]
    except IndexError as error:
        return s, i, str(error)


@program(lambda: ([0.5] * 40, "+"), lambda: ([0.5] * 40, "-"))
def kind_by_name(xs, how):
    s = 0.0
    for v in xs:
        if how == "+":
            s += v
        else:
            s -= v
    return s


class Loud(float):
    def __del__(self):
        print("gone")


@program(lambda: (2.5,))
def items_whose_end_is_seen(v):
    xs = [Loud(v) for _ in range(9)]
    for i in range(9):
        xs[i] = i * 0.5
        print(i)
    return xs


@program(lambda: (floats(40), 20))
def prints_now_and_then(xs, n):
    s = 0.0
    for k, v in enumerate(xs):
        s += v
        xs[k] = s
        if k % 9 == 8:
            print(k, s, xs[k - 1])
    for v, c, b in zip(xs, "abcdefghijklmnopqrstuvwxyz" * 2, b"abcdefgh" * 9):
        s -= v + b
        if c == "k":
            print(v, c, b)
    return s
