"""What is lazy in Python: views of dicts, generators, quantifiers that stop early."""

import functools

from support.arrays import f8
from support.program import program


def noisy(log):
    log.append("a")
    yield 1
    log.append("b")
    yield 2
    log.append("c")


def tidy(log):
    try:
        yield 1
        yield 2
    finally:
        log.append("done")


def seen(log, value):
    log.append(value)
    return value > 1


@program(lambda: (f8(3), {"a": 1}))
def views_are_live(x, d):
    keys, values, items = d.keys(), d.values(), d.items()
    d["z"] = 5
    d["a"] = 2
    return x + 1, list(keys), list(values), list(items), len(keys), "z" in keys


@program(lambda: (f8(3), {"a": 1, "b": 2}))
def values_change_while_one_iterates(x, d):
    found = []
    for key, value in d.items():
        d["b"] = 7
        found.append((key, value))
    return x + 1, found


@program(lambda: (f8(3), {"a": 1, "b": 2}))
def dict_grows_while_one_iterates(x, d):
    y = x + 1
    for key in d.keys():
        d[key + key] = 1
    return y


@program(lambda: (f8(3), {"a": 1}))
def views_leave(x, d):
    y = x + 1
    return d.keys(), list(iter(d.values())), y, type(d.items()).__name__


@program(lambda: (f8(3), []))
def generator_in_step_with_its_loop(x, log):
    for value in noisy(log):
        log.append(value)
    return x + 1


@program(lambda: (f8(3), []))
def generator_left_early(x, log):
    for value in noisy(log):
        log.append(value)
        break
    return x + 1


@program(lambda: (f8(3), []))
def generator_never_started(x, log):
    it = noisy(log)
    log.append("before")
    return x + 1, log, list(it)


@program(lambda: (f8(3), []))
def generator_with_an_end(x, log):
    for value in tidy(log):
        log.append(value)
        break
    log.append("after")
    return x + 1


@program(lambda: (f8(3), []))
def generator_beside_a_shorter_one(x, log):
    return x + 1, list(zip(noisy(log), (1,))), list(zip((1,), noisy(log)))


@program(lambda: (f8(3), []))
def generator_sees_what_comes_later(x, log):
    numbers, k = [1, 2, 3], 1
    it = (v * k for v in numbers)
    numbers.append(4)
    k = 5
    return x + 1, list(it)


@program(lambda: (f8(3), []))
def generator_half_taken(x, log):
    it = noisy(log)
    first = next(it)
    y = x + first
    rest = list(it)
    return y, rest, next(it, "end")


@program(lambda: (f8(3),))
def generator_of_many(x):
    return x + sum(v for v in range(60)), [v for v in (k * k for k in range(40))]


@program(lambda: (f8(3), []))
def reduce_in_step(x, log):
    def add(a, b):
        log.append((a, b))
        return a + b

    return x + functools.reduce(add, noisy(log))


@program(lambda: (f8(3), []))
def any_stops_early(x, log):
    return x + 1, any(seen(log, v) for v in (1, 2, 3)), all(seen(log, v) for v in (1, 2, 3))


@program(lambda: (f8(3),))
def any_takes_what_it_needs(x):
    it = iter([0, 1, 2, 3])
    return x + 1, any(it), list(it)


@program(lambda: (f8(3), 0.5, 2.0, []), lambda: (f8(3), 2.0, 0.5, []))
def any_at_run_time(x, a, b, log):
    it = (v > 1 for v in (a, b))
    first = any(seen(log, v) for v in (a, b))
    return x + 1, first, any(v > 1 for v in (a, b)), any(it), list(it)


class Closing:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("closed")


@program(lambda: (f8(3), []))
def finalizer_between_effects(x, log):
    thing = Closing(log)
    y = x + 1
    log.append("before")
    thing = None
    log.append("after")
    return y, thing
