"""Rounds in which each element goes its own way: some elements at once, in all rounds."""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest
from support.ends import ends

import jitcore
from jitcore import _C
from jitcore.ir.cannot_lower import CannotLower
from jitcore.loops.emitter import LoopEmitter
from jitcore.loops.emitter_records import Fact
from jitcore.loops.transform import strip_mine_driver
from jitcore.loops.transform.versioning import Head

pytestmark = pytest.mark.by_turns

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def shared_always() -> Iterator[None]:
    before = _C.threads()
    jitcore.reset()
    _C.strands_always(True)
    _C.set_threads(3)
    yield
    _C.strands_always(False)
    _C.set_threads(before)
    jitcore.reset()


def check(fn: Callable[..., Any], *makes: Callable[[], tuple[Any, ...]]) -> None:
    compiled = jitcore.compile(fn)
    before = _C.strands_count()
    for make in makes:
        want = ends(fn, make())
        for _ in range(2):
            assert ends(compiled, make()) == want
    assert _C.strands_count() > before


def numbers(*shape: int, dtype: Any = float, seed: int = 3) -> Array:
    made = np.random.default_rng(seed).normal(size=shape) * 4.0
    if np.dtype(dtype).kind == "c":
        made = made + 1j * made[::-1]
    return made.astype(dtype)


# ---- forms of loops ------------------------------------------------------------------------------


def onwards(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = a[:, k] * x[:, k - 1] + a[:, 0]


def rows(x: Array, a: Array) -> None:
    for k in range(1, len(x)):
        x[k] = a[k] * x[k - 1] + a[0]
        x[k] += x[k - 1] - a[k - 1]


def twice_back(x: Array, a: Array) -> None:
    for k in range(x.shape[1] - 3, -1, -1):
        x[:, k] = a[:, k + 1] + a[:, k + 2]
        x[:, k] -= a[:, k] * x[:, k + 1] + x[:, k + 2]


def carried_on(x: Array, a: Array) -> Array:
    above = a[:, -1] * x[:, -1]
    for k in range(x.shape[1] - 2, -1, -1):
        above = a[:, k] - x[:, k] * above
        x[:, k] = above + a[:, k]
    return above


def two_carried(x: Array, a: Array) -> Any:
    one, other = a[:, 0] + a[:, 1], a[:, 1] - a[:, 2]
    for k in range(x.shape[1]):
        one = one * a[:, k]
        other = other + one
        x[:, k] = other - one
    return one, other


def branches(x: Array, a: Array) -> None:
    last = x.shape[1] - 1
    for k in range(x.shape[1]):
        known = a[:, k] * 2 + x[:, k]
        if k == 0:
            x[:, 0] = known * a[:, 1]
        elif k < last:
            down = a[:, k - 1] + a[:, k + 1]
            x[:, k] = known - down * x[:, k - 1]
        else:
            x[:, k] = known - x[:, k - 1] * a[:, k]


def either(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        if k % 3 == 1:
            y = a[:, k] + x[:, k - 1]
            y = y * 2
        else:
            y = a[:, k] * 2
        x[:, k] = y - a[:, 0]


def parts(x: Array, a: Array) -> None:
    for k in range(2, x.shape[1]):
        x[1:-1, k] = a[2:, k] * x[1:-1, k - 2] + a[:-2, k - 1]
        x[1:-1, k] *= a[1:-1, 0]


def steps(x: Array, a: Array) -> None:
    for k in range(0, x.shape[1] - 1, 2):
        x[::3, k + 1] = x[::3, k] - a[::3, k]


def from_the_first(x: Array, a: Array) -> None:
    for k in range(3, x.shape[1]):
        x[:, k] = x[:, 0] + x[:, k // 2] - a[:, k]


def to_others(x: Array, a: Array) -> None:
    y = np.zeros(x.shape, x.dtype)
    for k in range(1, x.shape[1]):
        y[:, k] = a[:, k] + x[:, k - 1]
        x[:, k] = y[:, k] + y[:, k - 1]


def filled(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = 3
        x[:, k] += a[:, k] + x[:, k - 1]


def broadcast(x: Array, a: Array) -> None:
    for k in range(1, len(x)):
        x[k] = x[k - 1] + a[k, :1] + a[k, 1]


FORMS = (
    *(onwards, rows, twice_back, carried_on, two_carried, branches, either, parts, steps),
    *(from_the_first, to_others, filled, broadcast),
)
SHAPES = ((70, 41), (1, 9), (3, 200), (0, 7), (65, 3), (300, 12))


@pytest.mark.parametrize("fn", FORMS, ids=lambda fn: fn.__name__)
def test_forms(fn: Callable[..., Any]) -> None:
    """Of parts in one piece rounds go one by one."""
    check(
        fn,
        lambda: (numbers(70, 41), numbers(70, 41, seed=4)),
        lambda: (numbers(41, 70).T, numbers(41, 70, seed=4).T),
    )


@pytest.mark.parametrize("dtype", ("f", "F", "D", "i", "q", "B"))
@pytest.mark.parametrize("fn", FORMS, ids=lambda fn: fn.__name__)
def test_dtypes(fn: Callable[..., Any], dtype: str) -> None:
    compiled = jitcore.compile(fn)
    args = numbers(9, 70, dtype=dtype), numbers(9, 70, dtype=dtype, seed=4)
    copies = tuple(arg.copy() for arg in args)
    assert ends(compiled, args) == ends(fn, copies)


@pytest.mark.parametrize("fn", (onwards, rows, carried_on, branches), ids=lambda fn: fn.__name__)
def test_sizes_and_layouts(fn: Callable[..., Any]) -> None:
    makes = [lambda shape=shape: (numbers(*shape), numbers(*shape, seed=4)) for shape in SHAPES] + [
        lambda: (numbers(41, 70).T, numbers(70, 41, seed=4)),
        lambda: (np.asfortranarray(numbers(70, 41)), numbers(70, 82, seed=4)[:, ::2]),
        lambda: (numbers(70, 41)[::-1, ::-1], numbers(140, 41)[::2]),
    ]
    check(fn, *makes)


def overlapping() -> Iterator[tuple[Array, Array]]:
    for seed in range(2):
        whole = numbers(71, 71, seed=seed)
        yield whole, whole
        yield whole, whole.T
        yield whole[1:, :-1], whole[:-1, 1:]
        yield whole[:, ::-1], whole
        yield whole[:, :35], whole[:, 36:]
        yield whole[::2], whole[1::2]
    one = np.zeros(71)
    yield np.lib.stride_tricks.as_strided(one, (8, 8), (8, 8)), numbers(8, 8)


@pytest.mark.parametrize("fn", (onwards, rows, carried_on, branches), ids=lambda fn: fn.__name__)
def test_arrays_that_share_memory(fn: Callable[..., Any]) -> None:
    compiled = jitcore.compile(fn)
    for k, _ in enumerate(overlapping()):
        want = ends(fn, [*overlapping()][k])
        assert ends(compiled, [*overlapping()][k]) == want, k


def cube(x: Array, a: Array, rate: float) -> None:
    for k in range(1, x.shape[2]):
        scale = rate / (a[:, :, k] - rate * x[:, :, k - 1])
        x[:, :, k] = np.where(scale > 0.5, scale, a[1, :, k] * 0.5)


def planes(x: Array, a: Array, rate: float) -> None:
    for k in range(1, x.shape[0]):
        x[k] = np.sqrt(np.abs(x[k - 1])) + a[k] * rate


def between(x: Array, a: Array, rate: float) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = x[:, k - 1] * rate + a[:, k, ::-1]


@pytest.mark.parametrize("fn", (cube, planes, between), ids=lambda fn: fn.__name__)
def test_three_axes(fn: Callable[..., Any]) -> None:
    check(
        fn,
        lambda: (numbers(9, 13, 20), numbers(9, 13, 20, seed=4), 0.3),
        lambda: (numbers(20, 13, 9).T, numbers(9, 13, 20, seed=4), 0.3),
        lambda: (numbers(20, 3, 9).T, numbers(9, 3, 20, seed=4), 0.3),
    )


def coefficients(x: Array, a: Array, which: Array) -> None:
    """Numbers of each round, of arrays that the loop does not write."""
    for k in range(1, x.shape[1]):
        b = a[0, k] * 2.0 - a[1, which[k]]
        x[:, k] = x[:, which[k]] * b + a[2, k] / 3.0


def test_numbers_of_each_round() -> None:
    which = np.arange(60) * 7 % 60
    check(coefficients, lambda: (numbers(60, 60), numbers(60, 60, seed=4), which))
    bad = which.copy()
    bad[33] = 60
    check(coefficients, lambda: (numbers(60, 60), numbers(60, 60, seed=4), bad))


def test_the_round_that_raises_finds_the_rounds_before() -> None:
    check(onwards, lambda: (numbers(60, 60), numbers(60, 33, seed=4)))
    check(rows, lambda: (numbers(60, 60).T, numbers(33, 60, seed=4)))


@pytest.mark.parametrize("value", (0.0, np.inf, 1e300, np.nan))
def test_warnings(value: float) -> None:
    def divided(x: Array, a: Array) -> Array:
        above = a[:, 0] + 1.0
        for k in range(1, x.shape[1]):
            above = above / a[:, k]
            x[:, k] = a[:, k] / x[:, k - 1]
            x[:, k] -= above * above
        return above

    def make(place: tuple[int, int]) -> tuple[Array, Array]:
        a = np.abs(numbers(70, 41, seed=4)) + 1.0
        a[place] = value
        return np.abs(numbers(70, 41)) + 1.0, a

    def clean() -> tuple[Array, Array]:
        return np.abs(numbers(70, 41)) + 1.0, np.abs(numbers(70, 41, seed=4)) + 1.0

    bad = [lambda at=at: make(at) for at in ((0, 1), (69, 40), (35, 20), (64, 7))]
    check(divided, clean, *bad, clean, clean)


def test_raising_error_states() -> None:
    a = np.abs(numbers(70, 41)) + 1.0
    a[50, 30] = 0.0

    def divided(x: Array, a: Array) -> None:
        for k in range(1, x.shape[1]):
            x[:, k] = x[:, k - 1] / a[:, k]

    compiled = jitcore.compile(divided)
    compiled(np.ones((70, 41)), a + 1.0)
    with np.errstate(all="raise"):
        want = ends(divided, (np.ones((70, 41)), a))
        assert ends(compiled, (np.ones((70, 41)), a)) == want
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = np.ones((70, 41)), np.ones((70, 41))
        with pytest.raises(RuntimeWarning):
            divided(one, a)
        with pytest.raises(RuntimeWarning):
            compiled(other, a)
        assert one.tobytes() == other.tobytes()


class Alarm(Exception):
    pass


def slow(x: Array, a: Array) -> None:
    for k in range(1, x.shape[0]):
        x[k] = np.sqrt(x[k - 1] * a[k % 7]) + 1.0


def test_a_signal_finds_the_rounds_before() -> None:
    def ring(*_: object) -> None:
        raise Alarm

    compiled = jitcore.compile(slow)
    a = np.abs(numbers(7, 3000)) + 1.0
    whole, out = np.zeros((3000, 6000)).T, np.zeros((3000, 6000)).T
    before_it = _C.strands_count()
    compiled(whole, a)
    assert _C.strands_count() > before_it
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.004)
        with pytest.raises(Alarm):
            compiled(out, a)
            time.sleep(10.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    done = int(np.count_nonzero(out[:, 0]))
    assert (out[: done + 1] == whole[: done + 1]).all() and not out[done + 1 :].any()


def mixed(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = x[::-1, k - 1] + a[:, k]


def grown(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:k, k] = x[:k, k - 1] + a[:k, k]


def summed(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = a[:, k] * x[:, k - 1].sum()


def read_one(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = a[:, k] * x[0, k - 1]


@pytest.mark.parametrize("fn", (mixed, grown, summed, read_one), ids=lambda fn: fn.__name__)
def test_what_mixes_elements_stays_in_rounds(fn: Callable[..., Any]) -> None:
    compiled = jitcore.compile(fn)
    args = numbers(40, 40), numbers(40, 40, seed=4) / 40
    want = ends(fn, tuple(arg.copy() for arg in args))
    before = _C.strands_count()
    assert ends(compiled, args) == want
    assert _C.strands_count() == before


def unread(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        _ = 1.0 / (a[:, k] - a[:, 3]) * 2.0
        x[:, k] = a[:, k] * 0.5 + x[:, k - 1]


def calls_once_more(a: Array, b: Array, s: Array) -> None:
    for i in range(a.shape[0]):
        e = np.exp(s[i])
        for k in range(1, a.shape[2]):
            c = np.exp(b[k]) * e
            a[i, :, k] = a[i, :, k - 1] * c + 1.0


def test_a_call_that_stands_before_the_strip_too() -> None:
    """NumPy's loop is the routine's: a strip, which is a function of its own, cannot call it."""

    def make() -> tuple[Array, ...]:
        return numbers(20, 40, 50), numbers(50, seed=4) / 40, numbers(20, seed=5) / 40

    compiled = jitcore.compile(calls_once_more)
    found = jitcore.explain(compiled)(*make())
    assert [len(graph.routines) for graph in found.graphs] == [1]
    assert ends(compiled, make()) == ends(calls_once_more, make())


def chosen_nowhere(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        t = 1.0 / (a[:, k] - a[:, 3])
        x[:, k] = np.where(a[:, k] > 5.0, t, a[:, k]) * 0.5 + x[:, k - 1]


def stored_over(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        x[:, k] = 1.0 / (a[:, k] - a[:, 3])
        x[:, k] = a[:, k] * 0.5 + x[:, k - 1]


def read_on_one_way(x: Array, a: Array) -> None:
    for k in range(1, x.shape[1]):
        t = 1.0 / (a[:, k] - a[:, 3])
        if k % 2 == 5:
            x[:, k] = t
        else:
            x[:, k] = a[:, k] * 0.5 + x[:, k - 1]


def chosen_in_rows(x: Array, a: Array) -> None:
    """No strands: rows are summed up."""
    for k in range(1, x.shape[1]):
        x[:, k] = np.where(a[:, k] > 5.0, 1.0 / (a[:, k] - a[:, 3]), a[:, k]) + x[:, k].sum()


@pytest.mark.parametrize("fn", (unread, chosen_nowhere, stored_over, read_on_one_way))
def test_what_nobody_reads_warns(fn: Callable[..., Any]) -> None:
    for dtype in (float, "f"):
        x, a = numbers(70, 12, dtype=dtype), numbers(70, 12, dtype=dtype, seed=4)
        check(
            fn, lambda x=x, a=a: (x.copy(), a.copy()), lambda x=x, a=a: (x.copy("F"), a.copy("F"))
        )


def test_what_is_not_chosen_warns() -> None:
    compiled = jitcore.compile(chosen_in_rows)
    for order in "CFC":
        args = numbers(70, 12).copy(order), numbers(70, 12, seed=4).copy(order)
        mine, plain = (tuple(one.copy("A") for one in args) for _ in range(2))
        assert ends(compiled, mine) == ends(chosen_in_rows, plain)


# ---- the text -----------------------------------------------------------------------------------


class Text:
    """What a writer is to the head of a loop."""

    def __init__(self, seldom: bool) -> None:
        self.seldom, self.depth = seldom, 0
        self.lines: list[str] = []
        self.facts: list[Fact] = []
        self.functions = ["before"]
        self.layouts: dict[Any, Any] = {}

    def fresh(self, name: str) -> str:
        return f"{name}1"

    def stale(self) -> str:
        self.facts.append(Fact.ASKS)
        return "0"

    written, rewind = LoopEmitter.written, LoopEmitter.rewind

    def line(self, text: str) -> None:
        self.lines.append(text)


@pytest.mark.parametrize("seldom", [False, True])
def test_refused_strands_leave_no_function_behind(monkeypatch, seldom) -> None:
    """Nor a line, nor what is noted of lines; also where the loop around runs seldom, as it has
    strands itself."""

    def refuse(w: Any, *_: Any) -> None:
        w.functions.append("unused")
        raise CannotLower("no")

    text: Any = Text(seldom)
    monkeypatch.setattr(strip_mine_driver, "run", refuse)
    with pytest.raises(CannotLower):
        strip_mine_driver.rounds(text, cast(Any, None), Head("k", "n", "again"))
    assert text.functions == ["before"] and text.seldom == seldom
    assert not text.lines and not text.facts


def test_a_flag_that_threads_share_is_read_and_written_at_once() -> None:
    compiled = jitcore.compile(onwards)
    found = jitcore.explain(compiled)(numbers(60, 80), numbers(60, 80, seed=5))
    lines = [
        line for graph in found.graphs for one in graph.routines for line in one.source.splitlines()
    ]
    shared = [line for line in lines if "resting" in line]
    assert len(shared) == 4 and shared[0].strip().startswith("static int resting")
    assert all("__atomic_" in line for line in shared[1:]), shared
