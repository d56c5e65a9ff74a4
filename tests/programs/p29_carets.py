"""Where in its line an exception is raised: the whole call, also where it has keywords."""

import traceback

import numpy as np
from support.arrays import f8, i8
from support.program import program


def carets(error):
    """The frames of the program only: their lines with what is marked in them."""
    return [
        (frame.lineno, frame.colno, frame.end_lineno, frame.end_colno)
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == __file__
    ]


@program(lambda: (f8(200), f8(200)), lambda: (f8(200), i8(200)))
def method_with_keywords(x, o):
    try:
        y = np.exp(x * 2.0) * x + 1.0
        z = 1 + y.clip(0.0, 1.0, out=o)
    except TypeError as error:
        return carets(error)
    return z


@program(lambda: (f8(200), f8(200)), lambda: (f8(200), f8(7)), lambda: (f8(200), i8(200)))
def function_with_keywords(x, o):
    try:
        np.add(x * 2 + 1, 1, out=o)
        np.copyto(o, x, where=x > 0)
    except (TypeError, ValueError) as error:
        return carets(error)
    return o


@program(lambda: (f8(200), f8(200)), lambda: (f8(200), f8(7)))
def first_of_all(x, o):
    try:
        o.sort(axis=-1, kind="stable" if x is not o else "heapsort")
        o[:] = x
    except ValueError as error:
        return carets(error)
    return o


@program(lambda: (f8(200), 0), lambda: (f8(200), 2))
def axis_that_is_not_there(x, axis):
    try:
        x.cumsum(axis=axis, out=x)
    except np.exceptions.AxisError as error:
        return carets(error)
    return x * 2
