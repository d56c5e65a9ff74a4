"""J3xx: control flow that is decided at run time."""

import numpy as np
from support.arrays import f8
from support.breaking import breaks, of_text


@breaks("J301", lambda: (f8(4),))
def branches_on_a_value(x):
    y = x * 2
    if y.sum() > 0:  # J301
        y = y + 1
    return y - 1


@breaks("J303", lambda: (f8(4), {1.0, 2.0}))
def loops_over_a_set(x, numbers):
    y = x * 2
    for n in numbers:  # J303
        y = y + n
    return y - 1


@breaks("J304", lambda: (f8(4), 40))
def loops_long(x, n):
    y = x * 2
    for i in range(n):  # J304
        y = y.astype(np.longdouble).astype(np.float64) * 0.5 + i
    return y


def rounds(y):
    n = 0
    while n < 100:  # J305
        y = y + n
        n += 1
    return y


@breaks("J305", lambda: (f8(4),))
def calls_a_long_loop(x):
    y = x * 2
    z = rounds(y)
    return z + 1


@breaks("J306", lambda: (f8(4),))
def loops_while(x):
    y = x * 2
    parts = []
    while len(parts) < 5:  # J306
        y = y + len(parts)
        parts.append(y)
    return y - 1


@breaks("J307", lambda: (f8(4), [1.0, 2.0, 3.0]))
def shares_an_iterator(x, items):
    y = x * 2
    backwards = reversed(items)  # J307
    y = y + next(backwards)
    print(next(backwards))
    return y + next(backwards)


makes_a_large_graph = breaks("J308", lambda: (f8(4),))(
    of_text(
        f"""
def f(x):
    {"x = x * 0.5 + 1; " * 800}  # J308
    return x
"""
    )
)


@breaks("J310", lambda: (f8(4),))
def needs_a_value(x):
    y = x * 2
    total = int(y.sum())
    size = len(range(abs(total)))  # J310
    return y + size
