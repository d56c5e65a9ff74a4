"""J1xx: instructions that are left to CPython."""

import asyncio
import math
import threading

import numpy as np
from support.arrays import f8
from support.breaking import breaks, of_text, way_out
from support.compiler import identity


def collected(fn):
    return lambda *args: list(fn(*args))


def awaited(fn):
    return lambda *args: asyncio.run(fn(*args))


class Pair:
    __match_args__ = ("left", "right")

    def __init__(self, left, right):
        self.left = left
        self.right = right


makes_a_generic_function = breaks("J101", lambda: (f8(4),))(
    of_text(
        """
def f(x):
    y = x * 2
    def same[T](a: T) -> T: return a  # J101
    return same(y) + 1
""",
        since=(3, 12),
    )
)


def same(a):
    return a


@way_out(makes_a_generic_function)
def calls_a_function_from_outside(x):
    y = x * 2
    return same(y) + 1


@breaks("J102", lambda: (f8(4),), drive=collected, iterated=True)
def yields(x):
    y = x * 2
    yield y  # J102
    y = y + 1
    yield y


@way_out(yields, drive=identity)
def returns_a_list(x):
    y = x * 2
    z = y + 1
    return [y, z]


class Ready:
    def __await__(self):
        return iter(())


@breaks("J103", lambda: (f8(4), Ready()), drive=awaited, iterated=True)
async def awaits(x, waited):
    y = x * 2
    await waited  # J103
    return y + 1


@way_out(awaits)
def is_a_plain_function(x, waited):
    y = x * 2
    return y + 1


@breaks("J104", lambda: (f8(4),))
def imports(x):
    y = x * 2
    import math  # J104

    return y + math.pi


@way_out(imports)
def has_imported(x):
    y = x * 2
    return y + math.pi


in_module = breaks("J105")(of_text("y = np.arange(4.0) * 2; z = y + 1"))  # J105


@way_out(in_module)
def in_a_function():
    y = np.arange(4.0) * 2
    z = y + 1


@breaks("J108", lambda: (f8(4),), after=False)
def raises(x):
    y = x * 2
    try:
        raise ValueError("no")  # J108
    except ValueError as error:
        y = y + (error.__traceback__ is not None)
    return y


@way_out(raises)
def catches(x):
    y = x * 2
    try:
        raise ValueError("no")
    except ValueError:
        y = y + True
    return y


@breaks("J110", lambda: (f8(4), threading.Lock()))
def enters(x, lock):
    y = x * 2
    with lock:  # J110
        y = y + 1
    return y - 1


@way_out(enters, drive=lambda fn: lambda x, lock: within(lock, fn, x))
def is_called_within(x, lock):
    y = x * 2
    y = y + 1
    return y - 1


def within(lock, fn, x):
    with lock:
        return fn(x, lock)


@breaks("J111", lambda: (f8(4),), drive=awaited, iterated=True)
async def iterates_asynchronously(x):
    y = x * 2
    async for i in Countdown():  # J111
        y = y + i
    return y


@way_out(iterates_asynchronously)
def iterates(x):
    y = x * 2
    for i in (1, 0):
        y = y + i
    return y


class Countdown:
    def __init__(self):
        self.left = 2

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.left -= 1
        if self.left < 0:
            raise StopAsyncIteration
        return self.left


@breaks("J112", lambda: (f8(4),))
def defines_a_class(x):
    y = x * 2

    class Local:  # J112
        scale = 3

    return y + Local.scale


class Outside:
    scale = 3


@way_out(defines_a_class)
def uses_a_class(x):
    y = x * 2
    return y + Outside.scale


@breaks("J113", lambda: (f8(4),))
def hands_a_generator_on(x):
    y = x * 2
    parts = (row * 2 for row in y)  # J113
    total = np.fromiter(parts, float)
    return total + 1


@way_out(hands_a_generator_on)
def computes_on_the_whole_array(x):
    y = x * 2
    total = y * 2
    return total + 1


@breaks("J114", lambda: (f8(4),))
def keeps_a_function(x):
    y = x * 2

    def scaled(a: float) -> float:  # J114
        return a * 2

    return scaled(y) + 1


def doubled(a: float) -> float:
    return a * 2


@way_out(keeps_a_function)
def has_a_function(x):
    y = x * 2
    return doubled(y) + 1


@breaks("J115", lambda: (Pair(f8(4), 2),))
def matches_a_class(pair):
    y = pair.left * 2
    match pair:
        case Pair(left, 2):  # J115
            y = y + left
    return y


@way_out(matches_a_class)
def compares(pair):
    y = pair.left * 2
    if isinstance(pair, Pair) and pair.right == 2:
        y = y + pair.left
    return y


@breaks("J116", lambda: (f8(4),), after=False)
def reads_an_unbound_name(x):
    y = x * 2
    try:
        y = y + never_assigned  # J116
    except NameError:
        y = y + 1
    return y


@way_out(reads_an_unbound_name)
def reads_a_bound_name(x):
    assigned = 1
    y = x * 2
    y = y + assigned
    return y
