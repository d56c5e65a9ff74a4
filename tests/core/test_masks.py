"""What boolean masks select and store, inside graphs; and where CPython must select."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compare import agree, compiled

import jitcore


def data(dtype: str = "f8", seed: int = 3) -> Callable[[], Any]:
    def make() -> Any:
        values = np.random.default_rng(seed).normal(size=(7, 9)) * 4
        return values.astype(dtype)

    return make


def special() -> Any:
    values = data()()
    values.flat[:35:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310, 1e308]
    return values


def line_of(text: str, fn: Any) -> int:
    """Lines from the function's first to the first with this text."""
    lines = inspect.getsource(fn).splitlines()
    return next(k for k, line in enumerate(lines) if text in line)


def limited(x: Any, y: Any) -> Any:
    x[x > 1.0] = 1.0
    x[x < -1.0] = -1
    return x * y


def scaled(x: Any, y: Any) -> Any:
    x[x < 0.0] *= 0.1
    return x + y


def guarded(x: Any, y: Any) -> Any:
    """The division, and log, would warn for elements that are not selected."""
    good = x > 0.0
    y[good] = np.log(x[good]) / x[good]
    y[~good] = 0.0
    return y * 2.0


def twice_written(x: Any, y: Any) -> Any:
    y[x != 0] = 1.0 / x[x != 0]
    return y + x


def halved(x: Any, y: Any) -> Any:
    y[x != 0] = (1.0 - x[x != 0]) / 2
    y[~(x < 1)] *= -1
    return y + x


def own_array(x: Any, y: Any) -> Any:
    z = np.where(x > y, x, y)
    z[np.isnan(z)] = 0.0
    z[z > 2.0] = z[z > 2.0] / 4.0 - 1
    return z.sum() + z


def in_place(x: Any, y: Any) -> Any:
    part = x[x > 0]
    same = part
    part *= 2.0
    part += 1.0
    x[x > 0] = same - part / 2.0
    return x - y


def from_one_to_another(x: Any, y: Any) -> Any:
    inside = np.abs(x) < 2.0
    x[inside], y[inside] = y[inside], x[inside]
    return x * y


def three_arrays(x: Any, y: Any) -> Any:
    """Between reading and storing another array is stored to, which might be the same memory."""
    part = x[x > 0]
    y[x > 0] = part + 1.0
    x[x > 0] = part * 2.0
    return x - y


def changed_between(x: Any, y: Any) -> Any:
    """The mask's array is another when it is used again."""
    low = x[x < 0.0]
    x += 1.0
    y[x < 0.0] = 5.0
    return low, x, y


def mask_changed_between(x: Any, y: Any) -> Any:
    mask = x < 0.0
    low = x[mask]
    mask[0] = True
    y[mask] = 7.0
    return low * 2.0, y


def kept(x: Any, y: Any) -> Any:
    low = x[x < 0.0]
    x[x < 0.0] = low * 3.0
    print(low.sum())
    return low


INSIDE = [limited, scaled, halved, own_array, in_place]
OTHERS = [guarded, twice_written, from_one_to_another, three_arrays]
BREAKING = [changed_between, mask_changed_between, kept]


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("fn", [*INSIDE, *BREAKING, *OTHERS])
def test_the_same_as_numpy(fn: Any, backend: str) -> None:
    for one, two in ((data(), data(seed=4)), (special, data()), (data("f4"), data("f4", 4))):
        agree(fn, (one, two), 4, backend)


@pytest.mark.parametrize("fn", [*INSIDE, *BREAKING, *OTHERS])
def test_two_names_of_one_array(fn: Any) -> None:
    def both(pair: Any) -> Any:
        return fn(pair[0], pair[1])

    def overlapping() -> Any:
        whole = data()()
        return whole[:-1], whole[1:]

    def one() -> Any:
        return (data()(),) * 2

    for make in (one, overlapping):
        agree(both, (make,), 3, "c")


@pytest.mark.parametrize("fn", INSIDE)
def test_nothing_breaks(fn: Any) -> None:
    jit = compiled(fn)
    jit(data()(), data(seed=4)())
    about = jitcore.explain(jit)(data()(), data(seed=4)())
    assert not about.breaks
    assert all(graph.kernels for graph in about.graphs)
    before = sum(graph.entry.hits for graph in about.graphs)
    jit(data()(), data(seed=4)())
    assert sum(graph.entry.hits for graph in about.graphs) == before + 1


@pytest.mark.parametrize("fn", BREAKING)
def test_selecting_is_the_break(fn: Any) -> None:
    jit = compiled(fn)
    jit(data()(), data(seed=4)())
    stops = jitcore.explain(jit)(data()(), data(seed=4)()).breaks
    assert "J405" in [stop.code for stop in stops]
    (first, *_) = [stop for stop in stops if stop.code == "J405"]
    line = jit.__code__.co_firstlineno
    assert first.lineno == line + line_of("low = x", fn)


@pytest.mark.parametrize("dtype", ["i8", "u1", "f4", "c16", "bool", "f2"])
def test_types_that_a_store_casts(dtype: str) -> None:
    """What would change the dtype is stored by NumPy, with its casts, warnings and errors."""

    def whole(x: Any) -> Any:
        x[x > 1] = 2
        return x + x

    def half(x: Any) -> Any:
        x[x > 1] = 0.5
        return x + x

    def large(x: Any) -> Any:
        x[x > 1] = 300
        return x + x

    def scaling(x: Any) -> Any:
        x[x > 1] *= 0.5
        return x + x

    def huge(x: Any) -> Any:
        x[x > 1] = 1e300
        return x + x

    for fn in (whole, half, large, scaling, huge):
        agree(fn, (data(dtype),), 3, "c")


def test_masks_of_other_shapes_are_numpys() -> None:
    def rows(x: Any, y: Any) -> Any:
        x[x[:, 0] > 0] = 0.0
        y[y.sum(axis=1) < 0] *= 2.0
        return x + y

    def wrong(x: Any, y: Any) -> Any:
        x[(x > 0)[:3]] = 0.0
        return x

    def several(x: Any, y: Any) -> Any:
        x[x > 0] = y[x > 0][::-1]
        x[x < 0] = [1.0]
        return x

    for fn in (rows, wrong, several):
        agree(fn, (data(), data(seed=4)), 3, "c")


def test_layouts_and_read_only() -> None:
    def fn(x: Any, y: Any) -> Any:
        x[y > 0] = y[y > 0] * 2.0
        return x + 1.0

    def frozen() -> Any:
        made = data()()
        made.flags.writeable = False
        return made

    def turned() -> Any:
        return data()().reshape(9, 7).T

    def reversed() -> Any:
        return data(seed=5)()[::-1, ::-1]

    for one, two in ((turned, reversed), (reversed, turned), (frozen, data()), (turned, turned)):
        agree(fn, (one, two), 3, "c")


def test_a_mask_of_itself_and_no_element_selected() -> None:
    def itself(x: Any) -> Any:
        x[x] = False
        return ~x

    def none(x: Any) -> Any:
        x[x > 1e9] = 1.0 / (x[x > 1e9] - 1.0)
        return x * 2.0

    agree(itself, (data("bool"),), 3, "c")
    agree(none, (data(),), 3, "c")


def test_errors_keep_the_array_as_it_was() -> None:
    def fn(x: Any) -> Any:
        x[x > 0] = np.log(x[x > 0] - 1.0)
        return x + 1.0

    def make() -> Any:
        return np.array([0.5, -1.0, 3.0, 1.0])

    for state in ("raise", "ignore", "warn"):
        with np.errstate(all=state):
            agree(fn, (make,), 3, "c")


@pytest.mark.parametrize("places", [(), (0,), (2047, 2048), (4999,), (3000, 4200)])
def test_chunks_without_a_selected_element(places: tuple[int, ...]) -> None:
    """They are not written; what NaNs do to comparisons is no business of the user's."""

    def fn(x: Any) -> Any:
        x[x > 5.0] = 5.0
        x[np.isnan(x)] = -1.0
        return x.sum()

    def make() -> Any:
        made = np.linspace(-4.0, 4.0, 5000)
        made[list(places)] = 7.0
        made[[k + 1 for k in places if k < 4000]] = np.nan
        return made

    for state in ("raise", "warn"):
        with np.errstate(all=state):
            agree(fn, (make,), 3, "c")


def test_large_arrays_are_computed_whole() -> None:
    """Of few elements that may take longer than NumPy's selection: a trial tells."""

    def scaled(x: Any) -> Any:
        x[x > 3.5] *= 0.5
        return x.sum()

    def limited(x: Any) -> Any:
        x[x > 3.5] = 3.5
        return x + 1.0

    def make() -> Any:
        return np.linspace(-4.0, 4.0, 40_000)

    for fn in scaled, limited:
        agree(fn, (make,), 3, "c")
        jit = compiled(fn)
        jit(make())
        assert [stop.code for stop in jitcore.explain(jit)(make()).breaks] == []


def divided_where(a: Any, x: Any, y: Any) -> Any:
    a[:] = np.where(x > 5.0, x / y, a)
    return a


def sqrt_where(a: Any, x: Any, y: Any) -> Any:
    a[:] = np.where(x > 5.0, np.sqrt(y - 0.5), a)
    return a


def truncated_where(a: Any, x: Any, y: Any) -> Any:
    a[:] = np.where(x > 5.0, (y / 0.0).astype("i4"), a)
    return a


@pytest.mark.parametrize("fn", [divided_where, sqrt_where, truncated_where])
def test_what_no_mask_selects_warns_all_the_same(fn: Any) -> None:
    """np.where computes both of its sides everywhere."""
    some = np.where(np.arange(5000) == 7, 0.0, 1.0)
    with np.errstate(all="warn"):
        agree(fn, (lambda: np.ones(5000), lambda: np.ones(5000), some.copy), 3, "c")


def test_a_mask_that_is_an_operand() -> None:
    def fn(a: Any, x: Any, mask: Any) -> None:
        a[:] = np.where(mask, x, a)

    def mask() -> Any:
        return np.arange(5000) > 4000

    makers = (lambda: np.ones(5000), lambda: np.zeros(5000), mask)
    (graph, *_) = jitcore.explain(compiled(fn))(*(make() for make in makers)).graphs
    assert graph.kernels
    agree(fn, makers, 3, "c")


def inverse(x: Any, y: Any) -> Any:
    """Division and root are asked for flags where nothing is selected, too."""
    far = x > 0.5
    y[far] = 1.0 / np.sqrt(x[far])
    z = np.zeros_like(x)
    z[far] = (1.0 - x[far]) / (x[far] * x[far])
    return z + y


def dividing_by_nothing(x: Any, y: Any) -> Any:
    far = x != 0
    y[far] = x[far] / (x[far] - x[far])
    return y


@pytest.mark.parametrize("fn", [inverse, dividing_by_nothing])
@pytest.mark.parametrize("make", [data(), data("f4"), data("i8"), special])
def test_divisions_where_a_mask_selects(fn: Any, make: Any) -> None:
    agree(fn, (make, lambda: np.ones((7, 9))), 3, "c")


def test_a_division_of_what_is_selected_is_in_the_graph() -> None:
    jitcore.reset()
    about = jitcore.explain(jitcore.compile(inverse))(data()(), np.ones((7, 9)))
    assert len(about.graphs) == 1 and not about.breaks
