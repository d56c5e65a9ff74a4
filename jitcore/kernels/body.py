"""Group of nodes → straight-line program over typed variables: what emit/kernel_c.py prints.

    x: in f64    y: in f32    2.0: const f64
    v3 = f64(y)            cast, C
    v4 = x * v3            C
    v5 = exp(v4)           NumPy's loop
    v6 = v5 + 2.0          C            out

Every variable is an element of the loop: inputs come first, then constants and temporaries as they
are needed. NumPy's promotion shows as casts, so each step's operands have exactly its dtypes.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Any

import numpy as np

from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.c_expression import CExpression
from jitcore.toolchain.abi import Signature
from jitcore.toolchain.numpy_loops import Inner


@dataclass(frozen=True, slots=True)
class Input:
    """`signature` is checked at each launch; `laid`, where it is another, is how it lies in the
    loop."""

    signature: Signature
    laid: Signature | None = None

    @property
    def dtype(self) -> np.dtype:
        return self.signature.dtype

    @property
    def placed(self) -> Signature:
        return self.laid or self.signature


@dataclass(frozen=True, slots=True)
class Table(Input):
    """An array that is read at places known in the loop. In code it stands for the address of its
    element at the loop's own place."""


@dataclass(frozen=True, slots=True)
class Constant:
    value: np.generic

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype


@dataclass(frozen=True, slots=True)
class Temp:
    dtype: np.dtype


Var = Input | Constant | Temp


@dataclass(frozen=True, slots=True)
class BodyStep:
    """Without `code`, `inner` is called on chunks."""

    args: tuple[int, ...]
    outs: tuple[int, ...]
    code: CExpression | None = None
    inner: Inner | None = None
    within: str = ""  # C condition, of the operands and the value, outside which it is no value
    carried: str = ""  # where a row begins, what {1} is: the value of the element before, after


class BlockHelper(Enum):
    """Which functions do a chunk of elements."""

    EXTREMES = "extremes"
    TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class First:
    """A fold whose result is where the largest element is first, not what it is."""

    best: int  # the fold of the largest so far, beside it; -1: it stands still
    loop: object  # capsule of NumPy's function that looks through a row of elements as they are
    search: str  # C function that calls it for a chunk
    helper: str  # what makes that function
    rank: np.dtype  # the integers that are compared in the elements' stead


@dataclass(frozen=True, slots=True)
class Reduction:
    """What becomes of a variable's values: all that share a place in the result are combined."""

    result: Signature  # as the caller gets it
    dtype: np.dtype  # in which values are combined, as large as the result's
    laid: Signature  # as it lies in the loop: reduced axes have extent 1
    order: Signature  # of what is reduced: its memory decides the order
    start: str
    combine: str  # C expression of the result so far {0} and a value {1}; of First: {2} the
    # largest so far, {3} the place
    finish: CExpression | None  # of the result {0}, the number of its values {1}, the divisor {2}
    in_order: bool  # NumPy's order matters
    pairwise: bool  # and it is the one of float sums
    block: str  # C function that combines a chunk of elements as they are, or nothing
    raw: np.dtype  # those elements
    helper: BlockHelper | None = None  # that makes `block`
    divisor: str = ""
    doubtful: bool = False  # `finish` may find that the result is NumPy's business
    first: First | None = None
    loose: bool = False  # pairwise, but each leaf in an order of our own


@dataclass(slots=True)
class KernelBody:
    """Built by lower.py and lower_reduce.py; complete when `outputs` is set."""

    vars: list[Var] = field(default_factory=list)
    steps: list[BodyStep] = field(default_factory=list)
    outputs: dict[int, Signature] = field(default_factory=dict)
    folds: dict[int, Reduction] = field(default_factory=dict)  # results, too, after the outputs
    orders: list[Signature] = field(default_factory=list)  # of elements, where values are carried
    shared: dict[int, int] = field(default_factory=dict)  # input → the result that overwrites it
    places: dict[int, Any] = field(default_factory=dict, compare=False)  # variable → user's line
    numbers: list[int] = field(default_factory=list)  # number0, number1 … in code: known at launch

    def var(self, var: Var) -> int:
        self.vars.append(var)
        return len(self.vars) - 1

    def number(self, value: int) -> str:
        """Its name in code. Extents are numbers, so that one library serves many shapes."""
        if value not in self.numbers:
            self.numbers.append(value)
        return f"number{self.numbers.index(value)}"  # c64 is a type

    def loops(self) -> list[object]:
        """Capsules of NumPy's loops, as the kernel has them."""
        called = [step.inner.capsule for step in self.steps if step.inner]
        return called + [fold.first.loop for fold in self.folds.values() if fold.first]

    def searches(self) -> dict[Reduction, int]:
        """Which of the loops searches for a fold."""
        calls = sum(step.inner is not None for step in self.steps)
        found = [fold for fold in self.folds.values() if fold.first]
        return {fold: number for number, fold in enumerate(found, calls)}

    def inputs(self) -> list[int]:
        return [i for i, var in enumerate(self.vars) if isinstance(var, Input)]

    def operands(self) -> list[int]:
        """In launch order."""
        return [*self.inputs(), *self.outputs, *self.folds]
