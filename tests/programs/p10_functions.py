"""Functions: arguments of every kind, closures, globals, nested functions, functools."""

import functools
import operator

import numpy as np
from support.arrays import f8
from support.program import Keywords, program

SCALE = 2.0
COUNTER = 0
TABLE = {"a": 1.0}
LOG = []


def helper(x, k=3):
    return x * k + SCALE


def helper_with_effect(x):
    global COUNTER
    COUNTER += 1
    return x + COUNTER


def apply(f, *args):
    return f(*args)


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def traced(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        LOG.append(fn.__name__)
        return fn(*args, **kwargs)

    return wrapper


@traced
def decorated_helper(x):
    return x - 1


@program(
    lambda: (f8(3), 2), lambda: (f8(3),), lambda: (f8(3), 2, 3), lambda: (f8(3), Keywords(c=5))
)
def defaults(a, b=10, c=20):
    return a * b + c


@program(lambda: (f8(3), Keywords(k=2)), lambda: (f8(3),), lambda: (f8(3), Keywords(k=2, j=1)))
def keyword_only(a, *, k=1, j=0):
    return a * k + j


@program(lambda: (f8(3), 2), lambda: (f8(3), Keywords(b=2)))
def positional_only(a, b, /, c=1):
    return a * b * c


@program(lambda: (f8(3), 1, 2, 3), lambda: (f8(3),), lambda: (f8(3), 4.0))
def star_args(a, *rest):
    for r in rest:
        a = a + r
    return a, rest


@program(
    lambda: (f8(3), Keywords(p=1, q=2.0)), lambda: (f8(3),), lambda: (f8(3), Keywords(q=f8(3), p=2))
)
def double_star(a, **options):
    for name, value in options.items():
        a = a * value + len(name)
    return a, options


@program(lambda: (1, 2, 3, Keywords(d=4, e=5)), lambda: (1, Keywords(d=4)))
def everything(a, b=0, *args, d, **kw):
    return a, b, args, d, kw


@program(lambda: (), lambda: (1, 2, 3), lambda: (1, Keywords(z=3)), lambda: (1, Keywords(a=3)))
def wrong_arguments(a, b=1):
    return a + b


@program(lambda: (f8(3),), vary=False)
def wrong_arguments_inside(x):
    y = x * 2
    return helper(y, 1, 2, 3)


@program(lambda: (f8(3),))
def calls_with_unpacking(x):
    args = (x, 2)
    kwargs = {"k": 4}
    return helper(*args), helper(x, **kwargs), helper(*[x], **{"k": 1})


@program(lambda: (f8(3),))
def duplicate_keyword_raises(x):
    return helper(x, k=1, **{"k": 2})


@program(lambda: (f8(3),))
def global_read(x):
    return x * SCALE + TABLE["a"]


@program(lambda: (f8(3),))
def global_written(x):
    global COUNTER
    COUNTER += 1
    y = x * COUNTER
    COUNTER += 10
    return y


@program(lambda: (f8(3),))
def global_created_and_deleted(x):
    global FRESH
    FRESH = x * 2
    y = FRESH + 1
    del FRESH
    return y, "FRESH" in globals()


@program(lambda: (f8(3),))
def global_that_does_not_exist(x):
    y = x + 1
    return y + MISSING  # noqa: F821


@program(lambda: (f8(3),))
def effects_in_a_callee(x):
    return helper_with_effect(x) + helper_with_effect(x * 2)


@program(lambda: (f8(3),))
def nested_function(x):
    def inner(y, k=2):
        return y * k

    return inner(x) + inner(x, 3)


@program(lambda: (f8(3), 2), lambda: (f8(3), 5))
def closure_over_arguments(x, n):
    def scaled(y):
        return y * n + x

    return scaled(x) - scaled(1)


@program(lambda: (f8(3),))
def closure_sees_later_assignment(x):
    def get():
        return value

    value = x
    a = get()
    value = x * 2
    return a, get()


@program(lambda: (f8(3),))
def nonlocal_counter(x):
    count = 0

    def step(y):
        nonlocal count
        count += 1
        return y + count

    return step(x), step(x), count


@program(lambda: (f8(3),))
def returned_closure(x):
    k = 2

    def multiply(y):
        return x * y * k

    k = 3
    return multiply, multiply(2)


@program(lambda: (3,))
def counter_factory(n):
    def make():
        total = 0

        def add(v):
            nonlocal total
            total += v
            return total

        return add

    first, second = make(), make()
    return [first(i) for i in range(n)], second(10)


@program(lambda: (f8(3),))
def lambdas(x):
    square = lambda v: v * v
    return square(x), (lambda a, b=2: a + b)(x), sorted([3, 1, 2], key=lambda v: -v)


@program(lambda: (3,))
def late_binding_in_loops(n):
    functions = [lambda: i for i in range(n)]
    fixed = [lambda i=i: i for i in range(n)]
    return [f() for f in functions], [f() for f in fixed]


@program(
    lambda: (f8(3), np.sin), lambda: (f8(3), np.cos), lambda: (f8(3), abs), lambda: (f8(3), helper)
)
def function_arguments(x, f):
    return apply(f, x) * 2


@program(lambda: (f8(3),))
def partial_and_reduce(x):
    triple = functools.partial(helper, k=3)
    return (
        triple(x),
        functools.reduce(lambda a, b: a * b, [x, 2, x]),
        functools.partial(np.add, 1)(x),
    )


@program(lambda: (f8(3),))
def wrapped_helper(x):
    return decorated_helper(x) * 2, decorated_helper.__name__, len(LOG)


@program(lambda: (5,), lambda: (1,), lambda: (30,))
def recursion_in_a_helper(n):
    return fact(n)


@program(lambda: (f8(8),), lambda: (f8(3),), lambda: (f8(1),))
def recursive_sum(x):
    if len(x) <= 1:
        return x.sum()
    half = len(x) // 2
    return recursive_sum(x[:half]) + recursive_sum(x[half:])


@program(lambda: (5,), lambda: (2,), calls=1)
def infinite_recursion_is_caught(n):
    def down(k):
        return down(k + 1)

    try:
        down(n)
    except RecursionError as error:
        return type(error).__name__
    return None


@program(lambda: (f8(3),))
def mutual_recursion(x):
    def even(n):
        return x if n == 0 else odd(n - 1)

    def odd(n):
        return -x if n == 0 else even(n - 1)

    return even(4), odd(4), even(3)


@program(lambda: (f8(3),))
def mutable_default(x):
    def remember(v, seen=[]):
        seen.append(v)
        return len(seen)

    return remember(1), remember(2), x + remember(3)


@program(lambda: (f8(3),))
def function_attributes(x):
    def f(y):
        f.calls += 1
        return y + f.calls

    f.calls = 0
    return f(x), f(x), f.calls


@program(lambda: (f8(3),))
def annotations_and_docstrings(x: "array") -> "array":  # noqa: F821
    """A docstring is a constant and nothing else."""
    y: float = 2.0
    z: int
    z = 3
    return x * y * z


@program(
    lambda: (3, 4),
)
def operator_module(a, b):
    return operator.add(a, b), operator.itemgetter(1)([1, 2]), operator.mul(np.float64(2), b)


@program(lambda: (f8(3),))
def cached_helper(x):
    @functools.lru_cache
    def slow(n):
        LOG.append(n)
        return n * 2

    return x * slow(2) + slow(2), list(LOG)


@program(lambda: (f8(3), f8(3, seed=1)))
def unused_and_shadowed(x, y):
    sum = x + y
    x = sum * 2
    return x
