"""What changes between two calls, or within one: classes, named tuples, slots, descriptors."""

import typing

import numpy as np
from support.arrays import f8
from support.program import scenario


class Pair(typing.NamedTuple):
    a: object
    b: float = 2.0


class Loud(property):
    def __get__(self, instance, owner):
        return 11.0


class Doubling(staticmethod):
    def __get__(self, instance, owner):
        return lambda x: x * 2.0


class Meta(type):
    def __get__(cls, instance, owner):
        return 12.0


class Holder:
    loud = Loud(lambda self: 1.0)
    still = Doubling(lambda x: x + 1.0)
    made = Meta("made", (), {})
    wrapped = staticmethod(classmethod(lambda cls, x: x + 1.0))


@scenario
def descriptors_that_are_subclasses(jit):
    holder = Holder()
    f = jit(lambda x: (x + holder.loud, holder.still(x), x + Holder.loud, x + holder.made))
    yield f(f8(3)), f(f8(3))
    Loud.__get__ = lambda self, instance, owner: 5.0
    Holder.made = 3.0
    yield f(f8(3)), f(f8(3))
    Loud.__get__ = property.__get__
    try:
        yield f(f8(3))
    except TypeError as error:
        yield error


@scenario
def static_class_method(jit):
    f = jit(lambda x: (x + 1.0, Holder.wrapped))
    yield type(f(f8(3))[1]).__name__


@scenario
def setter_of_a_subclass_of_property(jit):
    class Stored(property):
        def __set__(self, instance, value):
            vars(instance)["kept"] = value * 100.0

    class Thing:
        w = Stored(lambda self: self.kept, lambda self, value: vars(self).update(kept=value))

    def f(thing, x):
        thing.w = x * 2.0
        return thing.kept + 1.0

    g = jit(f)
    yield g(Thing(), f8(3)), g(Thing(), f8(3))


def change_of_pairs():
    """Each way to make a named tuple another thing, and back."""
    item = vars(Pair)["a"]
    new = Pair.__new__
    yield "as it is"
    Pair.a = property(lambda self: 9.0)
    yield "property"
    Pair.a, Pair.b = vars(Pair)["b"], item
    yield "swapped"
    Pair.a, Pair.b = item, Pair.a
    Pair._fields = ("b", "a")
    yield "fields"
    Pair._fields = ("a", "b")
    Pair.__getitem__ = lambda self, at: 3.0
    yield "items"
    del Pair.__getitem__
    Pair.__iter__ = lambda self: iter((4.0, 5.0))
    yield "iterator"
    del Pair.__iter__
    Pair.__len__ = lambda self: 7
    yield "length"
    del Pair.__len__
    Pair.__bool__ = lambda self: False
    yield "truth"
    del Pair.__bool__
    Pair.__add__ = lambda self, other: 8.0
    yield "sum"
    del Pair.__add__
    Pair.count = lambda self, value: 6
    yield "method"
    del Pair.count
    Pair.__new__.__defaults__ = (5.0,)
    yield "default"
    Pair.__new__.__defaults__ = (np.ones(3),)
    yield "array as default"
    Pair.__new__.__defaults__[0][:] = 4.0
    yield "array that changed"
    Pair.__new__ = lambda cls, a, b=1.0: tuple.__new__(cls, (b, a))
    yield "constructor"
    Pair.__new__ = new
    yield "again"


@scenario
def named_tuples_that_change(jit):
    def f(pair, x):
        a, b = pair
        y = x * a + b * pair.a - pair[1] + len(pair)
        return y, (1.0 if pair else 2.0), pair + (), pair.count(x[0]), Pair(x)

    g = jit(f)
    pair = Pair(3.0, 4.0)
    for name in change_of_pairs():
        for _ in range(2):
            try:
                yield name, g(pair, f8(3))
            except Exception as error:
                yield name, error


@scenario
def slots_of_other_names(jit):
    class Slots:
        __slots__ = ("k", "w")

        def __init__(self, k, w):
            self.k, self.w = k, w

    class Sub(Slots):
        __slots__ = ()
        other = Slots.k

    g = jit(lambda s, x: x * s.other + s.w)
    s = Sub(2.0, f8(3))
    yield g(s, f8(3)), g(s, f8(3))
    s.k = 5.0
    yield g(s, f8(3))
    Sub.w = Slots.k
    yield g(s, f8(3)), g(s, f8(3))
    Slots.k, Slots.w = Slots.w, Slots.k
    yield g(s, f8(3)), g(s, f8(3))
