"""Loops in C that call NumPy's functions: what they hold, and what may happen meanwhile."""

from __future__ import annotations

import signal
import sys
import threading
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.routines import routines

import jitcore

Array = np.ndarray[Any, Any]


def inverses(a: Array, n: int, sums: Array) -> Array:
    s = np.linalg.inv(a)
    for k in range(n):
        s = np.linalg.inv(s + a)
        sums[k % 8] += s[0, 0]
        sums[k % 8] += np.trace(s)
    return s


def regular(n: int) -> Array:
    return np.random.default_rng(n).normal(size=(n, n)) + 9.0 * n * np.eye(n)


def test_it_runs_in_c() -> None:
    fn = jitcore.compile(inverses)
    a, got, want = regular(4), np.zeros(8), np.zeros(8)
    for _ in range(2):
        assert fn(a, 30, got).tobytes() == inverses(a, 30, want).tobytes()
    assert got.tobytes() == want.tobytes()
    (one,) = routines(fn)
    assert one.launches == 2 and one.exits == 0


def test_nothing_is_left_over() -> None:
    fn = jitcore.compile(inverses)
    a, sums = regular(3), np.zeros(8)
    held = [np.linalg.inv, np.trace, a, sums, np.float64, np.dtype(float), np.ndarray]
    fn(a, 40_000, sums)  # what goes on at the header is compiled, too
    fn(a, 20_000, sums)
    before = [*map(sys.getrefcount, held)]
    tracemalloc.start()
    try:
        fn(a, 1000, sums)
        first = tracemalloc.get_traced_memory()[0]
        fn(a, 100_000, sums)
        last = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert last - first < 20_000
    assert all(abs(x - y) < 5 for x, y in zip(before, map(sys.getrefcount, held), strict=True))


def test_nothing_is_left_over_where_calls_fail() -> None:
    def failing(a: Array, n: int) -> float:
        s = 0.0
        for k in range(n):
            s += np.linalg.inv(a[k])[0, 0]
        return s

    fn = jitcore.compile(failing)
    a = np.stack([regular(3)] * 20)
    a[17] = 0
    held = [np.linalg.inv, a, np.dtype(float), np.linalg.LinAlgError]
    counts = []
    for _ in range(300):
        with pytest.raises(np.linalg.LinAlgError):
            fn(a, 20)
        counts.append([*map(sys.getrefcount, held)])
    assert all(abs(x - y) < 5 for x, y in zip(counts[100], counts[-1], strict=True))


def test_a_result_of_another_kind_is_cpythons() -> None:
    """What np.linalg.eigvals gives is complex where the eigenvalues are."""

    def largest(a: Array, n: int) -> tuple[Any, ...]:
        found = []
        s = 0.0
        for k in range(n):
            e = np.linalg.eigvals(a[k])
            s = s + abs(e[0])
            found.append(s)
        return e, found

    a = np.stack([np.diag([1.0 + k, 2.0]) for k in range(20)])
    a[12:] = [[0.0, -1.0], [1.0, 0.0]]
    fn = jitcore.compile(largest)
    for _ in range(3):
        got, want = fn(a, 20), largest(a, 20)
        assert got[0].dtype == want[0].dtype and got[0].tobytes() == want[0].tobytes()
        assert got[1] == want[1] and [*map(type, got[1])] == [*map(type, want[1])]


def test_threads_share_a_loop() -> None:
    """One of them runs the routine; meanwhile the others are CPython's."""
    fn = jitcore.compile(inverses)
    a = regular(4)
    want = inverses(a, 400, np.zeros(8))
    fn(a, 20, np.zeros(8))
    wrong: list[Array] = []

    def work() -> None:
        for _ in range(8):
            got = fn(a, 400, np.zeros(8))
            if got.tobytes() != want.tobytes():
                wrong.append(got)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_a_handler_runs_the_same_loop() -> None:
    fn = jitcore.compile(inverses)
    a = regular(4)
    want = inverses(a, 300, np.zeros(8))
    fn(a, 20, np.zeros(8))
    inner: list[bytes] = []

    def handler(*_: object) -> None:
        inner.append(fn(a, 300, np.zeros(8)).tobytes())

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.02)
        outer = [fn(a, 300, np.zeros(8)).tobytes() for _ in range(20)]
        while not inner:
            outer.append(fn(a, 300, np.zeros(8)).tobytes())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert {*outer, *inner} == {want.tobytes()}


def test_what_another_thread_patches_is_called_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(a: Array, n: int, done: Array) -> Array:
        s = a
        for k in range(n):
            s = np.sort(s)
            done[0] = k
        return s

    fn = jitcore.compile(many)
    a, done = regular(3), np.zeros(1)
    fn(a, 20, done)
    fn(a, 20, done)
    done[0] = -1

    class Patched(Exception):
        pass

    def patched(_: Array) -> Array:
        raise Patched

    def patch() -> None:
        while done[0] < 100:
            pass
        monkeypatch.setattr(np, "sort", patched)

    thread = threading.Thread(target=patch)
    thread.start()
    with pytest.raises(Patched):
        fn(a, 10**8, done)
    thread.join()


def test_who_keeps_what_a_call_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of NumPy's own that were patched may: then the memory stays theirs."""
    kept: list[Array] = []
    module = np.linalg._linalg  # type: ignore[attr-defined]
    real = module._makearray

    def makearray(x: Any) -> Any:
        kept.append(x)
        return real(x)

    def many(a: Array, n: int) -> Array:
        s = a * 1.0
        for _ in range(n):
            s = np.linalg.inv(s * 0.5 + a)
        return s

    fn = jitcore.compile(many)
    a = regular(4)
    want = many(a, 50)
    fn(a, 50)
    monkeypatch.setattr(module, "_makearray", makearray)
    for _ in range(3):
        assert fn(a, 50).tobytes() == want.tobytes()
    assert len(kept) >= 150
    assert all(np.isfinite(one).all() for one in kept)


def shorten(rows: Any) -> None:
    """In place: its memory stays where it was."""
    if type(rows) is list:
        del rows[12:]
    else:
        rows.resize((12,), refcheck=False)


def weighted(a: Array, rows: Any, n: int, at: Array) -> float:
    s = 0.0
    for k in range(n):
        at[0] = k
        s += np.linalg.inv(a)[0, 0] * rows[k]
    return s


@pytest.mark.parametrize("make", [np.ones, lambda n: [1.0] * n], ids=["array", "list"])
def test_what_grows_shorter_during_a_call(
    make: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = np.linalg._linalg  # type: ignore[attr-defined]
    real = module._makearray
    rows: Any = None

    def makearray(x: Any) -> Any:
        if rows is not None and at[0] == 9:
            shorten(rows)
        return real(x)

    fn = jitcore.compile(weighted)
    a, at = regular(3), np.zeros(1)
    for _ in range(2):
        fn(a, make(20), 20, at)
    assert any(one.launches for one in routines(fn))
    monkeypatch.setattr(module, "_makearray", makearray)
    ends = []
    for call in (fn, weighted):
        rows = make(20)
        with pytest.raises(IndexError):
            call(a, rows, 20, at)
        ends.append((at[0], len(rows)))
    assert ends[0] == ends[1]


def means(x: Array, n: int, few: int) -> Any:
    s = np.float64(0.0)
    for k in range(n):
        s += x[k % 3 : few + k % 3, 1].mean()
        s += x[: few + k % 3].var(axis=0, ddof=1)[0]
    return s


@pytest.mark.parametrize("few", [0, 1, 2])
def test_warnings_of_few_elements_come_once(few: int) -> None:
    fn, x = jitcore.compile(means), np.random.default_rng(5).normal(size=(9, 4))
    fn(x, 30, 4)
    assert fn(x, 30, 4).tobytes() == means(x, 30, 4).tobytes()
    assert any(one.launches > one.exits for one in routines(fn))
    found = []
    for call in (fn, means):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            call(x, 5, few)
        found.append([(str(w.message), w.filename, w.lineno) for w in given])
    assert found[0] == found[1]


def shares(x: Array, wide: Array, step: int) -> float:
    total = 0.0
    for start in range(0, x.shape[0], step):
        rows = x[start : start + step]
        scores = rows @ wide
        scores = scores - scores.max(axis=1, keepdims=True)
        total += scores.sum(axis=0)[0]
    return total


def test_extents_of_a_result_are_not_those_of_a_sample() -> None:
    fn = jitcore.compile(shares)
    x, wide = np.random.default_rng(7).random((60, 4)), np.random.default_rng(8).random((4, 5))
    for step in (10, 7, 3, 1, 60, 90, 7):
        assert fn(x, wide, step) == shares(x, wide, step)
    assert all(one.exits == 0 for one in routines(fn))


def by_steps(x: Array, rounds: int, step: int) -> tuple[Any, int]:
    total = 0
    last = -1
    for _ in range(rounds):
        for at in range(0, x.shape[0], step):
            total = total + x[at]
            last = at
    return total, last


def test_a_step_of_the_program_in_a_loop_in_a_loop() -> None:
    fn = jitcore.compile(by_steps)
    x = np.linspace(0.0, 1.0, 23)
    for rounds, step in (7, 3), (7, 5), (1, 30), (4, -1), (0, 2), (9, 1):
        assert repr(fn(x, rounds, step)) == repr(by_steps(x, rounds, step))
    assert routines(fn)


def inverted(a: Array, n: int) -> Array:
    s = a * 1.0
    for _ in range(n):
        s = np.linalg.inv(s * 0.5 + a)
    return s


def inverted_in_regions(a: Array, n: int) -> Array:
    s = a * 1.0
    for k in range(n):
        s = np.linalg.inv(s * 0.5 + a)
        str(k)
    return s


@pytest.mark.parametrize("called", [inverted, inverted_in_regions])
def test_what_a_handler_raises_within_a_call_is_raised(called: Callable[..., Array]) -> None:
    """An exception of any class: NumPy's own are dropped there, and raised again by CPython."""

    class Late(Exception):
        pass

    def handler(*_: object) -> None:
        raise Late

    fn, a = jitcore.compile(called), regular(4)
    for _ in range(3):
        fn(a, 30)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            with pytest.raises(Late):
                fn(a, 100_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


stop = False


def until_stopped(a: Array, most: int) -> int:
    for k in range(most):
        b = np.linalg.inv(a)
        if stop and b[0, 0] == b[0, 0]:
            return k
    return most


def test_what_a_handler_changes_is_seen_soon() -> None:
    """Most handlers run within a call, after which nothing tells that one did."""
    global stop

    def handler(*_: object) -> None:
        global stop
        stop = True
        changed.append(1)

    fn, a = jitcore.compile(until_stopped), regular(4)
    changed: list[int] = []
    stop = False
    for _ in range(3):
        fn(a, 30)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(5):
            stop = False
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            assert fn(a, 10**8) < 10**8
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        stop = False
    assert len(changed) == 5
