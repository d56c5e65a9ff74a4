"""np.bincount with a `minlength` is a step of a graph, in C: NumPy's bits, and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]
INTS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8")


def outcome(fn: Any, *args: Any) -> Any:
    try:
        made = fn(*args)
    except Exception as error:
        return type(error), str(error)
    parts = made if isinstance(made, tuple) else (made,)
    return [(np.asarray(p).dtype, np.shape(p), np.asarray(p).tobytes()) for p in parts]


def same(x: Any, weights: Any, bins: int) -> None:
    wanted = outcome(np.bincount, x, weights, bins)
    if isinstance(wanted, list) and wanted[0][1] != (bins,):
        wanted = ValueError, "there are more bins"
    assert outcome(_C.bincount, x, weights, bins) == wanted


def weights_of(kind: int, size: int, rng: np.random.Generator) -> Any:
    w = rng.normal(size=size) * 10.0 ** rng.integers(-300, 300, size)
    if kind == 1:
        w[::3] = -0.0
    if kind == 2:
        w[rng.integers(0, size, 3)] = np.inf, -np.inf, 1e308
    if kind == 3:
        w = np.round(np.clip(w, -1e6, 1e6)).astype("f4" if size % 2 else "i8")
    if kind == 4:  # NaNs of which one is kept where two are added
        w.view("u8")[rng.integers(0, size, 4)] = 0x7FF8000000000001 + np.arange(4, dtype="u8")
    return np.asarray(w)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("size", [1, 3, 4, 5, 27, 1000, 40_001])
def test_numpys_bits(dtype: str, size: int) -> None:
    rng = np.random.default_rng(size)
    for bins in (1, 2, 7, 100, 127, 1024, 1025, 40_000, 100_003):
        x = rng.integers(0, min(bins, np.iinfo(dtype).max), size).astype(dtype)
        same(x, None, bins)
        for kind in range(5):
            same(x, weights_of(kind, size, rng), bins)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("bins", [3, 100, 1024, 1025, 40_000])
def test_numbers_without_a_bin(dtype: str, bins: int) -> None:
    """Anywhere: negative ones are NumPy's error, larger ones make another array."""
    for wrong in (-1, np.iinfo(dtype).min, bins, np.iinfo(dtype).max):
        if not np.iinfo(dtype).min <= wrong <= np.iinfo(dtype).max or wrong > 1 << 20:
            continue
        for at in (0, 1, 500, 998, 999):
            x = np.zeros(1000, dtype)
            x[at] = wrong
            same(x, None, bins)
            same(x, np.ones(1000), bins)


def test_other_forms() -> None:
    x = np.arange(20) % 7
    forms: list[tuple[Any, Any]] = [
        *((x[::2], None), (x[::-1], np.arange(20.0)), (x, np.arange(40.0)[::2])),
        *((x.astype(">i8"), None), (x > 3, None), (x, np.arange(20) > 3), (x.astype("u8"), None)),
        *((x.astype("f8"), None), (x, np.ones(19)), (x.reshape(4, 5), None), (x, x * 1j)),
        *((x[:0], None), (list(x), None), (x, [1.0] * 20), (x, np.ones(20, "O"))),
    ]
    for numbers, weights in forms:
        for bins in (7, 9):
            same(numbers, weights, bins)
    for wrong in ((x, None), (x, None, 7.0), (x, None, True)):
        with pytest.raises(TypeError, match="is expected"):
            _C.bincount(*wrong)


# ---- compiled --------------------------------------------------------------------------------


def means(labels: Array, values: Array, count: int) -> Any:
    found = np.bincount(labels, minlength=count)
    sums = np.bincount(labels, weights=values * 2.0, minlength=count)
    return sums / np.maximum(found, 1), len(found)


def test_one_graph() -> None:
    compiled = jitcore.compile(means, fullgraph=True)
    rng = np.random.default_rng(1)
    for _ in range(20):
        args = rng.integers(0, 10, 500), rng.normal(size=500), 10
        assert outcome(compiled, *args) == outcome(means, *args)
    (graph,) = jitcore.explain(compiled)(*args).graphs
    assert str(graph.graph).count("= bincount(") == 2


def test_more_bins_than_presumed() -> None:
    """CPython makes the call, and what was told of its length does not hold."""
    compiled = jitcore.compile(means)
    for largest in (9, 9, 10, 9, 30, *range(9, 25)):
        args = np.arange(largest + 1), np.ones(largest + 1), 10
        assert outcome(compiled, *args) == outcome(means, *args)


def test_more_bins_in_numpys_turn() -> None:
    """An entry's first runs take turns with NumPy's calls, of which the same is presumed."""

    def scaled(labels: Array, x: Array) -> Any:
        found = np.bincount(labels, minlength=4)
        return np.sqrt(x) * 2.0 + x, found, len(found)

    compiled = jitcore.compile(scaled)
    x = np.linspace(0.0, 1.0, 1000)
    for turn in range(12):
        labels = np.array([0, 1, 3, turn])
        assert outcome(compiled, labels, x) == outcome(scaled, labels, x)


@pytest.mark.parametrize("wrong", [-1, -(2**63)])
def test_negative_numbers(wrong: int) -> None:
    def unread(labels: Array, x: Array) -> Any:
        np.bincount(labels, minlength=4)
        return x * 2.0 + 1.0

    compiled = jitcore.compile(unread)
    x, good = np.ones(50), np.arange(4)
    bad = np.array([1, wrong, 2, 2])
    for labels in (good, good, bad, good, bad):
        assert outcome(compiled, labels, x) == outcome(unread, labels, x)


def test_in_loops() -> None:
    def rounds(labels: Array, x: Array, count: int) -> Any:
        total = np.zeros(count)
        for k in range(1, 9):
            total += np.bincount(labels % k, weights=x * k, minlength=count)
            total[0] += np.bincount(labels[: k * 3], minlength=count)[k % count]
        return total

    compiled = jitcore.compile(rounds)
    rng = np.random.default_rng(3)
    for count in (8, 8, 8, 12, 12):
        args = rng.integers(0, 8, 60), rng.normal(size=60), count
        assert outcome(compiled, *args) == outcome(rounds, *args)


def test_other_sizes() -> None:
    compiled = jitcore.compile(means)
    rng = np.random.default_rng(4)
    for size in (50, 60, 70, 1, 500, 3):
        args = rng.integers(0, 6, size), rng.normal(size=size), 6
        assert outcome(compiled, *args) == outcome(means, *args)
