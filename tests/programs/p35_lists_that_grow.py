"""Lists that a loop appends to, and list comprehensions."""

import numpy as np
from support.arrays import c16, f8, i8, special, u1
from support.program import program


@program(
    lambda: (f8(60),), lambda: (i8(60),), lambda: (c16(30),), lambda: (f8(3),), lambda: (special(),)
)
def kept(x):
    out = []
    for v in x:
        if v == v and abs(v) > 0.5:
            out.append(v * 2)
    return out, [type(v) for v in out], np.array(out)


@program(lambda: (60,), lambda: (2,), lambda: (0,))
def numbers_of_all_sorts(n):
    out, more = [], [True]
    for i in range(n):
        out.append(i)
        out.append(i * 0.5)
        more.append(i % 2 == 0)
        more.append(i * 1j)
        out.append(2**40 * i)
    return out, more


@program(lambda: (90,), lambda: (5,))
def collatz_steps(n):
    steps = []
    k = n
    while k != 1:
        steps.append(k)
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return steps, len(steps), steps[-1]


@program(lambda: (200,))
def grows_beyond_64_bits(n):
    out = []
    a, b = 0, 1
    for _ in range(n):
        out.append(a)
        a, b = b, a + b
    return out


@program(lambda: ("gattaca" * 9, "tacgat" * 9), lambda: ("", "a\u0101" * 30))
def characters(one, other):
    left, right = [], []
    for a, b in zip(one, other):
        left.append(a)
        right.append("-" if a == b else "\u00e9")
        if a > b:
            left.append("-")
            right.append(b)
    return "".join(left), "".join(right), [*left]


@program(lambda: (f8(60), [1, 2]), lambda: (f8(60), [0.5] * 300))
def lists_from_elsewhere(x, out):
    for v in x:
        if v > 0:
            out.append(v)
    return out, len(out)


class Box:
    def __init__(self):
        self.items = []


BOX = Box()
KEPT = []


@program(lambda: (f8(40),))
def lists_in_objects(x):
    box = Box()
    for v in x:
        BOX.items.append(v)
        box.items.append(v * 2)
        KEPT.append(v * 3)
    return BOX.items, box.items, KEPT


@program(lambda: (f8(40),))
def one_list_with_two_names(x):
    out = also = []
    for k, v in enumerate(x):
        out.append(v)
        also.append(k)
    xs = [1.0] * 40
    ys = xs
    for i in range(40):
        ys.append(xs[i] + 1)
    return out, also, out is also, xs


@program(lambda: (f8(40),), lambda: (f8(300),))
def read_while_it_grows(x):
    out = [1.0]
    for v in x:
        out.append(out[-1] + v)
    n = 0
    for v in out:
        if n < 500 and v > 0:
            out.append(v - 1)
        n += 1
    sizes = []
    for v in x:
        sizes.append(len(out) + len(sizes))
    return out, n, sizes


@program(lambda: (f8(40), np.zeros(30)), lambda: (f8(40), np.zeros(50)))
def an_index_runs_out(x, y):
    out = []
    try:
        for k, v in enumerate(x):
            out.append(v)
            y[k] = v
            out.append(k)
    except IndexError as error:
        return out, str(error)
    return out


@program(lambda: (f8(60),))
def prints_now_and_then(x):
    out = []
    for k, v in enumerate(x):
        out.append(v)
        if k % 9 == 8:
            print(k, out[-1], len(out))
        out.append(k)
    return out


@program(lambda: (f8(40),), lambda: (f8(2),))
def rows_of_lists(x):
    out = []
    for i in range(9):
        row = []
        for v in x:
            if v > i * 0.1:
                row.append(v - i)
        out.append(row)
    return out


@program(lambda: (f8(40),))
def tuples_and_others(x):
    out = []
    for k, v in enumerate(x):
        out.append((k, v))
    for k in range(9):
        out.append(None)
        out.append("long")
        out.append([k])
    return out


@program(lambda: (f8(60), [0.5, 2] * 30), lambda: (u1(9), [3] * 300), lambda: (f8(0), []))
def comprehensions(x, xs):
    a = [v * 2 for v in x]
    b = [v + k for k, v in enumerate(x) if v > k * 0.01]
    c = [i * j for i in range(6) for j in range(i) if i != j]
    d = [v for v in xs if v < 1]
    e = [[v * i for v in x] for i in range(3)]
    f = sum([i * i % 7 for i in range(50)])
    return a, b, c, d, e, f, max([*d, 0])


@program(lambda: (f8(60),))
def a_comprehension_that_raises(x):
    try:
        return [v / (k - 30) + 1 // (k - 30) for k, v in enumerate(x.tolist())]
    except ZeroDivisionError as error:
        return str(error)


@program(lambda: (f8(60), float("nan")))
def nans_are_the_same_object(x, nan):
    out = []
    for k in range(30):
        out.append(nan if k == 7 else k * 0.5)
    return nan in out, out == list(out), out.index(nan)


@program(lambda: (f8(60),))
def a_method_by_name(x):
    out = []
    push = out.append
    for v in x:
        push(v)
    return out


def collect(v, into):
    if v > 0:
        into.append(v)


@program(lambda: (f8(60),))
def appended_by_a_function(x):
    out = []
    for v in x:
        collect(v, out)
    return out


def growing(x):
    out = []
    for v in x:
        out.append(v)
        if len(out) % 20 == 0:
            yield list(out)
    yield out


@program(lambda: (f8(50),))
def in_a_generator(x):
    return list(growing(x))


@program(lambda: (f8(12), []), lambda: (f8(12), [1]))
def appended_before_and_in_a_loop(x, out):
    mine = []
    for i in range(9):
        out.append(i)
        mine.append(-i)
        for v in x:
            out.append(v)
            mine.append(v)
    out.append("end")
    for k in range(20):
        out.append(k)
    return out, mine
