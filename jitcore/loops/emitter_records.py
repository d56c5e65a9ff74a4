"""What the emitter knows of arrays, stacks and products while it writes a loop."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node, Value
from jitcore.ir.types import StackType


class Fact(Enum):
    """What is asked about lines that are written: `LoopEmitter.note`."""

    INDEPENDENT = "independent"  # a loop over elements, of which -O3 makes several
    SELECTS = "selects"  # calls rt_select
    ASKS = "asks"  # of the routine's world, or jumps to one of its ways
    LEAVES = "leaves"  # to where others leave to, instead


@dataclass(frozen=True, slots=True)
class Variable:
    """Of the routine. `count`: of an array's elements."""

    ctype: str
    name: str
    count: int = 0

    def __str__(self) -> str:
        return f"{self.ctype} {self.name}{f'[{self.count}]' if self.count else ''};"


@dataclass(frozen=True, slots=True)
class Layout:
    """The first element, extents, and steps in bytes."""

    pointer: str
    extents: tuple[str, ...]
    steps: tuple[str, ...]
    ones: tuple[bool, ...]  # axes of which it is known that their extent is 1
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Size:
    """An extent of an array that is given, and so many more."""

    array: Value
    axis: int
    more: int


@dataclass(frozen=True, slots=True, eq=False)
class DelayedNode:
    """`args`: values of parts of arrays, or C texts of numbers; `dtypes` of the operation."""

    node: Node
    extents: tuple[str, ...]
    ones: tuple[bool, ...]
    args: tuple[Any, ...]
    dtypes: tuple[np.dtype[Any], ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.dtypes[-1]


@dataclass(frozen=True, slots=True)
class LocalStack:
    """`room`: its number; the next one is taken when it grows. `count`: a variable."""

    room: int
    count: str
    kind: StackType

    @property
    def first(self) -> str:
        return f"rooms[{self.room}].first"


class SubscriptKind(Enum):
    """Where along an axis a round reads or writes."""

    ITEM = "item"  # at the round's own place: index
    AT = "at"  # index, in each round
    SLICE = "slice"  # count places from start on, in each round
    GROWING = "growing"  # as many as the round's own place says, from the first on
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Subscript:
    """`index`: of ITEM, AT and GROWING; of a slice, where it begins. Values, or ints."""

    how: SubscriptKind
    index: Any = 0
    count: Any = 0

    @property
    def given(self) -> tuple[Any, ...]:
        return self.index, self.count


ANYWHERE = Subscript(SubscriptKind.ANY)


@dataclass(frozen=True, slots=True)
class Access:
    array: Value
    axes: tuple[Subscript, ...]


@dataclass(frozen=True, slots=True)
class BatchedProducts:
    """`variable`: an rt_ahead, or rt_rows (batch_gemv.py). `index`, `end`: of rounds, in C."""

    variable: str
    index: str
    end: str
    operands: tuple[Access, Access]
    pairs: tuple[tuple[Access, Access], ...]  # of one name, to be looked at
    others: tuple[tuple[Value, Value], ...]  # names that may be of one memory
    written: tuple[Value, ...]  # that are read too: indices tell, if elements lie apart
    growing: bool


@dataclass(frozen=True, slots=True)
class BatchedRows:
    """Of a vector and a matrix. `rest`: where the columns begin, one further on in each round."""

    plan: BatchedProducts
    rest: Value | None


@dataclass(frozen=True, slots=True)
class ForwardedStore:
    """`place`, `value`: variables. `loads` may read what the one store has written."""

    place: str
    value: str
    loads: frozenset[Node]

    def loaded(self, address: str, loaded: str) -> str:
        return f"__builtin_expect({address} == {self.place}, 1) ? {self.value} : {loaded}"

    def stored(self, address: str, text: str) -> str:
        return f"{self.place} = {address}; {self.value} = {text};"


INPUT = "O"


Port = tuple[str, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Callback:
    """`operands`: ports; of an array of the routine's own, the port says which array it is."""

    fn: Any
    names: tuple[str, ...] | None
    template: tuple[Any, ...]
    operands: tuple[Port, ...]
    results: tuple[Port, ...]

    def row(self, scalars: int) -> tuple[Any, ...]:
        """With the places of arrays among all inputs, of which numbers come first."""
        operands = tuple(
            (kind, num + scalars, ndim) if kind == INPUT else (kind, num, ndim)
            for kind, num, ndim in self.operands
        )
        return self.fn, self.names, self.template, operands, self.results
