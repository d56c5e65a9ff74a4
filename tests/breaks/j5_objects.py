"""J5xx: objects and effects."""

from collections import deque
from functools import cached_property
from types import FunctionType

import numpy as np
from support.arrays import f8
from support.breaking import breaks


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


@breaks("J502", lambda: (f8(4), Recorder()))
def reads_through_getattr(x, recorder):
    y = x * 2
    n = recorder.anything  # J502
    return y + n


@breaks("J503", lambda: (f8(4), Table()))
def reads_through_a_descriptor(x, table):
    y = x * 2
    n = table.doubled  # J503
    return y + n


@breaks("J504", lambda: (f8(4), Table()), after=False)
def reads_what_is_missing(x, table):
    y = x * 2
    try:
        y = y + table.colour  # J504
    except AttributeError as error:
        y = y + len(error.name)
    return y


@breaks("J505", lambda: (f8(4),))
def holds_itself(x):
    y = x * 2
    parts = []
    parts.append(parts)  # J505
    print(len(parts))
    return y + len(parts[0])


@breaks("J507", lambda: (f8(4),))
def writes_a_global_elsewhere(x):
    y = x * 2
    set_elsewhere(3)
    return y + 1


@breaks("J508", lambda: (f8(4),))
def calls_what_has_its_own_builtins(x):
    y = x * 2
    z = with_its_own_builtins(y)  # J508
    return z - 1


@breaks("J509", lambda: (f8(4),))
def formats(x):
    y = x * 2
    text = f"{y.sum():.3f}"  # J509
    return y + len(text)


@breaks("J510", lambda: (f8(4), {1, 2}, {2, 3}))
def combines_sets(x, some, others):
    y = x * 2
    both = some | others  # J510
    return y + len(both)


@breaks("J511", lambda: (f8(4), deque([1.0, 2.0])))
def reads_a_deque(x, queue):
    y = x * 2
    first = queue[0]  # J511
    return y + first


@breaks("J512", lambda: (f8(4), [1.0, 2.0]), after=False)
def reads_past_the_end(x, items):
    y = x * 2
    try:
        y = y + items[5]  # J512
    except IndexError as error:
        y = y + len(str(error))
    return y


@breaks("J513", lambda: (f8(4), Fixed()), after=False)
def sets_what_there_is_no_room_for(x, fixed):
    y = x * 2
    try:
        fixed.colour = 3  # J513
    except AttributeError:
        y = y + 1
    return y


@breaks("J514", lambda: (f8(4),))
def passes_an_odd_value(x):
    y = x * 2
    is_number = np.isscalar(helper)  # J514
    return y + is_number
