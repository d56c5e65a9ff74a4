"""The evaluation function is there while a compiled call runs, or while its generator lives."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.runtime.records import records

X = np.arange(4.0)


@pytest.fixture(autouse=True)
def _removed_after() -> Any:
    gc.collect()
    before = _C.hook_depth()
    yield
    gc.collect()
    assert _C.hook_depth() == before


def depth() -> int:
    users: int = _C.hook_depth()[0]
    return users


def test_while_a_call_runs() -> None:
    start = depth()
    seen = []

    @jitcore.compile
    def f(x):
        seen.append(depth())
        return g(x) if len(seen) < 3 else x

    @jitcore.compile
    def g(x):
        seen.append(depth())
        return f(x)

    f(X)
    assert seen == [start + 1, start + 2, start + 3]
    assert depth() == start


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_exceptions(error: type[BaseException]) -> None:
    start = depth()

    @jitcore.compile
    def f(x):
        y = x + 1
        raise error(y)

    for _ in range(4):
        with pytest.raises(error):
            f(X)
        assert depth() == start


def test_wrong_calls() -> None:
    start = depth()

    @jitcore.compile
    def f(x):
        return x

    for _ in range(3):
        with pytest.raises(TypeError):
            f()
        with pytest.raises(TypeError):
            f(1, y=2)
    assert depth() == start


def test_generators() -> None:
    start = depth()

    @jitcore.compile
    def f(x):
        while True:
            x = x * 2 + 1
            yield x

    one, two = f(X), f(X)
    assert depth() == start + 2
    assert np.array_equal(next(one), X * 2 + 1)
    assert np.array_equal(next(one), X * 4 + 3)
    one.close()
    del one
    assert depth() == start + 1
    assert np.array_equal(next(two), X * 2 + 1)
    cycle: list[Any] = [two]
    cycle.append(cycle)
    del two, cycle
    gc.collect()
    assert depth() == start


def test_a_generator_that_dies_with_all_that_knows_it() -> None:
    start = depth()

    class Node:
        pass

    @jitcore.compile
    def f(node):
        yield node

    node: Any = Node()
    node.generator = f(node)
    next(node.generator)
    del node
    gc.collect()
    assert depth() == start


def test_others_are_left_alone_while_a_generator_is_alive() -> None:
    def other(x):
        y = x * 2 + 1
        return [f"{v:.3f}" for v in y]

    def called(x):
        jitcore.graph_break()
        return x * 2 + 1

    @jitcore.compile
    def values(x):
        while True:
            yield called(x) - 1

    def met(fn):
        return records.find(fn.__code__) is not None

    alive = values(X)
    with jitcore.config(fullgraph=True):
        assert other(X) == other(X)
    for _ in range(3):
        assert (next(alive) == X * 2).all()
        assert other(X) == ["1.000", "3.000", "5.000", "7.000"]
    assert met(called) and not met(other)
    assert met(values.eager)
    alive.close()


def test_coroutines() -> None:
    start = depth()

    @jitcore.compile
    async def inner(x):
        await asyncio.sleep(0)
        return x * 2 + 1

    @jitcore.compile
    async def items(n):
        for i in range(n):
            yield await inner(X + i)

    @jitcore.compile
    async def f():
        return [y async for y in items(3)]

    for _ in range(3):
        found = asyncio.run(f())
        assert [y.tolist() for y in found] == [(2 * (X + i) + 1).tolist() for i in range(3)]
    gc.collect()
    assert depth() == start
    never = f()
    assert depth() == start + 1
    never.close()
    del never
    assert depth() == start


def test_threads() -> None:
    """Each thread counts for itself; another thread is not intercepted."""

    @jitcore.compile
    def f(x, n):
        for _ in range(n):
            x = x * 0.5 + 1
        return x

    expected = f.eager(X, 20).tobytes()
    wrong: list[Any] = []

    def work(seed: int) -> None:
        try:
            for i in range(40):
                if f(X, 20).tobytes() != expected:
                    wrong.append((seed, i))
                if seed == 0 and i % 10 == 5:
                    f._clear()
                if seed == 1 and i == 20:
                    jitcore.reset()
        except Exception as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)


def test_disabled_and_watched_calls_are_plain() -> None:
    @jitcore.compile
    def f(x):
        return x * 2 + 1

    for _ in range(3):
        f(X)
    hits = f._hits
    assert hits
    with jitcore.disable():
        assert np.array_equal(f(X), X * 2 + 1)
    events = []
    sys.setprofile(lambda frame, event, arg: events.append((event, frame.f_code.co_name)))
    try:
        f(X)
    finally:
        sys.setprofile(None)
    assert ("call", "f") in events
    assert f._hits == hits


def test_another_tool_over_ours_and_ours_over_it() -> None:
    def ask():
        return len("asked")

    def inner(x):
        return x * 2 + 1

    @jitcore.compile
    def f(x):
        return inner(x) - x

    def outermost(x):
        return f(x)

    expected = inner(X) - X

    @jitcore.compile
    def wraps(x):
        _C.wrap_hook(ask)
        return f(x)

    for _ in range(3):
        assert np.array_equal(wraps(X), expected)  # leaves the wrapper over ours, which stays
        before = _C.wrap_hook(None)
        _C.wrap_hook(ask)
        assert np.array_equal(outermost(X), expected)
        assert _C.wrap_hook(None) > before
        assert np.array_equal(outermost(X), expected)
