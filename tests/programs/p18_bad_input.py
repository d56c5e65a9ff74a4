"""What bad input gets: CPython's own answer, never a crash."""

import copy
import functools
import gc
import inspect
import pickle
import sys
import types
import weakref

import numpy as np
from support.arrays import f4, f8
from support.program import scenario


def plain(x, k=1):
    return x * k + 1


class Operation:
    """A callable object, a method, a static method and a class method."""

    factor = 2

    def __call__(self, x):
        return x * self.factor

    def method(self, x):
        return x + self.factor

    @staticmethod
    def static(x):
        return x - 1

    @classmethod
    def make(cls, x):
        return cls.factor * x


def catch(f, *args, **kwargs):
    try:
        return f(*args, **kwargs)
    except Exception as e:
        return e


@scenario
def wrong_argument_counts(jit):
    f = jit(plain)
    yield catch(f), catch(f, 1, 2, 3), catch(f, j=1), catch(f, 1, x=1)
    yield f(f8(2)), catch(f, f8(2), 1, 2), f(f8(2))


@scenario
def builtin_function(jit):
    f = jit(len)
    return f([1, 2]), catch(f, 3)


@scenario
def ufunc(jit):
    f = jit(np.sin)
    return f(f8(3)), jit(np.sum)(f8(3))


@scenario
def lambda_function(jit):
    f = jit(lambda x: x + 1)
    return f(f8(2)), f(f8(2)), f.__name__


@scenario
def function_from_exec(jit):
    namespace = {"np": np}
    exec("def made(x):\n    y = x * 2\n    return np.sin(y) / (x * 0)", namespace)
    f = jit(namespace["made"])
    return f(f8(2)), f(f8(2)), catch(f, "text")


@scenario
def lambda_from_eval(jit):
    f = jit(eval("lambda x, k=3: x * k"))
    return f(f8(2)), f(f8(2), 2)


@scenario
def bound_and_unbound_methods(jit):
    operation = Operation()
    f, g = jit(operation.method), jit(Operation.method)
    yield f(f8(2)), g(operation, f8(2)), f.__self__ is operation
    Operation.factor = 5
    yield f(f8(2)), f(f8(2))


@scenario
def decorated_in_a_class(jit):
    class Model:
        def __init__(self, w):
            self.w = w

        @jit
        def forward(self, x):
            return np.tanh(self.w * x)

        @staticmethod
        @jit
        def loss(y):
            return (y**2).mean()

        @classmethod
        @jit
        def name(cls, n):
            return cls.__name__ * n

        @property
        @jit
        def size(self):
            return self.w.size

    m = Model(f8(3))
    for _ in range(3):
        y = m.forward(f8(3))
        yield y, m.loss(y), Model.name(2), m.size
    m.w = f4(3)
    yield m.forward(f8(3)), Model.forward(m, f8(3))


@scenario
def callable_object(jit):
    f = jit(Operation())
    return f(f8(2)), f(f8(3)), catch(f)


@scenario
def functools_partial(jit):
    f = jit(functools.partial(plain, k=3))
    g = functools.partial(jit(plain), k=3)
    return f(f8(2)), g(f8(2)), g(f8(2))


@scenario
def compiled_twice(jit):
    f = jit(jit(plain))
    return f(f8(2)), f(f8(2))


@scenario
def wraps_semantics(jit):
    def f(x: int) -> int:
        """Words."""
        return x

    f.note = 3
    g = jit(f)
    return (
        g.__name__,
        g.__doc__,
        g.__qualname__,
        g.note,
        str(inspect.signature(g)),
        g.__annotations__,
    )


@scenario
def pickled_by_reference(jit):
    module = sys.modules[__name__]
    original = module.plain
    module.plain = jit(original)
    try:
        same = pickle.loads(pickle.dumps(module.plain)) is module.plain
        copied = copy.deepcopy(module.plain) is module.plain
        return same, copied, module.plain(f8(2))
    finally:
        module.plain = original


@scenario
def inside_other_decorators(jit):
    cached = functools.lru_cache(jit(lambda n: n * 2))
    vectorized = np.vectorize(jit(lambda v: v + 1.0))
    return cached(3), cached(3), vectorized(f8(3))


@scenario
def as_a_callback(jit):
    f = jit(lambda a: a * 2)
    return (
        list(map(f, [1, 2])),
        sorted([3, 1], key=jit(lambda v: -v)),
        functools.reduce(jit(lambda a, b: a + b), [f8(2), f8(2), 1]),
        np.apply_along_axis(jit(lambda r: r.sum()), 0, f8(2, 2)),
    )


@scenario
def compiled_calls_compiled(jit):
    g = jit(lambda x: x + 1)
    f = jit(lambda x: g(x) * g(x * 2))
    return f(f8(2)), f(f8(2)), f(f4(2))


@scenario
def recursive_compiled(jit):
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * x

    power = jit(power)
    return power(f8(2), 5), power(f8(2), 3), catch(power, f8(2), "a")


@scenario
def deep_recursion(jit):
    def down(x, n):
        return x if n == 0 else down(x + 1, n - 1)

    down = jit(down)
    return down(f8(2), 150), down(f8(2), 150)


@scenario
def unhashable_and_odd_arguments(jit):
    f = jit(lambda a: (a, 1))
    for value in ([], {}, set(), {"a": [1]}, [[]], slice(1), object, Ellipsis, NotImplemented):
        yield f(value)


class Hostile:
    """Every question is answered by an error."""

    def __eq__(self, other):
        raise RuntimeError("eq")

    def __hash__(self):
        raise RuntimeError("hash")

    def __bool__(self):
        raise RuntimeError("bool")

    def __len__(self):
        raise RuntimeError("len")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError("attribute " + name)

    def __repr__(self):
        return "<hostile>"


@scenario
def hostile_objects(jit):
    h = Hostile()
    for f in (
        lambda a, x: x + 1,
        lambda a, x: (x + 1, a == 3),
        lambda a, x: x if a else x + 1,
        lambda a, x: x * len(a),
        lambda a, x: x * a.value,
        lambda a, x: x * a,
        lambda a, x: {a: x},
        lambda a, x: x[a],
        lambda a, x: a in [x.sum(), a],
    ):
        g = jit(f)
        yield catch(g, h, f8(2)), catch(g, h, f8(2))


class Liar:
    """Says that it is an array."""

    @property
    def __class__(self):
        return np.ndarray

    shape = (3,)
    dtype = np.dtype("f8")


@scenario
def liars(jit):
    f = jit(lambda a: (isinstance(a, np.ndarray), type(a).__name__, a.shape))
    g = jit(lambda a: a + 1)
    return f(Liar()), f(f8(3)), catch(g, Liar()), g(f8(3))


@scenario
def array_changed_while_iterated(jit):
    def f(x):
        out = []
        for v in x:
            out.append(v)
            x[-1] += 1
        return out

    g = jit(f)
    return g(f8(4)), g(f8(4))


@scenario
def argument_mutated_by_a_callback(jit):
    def f(items, act):
        a = items[0] * 2
        act(items)
        return a + items[0], len(items)

    g = jit(f)
    for _ in range(2):
        yield g([f8(2), 1], lambda items: items.pop())
        yield g([f8(2), 1], lambda items: items.__setitem__(0, f4(3)[:2]))
        yield catch(g, [f8(2), 1], lambda items: items.clear())


@scenario
def many_arguments(jit):
    names = [f"a{i}" for i in range(260)]
    namespace = {}
    exec(f"def f({', '.join(names)}): return {' + '.join(names)}", namespace)
    f = jit(namespace["f"])
    return f(*range(260)), f(*range(260)), catch(f, 1)


@scenario
def very_long_function(jit):
    lines = "\n".join(f"    x = x + {i}" for i in range(1500))
    namespace = {}
    exec(f"def f(x):\n{lines}\n    return x", namespace)
    f = jit(namespace["f"])
    return f(f8(2)), f(f8(2))


@scenario
def very_long_expression(jit):
    f = jit(eval("lambda x: " + "(" * 40 + "x" + " + 1)" * 40))
    return f(f8(2)), f(f4(2))


@scenario
def empty_functions(jit):
    def nothing():
        pass

    def only_doc(x):
        """Words."""

    f, g = jit(nothing), jit(only_doc)
    return f(), f(), g(1), catch(f, 1)


@scenario
def huge_numbers(jit):
    f = jit(lambda a, b: (a * b, a + b, a - b, a // b, -a, a == b))
    return [f(10**n, 3**n) for n in (1, 18, 19, 40, 400)] + [f(True, 3), f(-(2**63), -1)]


@scenario
def code_without_positions(jit):
    def f(x):
        y = x * 2
        return y / (x * 0)

    bare = f.__code__.replace(co_linetable=b"")
    g = jit(types.FunctionType(bare, f.__globals__))
    return g(f8(2)).shape, g(f8(2)).shape


@scenario
def weak_references(jit):
    def f(x):
        return x * 2

    g = jit(f)
    x = f8(3)
    ref = weakref.ref(x)
    y = g(x)
    del x
    gc.collect()
    gone = ref() is None
    r2 = weakref.ref(y)
    del y
    gc.collect()
    return gone, r2() is None


@scenario
def arguments_are_not_kept_alive(jit):
    class Thing:
        def __init__(self):
            self.w = f8(3)

        def run(self, x):
            self.last = x * self.w
            return self.last

    f = jit(lambda t, x: t.run(x))
    t = Thing()
    f(t, f8(3))
    f(t, f8(3))
    ref = weakref.ref(t)
    del t
    gc.collect()
    return ref() is None
