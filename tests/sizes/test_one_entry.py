"""A second size makes an entry for all: the same bits as NumPy at sizes that nobody compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.sizes import Function, agree, assert_same, attached, data, hits, regions

import jitcore

LENGTHS = (40, 31, 2, 3, 7, 16, 17, 100, 1000, 65_537, 20_000, 128, 8, 9)


def chain(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y * y) * np.exp(-x) + y


def spread(x: Any) -> Any:
    return (x - x.mean()) / x.std()


def neighbours(x: Any) -> Any:
    return x[1:-1] * 0.5 + 0.25 * (x[:-2] + x[2:])


def reverse(x: Any) -> Any:
    return x[::-1] * 2.0 + x


def narrow(x: Any) -> Any:
    return (x > 0.5) & (x.astype(np.float32) < 0.9)


def clipped(x: Any) -> Any:
    x[x > 0.5] = 0.25
    return x * 3.0 + 1.0


def running(x: Any) -> Any:
    return np.cumsum(x * 2.0) - x


@pytest.mark.parametrize("fn", [spread, neighbours, reverse, narrow, clipped, running])
def test_lengths(fn: Function) -> None:
    agree(fn, [(data(n),) for n in LENGTHS])
    assert hits(fn) >= 5


def test_two_arrays_of_a_length() -> None:
    agree(chain, [(data(n), data(n) * 2.0) for n in LENGTHS])
    assert len(regions(chain)) == 2 and hits(chain) == len(LENGTHS) - 1


def test_a_thousand_lengths_are_two_compiles() -> None:
    def fn(x: Any, y: Any) -> Any:
        return np.maximum(x * 2.0 + y, 0.0) / 3.0

    agree(fn, [(data(n), data(n)) for n in range(2, 1002)])
    assert len(regions(fn)) == 2


def test_lengths_that_part_company() -> None:
    """Both had one length so far: that was a fact, and is asked."""

    def fn(x: Any, y: Any) -> Any:
        return x * 2.0 + 1.0, y * 3.0 - 1.0

    same = [(data(n), data(n)) for n in (20, 30, 40)]
    agree(fn, [*same, (data(20), data(30)), (data(25), data(50)), (data(60), data(19)), *same])
    assert hits(fn) >= 5


def test_lengths_that_do_not_fit_raise() -> None:
    agree(chain, [(data(n), data(m)) for n, m in ((20, 20), (30, 30), (30, 31), (40, 1), (1, 40))])


def test_two_axes() -> None:
    def fn(x: Any, b: Any) -> Any:
        h = np.tanh(x * 2.0 + b)
        return h - h.max(axis=1, keepdims=True), (h * h).sum(axis=0)

    shapes = ((20, 30), (25, 40), (50, 18), (18, 50), (33, 33), (100, 21), (2, 3), (17, 200))
    agree(fn, [(data(*shape), data(shape[1])) for shape in shapes])
    assert hits(fn) >= 4


def test_squares() -> None:
    def fn(x: Any) -> Any:
        return x[1:-1, 1:-1] * 4.0 - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:]

    agree(fn, [(data(n, n),) for n in (20, 30, 40, 64, 65, 19, 200, 3, 2, 1)])
    assert hits(fn) >= 5


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders(order: Any) -> None:
    def fn(x: Any) -> Any:
        return x * 2.0 + x.sum(axis=0)

    shapes = ((20, 30), (25, 40), (50, 19), (18, 60))
    made = [np.asarray(data(*shape), order=order) for shape in shapes]
    agree(fn, [(x,) for x in made] + [(x.T,) for x in made] + [(x[:, ::2],) for x in made])
    assert hits(fn) >= 2


def test_strided_vectors() -> None:
    agree(
        spread,
        [(data(2 * n)[::2],) for n in (20, 30, 40, 50)] + [(data(3 * n)[::3],) for n in (20, 30)],
    )
    assert hits(spread) == 5  # with other strides it is known from the first time on


# ---- what the program is told of sizes ----------------------------------------------------------


def test_an_average_by_hand() -> None:
    def fn(x: Any) -> Any:
        return x.sum() / len(x), x * x.shape[0], x.size + 1, x - x.size

    agree(fn, [(data(n),) for n in LENGTHS])
    assert hits(fn) >= 8


def test_a_branch_on_a_length() -> None:
    def fn(x: Any) -> Any:
        if len(x) % 2 == 0:
            return x * 2.0 + 1.0
        return x * 3.0 - 1.0

    agree(fn, [(data(n),) for n in (20, 30, 40, 41, 42, 43, 50)])


def test_a_branch_on_a_threshold() -> None:
    def fn(x: Any) -> Any:
        return x * 2.0 + 1.0 if x.shape[0] < 100 else x * 3.0 - 1.0

    agree(fn, [(data(n),) for n in (20, 30, 99, 100, 101, 500, 40)])


@pytest.mark.parametrize(
    "index",
    [
        lambda n: slice(n // 2, None),
        lambda n: slice(None, n - 3),
        lambda n: slice(None, None, 2),
        lambda n: slice(n % 3, None),
        lambda n: slice(5, 25),
        lambda n: slice(min(n, 30)),
    ],
)
def test_slices_by_the_length(index: Callable[[int], slice]) -> None:
    def fn(x: Any) -> Any:
        return x[index(len(x))] * 2.0 + 1.0

    agree(fn, [(data(n),) for n in (20, 26, 32, 33, 34, 35, 60, 61)])


def test_slices_that_are_polynomials_of_the_length() -> None:
    def fn(x: Any, w: Any) -> Any:
        n = len(x) - 2
        out = np.zeros(n)
        for k in range(3):
            out += w[k] * x[k : k + n]
        return out, x[: len(x) - 3] * 2.0 + x[3:], x[2 * len(x) - len(x) - 5 :] * 2.0

    lengths = (40, 50, 30, 31, 29, 17, 60, 61, 200)
    agree(fn, [(data(n), data(3)) for n in lengths])
    assert hits(fn) >= 5


def test_indices_by_the_length() -> None:
    def fn(x: Any) -> Any:
        n = x.shape[0]
        return x[n - 1] * x + x[n - n], x[-n] + x * n

    agree(fn, [(data(n),) for n in (40, 50, 30, 2, 3, 1, 200)])


def test_arguments_by_the_length() -> None:
    def fn(x: Any) -> Any:
        n = len(x)
        small = np.full(x.shape, n, dtype=np.uint8) + np.uint8(1)
        return small, np.roll(x, n - 3) * 2.0, np.clip(x, a_min=-n, a_max=n) + 1.0, np.ones(n) * x

    agree(fn, [(data(n),) for n in (40, 50, 30, 255, 256, 300, 20)])


def starts(x: Any) -> Any:
    x[100:150] = (x[-250:-200] * 2.0 + 1.0) * 0.5
    return x


def columns(x: Any) -> Any:
    x[:, 10:15] = x[:, -25:-20] * 2.0
    return x


@pytest.mark.parametrize("n", [301, 320, 330, 340, 300, 299])
def test_parts_that_overlap_at_some_sizes(n: int) -> None:
    """The one lies before the other, then on it, then behind it."""
    agree(starts, [(data(m),) for m in (400, 500, 600, n)])
    agree(columns, [(data(20, m),) for m in (60, 70, 80, n // 10, n // 10 + 3)])


def halves(x: Any) -> Any:
    return (np.sqrt(x * x + 1.0).reshape(-1, 2) * 2.0 + 1.0).max()


def quarters(x: Any) -> Any:
    return (x.reshape(-1, 4) * 2.0 + 1.0).sum()


def pairs(x: Any) -> Any:
    return (x.view(np.complex128) * 2.0).real.sum(), np.split(x, 2)[1] * 2.0 + 1.0


@pytest.mark.parametrize("fn", [halves, quarters, pairs])
def test_extents_that_nobody_keeps(fn: Function) -> None:
    """A half of an odd one is an error, though no array of that extent is ever made."""
    agree(fn, [(data(n),) for n in (400, 320, 1001, 999, 402, 40, 32, 33, 37)])
    agree(fn, [(data(n),) for n in (40, 32, 33, 34, 35, 36, 1001)])


def test_an_input_that_gets_short() -> None:
    """One of NumPy's results, of which a kernel's size is told, has one element, or none."""

    def fn(x: Any) -> Any:
        return np.diff(x) * 2.0 + 1.0, np.sort(x[1:]) * 2.0 + 1.0

    agree(fn, [(data(n),) for n in (400, 500, 600, 700, 2, 3, 1)])
    assert len(regions(fn)) >= 2


def test_numpy_is_not_asked_at_sizes_that_nobody_has() -> None:
    def fn(x: Any) -> Any:
        return np.eye(len(x)) * x, np.hanning(len(x)) * x

    agree(fn, [(data(n),) for n in (40, 31, 2, 20)])


def test_a_product_of_extents_that_is_least_in_between() -> None:
    """Of no elements there is no maximum, at one size in the middle of the range only."""

    def fn(x: Any) -> Any:
        n = len(x) - 40
        return (np.zeros(n * n) * 2.0 + 1.0).max() + x * 2.0

    agree(fn, [(data(n),) for n in (50, 60, 70, 30, 41, 40, 39)])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x[len(x) * len(x) % 3 :] * 2.0,
        lambda x: np.full(3, len(x) * len(x) % 3) + x[:3],
        lambda x: x[(len(x) * len(x) - 1) % 3 :] * 2.0 + 1.0,
        lambda x: x[len(x) * len(x) // 700 :] * 2.0 + 1.0,
        lambda x: x[min(len(x) * len(x), 90_000) - 90_000 :] * 2.0 + 1.0,
        lambda x: x[(len(x) * len(x) * 2 + 4) >> 5 :] * 2.0 + 1.0,
    ],
)
def test_what_is_left_of_a_product_of_extents(fn: Function) -> None:
    """No sample need be where it is least or greatest."""
    agree(fn, [(data(n),) for n in (100, 1000, 1001, 1003, 50, 301, 299, 300, 303, 27, 3)])


def test_no_power_of_an_extent_is_computed() -> None:
    def fn(x: Any) -> Any:
        return x * (3 ** (len(x) ** 2) % 7) + 1.0, x[:3] * (2 ** len(x)) + 1.0

    agree(fn, [(data(n),) for n in (5, 6, 7)])


def test_shapes_by_the_length() -> None:
    def fn(x: Any) -> Any:
        half = x.reshape(-1, 2) * 2.0 + 1.0
        return half.sum(axis=1), np.zeros(len(x)) + x, np.arange(x.size) * x

    agree(fn, [(data(n),) for n in (20, 30, 32, 33, 40, 41)])


def over_rows(x: Any) -> Any:
    y = x * 2.0 + 1.0
    return y.sum(axis=0), (y - y.mean(axis=0)) / y.std(axis=0)


def over_columns(x: Any) -> Any:
    y = np.exp(x - x.max(axis=1, keepdims=True))
    return y / y.sum(axis=1, keepdims=True), y.prod(axis=1), (y > 0.5).any(axis=-1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("fn", [over_rows, over_columns])
def test_short_axes(fn: Function, dtype: type) -> None:
    """Elsewhere an axis of 2 to 16 elements has a text of its own."""
    shapes = ((20, 30), (25, 40), (2, 90), (90, 2), (3, 3), (7, 8), (8, 7), (9, 16), (17, 4))
    agree(fn, [((data(*shape) * 20).astype(dtype),) for shape in shapes])
    assert len(regions(fn)) <= 3


def test_rows_that_are_unrolled() -> None:
    def fn(x: Any) -> Any:
        total = 0.0
        for row in x:
            total = total + row * 2.0
        return total

    agree(fn, [(data(n, 20),) for n in (2, 3, 4, 5, 3, 2)])


def test_items_of_computed_arrays() -> None:
    def fn(x: Any) -> Any:
        y = np.concatenate([x, x * 2.0])
        return y * len(y), y.shape, y.nbytes, y.strides

    agree(fn, [(data(n),) for n in (20, 30, 40, 50)])


def test_a_loop_over_a_length() -> None:
    def fn(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s = s * 0.5 + x[i]
        return s

    agree(fn, [(data(n),) for n in (40, 31, 17, 100, 1000, 65_537, 20_000, 128, 1, 0, 2)])
    assert hits(fn) == 7


def test_an_array_in_an_object() -> None:
    class Model:
        def __init__(self, n: int) -> None:
            self.weights = data(n)

    def fn(model: Any, x: Any) -> Any:
        return (model.weights * x + 1.0) / 2.0

    compiled = attached(fn)
    for n in (20, 30, 40, 50, 60):
        model, x = Model(n), data(n)
        assert_same(compiled(model, x), fn(model, x))
    assert hits(fn) == 4


# ---- launches -----------------------------------------------------------------------------------


def test_stores() -> None:
    def fn(x: Any, y: Any) -> None:
        y[1:] += x[:-1] * 2.0 - 1.0

    agree(fn, [(data(n), data(n)) for n in (20, 30, 40, 2, 3, 1000, 50_000, 60_000)])
    assert hits(fn) >= 5


def test_a_store_is_made_once() -> None:
    """A function that needs no frame, whose only effect is its last store."""

    def fn(x: Any) -> Any:
        x[1:-1] = x[1:-1] * 0.5 + 0.25
        return x

    agree(fn, [(data(n),) for n in (50, 40, 30, 20)])
    assert hits(fn) == 3


def test_a_division_that_warns() -> None:
    def fn(x: Any) -> Any:
        return 1.0 / x + x

    compiled = attached(fn)
    for n in (20, 30):
        compiled(data(n) ** 2 + 1.0)
    x = data(40)
    x[7] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        found = compiled(x)
    with np.errstate(divide="ignore"):
        assert_same(found, fn(x))


def test_many_threads() -> None:
    """Some launch without the GIL: each has numbers of its own."""

    def fn(x: Any, y: Any) -> Any:
        return np.sqrt(x * x + y * y) * 0.5 + x

    compiled = attached(fn)
    for n in (9_000, 9_001):
        compiled(data(n), data(n))
    wrong: list[int] = []

    def work(seed: int) -> None:
        for n in np.random.default_rng(seed).integers(8_000, 40_000, 60):
            x, y = data(int(n)), data(int(n))
            if compiled(x, y).tobytes() != fn(x, y).tobytes():
                wrong.append(int(n))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and hits(fn) >= 200


def test_not_if_it_is_not_wanted() -> None:
    def fn(x: Any) -> Any:
        return x * 2.0 + 1.0

    compiled = jitcore.compile(fn, dynamic=False)
    for n in (20, 30, 40):
        assert_same(compiled(data(n)), fn(data(n)))
    assert hits(fn) == 0


def test_from_the_first_call_on() -> None:
    def fn(x: Any, y: Any) -> Any:
        return (x * 2.0 + 1.0) / y

    compiled = jitcore.compile(fn, dynamic=True)
    for n in (20, 30, 40, 1, 50):
        assert_same(compiled(data(n, 3), data(3)), fn(data(n, 3), data(3)))
    assert hits(fn) == 4
    assert compiled.cache_info().compiles == 2


def test_guards_in_words() -> None:
    def fn(x: Any, y: Any) -> Any:
        return x * 2.0 + y

    agree(fn, [(data(n, 5), data(n, 5)) for n in (20, 30)])
    words = regions(fn)[-1].guards
    assert any(one.startswith("x is an array float64 of extents ") for one in words)
    assert "x.shape[0] == y.shape[0]" in words
