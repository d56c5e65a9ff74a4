"""The table itself: names, lookups, templates, and the page made from it."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import numpy.fft
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from arrays import check

from jitcore.ir import (
    ATTRIBUTES,
    BY_CALL,
    METHODS,
    OPS,
    Effect,
    Kind,
    Unsupported,
    row_named,
    row_of,
    specialise,
    type_of,
)
from jitcore.ir.ops.numpy_scalar import GENERIC

TOOL = Path(__file__).parents[2] / "tools" / "numpy_table.py"


def load_tool():
    spec = importlib.util.spec_from_file_location("numpy_table", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_current():
    tool = load_tool()
    assert tool.PAGE.read_text() == tool.page()


def test_every_function_is_decided():
    assert load_tool().undecided() == []


def test_lookups():
    assert row_of(np.add) is OPS["add"] is BY_CALL[np.add]
    assert row_of(np.sum).name == "sum"
    assert row_of(np.add.reduce) is row_of(np.add.reduce)
    assert row_of(np.add.reduce).name == "add.reduce"
    assert row_of(np.fft.fft).name == "fft.fft"
    assert row_named("fft.fft") is row_of(np.fft.fft)
    assert row_of(np.save) is None and row_of(print) is None
    assert row_of(np.frompyfunc(abs, 1, 1)) is None
    assert row_of(np.frompyfunc(abs, 1, 1).reduce) is None


class Hostile:
    def __hash__(self):
        raise AssertionError("the user's code ran")

    def __eq__(self, other):
        raise AssertionError("the user's code ran")


def test_lookups_run_no_code_of_the_user():
    assert row_of(Hostile()) is None
    assert type_of(Hostile()).cls is Hostile


@pytest.mark.parametrize("name", sorted(name for name, row in OPS.items() if row.c))
def test_templates(name):
    row = OPS[name]
    for template in row.c.values():
        filled = template.of(T="f64", U="u64").given(*("x", "y")[: row.ufunc.nin]).text
        assert "{" not in filled and filled.count("(") == filled.count(")")


def test_rows_are_consistent():
    for row in OPS.values():
        if row.kind is Kind.CONTROL:
            continue
        assert callable(row.target), row
        assert (row.kind is Kind.STORE) == bool(row.stores) == (row.effect is Effect.STORE), row


@pytest.mark.parametrize("name", sorted(set(METHODS) & set(dir(np.ndarray))))
def test_methods(name):
    assert METHODS[name].target is getattr(np.ndarray, name)


def test_attributes():
    x = np.zeros((3, 4), "f4", order="F")
    for name, attribute in ATTRIBUTES.items():
        if attribute.constant is not None and hasattr(x, name):
            assert attribute.constant(type_of(x)) == getattr(x, name), name
        if attribute.row is not None:
            assert attribute.row.target(x).shape == getattr(x, name).shape


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("add", (1, 2, 3), {}),
        ("sum", (1,), {"out": 2}),
        ("sum", (1, 0, None, 2), {}),
        ("ndarray.sum", (1, 0, None, 2), {}),
        ("ndarray.max", (1, 0, 2), {}),
        ("dot", (1, 2, 3), {}),
        ("matmul", (1, 2, 3), {}),
        ("take", (1, 2, 0, 3), {}),
        ("ndarray.clip", (1, 2, 3, 4), {}),
        ("add.reduce", (1, 0, None, 4), {}),
        ("nan_to_num", (1,), {"copy": False}),
        ("median", (1,), {"overwrite_input": True}),
    ],
)
def test_out_is_a_store(name, args, kwargs):
    assert row_named(name).effect_of(args, kwargs) is Effect.STORE


@pytest.mark.parametrize("cls", [np.bool, np.int8, np.uint64, np.float32, np.float64, np.complex64])
def test_methods_of_scalars(cls):
    """The rows of scalars call what the class itself has, and foretell it."""
    x = cls(1)
    for array_row, row in GENERIC.items():
        name = row.name.removeprefix("generic.")
        args = {"reshape": (x, -1), "astype": (x, "f4"), "clip": (x, 0, 1)}.get(name, (x,))
        found, given = specialise(row_named(array_row), args, {})
        assert found is row and given is args
        check(row, args)
        if name in ATTRIBUTES:
            assert row.target(x) == getattr(x, name)
        else:
            assert getattr(cls, name) is getattr(np.generic, name)


def test_python_numbers_have_no_such_methods():
    with pytest.raises(Unsupported):
        row_named("generic.sum").infer((1.5,), {})
