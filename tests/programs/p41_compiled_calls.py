"""Compiled functions that call compiled ones: what is called is a part of its caller's graph."""

import functools
import sys
import warnings

import numpy as np
from support.arrays import f4, f8, i8
from support.program import scenario

SCALE = 2.0
callee = step = doubling = None  # each of them is a scenario's own


def scaled(x, k=3.0, *, shift=1.0):
    return x * k * SCALE + shift


def rooted(x):
    return np.sqrt(x) + 1


def raising(x, k):
    if k > 1:
        raise ValueError(f"k is {k}")
    return x * k


def stores(x, y):
    x[...] = x * y + 1
    return x.sum()


def fails(fn, *args):
    """The exception, and the lines of its traceback in this file."""
    try:
        return fn(*args)
    except Exception as error:
        found, at = [], error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == __file__:
                found.append((at.tb_frame.f_code.co_name, at.tb_lineno))
            at = at.tb_next
        return type(error).__name__, str(error), found


@scenario
def a_call_of_a_global(jit):
    global callee, SCALE
    callee = jit(scaled)

    @jit
    def caller(x):
        return callee(x + 1) - callee(x, 2.0, shift=x)

    for x in (f8(5), f4(5), i8(5), f8(5)):
        yield caller(x), caller(x)
    SCALE = 5.0
    yield caller(f8(5))
    callee.__defaults__ = (7.0,)
    yield caller(f8(5))
    callee.__kwdefaults__ = {"shift": -1.0}
    yield caller(f8(5))
    callee.__defaults__, SCALE = (3.0,), 2.0
    callee.__kwdefaults__ = {"shift": 1.0}
    yield caller(f8(5))
    callee.__code__ = rooted.__code__
    yield fails(caller, f8(5))


@scenario
def a_name_that_changes(jit):
    global step
    step = jit(lambda x: x * 2)

    @jit
    def caller(x):
        y = step(x)
        return y + step(y)

    x = f8(4)
    yield caller(x), caller(x)
    for other in (lambda x: x * 3, jit(lambda x: x - 1), np.cos, jit(rooted), rooted):
        step = other
        yield fails(caller, abs(x)), fails(caller, abs(x))
    step = None
    yield fails(caller, x)


@scenario
def a_name_with_other_options(jit):
    """What has one name has the same code, and another promise."""
    global doubling

    def doubled(x):
        return x * 2 + 1

    doubling = jit(doubled)

    @jit
    def caller(x):
        return doubling(x) * 3

    yield caller(f8(3)), caller(f8(3))
    doubling = jit(doubled, backend="numpy")
    yield caller(f8(3)), caller(f8(3))
    doubling = jit(doubled)
    yield caller(f8(3)), caller(f4(3))


@scenario
def closures(jit):
    def maker(k):
        @jit
        def inner(x):
            return x * k + 1

        return inner

    inner = maker(2.0)

    @jit
    def caller(x):
        return inner(x) + inner(x + 1)

    x = f8(6)
    yield caller(x), caller(x)
    for k in (3.0, 4, np.float32(5)):
        inner = maker(k)
        yield caller(x), caller(x)


@scenario
def many_closures(jit):
    @jit
    def caller(x, fn):
        return fn(x) * 2

    def maker(k):
        return jit(lambda x: x + k)

    x = f8(4)
    return [caller(x, maker(k)) for k in range(12)], caller(x, maker(1))


@scenario
def exceptions_have_their_frames(jit):
    inner = jit(raising)

    @jit
    def middle(x, k):
        return inner(x + 1, k) * 2

    @jit
    def outer(x, k):
        y = x * 2
        return middle(y, k) + 1

    for k in (1, 1, 2, 1, 2):
        yield fails(outer, f8(3), k)
    yield fails(outer, f8(3), None)
    yield fails(outer, None, 1)


@scenario
def warnings_have_their_lines(jit):
    inner = jit(rooted)

    @jit
    def outer(x):
        return inner(x - 3) * 2

    for x in (f8(4) + 10, f8(4), f8(4) + 10, f8(4)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = outer(x)
        yield out, [(str(w.message), w.lineno) for w in caught]


@scenario
def arrays_are_written(jit):
    inner = jit(stores)

    @jit
    def outer(x, y):
        a = inner(x, y)
        return a + inner(x, y + 1)

    for _ in range(3):
        x = f8(5)
        yield outer(x, f8(5, seed=2)), x


class Layer:
    def __init__(self, k):
        self.k = k
        self.calls = 0

    def plain(self, x):
        return x * self.k


def with_methods(jit):
    class Model(Layer):
        @jit
        def step(self, x):
            self.calls += 1
            return x * self.k + 1

        @jit
        def __call__(self, x):
            return self.step(self.step(x))

        @jit
        def __add__(self, x):
            return self.plain(x) + 1

        @jit
        def __getitem__(self, at):
            return self.k * at

        @staticmethod
        @jit
        def fixed(x):
            return x - 1

        @classmethod
        @jit
        def named(cls, x):
            return x * len(cls.__name__)

        @property
        @jit
        def twice(self):
            return self.k * 2

        @twice.setter
        @jit
        def twice(self, value):
            self.k = value / 2

    return Model


@scenario
def methods(jit):
    Model = with_methods(jit)

    @jit
    def caller(m, x):
        return m.step(x) + m.fixed(x) * Model.fixed(x) - m.named(x) + Model.step(m, x)

    m = Model(2.0)
    for x in (f8(4), f8(4), f4(4)):
        yield caller(m, x), m.calls
    m.k = 3.0
    yield caller(m, f8(4)), m.calls
    m.step = jit(lambda x: x * 100)
    yield caller(m, f8(4)), m.calls
    del m.step
    Model.step = jit(lambda self, x: x - self.k)
    yield caller(m, f8(4)), m.calls


@scenario
def special_methods(jit):
    Model = with_methods(jit)

    @jit
    def caller(m, x):
        y = m(x) + (m + x) * m[2]
        m.twice = 8.0
        return y + m.twice

    for k in (2.0, 3.0, 2.0):
        m = Model(k)
        yield caller(m, f8(4)), caller(m, f8(4)), m.k, m.calls


@scenario
def compiled_init(jit):
    class Pair:
        @jit
        def __init__(self, a, b):
            self.a, self.b = a, b

        def total(self):
            return self.a + self.b

    @jit
    def caller(x):
        pair = Pair(x * 2, x + 1)
        return pair.total(), pair

    for _ in range(3):
        total, pair = caller(f8(3))
        yield total, pair.a, pair.b, type(pair).__name__


@scenario
def managers(jit):
    log = []

    class Manager:
        @jit
        def __enter__(self):
            log.append("in")
            return 2.0

        @jit
        def __exit__(self, *error):
            log.append(error[0])
            return error[0] is KeyError

    manager = Manager()

    @jit
    def caller(x, wanted):
        with manager as k:
            y = x * k
            if wanted:
                raise wanted
            return y + 1
        return y - 1

    for wanted in (None, None, KeyError, None, KeyError):
        yield fails(caller, f8(3), wanted), list(log)
    yield fails(caller, f8(3), ValueError), list(log)


@scenario
def recursion(jit):
    @jit
    def powers(x, n):
        return x if n == 0 else powers(x * 1.5, n - 1) + n

    @jit
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    for n in (3, 3, 12, 3, 40, 12):
        yield powers(f8(4), n)
    yield [fib(n) for n in (5, 10, 5, 12)]


@scenario
def recursion_without_an_end(jit):
    @jit
    def endless(x):
        return endless(x + 1)

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        for _ in range(2):
            try:
                endless(f8(2))
            except RecursionError as error:
                yield type(error).__name__
    finally:
        sys.setrecursionlimit(before)


@scenario
def mutual_recursion(jit):
    @jit
    def even(x, n):
        return x if n == 0 else odd(x * 2, n - 1)

    @jit
    def odd(x, n):
        return -x if n == 0 else even(x + 1, n - 1)

    return [even(f8(3), n) for n in (0, 1, 4, 5, 4, 11, 30)]


@scenario
def the_object_itself(jit):
    """It may be looked at, kept, compared and handed on, and is the very one."""
    inner = jit(rooted)

    @jit
    def caller(x, fn, other):
        y = fn(x) * 2
        kept = [fn, other]
        same = fn is other, fn is not kept[0], fn is None, fn == other, callable(fn)
        return y, kept, same, (1 if fn else 2), {fn: 1}[fn], hasattr(fn, "shape")

    for other in (inner, scaled, None, inner):
        y, kept, *rest = caller(f8(4) + 9, inner, other)
        yield y, kept[0] is inner, kept[1] is other, rest


@scenario
def attributes(jit):
    inner = jit(rooted)
    inner.table = 3.0

    @jit
    def caller(x):
        return inner(x) * inner.table + len(inner.__name__)

    for _ in range(2):
        yield caller(f8(4) + 9)
    inner.table = 5.0
    yield caller(f8(4) + 9)


@scenario
def in_other_callables(jit):
    inner = jit(scaled)
    part = functools.partial(inner, k=5.0)
    bound = jit(Layer(4.0).plain)

    @jit
    def caller(x):
        both = [fn(x) for fn in (inner, part, bound)]
        return both, list(map(inner, both)), functools.reduce(jit(np.add.outer), (x, x))

    for _ in range(2):
        yield caller(f8(3))


@scenario
def in_loops_of_c(jit):
    weight = jit(lambda i, k: k / (i + 1) if i % 3 else k)
    item = jit(lambda x, i: x[i] * 2)

    @jit
    def caller(x, k):
        total = 0.0
        for i in range(len(x)):
            total += item(x, i) * weight(i, k)
        return total

    for n in (10, 400, 11):
        yield caller(f8(n), 2.0), caller(f8(n), 3)
    yield fails(caller, f8(9), None)


@scenario
def generators(jit):
    @jit
    def each(x):
        for k in range(3):
            yield x * k

    @jit
    def caller(x):
        return sum(each(x)), [y + 1 for y in each(x)], each(x)

    for _ in range(2):
        *found, left = caller(f8(3))
        yield found, list(left)


@scenario
def wrong_arguments(jit):
    inner = jit(scaled)

    @jit
    def caller(x, *args, **words):
        y = x + 1
        return inner(y, *args, **words)

    for args, words in (((), {}), ((1, 2), {}), ((), {"no": 1}), ((), {"k": 2, "shift": 3})):
        yield fails(lambda a=args, w=words: caller(f8(3), *a, **w)), len(args)


@scenario
def a_caller_that_is_not_compiled_comes_between(jit):
    inner = jit(lambda x: x * 2 + 1)

    def between(x):
        return inner(x) - inner(x + 1)

    @jit
    def outer(x):
        return between(x) * between(x * 2)

    for x in (f8(4), f8(4), f4(4)):
        yield outer(x)
