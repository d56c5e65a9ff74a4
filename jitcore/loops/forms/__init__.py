"""Scalar operations in a native loop ─▶ C expressions with CPython's or NumPy's results.

    scalars.py       FORMS: name of a row ─▶ the function that writes it
    arithmetic.py    + - * / // % ** and bits: checked ints, floats, complex
    comparisons.py   < == is
    functions.py     signs, truth, conversions, math
    ufuncs.py        a ufunc on numbers: its C, or NumPy's inner loop
    elements.py      a[i, j] read and written
    slices.py        bounds of slices, extents

A form writes what C gets right for every operand. For an int beyond 64 bits, a zero divisor or a
warning it takes a side exit.
"""
