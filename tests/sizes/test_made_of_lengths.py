"""Numbers that are made of lengths: with them shapes and parts are made, and NumPy's calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.sizes import Function, agree, attached, data, hits, regions

pytestmark = pytest.mark.by_turns

SIZES = (40, 31, 3, 2, 1, 0, 50, 61, 64, 7, 333, 100, 8, 101)
FEW = (40, 31, 12, 50, 61, 64, 200, 33, 101, 130)


def out_of_zeros(x: Any) -> Any:
    out = np.zeros(len(x))
    out[1:] = x[1:] * 2.0 + 1.0
    return out


def out_of_empty(x: Any) -> Any:
    out = np.empty(x.shape[0] // 3)
    out[:] = x[: len(x) // 3] * 2.0 + 1.0
    return out


def padded(x: Any) -> Any:
    n = len(x)
    wide = np.zeros(n + 2)
    wide[1:-1] = x * 2.0
    return wide[2:] - wide[:-2] + wide[1 : n + 1]


def windows(x: Any) -> Any:
    k = 5
    sums = np.cumsum(x)
    return sums[k:] - sums[: len(x) - k] + np.zeros(len(x) - k)


def of_computed(x: Any) -> Any:
    y = x[1:] * 2.0
    return np.zeros(y.shape) + y, y / len(y), np.arange(y.size) * y


def halves_of_computed(x: Any) -> Any:
    y = np.concatenate([x, x]) * 2.0
    return y[: len(y) // 2] * 2.0 + x, y.shape[0]


def refused(x: Any) -> Any:
    if len(x) == 0:
        raise ValueError("nothing to do")
    return x * 2.0 + 1.0


def returned(x: Any) -> Any:
    n = len(x)
    if n < 9:
        return x
    return x[1:-1] * 2.0 + x[2:]


def flattened(x: Any) -> Any:
    n = len(x)
    return (x[:, None] * x).reshape(n * n) * 2.0 + np.zeros(n * n)


def stored(x: Any) -> Any:
    x[: len(x) // 2] = x[len(x) // 2 + len(x) % 2 :] * 2.0 + 1.0
    return x


FORMS: dict[str, Function] = {
    "ones": lambda x: np.ones((len(x), 3)) * x[:, None] + 1,
    "full": lambda x: (np.full(len(x), 0.5), x * 2.0 + 1.0),
    "arange": lambda x: np.arange(len(x)) * x + 1.0,
    "arange, three numbers": lambda x: np.arange(1, 2 * len(x) + 1, 2) * 2.0 + x,
    "linspace": lambda x: np.linspace(0, 1, len(x)) * x + 1.0,
    "linspace of elements": lambda x: np.linspace(x[0], x[-1], num=len(x)) * x + 1.0,
    "logspace": lambda x: np.logspace(0, 1, len(x)) * x + 1.0,
    "geomspace": lambda x: np.geomspace(1.0, 100.0, num=len(x)) * x + 1.0,
    "a window": lambda x: np.hanning(len(x)) * x + np.blackman(M=len(x)),
    "windows of other lengths": lambda x: (np.hamming(len(x) // 2) * 2.0, np.bartlett(len(x) + 1)),
    "a window of a shape": lambda x: np.kaiser(len(x), 8.6) * x + 1.0,
    "eye": lambda x: np.eye(len(x)) * 2.0 + x,
    "eye, not square": lambda x: np.eye(len(x), len(x) // 2, order="F") * 2.0 + x[:, None],
    "identity": lambda x: (np.identity(len(x)), x * 2.0 + 1.0),
    "tri": lambda x: np.tri(len(x), M=len(x) + 1) * 2.0 + x[:, None],
    "the first half": lambda x: x[: len(x) // 2] * 2.0 + 1.0,
    "all but a quarter": lambda x: x[len(x) // 4 :] * 2.0 + 1.0,
    "the middle": lambda x: x[len(x) // 4 : 3 * len(x) // 4] * 2.0 + 1.0,
    "half and three quarters": lambda x: (x[: len(x) // 2] * 2.0, x[len(x) // 4 :] * 3.0 - 1.0),
    "from behind": lambda x: x[-(len(x) // 3) :] * 2.0 + 1.0,
    "a remainder": lambda x: x[len(x) % 3 :] * 2.0 + 1.0,
    "a shift": lambda x: x[: len(x) >> 1] * 2.0 + 1.0,
    "divmod": lambda x: x[: divmod(len(x), 5)[0]] * 2.0 + 1.0,
    "a place": lambda x: x[len(x) // 2] * 2.0 + x,
    "a place of what is sorted": lambda x: np.sort(x)[len(x) // 2] * 2.0 + x,
    "reshape": lambda x: (x * 2.0 + 1.0).reshape(len(x), 1) * np.ones(3),
    "broadcast_to": lambda x: np.broadcast_to(x, (3, len(x))) * 2.0 + 1.0,
    "tile": lambda x: np.tile(np.arange(3), len(x)) * 2.0 + 1.0,
    "repeat": lambda x: np.repeat(np.arange(4.0), len(x) // 2) * 2.0 + 1.0,
    "repeat, along an axis": lambda x: x[None].repeat(len(x) // 3, axis=0) * 2.0 + 1.0,
    "a mean": lambda x: x / len(x) + np.float64(len(x)) * x - np.sqrt(len(x)),
    "a step": lambda x: x * (1.0 / (len(x) - 1)) + 1.0,
    "outer": lambda x: np.outer(x, x)[: len(x) // 2] * 2.0 + 1.0,
    "meshes": lambda x: np.arange(len(x))[:, None] * np.arange(len(x)) + x,
    "indices": lambda x: x[np.arange(len(x) - 1, -1, -1)] * 2.0 + 1.0,
    "of a transform": lambda x: np.abs(np.fft.fft(x)[: len(x) // 2]) * 2.0 + 1.0,
    **{fn.__name__: fn for fn in (out_of_zeros, out_of_empty, padded, of_computed)},
    **{fn.__name__: fn for fn in (halves_of_computed, refused, returned, flattened)},
    "windows": windows,
}


@pytest.mark.parametrize("fn", FORMS.values(), ids=FORMS.keys())
def test_two_entries(fn: Function) -> None:
    agree(fn, [(data(n),) for n in FEW])
    assert len(regions(fn)) <= 2 and hits(fn) >= len(FEW) - 1  # one where x is only measured


@pytest.mark.parametrize(
    "fn", [FORMS["the middle"], FORMS["linspace"], FORMS["repeat"], padded, windows, stored]
)
def test_short_ones(fn: Function) -> None:
    agree(fn, [(data(n),) for n in SIZES])


def pairs(x: Any) -> Any:
    return x[: len(x) // 2] * 2.0 + 1.0, x[len(x) // 2 :] * 3.0 - 1.0


def every_other(x: Any) -> Any:
    return x[::2] * 2.0 + 1.0, x[1::2] * 3.0


def in_rows(x: Any) -> Any:
    return (x * 2.0 + 1.0).reshape(-1, 2) * 3.0


@pytest.mark.parametrize("fn", [pairs, every_other, in_rows])
def test_an_entry_for_each_remainder(fn: Function) -> None:
    """Both halves are one loop where they have one length, and two where they have not."""
    even = [n for n in SIZES if n % 2 == 0 and n > 9]
    agree(fn, [(data(n),) for n in even])
    assert len(regions(fn)) == 2 and hits(fn) == len(even) - 1
    assert "x.shape[0] % 2 == 0" in regions(fn)[-1].guards
    agree(fn, [(data(n),) for n in SIZES])


def test_a_number_beside_the_length() -> None:
    """An argument that a shape is made with is a fact of the entry, the length is none."""

    def fn(x: Any, k: int) -> Any:
        sums = np.cumsum(x)
        return sums[k:] - sums[: len(x) - k] + np.zeros(len(x) - k)

    agree(fn, [(data(n), 5) for n in FEW])
    assert len(regions(fn)) == 2
    agree(fn, [(data(n), 7) for n in FEW])
    assert len(regions(fn)) <= 4


def test_sums_of_divisions_at_the_ends_of_a_range() -> None:
    """3 * (n // 2) - n - 5 is 1 for 12, 0 for 13 and 11 and below 0 for 9: it is another part."""

    def fn(x: Any) -> Any:
        n = len(x)
        return x[: 3 * (n // 2) - n - 5] * 2.0 + 1.0

    agree(fn, [(data(n),) for n in (60, 50, 24, 13, 12, 11, 10, 9, 70)])


def test_divisions_that_have_many_remainders() -> None:
    def fn(x: Any) -> Any:
        return x[len(x) // 11 : len(x) // 2] * 2.0 + x[len(x) // 7] + x[len(x) // 5]

    agree(fn, [(data(n),) for n in FEW])


def test_numbers_of_two_lengths() -> None:
    def fn(x: Any, y: Any) -> Any:
        n, m = len(x), len(y)
        table = np.zeros((n, m)) + x[:, None] * y
        return (
            table,
            np.arange(n + m) * 2.0,
            np.ones(n * m) * 2.0,
            x[: n // 2] * 2.0,
            y[m // 3 :] + n,
        )

    agree(fn, [(data(n), data(m)) for n, m in ((40, 50), (31, 60), (12, 19), (50, 33), (61, 44))])
    assert len(regions(fn)) <= 3 and hits(fn) >= 3


def test_numbers_of_both_lengths_at_once() -> None:
    def fn(x: Any, y: Any) -> Any:
        half = (len(x) + len(y)) // 2
        return np.zeros(half) + 1.0, np.concatenate([x, y])[:half] * 2.0

    agree(fn, [(data(n), data(m)) for n, m in ((40, 50), (31, 60), (12, 19), (50, 33), (61, 44))])


@pytest.mark.parametrize("n", [300, 256, 129, 70_000])
def test_a_dtype_that_is_too_small(n: int) -> None:
    def fn(x: Any) -> Any:
        return np.arange(len(x), dtype=np.uint8) * np.uint8(2), x * 2.0 + 1.0

    agree(fn, [(data(m),) for m in (40, 31, 20, 100, n)])


def test_the_calls_are_made_with_ints() -> None:
    """What gets them may tell an int from a NumPy integer."""
    seen: list[Any] = []

    def fn(x: Any) -> Any:
        return np.empty(len(x) // 2).shape, x * 2.0 + 1.0, [len(x) // 2], len(x) % 2

    compiled = attached(fn)
    for n in FEW:
        found = compiled(data(n))
        seen += [type(found[0][0]), type(found[2][0]), type(found[3])]
        assert found[0] == (n // 2,) and found[2] == [n // 2] and found[3] == n % 2
    assert set(seen) == {int}


# ---- several axes --------------------------------------------------------------------------------

SHAPES = ((40, 50), (31, 61), (12, 19), (50, 33), (61, 44), (200, 9))


def picture(x: Any) -> Any:
    """A loop over rows and columns of what has been made as one row."""
    flat = np.zeros(x.size).reshape(x.shape)
    return (x * 2.0 + 1.0).sum() / x.size + flat


def grid(x: Any) -> Any:
    rows, columns = x.shape
    places = np.arange(rows * columns).reshape(rows, columns)
    return places * x + np.linspace(0.0, 1.0, columns), x[rows // 2, columns // 2] * x


def of_all(x: Any) -> Any:
    y = x[:, None] * x.ravel()
    return y.sum() / y.size, x * x.size


@pytest.mark.parametrize("fn", [picture, grid])
def test_rows_and_columns(fn: Function) -> None:
    agree(fn, [(data(*shape),) for shape in SHAPES])
    assert len(regions(fn)) == 2 and hits(fn) == len(SHAPES) - 1


def test_a_size_of_what_is_computed() -> None:
    agree(of_all, [(data(n),) for n in FEW])
    assert len(regions(of_all)) == 2


def test_large_ones() -> None:
    """Whoever has come with large arrays will come with larger ones."""
    shapes = (300, 500), (400, 450), (1200, 900), (20, 30)
    agree(grid, [(data(*shape),) for shape in shapes])
    assert len(regions(grid)) == 2
    lengths = 9_000_000, 8_500_000, 20_000_000
    compiled = attached(spread)
    for n in lengths:
        x = np.zeros(n, np.uint8)
        assert not compiled(x).any()
    assert len(regions(spread)) == 2


def spread(x: Any) -> Any:
    return (x + x) * x


@pytest.mark.parametrize("made", [lambda n: n + 1, lambda n: 2 * n, lambda n: 3 * n], ids=str)
def test_extents_that_follow_from_others(made: Any) -> None:
    """Edges of bins, and both parts of what is complex: neither has any extent of its own."""

    def bins(x: Any, edges: Any) -> Any:
        return (edges[1:] - edges[:-1]) * x + np.zeros(len(edges) - 1)

    def parts(x: Any, both: Any) -> Any:
        return both[: len(x)] * x + np.reshape(both, (-1, len(x)))[-1] * 2.0

    fn = bins if made(2) == 3 else parts
    agree(fn, [(data(n), data(made(n))) for n in FEW])
    assert len(regions(fn)) == 2 and hits(fn) == len(FEW) - 1
    assert any(" == " in one and "shape" in one for one in regions(fn)[-1].guards)
    agree(fn, [(data(10), data(10)), (data(11), data(35))])


def test_an_axis_of_one_element_stays_so() -> None:
    """The other one varies, and is known to from the first time on."""

    def fn(x: Any) -> Any:
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    agree(
        fn, [(data(*shape),) for shape in ((59, 64), (39, 64), (1, 45), (1, 60), (20, 64), (1, 31))]
    )
    assert len(regions(fn)) == 3


def test_from_one_element_on() -> None:
    agree(padded, [(data(n),) for n in (1, 40, 31, 60, 1)])
    assert len(regions(padded)) == 2


def test_numpy_is_not_asked_about_very_many_elements() -> None:
    """It copies elements of no size one by one: 2**46 of them take weeks."""

    def fn(x: Any) -> Any:
        return np.roll(np.outer(x, x), 1, axis=0) * 2.0, np.concatenate([x[:, None] * x, x[None]])

    agree(fn, [(data(n),) for n in FEW])
    assert len(regions(fn)) == 2


def test_four_extents_of_which_two_follow() -> None:
    """A field with two more on each side: no kernel is told of four extents that are their own."""

    def fn(field: Any, out: Any) -> Any:
        out[:] = field[2:-2, 2:-2] * 4.0 - field[1:-3, 2:-2] - field[3:-1, 2:-2]
        return out

    shapes = ((20, 30), (25, 33), (40, 22), (64, 61), (13, 57), (20, 24))
    agree(fn, [(data(n + 4, m + 4), data(n, m)) for n, m in shapes])
    assert len(regions(fn)) == 2 and hits(fn) == len(shapes) - 1
    agree(fn, [(data(24, 34), data(20, 29)), (data(25, 34), data(20, 30))])
