"""Numbers of a kernel at several sizes → polynomials in extents of its inputs, with whole
coefficients.

    basis      extents that the others, and all numbers, are polynomials of
    monomials  of one extent up to its cube; of two or three, products of different ones

Solved exactly, by elimination over fractions; more samples than monomials, so that what is no such
polynomial has no solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

Powers = tuple[int, ...]
MOST = 3  # extents of a basis
DEGREE = 3  # of a polynomial in one extent


def monomials(extents: int) -> list[Powers]:
    """The powers of each extent in each monomial, the constant first."""
    highest = DEGREE if extents == 1 else 1
    return sorted(product(range(highest + 1), repeat=extents), key=sum)


def value(powers: Powers, extents: Sequence[int]) -> int:
    return prod(extent**power for extent, power in zip(extents, powers, strict=True))


def fitted(
    basis: Sequence[Sequence[int]], numbers: Sequence[Sequence[int]]
) -> list[list[int] | None]:
    """For each number the coefficients of monomials(len(basis)), or None. Both are given as one
    value for each sample."""
    samples = len(numbers[0]) if numbers else 0
    powers = monomials(len(basis))
    rows = [
        [Fraction(value(one, [extent[k] for extent in basis])) for one in powers]
        + [Fraction(number[k]) for number in numbers]
        for k in range(samples)
    ]
    width = len(powers)
    if samples < width or not eliminated(rows, width):
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
