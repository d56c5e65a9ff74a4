"""J3xx: control flow that is decided at run time."""

import numpy as np
from support.arrays import f8
from support.breaking import breaks, of_text, way_out


@breaks("J301", lambda: (f8(4),))
def branches_on_a_value(x):
    y = x * 2
    if y.sum() > 0:  # J301
        y = y + 1
    return y - 1


@way_out(branches_on_a_value)
def chooses(x):
    y = x * 2
    y = np.where(y.sum() > 0, y + 1, y)
    return y - 1


@breaks("J303", lambda: (f8(4), {1.0, 2.0}))
def loops_over_a_set(x, numbers):
    y = x * 2
    for n in numbers:  # J303
        y = y + n
    return y - 1


@way_out(loops_over_a_set, lambda: (f8(4), [1.0, 2.0]))
def loops_over_a_list(x, numbers):
    y = x * 2
    for n in numbers:
        y = y + n
    return y - 1


@breaks("J304", lambda: (f8(4), 40))
def loops_long(x, n):
    y = x * 2
    for i in range(n):  # J304
        y = y.astype(np.longdouble).astype(np.float64) * 0.5 + i
    return y


@way_out(loops_long)
def loops_in_what_has_a_form(x, n):
    y = x * 2
    for i in range(n):
        y = y * 0.5 + i
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


@way_out(calls_a_long_loop)
def adds_an_expression(x):
    y = x * 2
    z = y + np.arange(100.0).sum()
    return z + 1


@breaks("J306", lambda: (f8(4),))
def loops_while(x):
    y = x * 2
    parts = []
    while len(parts) < 5:  # J306
        y = y + len(parts)
        parts.append(y)
    return y - 1


@way_out(loops_while)
def loops_over_a_range(x):
    y = x * 2
    parts = []
    for _ in range(5):
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


@way_out(shares_an_iterator, others=("J204",))
def keeps_the_items(x, items):
    y = x * 2
    backwards = items[::-1]
    y = y + backwards[0]
    print(backwards[1])
    return y + backwards[2]


makes_a_large_graph = breaks("J308", lambda: (f8(4),))(
    of_text(
        f"""
def f(x):
    {"x = x * 0.5 + 1; " * 800}  # J308
    return x
"""
    )
)


@way_out(makes_a_large_graph)
def repeats_in_a_loop(x):
    for _ in range(800):
        x = x * 0.5 + 1
    return x


@breaks("J310", lambda: (f8(4),))
def needs_a_value(x):
    y = x * 2
    total = int(y.sum())
    size = len(range(abs(total)))  # J310
    return y + size


@way_out(needs_a_value)
def computes_it(x):
    y = x * 2
    total = int(y.sum())
    size = abs(total)
    return y + size
