"""Callables that jitcore.allow_in_graph names: called from graphs, as CPython calls them."""

import math
import operator
import sys
import warnings

import numpy as np
from support.arrays import f4, f8
from support.program import scenario

import jitcore

LOG = []
STATE = {"k": 2.0}
GAIN = 1.0


@jitcore.allow_in_graph
def opaque(x, k=2.0):
    return np.sqrt(abs(x)) * k


@jitcore.allow_in_graph
def logged(*args, **words):
    LOG.append((args, words))
    return len(LOG)


@jitcore.allow_in_graph
def raises(x, k):
    y = x * 2
    if k > 1:
        raise LookupError(f"k is {k}")
    return y


@jitcore.allow_in_graph
def warns(x):
    warnings.warn("of the caller", UserWarning, stacklevel=2)
    warnings.warn("of its own", UserWarning, stacklevel=1)
    return x / 0.0


@jitcore.allow_in_graph
def changes(x, model):
    global GAIN
    x += 1
    GAIN += 1.0
    model.k = model.k * 2 if model.k < 50 else "large"
    model.items.append(len(model.items))
    STATE["k"] += 1
    return None


@jitcore.allow_in_graph
def gives(what):
    return {"a": np.arange(4.0), "f": 2.5, "i": 3, "t": (np.ones(4), 2), "l": [1, 2], "n": None}[
        what
    ]


class Interpolates:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        LOG.append(self.k)
        return x * self.k


class Model:
    def __init__(self):
        self.k = 2.0
        self.items = [1]
        self.calls = 0


interpolates = jitcore.allow_in_graph(Interpolates(3.0))
hypot = jitcore.allow_in_graph(np.frompyfunc(math.hypot, 2, 1))
jitcore.allow_in_graph(operator.countOf)


def fails(fn, *args):
    try:
        return fn(*args)
    except Exception as error:
        found, at = [], error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == __file__:
                found.append((at.tb_frame.f_code.co_name, at.tb_lineno))
            at = at.tb_next
        return type(error).__name__, str(error), found, error.__context__ is None


@scenario
def between_kernels(jit):
    @jit
    def f(x):
        y = x * 2 + 1
        z = opaque(y)
        return z * y - opaque(z, k=3.0) + opaque(z) * 2

    for x in (f8(300), f8(300), f4(5), f8(300)):
        yield f(x)


@scenario
def in_order(jit):
    LOG.clear()

    @jit
    def f(x):
        y = x * 2 + 1
        first = logged(y, 1, "text", None, (y, 2), key=2.5)
        y = y - 3
        second = logged(y.sum())
        return first, second, y + logged()

    for _ in range(3):
        yield f(f8(4))
    yield list(LOG)


@scenario
def exceptions(jit):
    @jit
    def f(x, k):
        y = x * 2 + 1
        z = raises(
            y,
            k,
        )
        return z + y

    @jit
    def catches(x, k):
        y = x * 2
        try:
            y = y + raises(y, k)
        except LookupError as error:
            return y, str(error), error.__traceback__.tb_lineno
        finally:
            y = y * 2
        return y

    for k in (1, 1, 2, 1, 2):
        yield fails(f, f8(3), k), fails(catches, f8(3), k)
    yield fails(f, f8(3), None)


@scenario
def warnings_name_lines(jit):
    @jit
    def f(x):
        y = x * 2 + 1
        return warns(y) + y

    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = f(f8(3))
        yield out, [(w.category.__name__, str(w.message), w.lineno) for w in caught]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield fails(f, f8(3))
    with np.errstate(divide="raise"):
        yield fails(f, f8(3))


@scenario
def what_it_changes_is_seen(jit):
    global GAIN
    GAIN, STATE["k"] = 1.0, 2.0

    @jit
    def f(x, model):
        y = x * 2 + GAIN
        z = model.k
        changes(x, model)
        return y + x * GAIN + z, model.k, len(model.items), STATE["k"] + y

    model = Model()
    for _ in range(8):
        x = f8(4)
        yield fails(f, x, model), x
    yield model.k, model.items


@scenario
def what_was_set_before_is_there(jit):
    global GAIN
    GAIN = 1.0
    seen = []

    class Counter:
        n = 0

    counter = Counter()

    @jitcore.allow_in_graph
    def looks(x):
        seen.append((GAIN, counter.n, [*counter.__dict__]))
        return x + 1

    @jit
    def f(x):
        global GAIN
        y = x * 2 + 1
        counter.n += 1
        GAIN = GAIN + 0.5
        z = looks(y)
        counter.last = looks(z)
        return z * y

    for _ in range(4):
        yield f(f8(3))
    yield seen


@scenario
def results_of_any_kind(jit):
    @jit
    def f(x, what):
        y = x * 2 + 1
        got = gives(what)
        return y, got, (y + got if what in "af" else y)

    for what in ("a", "f", "i", "t", "l", "n", "a", "l"):
        yield fails(f, f8(4), what)


@scenario
def the_very_objects(jit):
    LOG.clear()

    @jit
    def f(x, model, items):
        y = x + 1
        logged(x, model, items, model.items, y, len)
        items.append(1)
        logged(items)
        return y

    for _ in range(2):
        x, model, items = f8(3), Model(), [1.0, 2.0]
        y = f(x, model, items)
        args = LOG[-2][0]
        yield args[0] is x, args[1] is model, args[2] is items, args[3] is model.items, args[4] is y
        yield LOG[-1][0][0] is items, items


@scenario
def lists_that_are_made(jit):
    @jit
    def f(x):
        y = x * 2 + 1
        pair = [y, y + 1]
        logged(pair, {"y": y})
        return pair

    for _ in range(2):
        pair = f(f8(3))
        yield LOG[-1][0][0] is pair, pair


@scenario
def other_callables(jit):
    LOG.clear()

    @jit
    def f(x):
        y = x * 2 + 1
        return interpolates(y) + np.asarray(hypot(y, 2.0), float), operator.countOf((1, 2, 1), 1)

    for _ in range(3):
        yield f(f8(4)), list(LOG)


@scenario
def in_loops(jit):
    @jit
    def numbers(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i] * 2
            if i % 50 == 7:
                total = total + opaque(total)
        return total

    @jit
    def arrays(x, n):
        for k in range(n):
            x = opaque(x * 2 + k) - x
        return x

    for n in (20, 300, 20):
        yield numbers(f8(n)), arrays(f8(n), 3), arrays(f8(n), 40)


@scenario
def in_an_inlined_function(jit):
    def inner(x, k):
        return raises(x + 1, k) * 2

    @jit
    def f(x, k):
        y = x * 2
        return inner(y, k) + inner(y + 1, k)

    for k in (1, 2, 1):
        yield fails(f, f8(3), k)


@scenario
def a_name_that_changes(jit):
    global opaque
    kept = opaque

    @jit
    def f(x):
        return opaque(x * 2 + 1) * 3

    yield f(f8(4)), f(f8(4))
    opaque = lambda x: x - 1  # noqa: E731
    yield f(f8(4)), f(f8(4))
    opaque = jitcore.allow_in_graph(lambda x: x + 7)
    yield f(f8(4)), f(f8(4))
    opaque = 5
    yield fails(f, f8(4))
    opaque = kept
    yield f(f8(4))


@scenario
def it_lets_go_of_itself(jit):
    """The only reference goes while it runs."""
    holder = {}

    def make():
        @jitcore.allow_in_graph
        def vanishes(x):
            holder.clear()
            return x + 1

        holder["fn"] = vanishes

    @jit
    def f(x):
        y = x * 2 + 1
        return holder["fn"](y) * y

    for _ in range(4):
        make()
        yield f(f8(3)), len(holder)


@scenario
def under_errstate(jit):
    @jitcore.allow_in_graph
    def state(x):
        return np.geterr()["divide"], x / 0.0

    @jit
    def f(x):
        y = x * 2 + 1
        with np.errstate(divide="ignore"):
            first, y = state(y)
        second, z = state(x)
        return first, second, y, z

    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield f(f8(3)), [w.lineno for w in caught]


@scenario
def the_line_of_its_caller(jit):
    @jitcore.allow_in_graph
    def line():
        return sys._getframe(1).f_lineno

    @jit
    def f(x):
        y = x * 2 + 1
        first = line()
        y = y * 3
        return y, first, line()

    for _ in range(3):
        yield f(f8(3))
