"""Why a place was compiled again, in the user's words."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest

from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.notify import collect
from jitcore.runtime.records import MOST_RECOMPILES, Recompile, records

KEPT = replace(environment(), keep_all=True)


def told(fn):
    return [str(one).split(": ", 1)[1] for one in records.find(fn.__code__).recompiles]


def test_each_thing_that_varies():
    class Layer:
        def __init__(self, n):
            self.w, self.b = np.ones((3, n)), 0.5

        def run(self, x, n, act="relu"):
            y = x @ self.w[:, :n] + self.b
            return np.maximum(y, 0) * 2 + 1 if act == "relu" else np.tanh(y) * 2

    run = attach(Layer.run, replace(KEPT, dynamic=False))
    line = Layer.run.__code__.co_firstlineno + 1
    layer, x = Layer(64), np.ones((50, 3))
    run(layer, x, 3)
    run(layer, x, 3)
    assert told(run) == []
    run(layer, x, 4)
    run(layer, x.astype("f4"), 4)
    run(layer, x, 4, "tanh")
    layer.w = np.ones((3, 128))
    run(layer, x, 4)
    layer.b = 1
    run(layer, x, 4)
    assert told(run) == [
        f"n: 3 → 4 (reaches a shape at line {line}): another entry",
        "x.dtype: float64 → float32: another entry",
        "act: 'relu' → 'tanh': another entry",
        "self.w.shape[1]: 64 → 128: another entry",
        "type(self.b): float → int: another entry",
    ]
    first = records.find(run.__code__).recompiles[0]
    assert (first.place.function, first.place.lineno) == (Layer.run.__qualname__, line)
    assert first.changes[0].guard == "n == 3"


def helper(x, k):
    return np.sqrt(x[:k]) + 1.0


def test_a_constant_of_a_function_that_is_called():
    def f(x, k):
        return helper(x, k) * 2

    made = attach(f, KEPT)
    made(np.ones(9), 3)
    made(np.ones(9), 4)
    line = helper.__code__.co_firstlineno + 1
    assert told(made) == [f"k: 3 → 4 (reaches a shape at line {line} of helper): another entry"]


def test_sizes_become_dynamic():
    made = attach(lambda x, y: np.sqrt(x * x + y) * np.exp(-x), KEPT)
    for n in (10, 20, 30):
        made(np.ones(n), np.ones(n))
    assert told(made) == ["x.shape[0]: 10 → 20; y.shape[0]: 10 → 20: made dynamic"]


def test_the_nearest_entry_is_compared_with():
    made = attach(lambda x, k: np.sqrt(x[:k]) * 2 + 1, replace(KEPT, dynamic=False))
    made(np.ones(9), 3)
    made(np.ones(8, "f4"), 2)
    made(np.ones(9), 4)  # one guard of the first entry fails, three of the second
    assert told(made)[1].startswith("k: 3 → 4 (")


def test_of_an_entry_for_many_sizes_what_differs_counts():
    """Not how many arrays: each of these fails one guard of either entry."""

    def rows(x, y):
        return np.exp(x - y.max(axis=-1, keepdims=True)) * y

    made = attach(rows, KEPT)
    for shape in ((76, 4, 22), (30, 64, 32), (30, 64, 32), (1, 64, 32)):
        made(np.ones(shape), np.ones(shape))
    *_, last = records.find(made.__code__).recompiles
    assert {one.source for one in last.changes} == {"x.shape[0]", "y.shape[0]"}
    assert " to " in last.changes[0].before and last.changes[0].after == "1"


def test_of_several_that_are_as_near_the_latest_is_compared_with():
    made = attach(lambda x: np.sqrt(x * x + 1.0) * np.exp(-x), KEPT)
    for n in (10, 20, 30, 1):
        made(np.ones(n))
    assert told(made)[-1].startswith("x.shape[0]: 2 to ")


def test_left_to_cpython():
    made = attach(lambda x: np.sqrt(x) * 2 + 1, KEPT)
    made(np.ones(9))
    with np.errstate(over="raise"):
        made(np.ones(9))
    assert told(made) == ["np.geterr()['over']: warn → raise: runs in CPython"]


def test_where_guards_hold_nothing_is_told():
    """A loop that is left is asked about again: that is no recompile."""

    def f(x, n):
        total = 0
        for i in range(n):
            total += x[i]
        return total

    made = attach(f, KEPT)
    x = np.ones(100)
    for _ in range(3):
        made(x, 100)
    with pytest.raises(IndexError):
        made(x, 101)
    assert told(made) == []


def test_they_are_collected_and_logged(caplog):
    made = attach(lambda x: np.sqrt(x) * 2 + 1, KEPT)
    made(np.ones(9))
    with collect() as found, caplog.at_level(logging.INFO, "jitcore.recompiles"):
        made(np.ones(9, "f4"))
    (one,) = (item for item in found if isinstance(item, Recompile))
    assert [record.getMessage() for record in caplog.records] == [str(one)]
    assert one.changes[0].source == "x.dtype"


def test_few_are_kept():
    """And nothing of the user's objects."""
    made = attach(lambda x, k: np.sqrt(x[:k]) * 2 + 1, replace(KEPT, cache_limit=1000))
    for k in range(2, 2 * MOST_RECOMPILES):
        made(np.ones(500), k)
    found = records.find(made.__code__).recompiles
    assert len(found) == MOST_RECOMPILES
    assert found[-1].changes[0].after == str(2 * MOST_RECOMPILES - 1)
