"""THE OP TABLE: every row, and how a call finds its row.

OPS          name -> row
BY_CALL      callable -> row, by identity: looking up a user's object runs none of its code
row_of       as BY_CALL, and functions of numpy.fft, and bound methods of ufuncs (np.add.reduce)
BY_OPERATOR  operator text, as in the bytecode -> row
METHODS      name of an ndarray method -> row; the array is the first argument
ATTRIBUTES   name of an ndarray attribute -> what it is

    ufunc.py         every ufunc, with C where C has the bits
    numpy.py         functions of NumPy's namespace with rules for their results
    opaque.py        functions without a rule, and names that break a graph
    array.py         indexing, methods and attributes of arrays
    numpy_scalar.py  the same of NumPy's scalars
    complex.py       parts of a Python complex
    operator.py      Python's operators and builtins on numbers
    python.py        rows made for one call: int, math.sqrt
    control.py       nodes with bodies: cond, for, loop
    loop.py          nodes that only bodies of loops have
    dyn_array.py     arrays with run-time extents, in loops
    local_stack.py   a list that a loop keeps to itself
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import BuiltinMethodType
from typing import Any

import numpy as np

from jitcore.ir.op import Op
from jitcore.ir.ops import (
    array,
    complex,
    control,
    dyn_array,
    local_stack,
    loop,
    numpy,
    numpy_scalar,
    opaque,
    operator,
)
from jitcore.ir.ops import ufunc as ops_ufunc

_TABLES = (
    *(ops_ufunc, operator, complex, array, numpy_scalar),
    *(numpy, opaque, control, loop, dyn_array, local_stack),
)


class ByCall(Mapping[Any, Op]):
    """Callable -> row. The rows keep their targets alive, so an id stands for one object only."""

    def __init__(self, rows: Mapping[str, Op]) -> None:
        # The first row of a target counts: np.linalg.outer may be np.outer.
        self._rows: dict[int, Op] = {}
        for row in rows.values():
            if row.target is not None:
                self._rows.setdefault(id(row.target), row)

    def __getitem__(self, call: Callable[..., Any]) -> Op:
        return self._rows[id(call)]

    def __iter__(self) -> Iterator[Any]:
        return (row.target for row in self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


OPS: Mapping[str, Op] = {row.name: row for table in _TABLES for row in table.ROWS}
BY_CALL = ByCall(OPS)


def row_of(call: Any) -> Op | None:
    row = BY_CALL.get(call)
    if row is not None:
        return row
    if type(call) is BuiltinMethodType and type(call.__self__) is np.ufunc:
        return _ufunc_method(call.__self__, call.__name__)
    return _fft().get(call) if "numpy.fft" in sys.modules else None


@cache
def _fft() -> ByCall:
    rows = opaque.fft_rows(np.fft)
    return ByCall({row.name: row for row in rows})


@cache
def _ufunc_method(ufunc: np.ufunc, name: str) -> Op | None:
    # A ufunc made by np.frompyfunc runs the user's code.
    known = ops_ufunc.UFUNC.get(ufunc.__name__)
    return opaque.ufunc_method(ufunc, name) if known and known.ufunc is ufunc else None


def row_named(name: str) -> Op:
    """The row of this name, whichever table it is in; KeyError if there is none."""
    if name in OPS:
        return OPS[name]
    if name.startswith("fft."):
        return {row.name: row for row in _fft().values()}[name]
    ufunc, _, method = name.rpartition(".")
    row = _ufunc_method(getattr(np, ufunc), method) if ufunc in OPS else None
    if row is None:
        raise KeyError(name)
    return row
