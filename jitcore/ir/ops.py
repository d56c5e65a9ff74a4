"""THE OP TABLE: every row, and how a call finds its row.

OPS         name -> row
BY_CALL     callable -> row, by identity: looking up a user's object runs none of its code
row_of      as BY_CALL, and bound methods of ufuncs (np.add.reduce)
BY_OPERATOR operator text, as in the bytecode -> row
METHODS     name of an ndarray method -> row; the array is the first argument
ATTRIBUTES  name of an ndarray attribute -> what it is
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import ops_control, ops_operator, ops_ufunc
from .op import Op
from .ops_operator import BY_OPERATOR, specialise

__all__ = ["BY_CALL", "BY_OPERATOR", "OPS", "row_of", "specialise"]

_TABLES = (ops_ufunc, ops_operator, ops_control)

OPS: Mapping[str, Op] = {row.name: row for table in _TABLES for row in table.ROWS}


class ByCall(Mapping[Any, Op]):
    """Callable -> row. The rows keep their targets alive, so an id stands for one object only."""

    def __init__(self, rows: Mapping[str, Op]) -> None:
        self._rows = {id(row.target): row for row in rows.values() if row.target is not None}

    def __getitem__(self, call: Callable[..., Any]) -> Op:
        return self._rows[id(call)]

    def __iter__(self) -> Iterator[Any]:
        return (row.target for row in self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)


BY_CALL = ByCall(OPS)


def row_of(call: Any) -> Op | None:
    return BY_CALL.get(call)
