"""J9xx: whole frames."""

import functools
import sys
from contextlib import contextmanager

import numpy as np
from support.arrays import f8
from support.breaking import breaks, of_text, way_out

import jitcore
from jitcore import pipeline
from jitcore.ir.interp import interpret
from jitcore.runtime import allowance
from jitcore.verify import internal


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
    """A capture that fails as none should, and of which nobody has been told."""
    before = pipeline.capture
    internal.seen.clear()

    def fails(*args):
        raise KeyError("inside")

    pipeline.capture = fails
    try:
        yield
    finally:
        pipeline.capture = before


@contextmanager
def no_time():
    """Nothing has run for as long as compiling takes."""
    before = allowance.is_free, allowance.allowed
    allowance.is_free, allowance.allowed = lambda record: False, lambda *place: 0.0
    try:
        yield
    finally:
        allowance.is_free, allowance.allowed = before


def refuses(graph, inputs):
    raise RuntimeError("no device")


def obliges(graph, inputs):
    return lambda *values: interpret(graph, *values)


jitcore.register_backend("refuses", refuses)
jitcore.register_backend("obliges", obliges)


@breaks("J901", lambda: (f8(4),), drive=traced, graphs=False, fullgraph=False)  # J901
def is_traced(x):
    return x * 2 + 1


@way_out(is_traced)
def runs_untraced(x):
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


@way_out(is_too_long)
def is_a_loop(x):
    for _ in range(1500):
        x = x * 0.5 + 1
    return x


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


@way_out(has_many_shapes, drive=for_many_lengths)
def has_one_version_for_all_sizes(x):
    return x * 2 + 1


@breaks("J904", lambda: (f8(4),), drive=raising, graphs=False)  # J904
def runs_where_errors_raise(x):
    return x * 2 + 1


def warning(fn):
    def call(*args):
        with np.errstate(under="warn"):
            return fn(*args)

    return call


@way_out(runs_where_errors_raise, drive=lambda fn: raising(warning(fn)))
def runs_where_errors_warn(x):
    return x * 2 + 1


@breaks(
    "J906",
    lambda: (f8(4),),
    world=a_fault,
    logged=True,
    graphs=False,
    raised=jitcore.InternalError,
)
def meets_a_fault(x):
    return x * 2 + 1  # J906


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


@way_out(is_refused, options={"backend": "obliges"})
def is_taken(x):
    return x * 2 + 1


@breaks("J912", lambda: (f8(4),), world=no_time, graphs=False, fullgraph=False)
def takes_too_long(x):
    return x * 2 + 1  # J912


def warmed_up(fn):
    def call(x):
        with no_time():
            fn.warmup(x)
            return fn(x)

    return call


@way_out(takes_too_long, drive=warmed_up)
def is_compiled_beforehand(x):
    return x * 2 + 1


multiplied = breaks("J909", lambda: (f8(4),), graphs=False, fullgraph=False)(
    functools.partial(np.multiply, 2.0)
)


@way_out(multiplied, others=("J910",))
def multiplies(x):
    return np.multiply(2.0, x)


@breaks("J910", lambda: ("a",), graphs=False, fullgraph=False)  # J910
def has_no_arrays(name):
    return name + "b"


@way_out(has_no_arrays, lambda: ("a", f8(4)), drive=lambda fn: lambda *args: fn(*args)[0])
def has_arrays(name, x):
    return name + "b", x * 2 + 1
