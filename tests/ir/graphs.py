"""Graphs that several tests use."""

import numpy as np

from jitcore.ir import BY_OPERATOR, OPS, Builder, Graph, ScalarType, Value, type_of

F8 = ScalarType(np.dtype("f8"))
PYINT = type_of(0)


def straight() -> Graph:
    """x * x + sin(y), and its sum."""
    b = Builder()
    x, y = b.input(type_of(np.zeros((3, 4)))), b.input(type_of(np.zeros(4)))
    square = b.emit(BY_OPERATOR["*"], (x, x))
    total = b.emit(BY_OPERATOR["+"], (square, b.emit(OPS["sin"], (y,))), where="model.py:3")
    return b.graph("straight", (total, b.emit(OPS["sum"], (total,), {"axis": 0})))


def sum_positive() -> Graph:
    """s = 0.0; for i in range(n): if a[i] > 0: s += a[i]"""
    b = Builder()
    a, n = b.input(type_of(np.zeros(5))), b.input(PYINT)
    i, acc = Value(PYINT), Value(F8)
    with b.body(i, acc) as loop:
        x = b.emit(OPS["getitem"], (a, i))
        positive = b.emit(BY_OPERATOR[">"], (x, 0))
        with b.body() as then:
            then.results = (b.emit(BY_OPERATOR["+"], (acc, x)),)
        with b.body() as other:
            other.results = (acc,)
        loop.results = b.control("cond", (positive,), then.done, other.done)
    return b.graph("sum_positive", b.control("for", (n, np.float64(0.0)), loop.done))


def halve() -> Graph:
    """k = 0; while x > tol: x = x * 0.5; k += 1"""
    b = Builder()
    x, tol = b.input(F8), b.input(F8)
    v, k = Value(F8), Value(PYINT)
    with b.body() as enter:
        with b.body(v, k) as loop:
            half = b.emit(BY_OPERATOR["*"], (v, 0.5))
            again = b.emit(BY_OPERATOR[">"], (half, tol))
            loop.results = (again, half, b.emit(BY_OPERATOR["+"], (k, 1)))
        enter.results = b.control("loop", (x, 0), loop.done)
    with b.body() as skip:
        skip.results = (x, 0)
    test = b.emit(BY_OPERATOR[">"], (x, tol))
    return b.graph("halve", b.control("cond", (test,), enter.done, skip.done))


def stores() -> Graph:
    """a[1:] += 1; np.add(a, 1.0, out=b)"""
    b = Builder()
    a, c = b.input(type_of(np.zeros(4))), b.input(type_of(np.zeros(4)))
    view = b.emit(OPS["getitem"], (a, slice(1, None)))
    b.emit(OPS["setitem"], (a, slice(1, None), b.emit(BY_OPERATOR["+="], (view, 1))))
    return b.graph("stores", (b.emit(OPS["add"], (a, 1.0), {"out": c}), a))


ALL = (straight, sum_positive, halve, stores)
