"""How much memory explain says the arrays of a graph take, beside what NumPy really allocates."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.report.explain import binary

SIDE = 96
SQUARE = np.random.default_rng(2).normal(size=(SIDE, SIDE))
BYTES = SQUARE.nbytes
ROW = SQUARE[0].nbytes
SMALL = 4096  # what bookkeeping, scalars and views may come to


def chain(x: Any, y: Any) -> Any:
    return (x * y + x) * (x - y) + 1.0


def product(x: Any, y: Any) -> Any:
    return np.maximum(x @ y + x[0], 0.0) * 2.0


def softmax(x: Any, y: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def view(x: Any, y: Any) -> Any:
    half = (x * y + 1.0)[::2].T
    return half @ half.T


def converted(x: Any, y: Any) -> Any:
    """Copies: astype of another dtype, and a reshape of another layout."""
    half = x.astype(np.float32).astype(np.float32, copy=False)
    return np.sort(half.T.reshape(-1))


def norm(x: Any, y: Any) -> Any:
    return np.sqrt(((x - y) ** 2).sum())


# peak of the plan as compiled, and of its nodes as calls
CASES: dict[Callable[..., Any], tuple[int, int]] = {
    chain: (BYTES, 3 * BYTES),
    product: (BYTES, 2 * BYTES),
    softmax: (BYTES, 2 * BYTES + ROW),
    view: (2 * BYTES, 2 * BYTES),
    converted: (BYTES, BYTES),
    norm: (0, 2 * BYTES),
}


def peak(fn: Callable[..., Any]) -> int:
    """Bytes that NumPy allocates at most during a call."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = fn(SQUARE, SQUARE)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del kept
    return most - before


@pytest.mark.parametrize("fn", CASES)
def test_it_is_what_is_allocated(fn: Callable[..., Any]) -> None:
    compiled = jitcore.compile(fn)
    compiled(SQUARE, SQUARE)
    (graph,) = jitcore.explain(compiled)(SQUARE, SQUARE).graphs
    footprint = graph.footprint
    assert (footprint.compiled, footprint.calls) == CASES[fn]
    most = peak(compiled)
    assert most <= peak(fn) + SMALL
    assert footprint.compiled <= most + SMALL
    assert most <= footprint.compiled + BYTES + SMALL  # buffers inside of NumPy's reductions


def test_the_report_says_so() -> None:
    compiled = jitcore.compile(chain)
    compiled(SQUARE, SQUARE)
    text = str(jitcore.explain(compiled)(SQUARE, SQUARE))
    assert "peak memory 72 KiB instead of 216 KiB" in text


def test_units() -> None:
    assert [binary(n) for n in (0, 1, 1023, 1024, 1536, 3 << 20, 5 << 40)] == [
        "0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.5 KiB", "3 MiB", "5120 GiB",
    ]  # fmt: skip
