"""Every row foretells what NumPy gives: dtype, shape, strides, flags, kind of scalar."""

import itertools
import sys
from pathlib import Path

import numpy as np
import numpy.fft
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from arrays import DTYPES, SHAPES, check, filled, layouts
from cases import CALLS

from jitcore.ir import OPS, Kind
from jitcore.ir.ops import row_named

MAPS = sorted(name for name, row in OPS.items() if row.loop)
BINARY = [name for name in MAPS if OPS[name].ufunc.nin == 2]
LAYOUT_MAPS = ["add", "exp", "less", "frexp", "sqrt", "logical_not"]
PYTHON = (True, 1, 2.5, 1j)


@pytest.mark.parametrize("name", MAPS)
def test_dtypes_of_maps(name):
    row = OPS[name]
    for dtypes in itertools.product(DTYPES, repeat=row.ufunc.nin):
        check(row, tuple(filled((3, 4), d) for d in dtypes))
        check(row, tuple(np.dtype(d).type(1) for d in dtypes))


@pytest.mark.parametrize("name", BINARY)
def test_python_scalars_in_maps(name):
    for dtype, number in itertools.product(DTYPES, PYTHON):
        for x in (filled((3,), dtype), np.dtype(dtype).type(1), filled((), dtype)):
            check(OPS[name], (x, number))
            check(OPS[name], (number, x))


@pytest.mark.parametrize("name", LAYOUT_MAPS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_layouts_of_maps(name, shape):
    row = OPS[name]
    for one in layouts(shape).values():
        if row.ufunc.nin == 1:
            assert check(row, (one,))
            continue
        for other_shape in {shape, (), shape[1:], (1,) * len(shape)}:
            for dtype in "df":
                for other in layouts(other_shape, dtype).values():
                    assert check(row, (one, other))


@pytest.mark.parametrize("char", "bhilBHILfdFD")
def test_a_power_of_two_is_a_square(char):
    """As ops_operator.py says of arrays of these types, whatever the release."""
    rng = np.random.default_rng(2)
    x = filled((1037,), char)
    if char in "FD":
        x = (rng.normal(size=1037) + 1j * rng.normal(size=1037)).astype(char)
        x[:5] = [complex(-0.0, -0.0), 5e-324, 1e30j, complex(np.inf, 1), complex(np.nan, 0)]
    with np.errstate(all="ignore"):
        for one in (x, x[::3], x[::-1]):
            assert (one**2).tobytes() == np.square(one).tobytes()


@pytest.mark.parametrize("operator", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_scalar_operators(operator):
    row = OPS[f"op.{operator}"]
    numbers = [np.dtype(d).type(2) for d in DTYPES] + [True, 2, 2.5, 2j]
    for x, y in itertools.product(numbers, repeat=2):
        check(row, (x, y))


def arguments(text, x):
    names = {"np": np, "x": x, "y": x if x.dtype == bool else x + 1, "i": np.zeros(2, int)}
    names |= {"F": np.float64(1.5), "I": np.int64(0), "S": np.eye(3).astype(x.dtype) * 2}
    return eval(f"(lambda *args, **kwargs: (args, kwargs))({text})", names)


def some_arrays(large):
    for shape in SHAPES:
        for dtype in "dl":
            yield from layouts(shape, dtype).values()
    for dtype in DTYPES:
        yield filled((3, 3), dtype)
    if not large:
        return
    yield filled((50, 60), "d", "F")
    yield filled((5, 60, 70), "f").transpose(1, 2, 0)
    yield filled((100, 100))[::2, ::2]
    yield filled((80, 80)).T


# Their results have as many elements as two of their arguments, multiplied.
PRODUCTS = {"kron", "tensordot", "outer", "add.outer", "multiply.outer"}

# Rows that cannot foretell any of the cases here, for the reason given in their rules.
UNKNOWN_RESULT = {"ndarray.fill", "ndarray.sort", "copyto", "add.at", "setitem"}


@pytest.mark.by_turns
@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    row = row_named(name)
    foretold = 0
    for text in CALLS[name]:
        arrays = some_arrays(name not in PRODUCTS) if "x" in text or "S" in text else [filled((3,))]
        for x in arrays:
            x = x.copy("K") if row.kind is Kind.STORE and x.flags.writeable else x
            try:
                args, kwargs = arguments(text, x)
            except (ValueError, IndexError, TypeError):
                continue
            foretold += check(row, args, **kwargs)
    assert foretold or row.name in UNKNOWN_RESULT
