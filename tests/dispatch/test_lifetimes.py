"""Compiled code keeps nothing of the user alive: no namespace, function, class or array."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import jitcore

SOURCE = """
import numpy as np
import jitcore

factor = 2.0

def helper(x):
    return x * factor

class Layer:
    def __init__(self):
        self.w = np.ones(4)

    @jitcore.compile
    def method(self, x):
        return helper(x) * self.w

class Plain:
    pass

@jitcore.compile
def inlines(x):
    return helper(x) + 1

@jitcore.compile
def names_classes(x):
    return x * 2, Plain, helper, isinstance(x, Plain)

@jitcore.compile
def makes_functions(x):
    def inner(y):
        return y + x
    return inner

@jitcore.compile
def stores(x):
    global last
    last = x * 3
    return last

def run_method(x):
    Layer().method(x)

def nothing(x):
    pass
"""


@pytest.mark.parametrize(
    "name", ["inlines", "names_classes", "makes_functions", "stores", "run_method", "nothing"]
)
def test_a_namespace_goes(name):
    space = {"__name__": "made_up"}
    exec(SOURCE, space)
    x = np.arange(4.0)
    for _ in range(4):
        space[name](x)
    if name in ("inlines", "names_classes"):
        assert space[name]._hits >= 2
    watched = [space[key] for key in ("helper", "Layer", "Plain", "inlines", "names_classes")]
    watched += [x, space["inlines"].__code__, space[name].__code__]
    refs = [weakref.ref(obj) for obj in watched]
    del space, x, watched
    gc.collect()
    gc.collect()
    assert [ref() for ref in refs] == [None] * len(refs)


def test_a_slice_of_arrays_is_not_kept():
    def f(x, part):
        return x * 2 + 1 if part is not None else x

    compiled = jitcore.compile(f)
    array = np.arange(10)
    part = slice(array, None)
    before = sys.getrefcount(part), sys.getrefcount(array)
    for _ in range(3):
        compiled(np.ones(3), part)
    assert (sys.getrefcount(part), sys.getrefcount(array)) == before
