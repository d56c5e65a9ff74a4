"""Parts of arrays that begin elsewhere in each round: one entry serves all rounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import jitcore
from jitcore.ir.infer.moving_view import part
from jitcore.runtime.records import records
from jitcore.symbolic.arrays.moving_view import difference, plus, times

Array = np.ndarray


def windows(x: Array, size: int) -> list[Array]:
    found = []
    for i in range(40):
        found.append(np.sqrt(x[i : i + size, i] * 2.0 + 1.0))
    return found


def stored(x: Array, size: int) -> tuple[Array, list[tuple[int, str]]]:
    found = []
    for i in range(40):
        x[2 * i : 2 * i + size, 1] = x[2 * i : 2 * i + size, 0] * 2.0 + 1.0
        found.append((i, "done"))
    return x, found


def entries(fn: Callable[..., object]) -> list[object]:
    record = records.find(fn.__wrapped__.__code__)  # type: ignore[attr-defined]
    assert record is not None
    return [one.entry for one in record.regions if one.entry is not None and one.kernels]


@pytest.mark.parametrize("program", [windows, stored])
def test_one_entry_for_all_rounds(program: Callable[..., object]) -> None:
    fn = jitcore.compile(program)
    given = np.abs(np.random.default_rng(1).normal(size=(100, 100)))
    for _ in range(3):
        assert repr(fn(given.copy(), 3)) == repr(program(given.copy(), 3))
    (entry,) = entries(fn)
    assert entry.hits > 100 and not entry.failures  # type: ignore[attr-defined]


def test_another_size_is_another_entry() -> None:
    fn = jitcore.compile(windows)
    given = np.abs(np.random.default_rng(1).normal(size=(100, 100)))
    for size in (3, 5, 3, 5):
        assert repr(fn(given, size)) == repr(windows(given, size))
    assert len(entries(fn)) == 2


def test_a_part_of_another_shape_is_refused() -> None:
    x = np.arange(12.0).reshape(4, 3)
    given = (slice(1, 3), 2), (2, None)
    assert part(x, *given).tolist() == [5.0, 8.0]
    with pytest.raises(IndexError):
        part(x, (slice(3, 5), 2), (2, None))
    with pytest.raises(IndexError):
        part(x, (slice(-1, 1), 2), (2, None))


def test_the_same_in_c() -> None:
    x = np.arange(12.0).reshape(4, 3)
    assert jitcore._C.part(x, (slice(1, 3), 2), (2,)).tolist() == [5.0, 8.0]
    for index, shape in (((slice(3, 5), 2), (2,)), ((0, 0), ()), ((9, 9), (1,)), (0, (3, 1))):
        with pytest.raises(IndexError):
            jitcore._C.part(x, index, shape)
    with pytest.raises(TypeError):
        jitcore._C.part(x, 0)


def test_sums_of_what_varies() -> None:
    i, n = object(), object()
    first = plus(times(({i: 1}, 0), 2), ({}, 1))
    last = plus(first, ({n: 1}, 4))
    assert difference(last, first) == ({n: 1}, 4)
    assert difference(first, first) == ({}, 0)


def nested(x: Array) -> Array:
    y = x[0]
    for i in range(20):
        for j in range(20):
            y = np.sqrt(y.astype("g").astype("d") * x[i, j] + 1.0) * x[j] / 9.0
    return y


def nested_in_a_call(x: Array) -> Array:
    for _ in range(2):
        x = x + nested(x)
    return x


@pytest.mark.parametrize("program", [nested, nested_in_a_call])
def test_loops_in_loops_do_not_multiply(program: Callable[[Array], Array]) -> None:
    fn = jitcore.compile(program)
    x = np.abs(np.random.default_rng(1).normal(size=(20, 20)))
    for _ in range(3):
        assert fn(x).tobytes() == program(x).tobytes()
    record = records.find(nested.__code__)
    assert record is not None
    assert any(one.kind.code == "J305" for one in record.breaks)
    assert max(len(one.graph.body.nodes) for one in record.regions) < 200
    assert any(one.kernels for one in record.regions)


def test_one_loop_is_unrolled_as_before() -> None:
    def single(x: Array) -> Array:
        y = x
        for i in range(20):
            y = np.sqrt(y * x + i) * x
        return y

    fn = jitcore.compile(single)
    x = np.abs(np.random.default_rng(1).normal(size=70_000))
    assert fn(x).tobytes() == single(x).tobytes()
    record = records.find(single.__code__)
    assert record is not None
    assert [len(one.graph.body.nodes) for one in record.regions] == [80]


def steps_over(x: Array, log: list[object]) -> Array:
    for i in range(6):
        for j in range(40):
            if j < 3:
                continue
            log.append((i, "of", j))
            x[i, j % 4] += 1.0
    return x


def test_loops_that_compute_nothing_are_not_compiled() -> None:
    """All that is left in C would be the counting."""
    fn = jitcore.compile(steps_over)
    log: list[object] = []
    for _ in range(3):
        assert fn(np.zeros((6, 4)), log).sum() == 6 * 37
    assert len(log) == 3 * 6 * 37
    record = records.find(steps_over.__code__)
    assert record is not None
    assert not any(one.routines for one in record.regions)
