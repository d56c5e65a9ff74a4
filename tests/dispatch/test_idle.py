"""A compiled function with nothing to do in it stops costing; what turns up later is still seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import jitcore
from jitcore import _C
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records

PATIENCE, SAMPLE = 64, 32  # of csrc/policy/backoff.h
TRIES = 10  # more than are made to compile one region
X = np.linspace(0.0, 1.0, 50)
USUAL = dataclasses.replace(environment(), keep_all=False)


def work(x: Any) -> Any:
    return (x * x + 1.0) * x - 2.0


def depths(calls: int, seen: list[int], fn: Callable[[], object]) -> list[bool]:
    """Whether the hook is there in each call of a function that appends hook_depth() to `seen`."""
    outside = _C.hook_depth()
    seen.clear()
    for _ in range(calls):
        fn()
    return [found != outside for found in seen]


def watched() -> tuple[list[Any], Callable[[], object]]:
    seen: list[Any] = []
    depth = _C.hook_depth

    def fn() -> None:
        seen.append(depth())

    made = attach(fn, USUAL)
    for _ in range(TRIES):  # the list that it appends to is another each time
        made()
    return seen, made


def test_after_many_idle_calls_the_hook_comes_for_samples_only() -> None:
    seen, fn = watched()
    assert all(depths(PATIENCE - TRIES, seen, fn))
    depths(TRIES, seen, fn)
    later = depths(10 * SAMPLE, seen, fn)
    assert sum(later) == 10


def test_reset_begins_anew() -> None:
    seen, fn = watched()
    depths(2 * PATIENCE, seen, fn)
    jitcore.reset()
    assert all(depths(PATIENCE, seen, fn))


def test_what_turns_up_later_is_found() -> None:
    """A branch that was never taken before calls a function with arrays."""

    def worker(x: Any) -> Any:
        return (x * x + 1.0) * x - 2.0

    def plain(way: Any) -> Any:
        return worker(X) if way.get("busy") else None

    fn = attach(plain, USUAL)
    way: dict[str, bool] = {}
    for _ in range(3 * PATIENCE):
        assert fn(way) is None
    way["busy"] = True
    wanted = worker(X).tobytes()
    for _ in range(SAMPLE + 2 * PATIENCE):
        assert fn(way).tobytes() == wanted
    (graph,) = [graph for graph in jitcore.explain(fn)(way).graphs if graph.kernels]
    assert graph.entry.hits >= 2 * PATIENCE


def test_where_compiled_code_runs_nothing_is_left_out() -> None:
    def plain(x: Any) -> Any:
        print(end="")
        return work(x)

    fn = attach(plain, dataclasses.replace(environment(), keep_all=True))
    for _ in range(5 * PATIENCE):
        fn(X)
    (graph,) = [g for g in jitcore.explain(fn)(X).graphs if g.kernels]
    assert graph.entry.hits == 5 * PATIENCE + 1


def test_more_shapes_than_are_compiled_and_then_one_that_is() -> None:
    def plain(x: Any) -> Any:
        return (x * x + 1.0) * x

    fn = attach(plain, dataclasses.replace(USUAL, keep_all=True, dynamic=False))
    for n in range(10, 20):
        fn(np.ones(n))
    first = jitcore.explain(fn)(np.ones(10)).graphs[0]
    other, known = np.ones(19), np.ones(10)
    for _ in range(3 * PATIENCE):
        assert fn(other).size == 19
    before = first.entry.hits
    for _ in range(2 * SAMPLE):
        assert fn(known).size == 10
    assert first.entry.hits >= before + SAMPLE


def test_a_loop_asks_now_and_then_where_nothing_holds() -> None:
    """One run of a loop: many shapes that are not compiled, then one that is."""

    def plain(arrays: list[Any]) -> None:
        for x in arrays:
            x[:] = (x * x + 1.0) * x

    fn = attach(plain, dataclasses.replace(USUAL, keep_all=True, dynamic=False))
    for _ in range(3):
        fn([np.ones(n) for n in range(10, 50)])
    record = records.find(plain.__code__)
    region = next(region for region in record.regions if region.kernels)
    entry, point = region.entry, record.points[region.offset]
    before, misses = entry.hits, point.misses
    others, same = 200, 128
    arrays = [np.full(60 if k < others else 10, 2.0) for k in range(others + same)]
    fn(arrays)
    assert all((x == 10.0).all() for x in arrays)
    assert same - SAMPLE < entry.hits - before < same
    assert point.misses - misses == others + same - (entry.hits - before)
    before = entry.hits
    fn([np.ones(10) for _ in range(30)])
    assert entry.hits - before == 30


def test_shapes_that_change_in_each_round_are_left_alone() -> None:
    """After three entries, for as long as this call lasts."""

    def plain(arrays: list[Any]) -> None:
        for x in arrays:
            x[:] = (x * x + 1.0) * x

    fn = attach(plain, dataclasses.replace(USUAL, keep_all=True, dynamic=False))
    for calls in (1, 2):
        arrays = [np.full(n, 2.0) for n in range(10 * calls, 10 * calls + 40)]
        fn(arrays)
        assert all((x == 10.0).all() for x in arrays)
        record = records.find(plain.__code__)
        assert sum(bool(region.kernels) for region in record.regions) == 3 * calls
    assert any("one or two iterations" in one.detail for one in record.breaks)


def test_three_shapes_in_turns_are_compiled() -> None:
    def plain(arrays: list[Any]) -> None:
        for x in arrays:
            x[:] = (x * x + 1.0) * x

    fn = attach(plain, dataclasses.replace(USUAL, keep_all=True, dynamic=False))
    fn([np.full(10 + k % 3, 2.0) for k in range(40)])
    regions = [one for one in records.find(plain.__code__).regions if one.kernels]
    assert [one.entry.hits for one in regions] == [14, 13, 13]


def test_many_frames_for_nothing_are_as_good_as_many_calls() -> None:
    """A call that lasts is not made 64 times before it goes without the evaluation function."""

    def outer(n: int) -> None:
        seen.append(_C.hook_depth())
        for k in range(n):
            np.base_repr(k)

    seen: list[Any] = []
    outside = _C.hook_depth()
    fn = attach(outer, USUAL)
    for _ in range(TRIES + 2):
        fn(40_000)
    assert seen[0] != outside
    assert seen[-1] == outside
