"""What an explanation says of the state of each graph: does it run, why not, and from when on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import _C
from jitcore.opcodes.decode import decode
from jitcore.report.life import Life, life_of
from jitcore.runtime.records import records

X = np.linspace(-1.0, 2.0, 64)


def halves(x):
    y = np.sqrt(x * x + 1.0)
    jitcore.graph_break()
    return y * 2 + np.exp(y)


def test_each_graph_has_a_state() -> None:
    fn = jitcore.compile(halves)
    fn(X)
    seen = jitcore.explain(fn)(X)
    assert len(seen.states) == len(seen.graphs) == 2
    assert {one.state for one in seen.states} <= {"serving", "trial"}
    for one in seen.states:
        assert f"      {one}\n" in f"{seen}\n"
        assert str(one).startswith(f"state: {one.state} since {_C.reasons()[one.reason]}")


def test_a_retired_graph_says_so() -> None:
    fn = jitcore.compile(halves)
    fn(X)
    fn.graphs[0].entry.decline()
    seen = jitcore.explain(fn)(X)
    assert seen.states[0] == Life("declined", "no gain")
    assert "state: declined since there is nothing to compute" in str(seen)


def test_a_point_that_stands_in_the_way_is_told() -> None:
    """Its breaks do not say it, since it is not about an instruction."""
    fn = jitcore.compile(halves)
    fn(X)
    record = records.find(fn._function.__code__)
    assert record is not None
    first = fn.graphs[0]
    record.points[first.offset].kill()
    seen = jitcore.explain(fn)(X)
    assert seen.states[0] == Life("dead", "killed")
    other = max(decode(fn._function.__code__).allowed - record.points.keys())
    record.points[other] = _C.Point(other, 0)
    record.points[other].wait(1000.0)
    seen = jitcore.explain(fn)(X)
    (text,) = seen.unused
    assert text.startswith(f"no graph at {__file__}:") and f"  {text}\n" in str(seen)
    assert "state: declined since compiling took too long for what its code has run" in text


@pytest.mark.parametrize(
    ("life", "text"),
    [
        (("penalised", "poor", 128), "; looked at again in 128 calls"),
        (("backed off", "misses", 1), "misses in a row; looked at again in 1 call"),
        (("cold", "cold", 0.05), "to be worth compiling; looked at again in 50 ms"),
        (("dead", "limit", None), "state: dead since as many versions were compiled as may be"),
    ],
)
def test_words(life: tuple[Any, ...], text: str) -> None:
    assert str(Life(*life)).endswith(text)


def region(*life: object) -> Any:
    return SimpleNamespace(offset=0, entry=SimpleNamespace(life=life))


def holder(*life: object) -> Any:
    return SimpleNamespace(life=life, _life=life)


def test_who_stands_in_the_way_goes_first() -> None:
    serving, poor = ("serving", "added", None), ("penalised", "poor", 3)
    one: Any = region("trial", "tried", None)
    record: Any = SimpleNamespace(
        points={0: holder(*serving)}, frameless=[one.entry], dispatchers=[holder(*serving)]
    )
    assert life_of(one, record) == life_of(one, None) == Life("trial", "tried")
    record.points[0] = holder(*poor)
    assert life_of(one, record) == Life(*poor)
    record.dispatchers = [holder("backed off", "idle", 7)]
    assert life_of(one, record) == Life("backed off", "idle", 7)
    record.frameless = []
    assert life_of(one, record) == Life(*poor)
