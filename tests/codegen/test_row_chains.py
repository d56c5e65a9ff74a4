"""Kernels with sums of rows between them: band by band, with NumPy's bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from codegen_harness import build, compare, groups_of, run
from codegen_values import tame, wild

import jitcore
from jitcore.ir import BY_OPERATOR as OP
from jitcore.ir import OPS, Builder, Value
from jitcore.kernels.chains import chain_c, rowwise
from jitcore.kernels.kernel import source_of
from jitcore.kernels.view_offsets import placed
from jitcore.passes.chain import chained
from jitcore.passes.window import fused

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * x[0] + 1


def log_sum_exp(x: Array) -> Array:
    """What is left of each row has an axis less."""
    top = x.max(axis=-1)
    return top + np.log(np.exp(x - top[..., None]).sum(axis=-1))


def all_that_is_made(x: Array) -> tuple[Array, ...]:
    """What stages read is returned, too."""
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    spread = (centred * centred).sum(axis=-1)
    return mean, centred, spread, centred / (spread[..., None] + 1)


def of_some_axes(x: Array) -> Array:
    y = x * 2
    y = y - y.sum(axis=tuple(range(1, x.ndim)) or 0, keepdims=True)
    return y * y.min(axis=-1, keepdims=True)


def of_a_middle_axis(x: Array) -> Array:
    axis = min(1, x.ndim - 1)
    return x / (x * x).sum(axis=axis, keepdims=True) + x.max(axis=axis, keepdims=True)


def across_rows(x: Array) -> Array:
    """A sum of columns is known when all rows are."""
    y = x - x.sum(axis=0)
    return y * y.sum(axis=-1, keepdims=True)


def deviations(x: Array) -> tuple[Any, Array]:
    """Their divisor is a number of the text."""
    return x.var(axis=-1), (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def comparisons(x: Array) -> tuple[Array, Array]:
    some = (x > 0.5).any(axis=-1, keepdims=True)
    many = np.count_nonzero(x > x.mean(axis=-1, keepdims=True), axis=-1)
    return np.where(some, x, -x) * 2, many * 2 + 1


def a_part_of_what_is_made(x: Array) -> Array:
    e = np.abs(x) + 1
    return e[..., :1] * e.sum(axis=-1, keepdims=True) + e.max(axis=-1, keepdims=True)


def turned(x: Array) -> Array:
    """The row sums are read as a row."""
    sums = (x * 3).sum(axis=-1)
    return x[..., : x.shape[0]] * sums if sums.shape[-1:] == x.shape[-1:] else x - sums.max()


def a_product_between(x: Array) -> Array:
    """The result takes the memory of what nobody reads again."""
    if x.ndim < 2 or x.dtype.kind not in "fd":
        return x
    y = np.matmul(x, np.swapaxes(x, -1, -2)) / 8
    e = np.exp(np.tanh(y) - np.tanh(y).max(axis=-1, keepdims=True))
    return np.matmul(e / e.sum(axis=-1, keepdims=True), x)


PROGRAMS: list[Callable[..., Any]] = [
    *(softmax, layer_norm, log_sum_exp, all_that_is_made, of_some_axes, of_a_middle_axis),
    *(across_rows, deviations, comparisons, a_part_of_what_is_made, turned, a_product_between),
]
SHAPES = (
    *((5,), (300,), (2500,), (1, 9), (7, 1), (9, 9), (40, 7), (31, 130), (3, 2100), (200, 16)),
    *((4, 5, 6), (1, 6, 20), (12, 1, 9), (6, 30, 1), (2, 3, 4, 5)),
)
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "F": lambda a: a.copy(order="F"),
    "spread": lambda a: np.repeat(a, 3, axis=-1)[..., ::3],
    "rows apart": lambda a: np.repeat(a, 2, axis=0)[::2],
    "backward": lambda a: a[::-1].copy()[::-1],
    "swapped": lambda a: a.swapaxes(0, -1).copy().swapaxes(0, -1),
    "repeated": lambda a: np.broadcast_to(a[:1], a.shape),
}


@pytest.fixture(params=[1 << 18, 1, 5000], autouse=True)
def band(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As it is, and so small that there are many, on several threads."""
    monkeypatch.setattr(rowwise, "BUDGET", request.param)
    if request.param < 1 << 18:
        monkeypatch.setattr(chain_c, "LEAST", 1.0)
    threads = jitcore.get_num_threads()
    jitcore.set_num_threads(3)
    yield
    jitcore.set_num_threads(threads)


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("dtype", "fdliD")
def test_as_numpy(fn: Any, dtype: str) -> None:
    fast = jitcore.compile(fn)
    for seed, shape in enumerate(SHAPES):
        for make in (tame, wild):
            x = make(dtype, shape, seed)
            for state in ("ignore", "warn", "raise"):
                want = run(fn, (x,), state)
                for _ in range(2):
                    got = run(fast, (x,), state)
                    assert got[1] == want[1], (shape, make.__name__, state)
                    compare(got[0], want[0], f"{shape} {make.__name__} {state}")


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(fn: Any, layout: str) -> None:
    fast = jitcore.compile(fn)
    for shape in SHAPES:
        x = LAYOUTS[layout](wild("d", shape, 3))
        compare(run(fast, (x,), "ignore")[0], run(fn, (x,), "ignore")[0], f"{shape}")


@pytest.mark.parametrize("fn", PROGRAMS[:4])
def test_each_flag(fn: Any) -> None:
    """One special element, wherever it is, warns as it does in NumPy."""
    fast = jitcore.compile(fn)
    for place in ((0, 0), (0, 7), (11, 3), (37, 0), (37, 14)):
        for value in (np.nan, np.inf, -np.inf, 1e308, 1e-308):
            x = tame("d", (38, 15), 1)
            x[place] = value
            want, got = run(fn, (x,), "warn"), run(fast, (x,), "warn")
            assert got[1] == want[1], (place, value)
            compare(got[0], want[0], f"{place} {value}")


def a_sum_before_a_store(x: Array) -> Any:
    total, largest = x.sum(axis=-1), x.max()
    x *= 2
    return total, largest


def a_sum_beside_what_takes_its_memory(x: Array) -> Any:
    y = x + 1
    z = y * 2
    return y.sum(axis=-1), y.max(axis=-1), np.sqrt(np.abs(z)) + z.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("fn", [a_sum_before_a_store, a_sum_beside_what_takes_its_memory])
def test_what_is_read_where_it_lies(fn: Any) -> None:
    fast = jitcore.compile(fn)
    for shape in SHAPES:
        for _ in range(2):
            want, got = wild("d", shape, 1), wild("d", shape, 1)
            compare(run(fast, (got,), "ignore")[0], run(fn, (want,), "ignore")[0], f"{shape}")
            compare(got, want, f"{shape}")


def normed(b: Builder, x: Value) -> list[Value]:
    top = b.emit(OPS["ndarray.max"], (x, 1, None, True))
    e = b.emit(OPS["exp"], (b.emit(OP["-"], (x, top)),))
    return [b.emit(OP["/"], (e, b.emit(OPS["ndarray.sum"], (e, 1, None, None, True))))]


def test_one_kernel_of_one_text() -> None:
    """For all sizes of rows that a call does by itself."""
    texts = set()
    for shape in ((30, 400), (50, 600), (9, 900)):
        b, _, results = build(normed, [tame("d", shape, 1)])
        views = placed(b.nodes, {})
        steps = chained(fused(b.nodes, set(results)), results, views.keys(), views)
        (group,) = groups_of(steps)
        assert group.chain is not None and len(steps) == 1
        assert len(group.chain.stages) == 3
        texts.add(source_of(group))
    assert len(texts) == 1
