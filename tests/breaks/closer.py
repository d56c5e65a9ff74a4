"""Rows of jitcore/fallback/hints.py: what a closer hint is about, and what becomes of it."""

import collections
import copy
import functools
import itertools
import json
import logging
import types
from types import FunctionType

import numpy as np
from support.arrays import f8
from support.breaking import closely, way_out

import jitcore

log = logging.Logger("program", logging.WARNING)


@functools.lru_cache
def remembered(n):
    return n * 3


@closely("J201", lambda: (f8(4),))
def sorts(x):
    y = x * 2
    z = sorted(y)
    return y + z[0]


@way_out(sorts)
def sorts_by_numpy(x):
    y = x * 2
    z = np.sort(y)
    return y + z[0]


@closely("J303", lambda: (np.arange(200.0),))
def sorts_a_list_of_elements(x):
    items = []
    for item in x:
        items.append(item * 2)
    return x + sorted(items)[0]


@way_out(sorts_a_list_of_elements)
def sorts_an_array_of_them(x):
    items = np.sort(x * 2)
    return x + items[0]


@closely("J201", lambda: (f8(4),))
def takes_the_largest_by_a_key(x):
    y = x * 2
    return y + max(y, key=lambda v: -v)


@way_out(takes_the_largest_by_a_key)
def takes_it_by_an_array(x):
    y = x * 2
    return y + y[np.argmax(-y)]


@closely("J201", lambda: (f8(4),))
def makes_a_text(x):
    y = x * 2
    text = str(y.sum())
    return y, text


@way_out(makes_a_text, drive=lambda fn: lambda x: (lambda y, s: (y, str(s)))(*fn(x)))
def leaves_it_to_its_caller(x):
    y = x * 2
    return y, y.sum()


@closely("J201", lambda: (f8(4),))
def appends_what_another_call_gives(x):
    y = x * 2
    found = []
    found.append(remembered(4) / 2)
    return y + found[0]


@closely("J201", lambda: (f8(4), collections.deque([1.0, 2.0])))
def asks_how_many_are_in_a_deque(x, last):
    y = x * 2
    return y + len(last)


@way_out(asks_how_many_are_in_a_deque, lambda: (f8(4), 2))
def is_given_how_many(x, count):
    y = x * 2
    return y + count


@closely("J501", lambda: (f8(40), collections.deque(maxlen=3)))
def keeps_a_window_in_a_deque(x, window):
    y = x * 2
    for k in range(len(y)):
        window.append(y[k])
        y[k] = sum(window)
    return y


@way_out(keeps_a_window_in_a_deque, lambda: (f8(40),))
def keeps_it_in_an_array(x):
    y = x * 2
    window = np.zeros(3)
    for k in range(len(y)):
        window[k % 3] = y[k]
        y[k] = window[k % 3 - 2] + window[k % 3 - 1] + window[k % 3]
    return y


@way_out(keeps_a_window_in_a_deque, lambda: (f8(40),))
def takes_it_from_the_array(x):
    y = x * 2
    sums = y.copy()
    for k in range(len(y)):
        sums[k] = y[max(k - 2, 0) : k + 1].sum()
    return sums


@closely("J202", lambda: (f8(4),))
def remembers(x):
    y = x * 2
    return y + remembered(4)


@way_out(remembers)
def calls_the_plain_function(x):
    y = x * 2
    return y + remembered.__wrapped__(4)


@closely("J214", lambda: (f8(4),))
def keeps_arrays_in_an_array(x):
    pair = np.empty(2, dtype=object)
    pair[0] = x * 2
    return pair[0] + 1


@way_out(keeps_arrays_in_an_array)
def keeps_them_in_a_list(x):
    pair = [x * 2, None]
    return pair[0] + 1


@closely("J214", lambda: (f8(40),))
def asks_for_two_percentiles(x):
    y = x * 2
    low, high = np.percentile(y, [5, 95])
    return y * (high - low)


@closely("J218", lambda: (f8(3, 4),))
def loops_over_a_product(x):
    total = x * 2
    for i, j in itertools.product(range(3), range(4)):
        total = total + x[i, j]
    return total


@closely("J303", lambda: (f8(3, 4), itertools.product(range(3), range(4))))
def is_given_a_product(x, places):
    total = x * 2
    for i, j in places:
        total = total + x[i, j]
    return total


@way_out(is_given_a_product, lambda: (f8(3, 4),))
@way_out(loops_over_a_product)
def loops_within_a_loop(x):
    total = x * 2
    for i in range(3):
        for j in range(4):
            total = total + x[i, j]
    return total


@closely("J303", lambda: (f8(4), np.array([1.0, None, 3.0], dtype=object)))
def loops_over_an_array_of_objects(x, numbers):
    y = x * 2
    for n in numbers:
        y = y + (0.5 if n is None else n)
    return y


@way_out(loops_over_an_array_of_objects, lambda: (f8(4), [1.0, None, 3.0]))
def is_given_them_as_a_list(x, numbers):
    y = x * 2
    for n in numbers:
        y = y + (0.5 if n is None else n)
    return y


@closely("J303", lambda: (f8(40, 3),))
def filters_what_a_generator_gives(x):
    rows = (row - row.mean() for row in x)
    good = filter(lambda row: row.std() > 0.5, rows)
    return np.array(list(good)).sum(axis=0)


@way_out(filters_what_a_generator_gives)
def computes_on_all_rows(x):
    rows = x - x.mean(axis=1, keepdims=True)
    good = rows.std(axis=1, keepdims=True) > 0.5
    return np.where(good, rows, 0.0).sum(axis=0)


def to_solve():
    return np.eye(6) * 2 + 0.1, np.ones(6)


@closely("J304", to_solve)
def returns_what_the_last_round_has_made(a, b):
    d, x = a[0, 0], b * 0
    for _ in range(1000):
        new = (b - (a @ x - d * x)) / d
        if np.abs(new - x).max() < 1e-10:
            return new
        x = new


@closely("J306", to_solve)
def returns_it_from_an_endless_loop(a, b):
    d, x = a[0, 0], b * 0
    while True:
        new = (b - (a @ x - d * x)) / d
        if np.abs(new - x).max() < 1e-10:
            return new
        x = new


@way_out(returns_what_the_last_round_has_made)
def breaks_at_the_end_of_a_round(a, b):
    d, x = a[0, 0], b * 0
    for _ in range(1000):
        new = (b - (a @ x - d * x)) / d
        done = np.abs(new - x).max() < 1e-10
        x = new
        if done:
            break
    return x


@way_out(returns_it_from_an_endless_loop)
def breaks_out_of_the_endless_loop(a, b):
    d, x = a[0, 0], b * 0
    while True:
        new = (b - (a @ x - d * x)) / d
        done = np.abs(new - x).max() < 1e-10
        x = new
        if done:
            break
    return x


@closely("J303", lambda: (f8(4), {1.0, 2.0}))
def loops_over_a_set(x, numbers):
    y = x * 2
    for n in numbers:
        y = y + n
    return y


@way_out(loops_over_a_set, lambda: (f8(4), [1.0, 2.0]))
def loops_over_its_list(x, numbers):
    y = x * 2
    for n in numbers:
        y = y + n
    return y


@closely("J405", lambda: (f8(4),))
def makes_a_list(x):
    y = x * 2
    items = y.tolist()
    return y + items[0]


@way_out(makes_a_list)
def goes_on_with_the_array(x):
    y = x * 2
    return y + y[0]


@closely("J405", lambda: (f8(4),))
def takes_an_item(x):
    y = x * 2
    return y + y.item(3)


@way_out(takes_an_item)
def takes_a_number(x):
    y = x * 2
    return y + float(y[3])


@closely("J405", lambda: (np.arange(-2.0, 3.0),))
def selects(x):
    y = x * 2
    return y[y > 0].sum()


@way_out(selects)
def chooses(x):
    y = x * 2
    return np.where(y > 0, y, 0).sum()


@closely("J405", lambda: (np.arange(-2.0, 3.0),))
def finds_places(x):
    y = x * 2
    y[np.nonzero(y > 0)] = 1
    return y


@way_out(finds_places)
def goes_on_with_the_mask(x):
    y = x * 2
    return np.where(y > 0, 1, y)


@closely("J405", lambda: (np.arange(1.0, 5.0),))
def takes_a_size_from_an_element(x):
    n = int(x[1])
    return np.zeros(n) + x[0]


@way_out(takes_a_size_from_an_element, lambda: (np.arange(1.0, 5.0), 2))
def is_given_the_size(x, n):
    return np.zeros(n) + x[0]


@closely("J501", lambda: (f8(2, 2),))
def writes_by_flat(x):
    y = x * 2
    y.flat[2] = 3.0
    return y + 1


@way_out(writes_by_flat)
def writes_by_ravel(x):
    y = x * 2
    y.ravel()[2] = 3.0
    return y + 1


def found_late(name):
    if name != "part":
        raise AttributeError(name)
    return 3


lazy = types.ModuleType("lazy")
lazy.__getattr__ = found_late


@closely("J501", lambda: (f8(4),))
def uses_a_submodule_that_is_not_there(x):
    y = x * 2
    return y + lazy.part


@way_out(uses_a_submodule_that_is_not_there, lambda: (f8(4), lazy.part))
def is_given_it(x, part):
    y = x * 2
    return y + part


char = types.ModuleType("numpy.char")  # as NumPy 2.5 has it: its functions are found late
char.__getattr__ = functools.partial(getattr, np.char)


@closely("J501", lambda: (np.array(["a1", "b2", "a3"]), f8(3)))
def asks_strings(names, x):
    y = x * 2
    return char.startswith(names, "a") * y


@way_out(asks_strings, lambda: (np.char.startswith(np.array(["a1", "b2", "a3"]), "a"), f8(3)))
def is_given_the_mask(mask, x):
    y = x * 2
    return mask * y


@closely("J510", lambda: (f8(4), 4))
def repeats_a_list(x, n):
    out = [0.0] * n
    for i in range(n):
        out[i] = x[i] * 2
    return np.array(out)


@way_out(repeats_a_list)
def fills_an_array(x, n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = x[i] * 2
    return out


class Tagged:
    @property
    def __class__(self):
        return float


@closely("J201", lambda: (f8(4), Tagged()))
def asks_for_its_class(x, tag):
    y = x * 2
    return y + isinstance(tag, int)


@way_out(asks_for_its_class)
def asks_for_its_type(x, tag):
    y = x * 2
    return y + (type(tag) is int)


@closely("J202", lambda: (f8(4),))
def asks_jitcore_for_threads(x):
    y = x * 2
    return y + (jitcore.get_num_threads() > 0)


@way_out(asks_jitcore_for_threads, lambda: (f8(4), jitcore.get_num_threads()))
def is_told_of_threads(x, threads):
    y = x * 2
    return y + (threads > 0)


add_three = np.frompyfunc(lambda x: x + 3, 1, 1)


@closely("J202", lambda: (f8(4),))
def calls_a_ufunc_of_its_own(x):
    y = x * 2
    return np.asarray(add_three(y), float)


@way_out(calls_a_ufunc_of_its_own)
def calls_numpys(x):
    y = x * 2
    return np.add(y, 3)


@closely("J511", lambda: (f8(4), {number: 1.0 for number in range(100)}))
def reads_a_large_dict(x, numbers):
    y = x * 2
    return y + numbers[7]


@closely("J501", lambda: (f8(4), {number: 1.0 for number in range(100)}))
def gets_from_a_large_dict(x, numbers):
    y = x * 2
    return y + numbers.get(7)


@way_out(gets_from_a_large_dict, lambda: (f8(4), 1.0))
@way_out(reads_a_large_dict, lambda: (f8(4), 1.0))
def is_given_the_number(x, number):
    y = x * 2
    return y + number


@closely("", lambda: (f8(4),), inside="logging")
def logs(x):
    y = x * 2
    log.debug("the sum is %s", y.sum())
    return y


@way_out(logs)
def logs_if_somebody_looks(x):
    y = x * 2
    if log.isEnabledFor(logging.DEBUG):
        log.debug("the sum is %s", y.sum())
    return y


@closely("", lambda: (f8(4),), inside="copy")
def copies_deeply(x):
    y = x * 2
    return copy.deepcopy(y) + 1


@way_out(copies_deeply)
def copies(x):
    y = x * 2
    return y.copy() + 1


@closely("", lambda: (f8(4),), inside="json")
def writes_json(x):
    y = x * 2
    return y, json.dumps({"a": 1})


@way_out(writes_json, lambda: (f8(4), json.dumps({"a": 1})))
def is_given_the_text(x, text):
    y = x * 2
    return y, text


@closely("J304", lambda: (np.arange(300.0), 300))
def reads_what_a_round_before_has_set(x, n):
    s = 0.0
    for k in range(n):
        if x[k] > 2:
            s += t
        if x[k] > 1:
            t = x[k] * 2
    return x + s


@way_out(reads_what_a_round_before_has_set)
def sets_it_before_the_loop(x, n):
    s = t = 0.0
    for k in range(n):
        if x[k] > 2:
            s += t
        if x[k] > 1:
            t = x[k] * 2
    return x + s


@closely("J304", lambda: (np.arange(300.0),))
def sorts_many_items(x):
    y = x * 2
    z = sorted(y)
    return y + z[0]


@way_out(sorts_many_items)
def sorts_an_array(x):
    y = x * 2
    z = np.sort(y)
    return y + z[0]


@closely("J511", lambda: (np.arange(300.0),))
def looks_into_a_list_of_pythons(x):
    y = x * 2
    z = sorted(y)
    return y + z[0]


@way_out(looks_into_a_list_of_pythons)
def looks_into_an_array(x):
    y = x * 2
    z = np.sort(y)
    return y + z[0]


class Options(dict):
    pass


def scaled(x, factor):
    return x * factor


@closely("J511", lambda: (f8(4), Options(factor=3.0)))
def passes_options(x, options):
    y = x * 2
    return scaled(y, **options)


@way_out(passes_options, lambda: (f8(4), {"factor": 3.0}))
def passes_a_plain_dict(x, options):
    y = x * 2
    return scaled(y, **options)


@closely("J214", lambda: (f8(4), np.float64(3)))
def gives_a_list(x, k):
    y = x * 2
    z = np.log([k, 2, 3])
    return y * z[0]


@way_out(gives_a_list)
def gives_an_array(x, k):
    y = x * 2
    z = np.log(np.array([k, 2.0, 3.0]))
    return y * z[0]


# ---- J903: what varies ---------------------------------------------------------------------------


def with_sizes(fn):
    return lambda x: [fn(x[:n]) for n in range(2, 14)]


def with_ranks(fn):
    return lambda x: [fn(x.reshape((4, *(1,) * k))).reshape(-1) for k in range(12)]


def with_numbers(fn):
    return lambda x: [fn(x, k) for k in range(2, 14)]


def with_functions(fn):
    return lambda double, x: [fn(FunctionType(double.__code__, {}), x) for _ in range(12)]


def double(v):
    return v * 2.0


@closely("J903", lambda: (f8(20),), drive=with_sizes, dynamic=False)
def is_compiled_for_each_size(x):
    return np.cos(x) * 2 + 1


@way_out(is_compiled_for_each_size, drive=with_sizes)
def is_compiled_for_all_sizes(x):
    return np.cos(x) * 2 + 1


@closely("J903", lambda: (f8(20),), drive=with_sizes)
def has_a_power_of_its_size(x):
    return (np.cos(x) + 1)[: 2 ** len(x)] * 2


@way_out(has_a_power_of_its_size, drive=with_sizes)
def has_no_power(x):
    return (np.cos(x) + 1)[: len(x)] * 2


@closely("J903", lambda: (f8(4),), drive=with_ranks)
def is_called_with_many_ranks(x):
    return np.cos(x) * 2 + 1


def flat(fn):
    return lambda x: [fn(x.reshape((4, *(1,) * k)).reshape(-1)) for k in range(12)]


@way_out(is_called_with_many_ranks, drive=flat)
def is_called_with_one_rank(x):
    return np.cos(x) * 2 + 1


@closely("J903", lambda: (f8(20),), drive=with_numbers)
def makes_parts_with_a_number(x, k):
    return np.cos(x)[:k] * 2


def parts_of(fn):
    return lambda x: [fn(x)[:k] for k in range(2, 14)]


@way_out(makes_parts_with_a_number, drive=parts_of)
def makes_all_of_it(x):
    return np.cos(x) * 2


@closely("J903", lambda: (double, f8(20)), drive=with_functions)
def is_given_another_function(fn, x):
    return fn(np.cos(x)) * 2 + 1


def with_one_function(fn):
    return lambda double, x: [fn(double, x) for _ in range(12)]


@way_out(is_given_another_function, drive=with_one_function)
def is_given_one_function(fn, x):
    return fn(np.cos(x)) * 2 + 1
