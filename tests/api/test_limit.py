"""How long a piece may take to compile: what is given up, what is left of it, when it is tried
again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.api import function_methods
from jitcore.attach import attach
from jitcore.config import Config, environment
from jitcore.host import deadline
from jitcore.host.deadline import Abandoned, foresee, halfway, look, within
from jitcore.runtime import allowance
from jitcore.runtime.adopt import twin
from jitcore.runtime.allowance import account
from jitcore.runtime.records import Record, records
from jitcore.toolchain import cache

USUAL = replace(environment(), keep_all=False)


class Clock:
    """Goes on by `step` each time that it is looked at."""

    def __init__(self) -> None:
        self.now = self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Of pieces."""
    made = Clock()
    monkeypatch.setattr(deadline, "clock", made)
    return made


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """How long the program has."""
    made = Clock()
    monkeypatch.setattr(allowance, "process_time", made)
    before, account.compiling = account.compiling, 0.0
    yield made
    account.compiling = before


def smooth(x: Any) -> Any:
    a = np.sqrt(x * x + 1) - x / 3
    b = np.sqrt(a * a + 1) - x / 4
    c = np.sqrt(b * b + 1) - x / 5
    d = np.sqrt(c * c + 1) - x / 6
    return np.sqrt(d * d + 1) - x / 7


def made(config: Config = USUAL) -> Any:
    fn = jitcore.compile(smooth)
    fn = attach(twin(fn.eager), config)
    fn._set_controls(function_methods)
    return fn


def record_of(fn: Any) -> Record:
    record = records.find(fn._function.__code__)
    assert record is not None
    return record


def codes(fn: Any) -> list[str]:
    return [stop.code for stop in record_of(fn).breaks]


X = np.linspace(0, 1, 5)


def at(fn: Any, ran: Clock, seconds: float, x: Any = X) -> Any:
    """A call when the program has run for so long: it is time to ask again."""
    ran.now = seconds + account.compiling
    for point in record_of(fn).points.values():
        point.wait(0)
    return fn(x)


# ---- the clock ----------------------------------------------------------------------------------


def test_a_piece_ends_when_its_time_has_gone(clock: Clock) -> None:
    with within(2.0):
        clock.now = 1.9
        look()
        clock.now = 2.1
        with pytest.raises(Abandoned) as caught:
            look()
    assert caught.value.needed == 4.0
    look()


def test_a_compiler_that_would_take_longer_is_not_started(clock: Clock) -> None:
    with within(2.0):
        foresee(0.9)
        clock.now = 0.5
        foresee(0.5)
        with pytest.raises(Abandoned) as caught:
            foresee(1.0)
    assert caught.value.needed == pytest.approx(2.9)
    foresee(1e9)


def test_when_it_is_captured_half_of_the_time_is_left(clock: Clock) -> None:
    with within(2.0):
        clock.now = 0.9
        halfway()
        clock.now = 1.1
        look()
        with pytest.raises(Abandoned):
            halfway()
    halfway()


def test_pieces_are_each_threads_own(clock: Clock) -> None:
    with within(1.0), within(float("inf")):
        clock.now = 9.0
        look()


# ---- a piece that is given up -------------------------------------------------------------------


def test_a_first_version_has_a_second(clock: Clock, ran: Clock) -> None:
    fn = made()
    clock.step = 0.1
    for _ in range(3):
        assert fn(X).tobytes() == smooth(X).tobytes()
    assert codes(fn) == ["J912"]
    assert record_of(fn).breaks[0].lineno == smooth.__code__.co_firstlineno + 1


def test_nothing_is_left_half_done(clock: Clock, ran: Clock) -> None:
    fn = made()
    clock.step = 0.1
    fn(X)
    record = record_of(fn)
    assert not record.regions and not record.compiling and not record.recompiles
    assert set(record.tries.values()) == {0}
    assert deadline.here.piece is None
    (point,) = record.points.values()
    assert not (point.entries or point.closed or fn._entries)


def test_who_asks_for_breaks_or_graphs_gets_them_afterwards_too(clock: Clock, ran: Clock) -> None:
    fn = made()
    clock.step = 0.1
    fn(X)
    assert codes(fn) == ["J912"]
    explanation = jitcore.explain(fn)(X)
    assert len(explanation.graphs) == 1 and not explanation.breaks
    assert codes(fn) == []  # it is compiled now
    breaking = jitcore.compile(breaks_once)
    breaking = attach(twin(breaking.eager), USUAL)
    breaking._set_controls(function_methods)
    clock.step = 1.0
    breaking(X)
    assert codes(breaking) == ["J912"]
    with pytest.raises(jitcore.GraphBreakError), jitcore.stance("fail_on_break"):
        breaking(X)


def breaks_once(x: Any) -> Any:
    y = x * 2 + 1
    jitcore.graph_break()
    return y * 3 - x


def test_it_is_compiled_when_its_code_has_run_for_long(clock: Clock, ran: Clock) -> None:
    fn = made()
    clock.step = 0.1
    fn(X)
    clock.step = 0.0
    fn(X)
    at(fn, ran, 2.0 / allowance.SHARE - 0.1)
    assert not record_of(fn).regions
    fn(X)
    ran.now += 0.2
    fn(X)
    assert not record_of(fn).regions, "nobody has asked: not so soon"
    assert at(fn, ran, ran.now + 0.2).tobytes() == smooth(X).tobytes()
    assert [region.entry is not None for region in record_of(fn).regions] == [True]


def test_kernels_that_would_take_too_long_are_not_compiled(
    monkeypatch: pytest.MonkeyPatch, ran: Clock, tmp_path: Any
) -> None:
    monkeypatch.setattr(cache, "SECONDS", 1.0)
    fn = made(replace(USUAL, cache_dir=tmp_path))
    assert fn(X).tobytes() == smooth(X).tobytes()
    assert codes(fn) == ["J912"]
    assert min(record_of(fn).needs.values()) > 1000


def by_warmup(config: Config) -> Any:
    fn = made(config)
    assert fn.warmup(X)
    return fn


def by_call(config: Config) -> Any:
    fn = made(config)
    fn(X)
    return fn


def explained(config: Config) -> Any:
    fn = made(config)
    jitcore.explain(fn)(X)
    return fn


def in_a_stance(config: Config) -> Any:
    fn = made(config)
    with jitcore.stance("fail_on_break"):
        fn(X)
    return fn


@pytest.mark.parametrize(
    ("drive", "config"),
    [
        (by_warmup, USUAL),
        (by_call, replace(USUAL, fullgraph=True)),
        (by_call, replace(USUAL, keep_all=True)),
        (by_call, replace(USUAL, verify=True)),
        (by_call, replace(USUAL, hot_seconds=0.0)),
        (explained, USUAL),
        (in_a_stance, USUAL),
    ],
)
def test_what_is_wanted_is_compiled(
    clock: Clock, ran: Clock, drive: Callable[[Config], Any], config: Config
) -> None:
    clock.step = 10.0
    fn = drive(config)
    assert any(region.entry is not None for region in record_of(fn).regions)
    assert "J912" not in codes(fn)


# ---- further versions ---------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Each piece takes 0.3 s, whatever this machine does meanwhile."""
    watch = SimpleNamespace(read=lambda: (0.3, 0.3))
    monkeypatch.setattr(allowance, "Stopwatch", lambda: watch)


KINDS = ("f8", "f4", "i4", "i8", "u4", "u8", "c16", "c8")


def versions(calls: int, config: Config = USUAL) -> Any:
    fn = made(config)
    for kind in KINDS:
        for _ in range(calls):
            fn(X.astype(kind))
    return fn


def test_all_of_them_take_no_longer_than_the_function_runs(slow: None, ran: Clock) -> None:
    fn = versions(10)
    assert len(record_of(fn).regions) == 1 + 3, "a second, in pieces of 0.3"
    assert codes(fn) == ["J912"]
    at(fn, ran, 0.3, X.astype("c8"))
    assert len(record_of(fn).regions) == 1 + 4
    assert record_of(fn).cost == pytest.approx(1.2)


def test_nothing_is_free_where_versions_are_of_little_use(slow: None, ran: Clock) -> None:
    fn = versions(1)
    assert len(record_of(fn).regions) == 2
    at(fn, ran, 0.5, X.astype("c8"))
    assert len(record_of(fn).regions) == 2
    at(fn, ran, 0.6, X.astype("c8"))
    assert len(record_of(fn).regions) == 3


def test_code_that_nobody_asked_for_has_less(ran: Clock) -> None:
    record = Record(USUAL, arrived=True)
    assert allowance.allowed(record, 0, False) == allowance.EARLY
    ran.now = 0.5
    assert allowance.allowed(record, 0, False) == 0.5
    ran.now = 3.0
    assert allowance.allowed(record, 0, False) == allowance.MOST
    ran.now = 80.0
    assert allowance.allowed(record, 0, False) == 10.0


def test_after_a_fork_time_begins_anew(ran: Clock) -> None:
    record = Record(USUAL)
    ran.now, account.compiling = 50.0, 5.0
    assert allowance.ran_so_far(record) == 0.0
    ran.now = 1.0
    assert allowance.ran_so_far(record) == 1.0
