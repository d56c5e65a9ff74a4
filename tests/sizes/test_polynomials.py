"""Numbers at several sizes → coefficients, or none."""

from __future__ import annotations

import pytest

from jitcore.codegen.polynomials import fitted, monomials, value

LENGTHS = [2, 100, 31, 7, 1000, 64]
ROWS = [2, 2, 50, 50, 31, 17, 40]
COLUMNS = [3, 90, 3, 90, 40, 21, 8]


def test_of_one_extent() -> None:
    numbers = [[8 * n - 16 for n in LENGTHS], [n * n * n + 5 for n in LENGTHS], [7] * len(LENGTHS)]
    powers = monomials(1)
    assert powers == [(0,), (1,), (2,), (3,)]
    assert fitted([LENGTHS], numbers) == [[-16, 8, 0, 0], [5, 0, 0, 1], [7, 0, 0, 0]]


def test_of_two() -> None:
    numbers = [[3 * n * m - n + 4 for n, m in zip(ROWS, COLUMNS, strict=True)]]
    (found,) = fitted([ROWS, COLUMNS], numbers)
    assert found is not None
    for k, number in enumerate(numbers[0]):
        extents = ROWS[k], COLUMNS[k]
        terms = zip(monomials(2), found, strict=True)
        assert sum(times * value(powers, extents) for powers, times in terms) == number


@pytest.mark.parametrize(
    "number",
    [
        lambda n: n // 2,
        lambda n: min(n, 64),
        lambda n: -(-n // 8) * 8,
        lambda n: n % 2,
        lambda n: n**4,
        lambda n: 1 << n.bit_length(),
    ],
)
def test_what_is_none(number: object) -> None:
    assert callable(number)
    assert fitted([LENGTHS], [[number(n) for n in LENGTHS]]) == [None]


def test_halves_are_none() -> None:
    """A half at all samples is one at others, where it is no whole number."""
    even = [2, 100, 32, 8, 1000, 64]
    assert fitted([even], [[n // 2 for n in even]]) == [None]


def test_too_few_samples() -> None:
    assert fitted([[2, 3, 4]], [[2, 3, 4]]) == [None]
    assert fitted([[2, 2, 2, 2, 2]], [[1, 1, 1, 1, 1]]) == [None]
