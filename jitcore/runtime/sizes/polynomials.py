"""Numbers at several sizes → polynomials in a few variables, with whole coefficients.

    basis      extents, then whole parts of what sums of the variables before them make when divided
    monomials  of one extent up to its cube; of two or three, products of different ones, else all
               products of up to three; with quotients, products of two different ones (squares
               are not always apart: where n is divided by 2, that of what is left over is itself)

Solved exactly, by elimination over fractions; more samples than monomials, so that what is no such
polynomial has no solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.lazy_import import LazyModule

if TYPE_CHECKING:
    from fractions import Fraction

fractions = LazyModule("fractions")  # which loads decimal

Powers = tuple[int, ...]
Column = tuple[int, ...]  # a number at each sample
Divided = tuple[Column, int]  # what is divided, and by what
Terms = dict[Powers, int]  # how often each monomial
Quotient = tuple[int, ...]  # divisor, constant, and how often each of the variables before it
MOST = 3  # extents of a basis
VARIABLES = 4  # of a basis
DEGREE = 3  # of a polynomial in one extent


@dataclass(frozen=True, slots=True)
class Basis:
    """Its quotients stand behind its extents."""

    columns: tuple[Column, ...] = ()
    quotients: tuple[Quotient, ...] = ()

    @property
    def extents(self) -> int:
        return len(self.columns) - len(self.quotients)

    def monomials(self) -> Iterator[list[Powers]]:
        """Those of extents alone come first."""
        rest = (0,) * len(self.quotients)
        yield [(*powers, *rest) for powers in monomials(self.extents)]
        if self.extents > 1:
            yield [(*powers, *rest) for powers in cubes(self.extents)]
        if rest:
            yield products(len(self.columns))

    def fitted(self, numbers: Sequence[Column]) -> list[Terms | None]:
        found: dict[Column, Terms] = {}
        for powers in self.monomials():
            left = [number for number in dict.fromkeys(numbers) if number not in found]
            for number, times in zip(left, fitted(self.columns, left, powers), strict=True):
                if times is not None:
                    found[number] = {p: n for p, n in zip(powers, times, strict=True) if n}
        return [found.get(number) for number in numbers]

    def knows(self, number: Column) -> bool:
        return self.fitted([number])[0] is not None

    def with_extent(self, column: Column) -> Basis:
        return replace(self, columns=(*self.columns, column))

    def with_quotient(self, division: Divided) -> Basis:
        """The same where what is divided is no sum of the variables, or where it is known."""
        number, divisor = division
        column = tuple(n // divisor for n in number)
        linear = fitted(self.columns, [number], sums(len(self.columns)))[0]
        if linear is None or len(self.columns) == VARIABLES or self.knows(column):
            return self
        quotients = (*self.quotients, (divisor, *linear))
        return Basis((*self.columns, column), quotients)

    def with_quotients(self, divisions: Iterable[Divided]) -> Basis:
        found = self
        for division in divisions:
            found = found.with_quotient(division)
        return found


def monomials(extents: int) -> list[Powers]:
    """The powers of each extent in each monomial, the constant first."""
    highest = DEGREE if extents == 1 else 1
    return sorted(product(range(highest + 1), repeat=extents), key=sum)


def cubes(extents: int) -> list[Powers]:
    """All products of up to three."""
    found = product(range(DEGREE + 1), repeat=extents)
    return sorted((powers for powers in found if sum(powers) <= DEGREE), key=sum)


def products(variables: int) -> list[Powers]:
    """Of two different ones, each by itself, and the constant."""
    found = product(range(2), repeat=variables)
    return sorted((powers for powers in found if sum(powers) <= 2), key=sum)


def sums(variables: int) -> list[Powers]:
    """The constant, and each variable by itself."""
    units = [tuple(int(k == at) for k in range(variables)) for at in range(variables)]
    return [(0,) * variables, *units]


def value(powers: Powers, extents: Sequence[int]) -> int:
    return prod(extent**power for extent, power in zip(extents, powers, strict=True))


def fitted(
    basis: Sequence[Sequence[int]], numbers: Sequence[Sequence[int]], powers: Sequence[Powers]
) -> list[list[int] | None]:
    """For each number the coefficients of the monomials, or None. Basis and numbers are given as
    one value for each sample."""
    samples, rational = len(numbers[0]) if numbers else 0, fractions.Fraction
    rows = [
        [rational(value(one, [extent[k] for extent in basis])) for one in powers]
        + [rational(number[k]) for number in numbers]
        for k in range(samples)
    ]
    width = len(powers)
    if samples <= width or not eliminated(rows, width):
        return [None] * len(numbers)
    return [coefficients(rows, width, width + k) for k in range(len(numbers))]


def eliminated(rows: list[list[Fraction]], width: int) -> bool:
    """Gauss and Jordan: the first rows become unit rows. False: the samples do not tell the
    monomials apart."""
    for column in range(width):
        at = next((k for k in range(column, len(rows)) if rows[k][column] != 0), None)
        if at is None:
            return False
        rows[column], rows[at] = rows[at], rows[column]
        pivot = rows[column][column]
        rows[column] = [number / pivot for number in rows[column]]
        for k, row in enumerate(rows):
            if k != column and row[column] != 0:
                factor = row[column]
                rows[k] = [a - factor * b for a, b in zip(row, rows[column], strict=True)]
    return True


def coefficients(rows: list[list[Fraction]], width: int, column: int) -> list[int] | None:
    """What is left of the samples beyond the first ones must be 0."""
    found = [row[column] for row in rows]
    if any(found[width:]) or any(one.denominator != 1 for one in found):
        return None
    return [int(one) for one in found[:width]]
