"""More that changes between two calls: settings, arguments, code that is shared."""

import types
import warnings

import numpy as np
from support.arrays import f4, f8
from support.program import scenario


@scenario
def errstate_between_calls(jit):
    def f(x):
        return 1 / x + 1

    g = jit(f)
    zero = np.zeros(2)
    yield g(f8(2))
    yield g(zero)
    with np.errstate(all="ignore"):
        yield g(zero)
    with np.errstate(divide="raise"):
        try:
            yield g(zero)
        except FloatingPointError as e:
            yield e
    yield g(zero)


@scenario
def warning_filters_between_calls(jit):
    def f(x):
        return 1 / x + 1

    g = jit(f)
    zero = np.zeros(2)
    g(zero)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            yield g(zero)
        except RuntimeWarning as w:
            yield w
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield g(zero)


@scenario
def array_argument_changes_in_place(jit):
    def f(x):
        return x * 2

    g = jit(f)
    x = f8(4)
    a = g(x)
    x += 1
    b = g(x)
    x.shape = (2, 2)
    c = g(x)
    x.flags.writeable = False
    d = g(x)
    return a, b, c, d


@scenario
def module_attribute(jit):
    module = types.ModuleType("settings")
    module.rate = 0.5

    def f(x):
        return x * module.rate

    g = jit(f)
    yield g(f8(2))
    module.rate = 2
    yield g(f8(2))
    module.rate = f8(2)
    yield g(f8(2))


@scenario
def dict_argument_keys_change(jit):
    def f(d):
        return {k: v * 2 for k, v in d.items()}, d.get("b", 0)

    g = jit(f)
    for d in ({"a": f8(2)}, {"a": f8(2), "b": 1}, {"b": 1, "a": f8(2)}, {}, {"a": f8(2)}):
        yield g(d)


@scenario
def list_argument_lengths_change(jit):
    def f(items):
        total = 0
        for a in items:
            total = total + a
        return total, len(items)

    g = jit(f)
    for n in (2, 3, 0, 20, 2):
        yield g([f8(2)] * n)


@scenario
def same_code_two_closures(jit):
    def make(k):
        def f(x):
            return x * k

        return f

    f, g = jit(make(2)), jit(make(3.5))
    return f(f8(2)), g(f8(2)), f(f8(2)), g(f4(2)), make(10)(f8(2))


@scenario
def same_code_two_globals(jit):
    def f(x):
        return x * FACTOR  # noqa: F821

    one = types.FunctionType(f.__code__, {"FACTOR": 2})
    two = types.FunctionType(f.__code__, {"FACTOR": 5.5})
    g, h = jit(one), jit(two)
    return g(f8(2)), h(f8(2)), g(f8(2)), h(f8(2)), one(f8(2)), two(f8(2))


@scenario
def reset_between_calls(jit):
    def f(x):
        return x * 2 + 1

    g = jit(f)
    yield g(f8(2)), g(f8(2))
    g = jit(f)
    yield g(f8(2)), f(f8(2))


@scenario
def many_shapes(jit):
    f = jit(lambda x, y: x * y + 1)
    return [f(f8(n, 3), f8(3)) for n in range(14)]


@scenario
def many_dtypes(jit):
    f = jit(lambda x: x + x * 2)
    return [f(np.ones(3, t)) for t in "?bBhHiIlLqQefdgFDG"]


@scenario
def many_types(jit):
    f = jit(lambda x: (x, x == x, str(type(x).__name__)))
    values = [
        1,
        1.0,
        "a",
        b"a",
        None,
        (1,),
        [1],
        {1: 2},
        {1},
        1j,
        True,
        ...,
        f8(1),
        np.float64(1),
        np,
        int,
        f,
    ]
    return [f(v)[1:] for v in values[:-1]]
