"""J2xx: calls that are left to CPython."""

import binascii
import operator
import os
import time
import warnings

import numpy as np
from support.arrays import f8
from support.breaking import breaks, way_out

import jitcore

second = operator.itemgetter(1)


@jitcore.disable
def left_alone(y):
    return y * 3


def deeper(y, depth):
    return y + 1 if depth == 0 else deeper(y * 2, depth - 1)  # J209


def rows_of(y):
    for row in y:
        yield row * 2


async def never_awaited(y):
    return y


def one_argument(y):
    return y


def largest(row):
    return row.max()


class Reader:
    __slots__ = ("name",)

    def __new__(cls, name):
        self = super().__new__(cls)
        self.name = name
        return self


@breaks("J201", lambda: (f8(4),))
def calls_a_builtin(x):
    y = x * 2
    n = binascii.crc32(b"seed")  # J201
    return y + n


SUM = binascii.crc32(b"seed")


@way_out(calls_a_builtin)
def has_called_it_before(x):
    y = x * 2
    return y + SUM


@breaks("J202", lambda: (f8(4),))
def calls_an_unknown_object(x):
    y = x * 2
    scale = second([2, 3])  # J202
    return y + scale


@way_out(calls_an_unknown_object)
def calls_a_function(x):
    y = x * 2
    scale = (lambda items: items[1])([2, 3])
    return y + scale


@breaks("J204", lambda: (f8(4),))
def prints(x):
    y = x * 2
    print("between", y)  # J204
    return y + 1


@way_out(prints)
def leaves_printing_to_its_caller(x):
    y = x * 2
    return y + 1


@breaks("J205", lambda: (f8(4),))
def lists_a_folder(x):
    y = x * 2
    here = os.stat(__file__)  # J205
    return y + (here is None)


@way_out(lists_a_folder, lambda: (f8(4), os.stat(__file__)))
def is_given_what_was_read(x, here):
    y = x * 2
    return y + (here is None)


@breaks("J206", lambda: (f8(4), np.random.default_rng(1)))
def draws(x, rng):
    y = x * 2
    noise = rng.normal(size=4)  # J206
    return y + noise


@way_out(draws, lambda: (f8(4), np.random.default_rng(1).normal(size=4)))
def is_given_the_numbers(x, noise):
    y = x * 2
    return y + noise


@breaks("J207", lambda: (f8(4),))
def asks_for_a_break(x):
    y = x * 2
    jitcore.graph_break()  # J207
    return y + 1


@way_out(asks_for_a_break)
def asks_for_none(x):
    y = x * 2
    return y + 1


@breaks("J208", lambda: (f8(4),))
def calls_what_is_disabled(x):
    y = x * 2
    z = left_alone(y)  # J208
    return z + 1


def not_left_alone(y):
    return y * 3


@way_out(calls_what_is_disabled)
def calls_what_is_not(x):
    y = x * 2
    z = not_left_alone(y)
    return z + 1


@breaks("J209", lambda: (f8(4),))
def recurses(x):
    y = x * 2
    z = deeper(y, 30)
    return z + 1


@way_out(recurses)
def loops(x):
    y = x * 2
    for _ in range(30):
        y = y * 2
    z = y + 1
    return z + 1


@breaks("J210", lambda: (f8(4),))
def hands_on_what_a_function_yields(x):
    y = x * 2
    rows = rows_of(y)  # J210
    total = np.fromiter(rows, float)
    return y + total


def list_of_rows(y):
    return [row * 2 for row in y]


@way_out(hands_on_what_a_function_yields)
def calls_what_makes_a_list(x):
    y = x * 2
    total = np.array(list_of_rows(y))
    return y + total


@breaks("J211", lambda: (f8(3, 4),))
def is_called_back(x):
    y = x * 2
    found = np.apply_along_axis(largest, 1, y)  # J211
    return found + 1


@way_out(is_called_back)
def is_an_expression(x):
    y = x * 2
    found = y.max(axis=1)
    return found + 1


@breaks("J213", lambda: (f8(4),))
def changes_numpys_settings(x):
    y = x * 2
    before = np.seterr(under="warn")  # J213
    np.seterr(**before)
    return y + 1


@way_out(changes_numpys_settings)
def leaves_them_to_its_caller(x):
    y = x * 2
    return y + 1


@breaks("J214", lambda: (f8(4),))
def calls_numpy_oddly(x):
    y = x * 2
    table = np.fromiter([1, 2, 3, 4], float)  # J214
    return y + table


@way_out(calls_numpy_oddly)
def calls_numpy_plainly(x):
    y = x * 2
    table = np.array([1, 2, 3, 4], float)
    return y + table


@breaks("J215", lambda: (f8(4),), after=False)
def passes_too_much(x):
    y = x * 2
    try:
        y = one_argument(y, 3)  # J215
    except TypeError:
        y = y + 1
    return y


@way_out(passes_too_much)
def passes_what_is_declared(x):
    y = x * 2
    y = one_argument(y) + 1
    return y


@breaks("J216", lambda: (f8(4), 3.0), after=False)
def calls_a_number(x, k):
    y = x * 2
    try:
        y = k(y)  # J216
    except TypeError:
        y = y + 1
    return y


@way_out(calls_a_number, lambda: (f8(4), lambda y: y + 1))
def calls_what_can_be_called(x, k):
    y = x * 2
    y = k(y)
    return y


@breaks("J217", lambda: (f8(4),))
def makes_a_coroutine(x):
    y = x * 2
    waits = never_awaited(y)  # J217
    waits.close()
    return y + 1


@way_out(makes_a_coroutine)
def makes_none(x):
    y = x * 2
    return y + 1


@breaks("J218", lambda: (f8(4),))
def makes_an_object(x):
    y = x * 2
    reader = Reader("x")  # J218
    return y + len(reader.name)


@way_out(makes_an_object, lambda: (f8(4), Reader("x")))
def is_given_the_object(x, reader):
    y = x * 2
    return y + len(reader.name)


@breaks("J219", lambda: (f8(4),))
def reads_the_clock(x):
    y = x * 2
    now = time.time()  # J219
    return y + (now < 0)


@way_out(reads_the_clock, lambda: (f8(4), time.time()))
def is_given_the_time(x, now):
    y = x * 2
    return y + (now < 0)


@breaks("J220", lambda: (f8(4),))
def looks_at_itself(x):
    y = x * 2
    names = sorted(locals())  # J220
    return y + len(names)


@way_out(looks_at_itself, lambda: (f8(4), ["x", "y"]))
def is_given_the_names(x, names):
    y = x * 2
    return y + len(names)


@breaks("J221", lambda: (f8(4),))
def warns(x):
    y = x * 2
    warnings.warn("slow", stacklevel=1)  # J221
    return y + 1


@way_out(warns)
def leaves_warning_to_its_caller(x):
    y = x * 2
    return y + 1


@jitcore.compile(numerics="fast")
def doubled_otherwise(x):
    return x * 2


@jitcore.compile
def doubled_alike(x):
    return x * 2


@breaks("J222", lambda: (f8(4),))
def calls_what_is_compiled_otherwise(x):
    y = x + 1
    return doubled_otherwise(y) * 3  # J222


@way_out(calls_what_is_compiled_otherwise)
def calls_what_is_compiled_alike(x):
    y = x + 1
    return doubled_alike(y) * 3
