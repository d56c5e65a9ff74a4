"""Few compiles: what is known to vary varies from the first time on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.sizes import KEPT, agree, assert_same, data, hits, regions

import jitcore
from jitcore.attach import attach

pytestmark = pytest.mark.by_turns


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_one_row_beside_many() -> None:
    """One row is a case of its own; how long it is varies as the number of rows does."""
    rows = (9, 64), (66, 64), (1, 64), (1, 40), (1, 100), (20, 64)
    agree(softmax, [(data(*shape),) for shape in rows])
    assert len(regions(softmax)) == 3 and hits(softmax) == 5


def test_another_dtype() -> None:
    """What varies in one does in the other."""

    def fn(x: Any) -> Any:
        return np.sqrt(x * x + 1.0) * np.exp(-x)

    calls = [data(n) for n in (40, 50, 60)]
    agree(fn, [(x,) for x in [*calls, *(x.astype(np.float32) for x in calls)]])
    assert len(regions(fn)) == 3 and hits(fn) == 5


def test_none_at_first() -> None:
    """Nothing follows from an extent of 0."""

    def fn(x: Any, y: Any) -> Any:
        return np.sqrt(x * x + 1.0), y * 2.0 + 1.0

    agree(fn, [(data(n), data(m)) for n, m in ((0, 30), (40, 50), (50, 60), (20, 20), (61, 7))])
    assert len(regions(fn)) == 2


def test_short_axes_stay_as_they_are() -> None:
    def fn(x: Any, centre: Any) -> Any:
        return ((x - centre) * (x - centre)).sum(axis=1) * 2.0

    shapes = (40, 3), (50, 3), (1, 3), (1, 3)
    agree(fn, [(data(*shape), data(3)) for shape in shapes])
    assert regions(fn)[-1].sizes == {"x": (1, 3), "centre": (3,)}


def average(x: Any, bins: int) -> Any:
    places = np.minimum((x * bins).astype(np.int64), bins - 1)
    return np.bincount(places) / x.size


def draws(n: int) -> Any:
    """With one in the last bin."""
    return np.append(np.random.default_rng(n).random(n - 1), 0.999)


def test_a_region_that_only_measures() -> None:
    """It reads nothing of x but its size: it never is for one alone."""
    agree(average, [(draws(n), 64) for n in (614, 4246, 70, 100, 64)])
    assert len(regions(average)) == 3
    assert [one.for_sizes for one in regions(average)] == [False, True, True]


def test_a_region_that_reads_what_varies_with_what_it_measures() -> None:
    """To say that one of them varies would say nothing: the other is as it is."""

    def fn(x: Any) -> Any:
        y = x * 2.0 + 1.0
        jitcore.graph_break()
        return y.sum() / len(x) + y * y

    agree(fn, [(data(n),) for n in (40, 50, 60, 70)])
    assert [one.for_sizes for one in regions(fn)] == [False, False, True, True]


def test_dynamic_false_is_heard() -> None:
    config = replace(KEPT, dynamic=False)
    compiled: Any = attach(average, config)  # type: ignore[arg-type]
    for n in (614, 70):
        x = draws(n)
        assert_same(compiled(x, 64), average(x, 64))
    assert [one.for_sizes for one in regions(compiled)] == [False] * 4


def test_few_rows_at_first() -> None:
    """A plan for two rows serves many."""

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        return softmax(scores) @ v

    shapes = (76, 4, 2), (2, 64, 32), (2, 64, 32), (95, 4, 2), (3, 100, 40), (1, 64, 32)
    agree(attention, [tuple(data(*shape) for _ in range(3)) for shape in shapes])
    assert len(regions(attention)) == 3


def test_short_rows_of_sums_stay_in_registers() -> None:
    """Their length varies with none: the text says it, in an entry for all numbers of rows."""

    def deviations(x: Any) -> Any:
        return (x - x.mean(axis=0)) / x.std(axis=0)

    shapes = (40, 16), (50, 16), (70, 16), (16, 16), (2, 16), (900, 16)
    agree(deviations, [(data(*shape),) for shape in shapes])
    *_, every = regions(deviations)
    assert any("r2[16]" in kernel.source for kernel in every.kernels) and every.for_sizes
    agree(
        deviations,
        [(data(*shape),) for shape in ((9, 5), (10, 5), (5, 5), (10, 10), (7, 7), (3, 4))],
    )
