"""Matrices and graphs of which most is nothing."""

import numpy as np

from benchmarks.registry import loop


def rows(n, filled, rng):
    """A square matrix as compressed sparse rows, and a vector."""
    at = np.sort(rng.choice(n * n, size=filled, replace=False))
    starts = np.searchsorted(at // n, np.arange(n + 1)).astype(np.uint32)
    return starts, (at % n).astype(np.uint32), rng.random(filled), rng.random(n)


@loop(rows, small=(6, 12), medium=(32_768, 65_536), large=(100_000, 400_000), npbench="spmv")
def spmv(starts, columns, values, x):
    """A sparse matrix times a vector, a row at a time."""
    n = starts.shape[0] - 1
    y = np.empty(n)
    for i in range(n):
        first, last = starts[i], starts[i + 1]
        y[i] = values[first:last] @ x[columns[first:last]]
    return y


@loop(rows, small=(6, 12), medium=(4000, 40_000), large=(40_000, 400_000))
def spmv_scalar(starts, columns, values, x):
    """The same, number by number."""
    n = starts.shape[0] - 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
    return y


def links(pages, count, rng):
    """From one page to another, the first ones more often."""
    sources = np.concatenate([np.arange(pages), rng.integers(0, pages, count)])
    targets = (pages * rng.random(pages + count) ** 2).astype(np.int64)
    return sources, targets, pages, 0.85, 1e-10


@loop(links, small=(8, 20), medium=(2000, 20_000), large=(200_000, 2_000_000))
def pagerank(sources, targets, pages, damping, tolerance):
    """Power iteration until the ranks hardly move: ranks and steps."""
    degree = np.bincount(sources, minlength=pages)
    rank = np.full(pages, 1.0 / pages)
    steps = 0
    change = 1.0
    while change > tolerance:
        share = damping * rank / degree
        new = np.bincount(targets, weights=share[sources], minlength=pages)
        new += (1.0 - new.sum()) / pages
        change = np.abs(new - rank).sum()
        rank = new
        steps += 1
    return rank, steps
