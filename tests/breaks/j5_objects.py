"""J5xx: objects and effects."""

from collections import deque
from functools import cached_property
from types import FunctionType

import numpy as np
from support.arrays import f8
from support.breaking import breaks, way_out


class Recorder:
    def __init__(self):
        self.found = {}

    def __getattr__(self, name):
        return len(name)


class Table:
    def __init__(self):
        self.size = 3

    @cached_property
    def doubled(self):
        return self.size * 2


class Fixed:
    __slots__ = ("size",)

    def __init__(self):
        self.size = 3


def set_total(value):
    global total
    total = value  # J507


def helper(value):
    return value + 1


ELSEWHERE = {"__name__": "elsewhere", "__builtins__": __builtins__}
set_elsewhere = FunctionType(set_total.__code__, ELSEWHERE)
with_its_own_builtins = FunctionType(helper.__code__, {"__builtins__": {"len": len}})


@breaks("J501", lambda: (f8(4),))
def reads_an_attribute(x):
    y = x * 2
    n = y.sum.__name__  # J501
    return y + len(n)


@way_out(reads_an_attribute, lambda: (f8(4), "sum"))
def is_given_the_name(x, name):
    y = x * 2
    return y + len(name)


@breaks("J502", lambda: (f8(4), Recorder()))
def reads_through_getattr(x, recorder):
    y = x * 2
    n = recorder.anything  # J502
    return y + n


class Holder:
    def __init__(self):
        self.anything = 8


@way_out(reads_through_getattr, lambda: (f8(4), Holder()))
def reads_a_plain_attribute(x, recorder):
    y = x * 2
    n = recorder.anything
    return y + n


@breaks("J503", lambda: (f8(4), Table()))
def reads_through_a_descriptor(x, table):
    y = x * 2
    n = table.doubled  # J503
    return y + n


class TableWithAProperty:
    def __init__(self):
        self.size = 3

    @property
    def doubled(self):
        return self.size * 2


@way_out(reads_through_a_descriptor, lambda: (f8(4), TableWithAProperty()))
def reads_a_property(x, table):
    y = x * 2
    n = table.doubled
    return y + n


@breaks("J504", lambda: (f8(4), Table()), after=False)
def reads_what_is_missing(x, table):
    y = x * 2
    try:
        y = y + table.colour  # J504
    except AttributeError as error:
        y = y + len(error.name)
    return y


@way_out(reads_what_is_missing)
def has_a_default(x, table):
    y = x * 2
    y = y + getattr(table, "colour", 6)
    return y


@breaks("J505", lambda: (f8(4),))
def holds_itself(x):
    y = x * 2
    parts = []
    parts.append(parts)  # J505
    print(len(parts))
    return y + len(parts[0])


@way_out(holds_itself, others=("J204",))
def makes_another(x):
    y = x * 2
    parts = [[0]]
    print(len(parts))
    return y + len(parts[0])


@breaks("J507", lambda: (f8(4),))
def writes_a_global_elsewhere(x):
    y = x * 2
    set_elsewhere(3)
    return y + 1


@way_out(writes_a_global_elsewhere, drive=lambda fn: lambda x: fn(x)[0])
def returns_the_value(x):
    y = x * 2
    return y + 1, 3


@breaks("J508", lambda: (f8(4),))
def calls_what_has_its_own_builtins(x):
    y = x * 2
    z = with_its_own_builtins(y)  # J508
    return z - 1


@way_out(calls_what_has_its_own_builtins)
def calls_a_plain_function(x):
    y = x * 2
    z = helper(y)
    return z - 1


@breaks("J509", lambda: (f8(4),))
def formats(x):
    y = x * 2
    text = f"{y}"  # J509
    return y + len(text)


def with_its_length(y):
    return y + len(f"{y}")


@way_out(formats, drive=lambda fn: lambda x: with_its_length(fn(x)))
def returns_what_is_to_be_formatted(x):
    y = x * 2
    return y


@breaks("J510", lambda: (f8(4), {1, 2}, {2, 3}))
def combines_sets(x, some, others):
    y = x * 2
    both = some | others  # J510
    return y + len(both)


@way_out(combines_sets, lambda: (f8(4), len({1, 2} | {2, 3})))
def is_given_what_comes_out(x, count):
    y = x * 2
    return y + count


@breaks("J511", lambda: (f8(4), deque([1.0, 2.0])))
def reads_a_deque(x, queue):
    y = x * 2
    first = queue[0]  # J511
    return y + first


@way_out(reads_a_deque, lambda: (f8(4), [1.0, 2.0]))
def reads_a_list(x, queue):
    y = x * 2
    first = queue[0]
    return y + first


@breaks("J512", lambda: (f8(4), [1.0, 2.0]), after=False)
def reads_past_the_end(x, items):
    y = x * 2
    try:
        y = y + items[5]  # J512
    except IndexError as error:
        y = y + (error.__traceback__ is not None)
    return y


@way_out(reads_past_the_end)
def asks_for_the_length(x, items):
    y = x * 2
    return y + (items[5] if len(items) > 5 else True)


@breaks("J513", lambda: (f8(4), Fixed()), after=False)
def sets_what_there_is_no_room_for(x, fixed):
    y = x * 2
    try:
        fixed.colour = 3  # J513
    except AttributeError:
        y = y + 1
    return y


@way_out(sets_what_there_is_no_room_for, lambda: (f8(4), Table()))
def sets_a_plain_attribute(x, table):
    y = x * 2
    table.colour = 3
    return y + 1


@breaks("J514", lambda: (f8(4),))
def passes_an_odd_value(x):
    y = x * 2
    is_number = np.isscalar(helper)  # J514
    return y + is_number


@way_out(passes_an_odd_value, lambda: (f8(4), np.isscalar(helper)))
def is_given_the_answer(x, is_number):
    y = x * 2
    return y + is_number
