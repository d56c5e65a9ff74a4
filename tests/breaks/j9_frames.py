"""J9xx: whole frames."""

import functools
import sys
from contextlib import contextmanager

import numpy as np
from support.arrays import f8
from support.breaking import breaks, of_text

import jitcore
from jitcore import pipeline


def traced(fn):
    def call(*args):
        before = sys.gettrace()
        sys.settrace(lambda *event: None)
        try:
            return fn(*args)
        finally:
            sys.settrace(before)

    return call


def raising(fn):
    def call(*args):
        with np.errstate(under="raise"):
            return fn(*args)

    return call


def for_many_lengths(fn):
    def call(x):
        for n in range(2, 14):
            fn(x[:n])
        return fn(x)

    return call


@contextmanager
def a_fault():
    """A capture that fails as none should."""
    before = pipeline.capture

    def fails(*args):
        raise KeyError("inside")

    pipeline.capture = fails
    try:
        yield
    finally:
        pipeline.capture = before


def refuses(graph, inputs):
    raise RuntimeError("no device")


jitcore.register_backend("refuses", refuses)


@breaks("J901", lambda: (f8(4),), drive=traced, graphs=False, fullgraph=False)  # J901
def is_traced(x):
    return x * 2 + 1


is_too_long = breaks("J902", lambda: (f8(4),), graphs=False, fullgraph=False)(
    of_text(
        f"""
def f(x):  # J902
    {"x = x * 0.5 + 1; " * 1500}
    return x
"""
    )
)


@breaks(  # J903
    "J903",
    lambda: (f8(20),),
    options={"dynamic": False},
    drive=for_many_lengths,
    after=False,
    graphs=False,
    fullgraph=False,
)
def has_many_shapes(x):
    return x * 2 + 1


@breaks("J904", lambda: (f8(4),), drive=raising, graphs=False)  # J904
def runs_where_errors_raise(x):
    return x * 2 + 1


@breaks("J906", lambda: (f8(4),), world=a_fault, logged=True, graphs=False, fullgraph=False)  # J906
def meets_a_fault(x):
    return x * 2 + 1


@breaks(  # J908
    "J908",
    lambda: (f8(4),),
    options={"backend": "refuses"},
    logged=True,
    graphs=False,
    fullgraph=False,
)
def is_refused(x):
    return x * 2 + 1


joined = breaks("J909", lambda: (("a", "b"),), graphs=False, fullgraph=False)(
    functools.partial("".join)
)


@breaks("J910", lambda: ("a",), graphs=False, fullgraph=False)  # J910
def has_no_arrays(name):
    return name + "b"
