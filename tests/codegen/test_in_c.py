"""Functions of NumPy's that the extension has in C: the same bits, the same errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


def row(seed: int, size: int) -> Array:
    """Numbers of several magnitudes; some on edges, some equal."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=size) * 10.0 ** rng.integers(-3, 4)
    if seed % 3 == 0:
        x = np.round(x, 1)
    if seed % 4 == 1:
        x = rng.integers(-5, 20, size) * 0.1
    if seed % 5 == 2:
        x[: size // 2] = -0.0
    return np.asarray(x)


def outcome(fn: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            made = fn(*args, **kwargs)
        except Exception as error:
            made = type(error), str(error)
    told = [(one.category, str(one.message)) for one in heard]
    parts = [(p.dtype, p.shape, p.tobytes()) if isinstance(p, np.ndarray) else p for p in made]
    return parts, told


def own(x: Any, bins: int, range: Any, weights: Any) -> Any:
    return _C.histogram(np.histogram, np.histogram_bin_edges, x, bins, range, weights)


def same(x: Any, bins: Any, range: Any = None, weights: Any = None) -> None:
    wanted = outcome(np.histogram, x, bins, range, None, weights)
    assert outcome(own, x, bins, range, weights) == wanted


@pytest.mark.parametrize("seed", range(60))
def test_histograms(seed: int) -> None:
    rng = np.random.default_rng(seed + 1000)
    size = int(rng.choice([1, 2, 3, 4, 5, 511, 513, 1000, 65535, 65536, 65537, 200_001]))
    bins = int(rng.choice([1, 2, 3, 7, 10, 16, 100, 1000, 4097]))
    x, w = row(seed, size), row(seed + 1, size)
    low, high = float(x.min()), float(x.max())
    inner = (low + (high - low) / 3, high), (-1, 2), (0.0, 0.0), (low, high), (2.0, 1.0), (-7, 1e3)
    for weights in (None, w):
        same(x, bins, None, weights)
        same(x, bins, inner[seed % len(inner)], weights)


@pytest.mark.parametrize("seed", range(30))
def test_beside_edges(seed: int) -> None:
    """Numbers on edges, next to them, and far from zero, where edges are rounded, too."""
    rng = np.random.default_rng(seed)
    bins = int(rng.choice([1, 3, 10, 64, 999]))
    first, width = float(rng.choice([0.0, -1e3, 1e9, -1e15])), 10.0 ** int(rng.integers(-3, 12))
    edges = np.linspace(first, first + width, bins + 1)
    x = edges[rng.integers(0, bins + 1, 700)]
    for near in (x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), x * (1 + 2.0**-50)):
        same(near, bins)
        same(near, bins, (first, first + width), rng.normal(size=700))


@pytest.mark.parametrize(
    "x",
    [
        np.array([1.0, np.nan, 2.0]),
        np.array([1.0, np.inf, 2.0, 7.0, 8.0]),
        np.array([-1e308, 0.0, 1e308]),
        np.array([5e-324, 0.0, 1e-323, 2e-323, 3e-323]),
        np.array([-0.0, 0.0, -1.0]),
        np.array([0.0, -0.0]),
        np.array([3.0]),
        np.array([1.0, np.nextafter(1.0, 2.0)]),
        np.array([]),
        np.arange(20.0)[::2],
        np.arange(24.0).reshape(4, 6),
        np.asfortranarray(np.arange(24.0).reshape(4, 6)),
        np.arange(9),
        np.arange(9, dtype=">f8"),
        [1.0, 2.0],
    ],
)
def test_odd_arrays(x: Any) -> None:
    for bins in (1, 4, 10):
        same(x, bins)
        same(x, bins, (0.5, 6))
        same(x, bins, None, np.ones_like(x))
        same(x, bins, None, np.full_like(x, 1e308) if np.asarray(x).dtype.kind == "f" else x)


def test_odd_arguments() -> None:
    x = np.linspace(0.0, 1.0, 77)
    for range in ((0, 1 << 60), (np.float64(0.1), 0.9), (True, 2), (0.1, np.nan), [0.0, 1.0]):
        same(x, 5, range)
    for bins in (0, -3, 2.5, True, np.int64(4), "auto", [0.0, 0.5, 1.0]):
        same(x, bins)
    for weights in (np.arange(77), x[::-1], x.astype("f4"), x + 1j, x[:5], np.full(77, np.inf)):
        same(x, 5, None, weights)


def test_a_raised_flag_is_numpys() -> None:
    x = np.array([1e-308, 2e-308, 3e-308, 1.0])
    with np.errstate(all="raise"):
        same(x, 10)
        same(x, 10, None, np.full(4, 1e308))


def test_threads() -> None:
    x, w = row(3, 1_000_003), row(8, 1_000_003)
    before = jitcore.get_num_threads()
    try:
        for count in (1, 2, 3):
            jitcore.set_num_threads(count)
            same(x, 100, None, w)
            same(x, 100_000, None, w)
            same(x, 100, (-0.5, 0.5))
    finally:
        jitcore.set_num_threads(before)


def mean_by_rings(values: Array, radius: Array, rings: int) -> Any:
    counts = np.histogram(radius, rings)[0]
    sums, edges = np.histogram(radius, rings, weights=values)
    return sums / counts, edges


def within(x: Array, low: float, high: float) -> Any:
    counts, edges = np.histogram(x, bins=8, range=(low, high))
    return counts * 2, edges


def test_one_graph() -> None:
    compiled = jitcore.compile(mean_by_rings, fullgraph=True)
    for seed in (1, 2, 6):
        args = row(seed, 5000), row(seed + 10, 5000) ** 2, 20
        for _ in range(12):
            assert outcome(compiled, *args) == outcome(mean_by_rings, *args)
    (graph,) = jitcore.explain(compiled)(*args).graphs
    assert "histogram" in str(graph)


def test_ranges_at_run_time() -> None:
    compiled = jitcore.compile(within)
    for low, high in ((0.0, 1.0), (-1.0, 0.5), (2.0, 1.0), (0.0, np.inf), (0, 3)):
        for _ in range(3):
            args = row(4, 999), low, high
            assert outcome(compiled, *args) == outcome(within, *args)


def other_forms(x: Array, w: Array) -> Any:
    yield np.histogram(x, "auto")
    yield np.histogram(x, 5, density=True)
    yield np.histogram(x, [0.0, 0.5, 1.0])
    yield np.histogram(x > 0.0, 2)
    yield np.histogram(x.astype("f4"), 5)
    yield np.histogram(x, 5, weights=w.astype("i4"))


def test_other_forms_are_numpys() -> None:
    def listed(x: Array, w: Array) -> list[Any]:
        return [part for pair in other_forms(x, w) for part in pair]

    compiled = jitcore.compile(listed)
    args = row(4, 999), row(5, 999)
    for _ in range(3):
        assert outcome(compiled, *args) == outcome(listed, *args)


def test_edges_are_numpys_own(monkeypatch):
    """np.histogram calls no public function of that name."""
    plain = np.histogram_bin_edges
    monkeypatch.setattr(
        np, "histogram_bin_edges", lambda *args, **kwargs: plain(*args, **kwargs) + 1
    )
    x = np.linspace(0.0, 1.0, 100)
    compiled = jitcore.compile(lambda x: np.histogram(x * 2.0, 5))
    for _ in range(3):
        for found, wanted in zip(compiled(x), np.histogram(x * 2.0, 5), strict=True):
            assert found.tobytes() == wanted.tobytes()
