"""Which object is which: `is`, items that are themselves, names deleted and assigned by two ways."""

import types

from support.arrays import f8
from support.program import program, scenario


class Box:
    kind = 5.0
    nan = float("nan")

    def __init__(self, a):
        self.a = a


class Disguised:
    __class__ = property(lambda self: int)


def one_or_another(jit, left, same, other):
    """`is` of what the first call did not have in common, and of what it had."""

    def f(p, q, x):
        return x + 1 if p is q else x + 2

    def g(p, q, x):
        return x + 1 if p is q else x + 2

    x = f8(3)
    f, g = jit(f), jit(g)
    yield f(left, other, x)
    yield f(left, same, x)
    yield g(left, same, x)
    yield g(left, other, x)


@scenario
def objects_that_are_one(jit):
    box = Box(1)
    yield from one_or_another(jit, box, box, Box(1))


@scenario
def lists_that_are_one(jit):
    items = [1]
    yield from one_or_another(jit, items, items, [1])


@scenario
def dicts_that_are_one(jit):
    words = {"a": 1}
    yield from one_or_another(jit, words, words, {"a": 1})


@scenario
def tuples_that_are_one(jit):
    pair = (1, 2)
    yield from one_or_another(jit, pair, pair, tuple([1, 2]))


@scenario
def strings_that_are_one(jit):
    text = "ab"
    yield from one_or_another(jit, text, text, "".join(["a", "b"]))


@scenario
def slices_that_are_one(jit):
    part = slice(1, 2)
    yield from one_or_another(jit, part, part, slice(1, 2))


@program(lambda: (f8(3), 5), lambda: (f8(3), 6), lambda: (f8(3), True))
def number_is_constant(x, n):
    five = 5
    return x + 1, n is five, n is True, n is None


@program(lambda: (f8(3), ()), lambda: (f8(3), (1,)))
def tuple_is_the_empty_one(x, t):
    empty = ()
    return x + 1, t is empty


@program(lambda: (f8(3),))
def nan_is_in_its_containers(x):
    nan = Box.nan
    return x + 1, nan in (nan,), (nan,) == (nan,), [nan].count(nan), [nan].index(nan), nan == nan


@program(lambda: (f8(3),))
def array_is_in_its_list(x):
    items = [x, x + 1]
    return x in items, items.index(x)


@program(lambda: (Box(1), f8(3)))
def class_attribute_is_not_deleted(box, x):
    try:
        del box.kind
    except AttributeError:
        return x + 1
    return x + 2


@program(lambda: (Box(1), f8(3)))
def attribute_deleted_twice(box, x):
    try:
        del box.a
        del box.a
    except AttributeError:
        return x + 1, vars(box)
    return x + 2


@program(lambda: (Disguised(), f8(3)))
def class_that_is_a_property(thing, x):
    return x + 1, thing.__class__, isinstance(thing, int)


@scenario
def global_read_through_its_module(jit):
    module = types.ModuleType("levels")
    module.__dict__.update(me=module, level=1.0)
    exec(
        "def f(x):\n    global level\n    level = 3.0\n    return x + me.level",
        module.__dict__,
    )
    yield jit(module.f)(f8(3))


@scenario
def format_of_a_class(jit):
    class Kind:
        level = 1

    def f(x, text):
        return x + 1, text.format(Kind)

    g = jit(f)
    yield g(f8(3), "{0.level}")
    Kind.level = 2
    yield g(f8(3), "{0.level}")
