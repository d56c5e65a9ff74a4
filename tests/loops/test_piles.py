"""Lists that a loop takes items from and puts items to: the stacks and queues of searches."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitcore

GRID = np.random.default_rng(3).random((17, 23)) < 0.6


def flood(open_: Any, row: int, column: int) -> Any:
    seen = np.zeros(open_.shape, dtype=np.int64)
    stack = [(row, column)]
    count = 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= open_.shape[0] or j >= open_.shape[1]:
            continue
        if seen[i, j] or not open_[i, j]:
            continue
        count += 1
        seen[i, j] = count
        for y, x in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            stack.append((y, x))
    return seen, count


def by_queue(open_: Any, row: int, column: int) -> Any:
    far = np.full(open_.shape, -1)
    queue = [(row, column, 0)]
    far[row, column] = 0
    head = 0
    while head < len(queue):
        i, j, d = queue[head]
        head += 1
        for y, x in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            inside = 0 <= y < far.shape[0] and 0 <= x < far.shape[1]
            if inside and open_[y, x] and far[y, x] < 0:
                far[y, x] = d + 1
                queue.append((y, x, d + 1))
    return far


def halves(n: int) -> int:
    """Plain numbers, read at the end and at the beginning."""
    todo = [n]
    total = 0
    while len(todo) > 0:
        top = todo[-1]
        total += top * (todo[0] + 1)
        if top <= 1:
            todo.pop()
            continue
        todo.pop()
        todo.append(top // 2)
        if top % 3 == 0:
            todo.append(top // 3)
        if not todo:
            return -1
    return total


def kept(x: Any, limit: float) -> Any:
    """The list itself is what is returned."""
    best = [(0.0, -1)]
    for i in range(len(x)):
        while best and best[-1][0] < x[i]:
            best.pop()
        best.append((float(x[i]), i))
        if x[i] > limit:
            break
    return best


def kinds(n: int) -> Any:
    """Of several types, side by side."""
    items = [(1.5, n, True, 2j, np.float32(0.25), np.int64(7))]
    total = 0.0
    for k in range(n):
        a, b, c, d, e, f = items.pop()
        total += a + b + (d * d).real
        items.append((a + k, b - 1, not c, d * 1j, e + e, f + f))
        items.append((a, b, c, d, e, f))
        if k % 4 == 3:
            items.clear()
            items.append((0.5, k, False, 1j, e, f))
    return total, items


def next_greater(x: Any) -> Any:
    """Nothing is in the list at first."""
    found = np.full(len(x), -1)
    stack: list[int] = []
    for i in range(len(x)):
        while stack and x[stack[-1]] < x[i]:
            found[stack.pop()] = i
        stack.append(i)
    return found, stack


def groups(near: Any) -> Any:
    label = np.full(len(near), -1)
    count = 0
    stack: list[int] = []
    for start in range(len(near)):
        if label[start] >= 0:
            continue
        stack.append(start)
        label[start] = count
        while stack:
            v = stack.pop()
            for w in range(len(near)):
                if near[v, w] and label[w] < 0:
                    label[w] = count
                    stack.append(w)
        count += 1
    return label, count


def two_at_once(n: int) -> Any:
    a: list[tuple[int, float]] = []
    b: list[float] = []
    total = 0.0
    for i in range(n):
        a.append((i, i * 0.5))
        b.append(i * 1.5)
        if len(a) > 3:
            x, y = a.pop()
            total += x + y
        if len(b) > 5:
            total -= b.pop()
            b.clear()
    return total, a, b


def one_in_each_round(n: int) -> int:
    total = 0
    for i in range(n):
        stack: list[int] = []
        for j in range(i):
            if stack and stack[-1] > j * 3 % 7:
                total += stack.pop()
            stack.append(j * 5 % 11)
        total += len(stack)
    return total


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (flood, [(GRID, 0, 0), (GRID, 8, 8), (GRID, 3, 19), (GRID, 16, 22)]),
    (by_queue, [(GRID, 0, 0), (GRID, 8, 8), (GRID, 3, 19)]),
    (halves, [(0,), (1,), (77,), (12345,), (10**9,)]),
    (kept, [(np.sin(np.arange(50.0)), 2.0), (np.sin(np.arange(50.0)), 0.9)]),
    (kinds, [(0,), (1,), (5,), (30,)]),
    (next_greater, [(np.sin(np.arange(50.0)),), (np.arange(20.0),), (np.ones(9),)]),
    (groups, [(np.random.default_rng(1).random((30, 30)) < 0.06,)]),
    (two_at_once, [(0,), (1,), (5,), (30,)]),
    (one_in_each_round, [(0,), (1,), (5,), (30,)]),
]


def text_of(result: Any) -> str:
    if isinstance(result, np.ndarray):
        return repr((result.dtype, result.tolist()))
    if isinstance(result, tuple | list):
        return repr([type(result), *map(text_of, result)])
    return repr((type(result), result))


@pytest.mark.parametrize(("function", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_same_as_cpython(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    fn = jitcore.compile(function)
    for args in calls * 3:
        assert text_of(fn(*args)) == text_of(function(*args))
    about = jitcore.explain(fn)(*calls[0])
    assert not about.breaks
    assert any(graph.routines for graph in about.graphs)


@pytest.mark.parametrize("function", [flood, by_queue, halves, one_in_each_round])
def test_is_one_graph(function: Callable[..., Any]) -> None:
    args = (GRID, 8, 8) if function in (flood, by_queue) else (500,)
    fn = jitcore.compile(function)
    fn(*args)
    assert len(jitcore.explain(fn)(*args).graphs) == 1


def empties(n: int) -> int:
    todo = [n]
    total = 0
    while True:
        total += todo.pop()
        if total < 100:
            todo.append(total)


def test_an_empty_list_raises_as_in_cpython() -> None:
    fn = jitcore.compile(empties)
    for _ in range(3):
        with pytest.raises(IndexError, match="pop from empty list") as ours:
            fn(7)
        with pytest.raises(IndexError) as theirs:
            empties(7)
        assert ours.traceback[-1].lineno == theirs.traceback[-1].lineno


def never_filled(n: int) -> int:
    todo: list[int] = []
    total = 0
    for i in range(n):
        if todo:
            total += todo.pop()
        total += i
    return total


def of_two_types(n: int) -> Any:
    todo: list[Any] = []
    for i in range(n):
        if todo and i % 3 == 0:
            todo.pop()
        todo.append(i if i % 2 else i * 0.5)
    return todo


def emptied_first(n: int) -> int:
    todo: list[int] = []
    for i in range(n):
        if i % 5 == 4:
            todo.clear()
            todo.pop()
        todo.append(i)
    return len(todo)


def test_lists_of_which_nothing_is_known() -> None:
    for function in (never_filled, of_two_types):
        fn = jitcore.compile(function)
        for n in (0, 3, 9, 40):
            assert text_of(fn(n)) == text_of(function(n))
    fn = jitcore.compile(emptied_first)
    for _ in range(3):
        with pytest.raises(IndexError, match="pop from empty list"):
            fn(40)
        assert fn(3) == 3


def grows_beyond(n: int, rounds: int) -> Any:
    """Past 64 bits CPython goes on, with the list as it is then."""
    items = [(n, 1)]
    for _ in range(rounds):
        a, b = items[-1]
        items.append((a * 1000, b + a))
        if b < 0:
            items.pop()
    return items


def test_left_in_mid_flight_the_list_is_there() -> None:
    fn = jitcore.compile(grows_beyond)
    for rounds in (0, 3, 9, 30, 9):
        assert fn(17, rounds) == grows_beyond(17, rounds)


def named_twice(n: int) -> Any:
    items = also = [(n, 0)]
    while items:
        a, b = items.pop()
        if a > 0:
            also.append((a - 1, b + a))
    return items is also, also


def part_of(n: int) -> Any:
    items = [(n, 0)]
    both = (items, n)
    while items:
        a, b = items.pop()
        if a > 0:
            items.append((a - 1, b + a))
        if b > 20:
            break
    return both


def other_types(n: int) -> Any:
    items: list[Any] = [(n, 0)]
    while items:
        found = items.pop()
        if found[0] > 5:
            items.append((found[0] - 1, 0.5))
        elif found[0] > 0:
            items.append((found[0] - 1, None))
    return found


def nans(x: Any) -> Any:
    items = [0.5]
    for value in x.tolist():
        items.append(value)
        if value < 0.25:
            items.pop()
    return items, x.tolist()[0] in items


@pytest.mark.parametrize("function", [named_twice, part_of, other_types])
def test_what_others_know_is_cpythons(function: Callable[..., Any]) -> None:
    fn = jitcore.compile(function)
    for n in (0, 3, 9, 3):
        assert fn(n) == function(n)


def test_nans() -> None:
    fn = jitcore.compile(nans)
    for x in (np.arange(9.0), np.array([0.5, np.nan, 0.125, np.nan])):
        for _ in range(3):
            assert text_of(fn(x)) == text_of(nans(x))


def test_references() -> None:
    fn = jitcore.compile(kinds)
    fn(30)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        fn(30)
    gc.collect()
    assert sys.getallocatedblocks() < before + 150
