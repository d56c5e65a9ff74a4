"""Things that change between two calls: the next call must see them."""

import builtins

import numpy as np
from support.arrays import f4, f8, i8
from support.program import scenario

SCALE = 2.0
ARRAY = np.ones(3)
TABLE = {"k": 1.0}
ITEMS = [1.0, 2.0]


class Config:
    gain = 3.0

    def __init__(self):
        self.offset = 1.0

    def apply(self, x):
        return x * self.gain + self.offset


def inner(x):
    return x + 1


def outer(x):
    return inner(x) * SCALE


def module_settings(x):
    return x * SCALE + ARRAY + TABLE["k"] + len(ITEMS)


@scenario
def global_number(jit):
    global SCALE
    f = jit(outer)
    for SCALE in (2.0, 3.0, 3, np.float32(3), 2.0, True):
        yield f(f8(3)), f(f4(3))
    SCALE = 2.0
    yield f(f8(3))


@scenario
def global_function(jit):
    global inner
    f = jit(outer)
    yield f(f8(3))
    old, inner = inner, lambda x: x - 100
    yield f(f8(3))
    inner = np.sin
    yield f(f8(3))
    inner = old
    yield f(f8(3))


@scenario
def code_of_a_function(jit):
    def first(x):
        return x + 1

    def second(x):
        return x * 50

    def call(x):
        return first(x) * 2

    f = jit(call)
    yield f(f8(3))
    first.__code__ = second.__code__
    yield f(f8(3)), f(f8(3))


@scenario
def own_code_replaced(jit):
    def first(x):
        return x + 1

    def second(x):
        return x * 50

    f = jit(first)
    yield f(f8(3))
    first.__code__ = second.__code__
    yield f(f8(3)), first(f8(3))


@scenario
def defaults_of_a_function(jit):
    def f(x, k=2, *, j=1):
        return x * k + j

    g = jit(f)
    yield g(f8(3))
    f.__defaults__ = (5,)
    yield f(f8(3))
    f.__kwdefaults__ = {"j": 7}
    yield f(f8(3)), f(f8(3), 1)


@scenario
def defaults_of_a_callee(jit):
    def callee(x, k=2):
        return x * k

    def f(x):
        return callee(x) + 1

    g = jit(f)
    yield g(f8(3))
    callee.__defaults__ = (9,)
    yield g(f8(3))
    callee.__defaults__ = (f8(3),)
    yield g(f8(3))


@scenario
def global_array(jit):
    global ARRAY
    f = jit(module_settings)
    yield f(f8(3))
    ARRAY += 1
    yield f(f8(3))
    ARRAY = np.zeros((2, 3), "f4")
    yield f(f8(3))
    ARRAY = 5
    yield f(f8(3))


@scenario
def global_containers(jit):
    f = jit(module_settings)
    yield f(f8(3))
    TABLE["k"] = 10.0
    yield f(f8(3))
    ITEMS.append(1)
    yield f(f8(3))
    TABLE["k"] = f8(3)
    yield f(f8(3))


@scenario
def closure_cell(jit):
    k = 2

    def f(x):
        return x * k

    g = jit(f)
    for k in (2, 3, 2.5, f8(3), "text", 2):
        try:
            yield g(i8(3))
        except Exception as e:
            yield e


@scenario
def closure_written_inside(jit):
    total = np.zeros(3)
    count = 0

    def f(x):
        nonlocal total, count
        total = total + x
        count += 1
        return total * count

    g = jit(f)
    yield [g(f8(3)) for _ in range(4)]
    total = np.zeros(3, "f4")
    yield g(f8(3)), count


@scenario
def attribute_of_an_instance(jit):
    config = Config()
    f = jit(config.apply)
    yield f(f8(3))
    config.offset = 2.0
    yield f(f8(3))
    config.offset = f8(3)
    yield f(f8(3))
    config.gain = 0.5
    yield f(f8(3))
    del config.gain
    yield f(f8(3))


@scenario
def attribute_of_a_class(jit):
    config = Config()
    f = jit(lambda x: config.apply(x))
    yield f(f8(3))
    Config.gain = 4.0
    yield f(f8(3))
    Config.apply = lambda self, x: x - self.gain
    yield f(f8(3))


@scenario
def class_of_an_instance(jit):
    class Other(Config):
        def apply(self, x):
            return super().apply(x) - 1

    def f(c, x):
        return c.apply(x)

    g = jit(f)
    config = Config()
    yield g(config, f8(3))
    config.__class__ = Other
    yield g(config, f8(3))
    yield g(Config(), f8(3)), g(Other(), f8(3))


@scenario
def property_added_later(jit):
    class Thing:
        pass

    def f(t):
        return t.value * 2

    g = jit(f)
    t = Thing()
    t.value = f8(2)
    yield g(t)
    Thing.value = property(lambda self: 5)
    yield g(t)
    del Thing.value
    yield g(t)


@scenario
def builtin_shadowed(jit):
    def f(x):
        return len(x) + abs(x)

    g = jit(f)
    yield g(f8(3))
    globals()["len"] = lambda x: 1000
    try:
        yield g(f8(3))
    finally:
        del globals()["len"]
    yield g(f8(3))


@scenario
def builtins_patched(jit):
    def f(x):
        return x * len(x)

    g = jit(f)
    yield g(f8(3))
    real = builtins.len
    builtins.len = lambda x: 50
    try:
        yield g(f8(3))
    finally:
        builtins.len = real
    yield g(f8(3))


@scenario
def numpy_patched(jit):
    def f(x):
        return np.sin(x) + np.add(x, 1)

    g = jit(f)
    yield g(f8(3))
    real = np.sin
    np.sin = np.cos
    try:
        yield g(f8(3))
        np.sin = lambda v: "patched"
        try:
            yield g(f8(3))
        except Exception as e:
            yield e
    finally:
        np.sin = real
    yield g(f8(3))


@scenario
def name_np_rebound(jit):
    class Fake:
        @staticmethod
        def exp(x):
            return x - 1

    def f(x):
        return np.exp(x)

    g = jit(f)
    global np
    real = np
    yield g(f8(3))
    np = Fake
    try:
        yield g(f8(3))
    finally:
        np = real
    yield g(f8(3))


@scenario
def method_added_to_a_callee_class(jit):
    class Callable:
        def __call__(self, x):
            return x + 1

    c = Callable()
    f = jit(lambda x: c(x))
    yield f(f8(2))
    Callable.__call__ = lambda self, x: x * 9
    yield f(f8(2))
    c.__call__ = None
    yield f(f8(2))


@scenario
def global_deleted(jit):
    globals()["TEMPORARY"] = 3

    def f(x):
        return x * TEMPORARY  # noqa: F821

    g = jit(f)
    yield g(f8(2))
    del globals()["TEMPORARY"]
    try:
        yield g(f8(2))
    except NameError as e:
        yield e
    globals()["TEMPORARY"] = 4
    yield g(f8(2))
    del globals()["TEMPORARY"]
