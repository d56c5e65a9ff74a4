"""One break, in every kind of place: around it the arrays must be the same."""

import numpy as np
from support.arrays import f8
from support.program import program

SEEN = []


def unknown(x):
    """Prints, so that it breaks wherever it is called."""
    print("unknown", np.shape(x))
    return x


def noisy_sum(x):
    y = x * 2
    print("noisy")
    return y.sum()


class Guard:
    def __enter__(self):
        SEEN.append("in")
        return self

    def __exit__(self, *error):
        SEEN.append("out")
        return False


@program(lambda: (f8(4),))
def first_statement(x):
    print("first")
    return x * 2 + 1


@program(lambda: (f8(4),))
def last_statement(x):
    y = x * 2
    y += 1
    print("last")
    return y


@program(lambda: (f8(4),))
def in_an_argument(x):
    return np.maximum(x * 2, unknown(x + 1) - x) + unknown(x)


@program(lambda: (f8(4),))
def in_an_index(x):
    return (x * 2)[int(noisy_sum(x) > 1e9) : 3] + x[0]


@program(lambda: (f8(4),))
def in_a_store(x):
    x[int(noisy_sum(x) > 1e9)] = noisy_sum(x * 3)
    x[1:] += unknown(x[:-1])
    return x


@program(lambda: (f8(4),))
def in_a_condition(x):
    y = x + 1
    if noisy_sum(y) > 0 and noisy_sum(-y) < 0:
        y = y * 2
    elif noisy_sum(y) < -5 or noisy_sum(x) < 0:
        y = y * 3
    return y


@program(lambda: (f8(4), 3), lambda: (f8(4), 33))
def in_a_loop_header(x, n):
    for i in unknown(range(n)):
        x = x * 0.9 + i
    return x


@program(lambda: (f8(4), 3), lambda: (f8(4), 0))
def in_a_while_test(x, n):
    while unknown(n) > 0:
        x = x * 2
        n -= 1
    return x


@program(lambda: (f8(4), 3), lambda: (f8(4), 21))
def in_nested_loops(x, n):
    for i in range(n):
        y = x + i
        for j in range(2):
            y = y * 2
            unknown(j)
            y = y - 1
        x = y * 0.1
    return x


@program(lambda: (f8(4),))
def in_a_comprehension(x):
    return [unknown(x * i) + 1 for i in range(3) if noisy_sum(x) is not None], {
        k: unknown(x + k) for k in range(2)
    }


@program(lambda: (f8(4),))
def in_a_generator_expression(x):
    return sum(unknown(x * i) for i in range(3)), list(unknown(v) for v in x)


@program(lambda: (f8(4),))
def in_a_try(x):
    try:
        y = x * 2
        unknown(y)
        y = y + 1
    except ValueError:
        y = x
    else:
        unknown(0)
        y = y * 3
    finally:
        unknown(1)
        y = y - 1
    return y


@program(lambda: (f8(4),))
def in_a_handler(x):
    y = x * 2
    try:
        y = y + f8(9)
    except ValueError:
        y = y - 1
        unknown(y)
        y = y * 10
    return y


@program(lambda: (f8(4),))
def in_a_with(x):
    with Guard():
        y = x * 2
        with Guard():
            unknown(y)
            y = y + 1
        y = y * 3
    return y, list(SEEN)


@program(lambda: (f8(4),))
def in_errstate(x):
    with np.errstate(divide="ignore"):
        y = x / 0
        unknown(y)
        z = (x + 1) / 0
    return y, z, x / 0


@program(lambda: (f8(4),))
def in_a_lambda_and_an_inner_function(x):
    f = lambda v: unknown(v * 2) + 1

    def g(v):
        w = v - 1
        unknown(w)
        return w * x

    return f(x) + g(x)


@program(lambda: (f8(4), 2), lambda: (f8(4), 6))
def in_a_recursion(x, n):
    if n == 0:
        return x
    y = x * 0.5
    unknown(n)
    return in_a_recursion(y + 1, n - 1) - y


@program(lambda: (f8(4),))
def in_an_unpacking(x):
    a, (b, *c) = unknown(x * 2), unknown((x, x + 1, 3))
    return a + b, c


@program(lambda: (f8(4),))
def in_a_display(x):
    return [x + 1, unknown(x), x * 2], (unknown(1), x - 1), {"a": unknown(x), "b": x / 2}


@program(lambda: (f8(4),))
def in_an_f_string(x):
    y = x + 1
    return f"{unknown(y).shape} {noisy_sum(y) > 1e9}", y * 2


@program(lambda: (f8(4),))
def in_a_chained_comparison(x):
    y = x * 2
    return (0 < noisy_sum(abs(y)) < unknown(1e9)), y + 1


@program(lambda: (f8(4),))
def in_a_walrus_and_conditional(x):
    return (y := unknown(x * 2)) + 1 if noisy_sum(x) is not None else x, y - 1


@program(lambda: (f8(4),))
def in_keyword_arguments(x):
    return np.sum(unknown(x.reshape(2, 2)), axis=int(noisy_sum(x) > 1e9), keepdims=bool(unknown(1)))


@program(lambda: (f8(4),))
def between_pending_effects(x):
    items = [x]
    table = {}
    items.append(x * 2)
    table["a"] = items[-1] + 1
    unknown(len(items))
    items[0] = table["a"] * 2
    table["b"] = items
    unknown(len(table))
    items.append(table["a"])
    return items, table


@program(lambda: (f8(4), []), lambda: (f8(4), [1]))
def between_effects_on_an_argument(x, log):
    log.append("before")
    x += 1
    unknown(len(log))
    log.append("after")
    x[0] = 0
    unknown(len(log))
    log.extend([1, 2])
    return log


@program(lambda: (f8(4),))
def between_views_and_their_bases(x):
    v = x[1:]
    w = x[::2]
    unknown(0)
    v += 1
    unknown(1)
    w *= 2
    return v, w, x


@program(lambda: (f8(4),))
def while_a_temporary_is_on_the_stack(x):
    return (x + 1) * (x - 2) / (unknown(x) + 10) - (x * noisy_sum(x)) ** 2


@program(lambda: (f8(4),))
def with_deleted_and_unbound_names(x):
    y = x + 1
    z = y * 2
    del y
    unknown(z)
    y = z - 1
    del z
    unknown(y)
    return y


@program(lambda: (f8(4),))
def with_cells(x):
    k = 1

    def bump():
        nonlocal k
        k += 1
        return k

    y = x * k
    unknown(bump())
    y = y + k
    bump()
    unknown(k)
    return y * k


@program(lambda: (f8(4),))
def with_an_iterator_half_way(x):
    it = iter([1, 2, 3, 4])
    y = x * next(it)
    unknown(0)
    y = y + next(it)
    for v in it:
        unknown(v)
        y = y - v
    return y, next(it, "end")


@program(lambda: (f8(4),))
def with_an_assert_and_a_raise(x):
    y = x * 2
    assert noisy_sum(y) is not None
    z = y + 1
    if unknown(True):
        raise RuntimeError("at the end", z.shape)
    return z
