"""Numbers at several sizes → coefficients, or none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitcore._C import Number
from jitcore.runtime.sizes.polynomials import Basis, fitted, monomials, value

LENGTHS = [2, 100, 31, 7, 1000, 64]
ROWS = [2, 2, 50, 50, 31, 17, 40]
COLUMNS = [3, 90, 3, 90, 40, 21, 8]


def test_of_one_extent() -> None:
    numbers = [[8 * n - 16 for n in LENGTHS], [n * n * n + 5 for n in LENGTHS], [7] * len(LENGTHS)]
    powers = monomials(1)
    assert powers == [(0,), (1,), (2,), (3,)]
    assert fitted([LENGTHS], numbers, powers) == [[-16, 8, 0, 0], [5, 0, 0, 1], [7, 0, 0, 0]]


def test_of_two() -> None:
    numbers = [[3 * n * m - n + 4 for n, m in zip(ROWS, COLUMNS, strict=True)]]
    (found,) = fitted([ROWS, COLUMNS], numbers, monomials(2))
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
    assert fitted([LENGTHS], [[number(n) for n in LENGTHS]], monomials(1)) == [None]


def test_halves_are_none() -> None:
    """A half at all samples is one at others, where it is no whole number."""
    even = [2, 100, 32, 8, 1000, 64]
    assert fitted([even], [[n // 2 for n in even]], monomials(1)) == [None]


def test_too_few_samples() -> None:
    assert fitted([[2, 3, 4]], [[2, 3, 4]], monomials(1)) == [None]
    four = [2, 3, 4, 5]
    assert fitted([four], [[1 << n for n in four]], monomials(1)) == [None]
    assert fitted([[2, 2, 2, 2, 2]], [[1, 1, 1, 1, 1]], monomials(1)) == [None]


MANY = (2, 8_388_608, 40, 31, 97, 1009, 331, 100, 4, 7, 53, 211)


@pytest.mark.parametrize(
    "number",
    [
        lambda n: n // 2,
        lambda n: n - n // 2,
        lambda n: n % 2,
        lambda n: n * (n // 2) + 3,
        lambda n: n * n - 5,
    ],
)
def test_of_a_quotient(number: object) -> None:
    assert callable(number)
    basis = Basis().with_extent(MANY).with_quotient((MANY, 2))
    assert basis.quotients == ((2, 0, 1),)
    (found,) = basis.fitted([tuple(number(n) for n in MANY)])
    assert found is not None
    made = Number(((0, 1),), basis.quotients, tuple(found), tuple(found.values()))
    assert [made(range_of(n)) for n in range(2, 300)] == [number(n) for n in range(2, 300)]


def test_quotients_of_quotients_and_below_zero() -> None:
    basis = Basis().with_extent(MANY)
    below = tuple(7 - 3 * n for n in MANY)
    basis = basis.with_quotient((below, 5))
    thirds = tuple(n + (7 - 3 * n) // 5 for n in MANY)
    basis = basis.with_quotient((thirds, 3))
    assert basis.quotients == ((5, 7, -3), (3, 0, 1, 1))
    (found,) = basis.fitted([tuple(n // 3 for n in thirds)])
    assert found is not None
    made = Number(((0, 1),), basis.quotients, tuple(found), tuple(found.values()))
    for n in range(300):
        assert made(range_of(n)) == (n + (7 - 3 * n) // 5) // 3


def test_what_is_known_is_no_quotient() -> None:
    basis = Basis().with_extent(MANY)
    doubled = tuple(2 * n for n in MANY)
    assert basis.with_quotient((doubled, 2)) == basis
    assert basis.with_quotient((tuple(1 << n % 60 for n in MANY), 2)) == basis
    once = basis.with_quotient((MANY, 2))
    assert once.with_quotient((MANY, 2)) == once


def range_of(n: int) -> np.ndarray[Any, Any]:
    """An array of that extent, which takes no memory."""
    return np.broadcast_to(np.zeros(1), (n,))


def test_a_number_of_other_arrays() -> None:
    made = Number(((1, 1),), (), ((0,), (1,)), (5, 2))
    assert made(np.zeros((3, 4))) == 13
    assert Number(((0, 2),), (), ((1,),), (3,))(np.zeros(7)) == 9
    for wrong in (np.zeros(3), [1, 2], None):
        with pytest.raises(SystemError):
            made(wrong)
    with pytest.raises(TypeError):
        made()


@pytest.mark.parametrize(
    "parts",
    [
        (((0, 1),), (), ((3,),), (1,)),
        (((0, 1),), (), ((1,),), (1 << 40,)),
        (((0, 1),), (), ((0,), (1,)), ((1 << 63) - 1, 1)),
        (((0, 1),), ((2, (1 << 63) - 1, 1),), ((0, 1),), (1,)),
        (((0, 1),), ((2, 0, 1 << 40),), ((0, 1),), (1,)),
    ],
)
def test_a_number_beyond_64_bits(parts: tuple[Any, ...]) -> None:
    """No other number: CPython makes it."""
    made = Number(*parts)
    assert made(range_of(0)) < 1 << 63
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        made(range_of(1 << 40))


@pytest.mark.parametrize(
    "wrong",
    [
        ((), (), (), ()),
        (((0, 1),), ((0, 1, 1),), (), ()),
        (((0, 1),), ((2, 1),), (), ()),
        (((0, 1),), (), ((1, 1),), (1,)),
        (((0, 1),), (), ((1,),), ()),
        (((-1, 1),), (), ((1,),), (1,)),
        (((0, 1),), (), ((1,),) * 33, (1,) * 33),
        (((0, 0),), (), ((1,),), (1,)),
    ],
)
def test_what_is_no_number(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        Number(*wrong)
