"""What explain says of memory moved, of operations, and of where a step stands between the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.cost import bandwidth as roof
from jitcore.cost.bandwidth import bandwidth, caches
from jitcore.report import explain as explaining
from jitcore.report.measured import run as measured_run
from jitcore.report.roofline import MachineLimits, Position

SIDE = 64
N = SIDE * SIDE
ARRAY = 8 * N  # bytes
MACHINE = MachineLimits(10e9, 1 << 20)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    jitcore.reset()
    monkeypatch.setattr(explaining, "bandwidth", lambda *_: MACHINE.memory)
    monkeypatch.setattr(explaining, "caches", lambda: MACHINE.caches)
    yield
    jitcore.reset()


def square(seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(SIDE, SIDE))


def chain(x: Any, y: Any) -> Any:
    return (x * y + x) * (x - y) + 1.0


def in_place(x: Any, y: Any) -> Any:
    x *= y
    x += 1.0
    x -= y
    return x


def halves(x: Any, y: Any) -> Any:
    return x[::2] * 2.0 + y[: SIDE // 2]


def product(x: Any, y: Any) -> Any:
    return np.maximum(x @ y + 1.0, 0.0)


def cross(x: Any, y: Any) -> Any:
    return 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def total(x: Any, y: Any) -> Any:
    return (x * y).sum(axis=0)


def part(x: Any, y: Any) -> Any:
    x[: SIDE // 2] = y[: SIDE // 2] * 2.0 + 1.0
    return None


def row(x: Any, y: Any) -> Any:
    """A row is repeated: it is read once."""
    return x * y[0] + y[0]


INNER = (SIDE - 2) ** 2
# bytes as compiled, at least, and of NumPy's calls; operations
CASES: dict[Callable[..., Any], tuple[int, int, int, int]] = {
    chain: (3 * ARRAY, 3 * ARRAY, 14 * ARRAY, 5 * N),
    in_place: (3 * ARRAY, 3 * ARRAY, 8 * ARRAY, 3 * N),
    halves: (3 * ARRAY // 2, 3 * ARRAY // 2, 5 * ARRAY // 2, N),
    product: (5 * ARRAY, 3 * ARRAY, 7 * ARRAY, 2 * N * SIDE + 2 * N),
    cross: (
        ARRAY - 16 + 8 * INNER,
        ARRAY - 16 + 8 * INNER,
        ARRAY - 16 + 8 * INNER * (1 + 3 + 3 + 2),
        4 * INNER,
    ),
    total: (2 * ARRAY + 8 * SIDE, 2 * ARRAY + 8 * SIDE, 4 * ARRAY + 8 * SIDE, 2 * N),
    part: (ARRAY, ARRAY, 3 * ARRAY, N),
    row: (2 * ARRAY + 8 * SIDE, 2 * ARRAY + 8 * SIDE, 4 * ARRAY + 2 * 8 * SIDE, 2 * N),
}


@pytest.mark.parametrize("fn", CASES)
def test_bytes_and_operations_are_counted(fn: Callable[..., Any]) -> None:
    seen = jitcore.explain(jitcore.compile(fn))(square(1), square(2))
    (graph,) = seen.graphs
    found = graph.traffic
    assert (found.compiled, found.least, found.calls, found.operations) == CASES[fn]
    assert found.why == ""
    assert sum(one.moved for one in graph.counts) == found.compiled


def test_what_lives_between_steps_only() -> None:
    (graph,) = jitcore.explain(jitcore.compile(product))(square(1), square(2)).graphs
    assert [one.between for one in graph.counts] == [ARRAY, ARRAY]


def test_a_gather_reads_what_it_takes() -> None:
    def taken(x: Any, at: Any) -> Any:
        return x[at] * 2.0 + 1.0

    (graph,) = jitcore.explain(jitcore.compile(taken))(np.ones(9000), np.arange(0, 900, 9)).graphs
    assert graph.traffic.compiled == graph.traffic.least == 3 * 800


def looped(x: Any, y: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + x[i, 0] * y[0, i]
    return s


def masked(x: Any, y: Any) -> Any:
    x[y > 0.0] = 0.0
    return x * y + 1.0


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (looped, "the rounds of a loop are only known at run time"),
        (masked, "the length of boolean indexing is only known at run time"),
    ],
)
def test_what_cannot_be_counted_is_said(fn: Callable[..., Any], why: str) -> None:
    seen = jitcore.explain(jitcore.compile(fn))(square(1), square(2))
    assert any(graph.traffic.calls is None and why in graph.traffic.why for graph in seen.graphs)
    assert why in str(seen)


def test_operations_of_an_algorithm_are_not_counted() -> None:
    def sorted_rows(x: Any) -> Any:
        return np.sort(x) * 2.0 + 1.0

    seen = jitcore.explain(jitcore.compile(sorted_rows))(square(1))
    (graph,) = seen.graphs
    assert graph.traffic.operations is None and graph.traffic.compiled == 4 * ARRAY
    assert "the operations of sort are not counted" in str(seen)


def test_the_text_has_bytes_and_a_verdict() -> None:
    seen = jitcore.explain(jitcore.compile(chain))(square(1), square(2))
    line = chain.__code__.co_firstlineno + 1
    text = str(seen)
    assert f"memory moved at {__file__}:{line} in chain: 96 KiB in a run, which is" in text
    assert "which is the least; NumPy's calls: 448 KiB" in text
    assert f"chain@{line} (" in text and "0.21 op/byte, " in text and " of 10 GB/s (" in text
    assert f"chain@{line} (" in seen._repr_html_()
    (one,) = seen.roofline
    assert (one.moved, one.operations, one.runs) == (3 * ARRAY, 5 * N, 1)
    assert one.intensity == 5 / 24 and one.bytes_per_second == 3 * ARRAY / one.seconds


def test_an_entry_for_all_sizes_has_no_speed() -> None:
    compiled = jitcore.compile(lambda x: np.sqrt(x * x + 1.0))
    compiled(np.ones(100))
    seen = jitcore.explain(compiled)(np.ones(2000))
    sized = [graph for graph in seen.graphs if graph.for_sizes]
    assert [graph.traffic.compiled for graph in sized] == [2 * 16000]
    assert {one.bytes_per_second for one in seen.roofline} == {None}
    assert "at one of the sizes that it serves" in str(seen)
    assert "which ones came is not known" in str(seen)


@pytest.mark.parametrize(
    ("seconds", "moved", "verdict"),
    [
        (1.0, 9 << 30, "bound by memory"),
        (1.0, 1 << 30, "not bound by memory"),
        (1.0, 20 << 30, "faster than memory: its arrays are in caches"),
        (1e-4, 900_000, "its arrays fit into the caches"),
        (0.0, 900_000, ""),
    ],
)
def test_a_verdict(seconds: float, moved: int, verdict: str) -> None:
    one = Position("f@1", "add", moved, moved // 8, 1, seconds, "", MACHINE)
    assert one.verdict == verdict
    unknown = replace(one, machine=MachineLimits(10e9, 0))
    if verdict == "bound by memory":
        assert unknown.verdict == "bound by memory, or by a cache: how much they hold is not known"
    assert replace(one, machine=MachineLimits(None, 0)).verdict == ""


def test_memory_is_measured(monkeypatch: Any) -> None:
    monkeypatch.setattr(roof, "measured", {})
    one = bandwidth(2)
    assert one is not None and 1e8 < one < 1e13
    assert bandwidth(2) == one  # once
    assert bandwidth(2, one / 2) == one and len(roof.measured[2]) == 1


def test_memory_is_measured_again_where_kernels_reach_more(monkeypatch: Any) -> None:
    gives = iter((5e9, None, 7e9, 6e9, 9e9))
    monkeypatch.setattr(roof, "measured", {})
    monkeypatch.setattr(roof, "measure", lambda threads: next(gives))
    assert bandwidth(3) == 5e9
    assert bandwidth(3, 6.5e9) == 7e9  # there was no room in between
    assert bandwidth(3, 8e9) == 7e9  # four times, and no more
    assert bandwidth(3, 1e12) == 7e9
    assert caches() >= 0


def test_steps_run_as_often_as_their_graph(measured: None) -> None:
    """Of short calls one in 32 is measured, and stands for the others."""
    compiled = jitcore.compile(lambda x: np.sqrt(x * x + 1.0))
    for _ in range(64 + 32 * 50):
        compiled(np.ones(10))
    (graph,) = measured_run().compiled
    (step,) = graph.steps
    assert graph.hits == 64 + 32 * 50
    assert 0.9 < step.times / graph.hits < 1.1 and 0.9 < graph.runs / graph.hits < 1.1
    for _ in range(4096 + 128 * 20):  # and later one in 128
        compiled(np.ones(10))
    (graph,) = measured_run().compiled
    (step,) = graph.steps
    assert 0.9 < step.times / graph.hits < 1.1 and 0.9 < graph.runs / graph.hits < 1.1


# ---- why it was compiled again ------------------------------------------------------------------


def test_what_was_not_called_is_not_listed(measured: None) -> None:
    f, g = (jitcore.compile(lambda x: np.sqrt(x * x + 1.0)) for _ in range(2))
    for _ in range(40):
        f(np.ones(10))
    seen = jitcore.explain(g)(np.ones(10))
    assert len(seen.measured) == 1 and str(seen).count("memory moved at") == 1


@jitcore.allow_in_graph
def looked_at(x: Any) -> None:
    return None


def with_others(x: Any) -> Any:
    y = np.sqrt(x * x + 1.0)
    print(end=f"{y[0]}"[:0])
    z = np.sort(y)
    looked_at(z)
    return z * 2.0 + 1.0


def test_what_is_none_of_numpys_is_said_to_be(measured: None) -> None:
    compiled = jitcore.compile(with_others)
    seen = jitcore.explain(compiled)(np.ones(10))
    names = {one.what for one in seen.roofline}
    assert "looked_at(), allowed in the graph" in names and "NumPy's sort" in names
    assert not {"NumPy's print", "NumPy's check_stream", "NumPy's looked_at"} & names
    assert "1 other call, " in str(seen) or " other calls, " in str(seen)


def test_recompiles_are_told_in_words() -> None:
    compiled = jitcore.compile(chain)
    compiled(np.ones(10), np.ones(10))
    seen = jitcore.explain(compiled)(np.ones(20), np.ones(20))
    (again,) = seen.recompiles
    assert again.done == "made dynamic"
    line = f"compiled again at {again.place}: x.shape[0] was 10, now 20"
    assert line in str(seen) and line in seen._repr_html_()
    assert str(seen).count("compiled again") == 1


def test_recompiles_of_what_the_call_meets() -> None:
    @jitcore.compile
    def inner(x: Any) -> Any:
        return np.sqrt(x * x + 1.0)

    @jitcore.compile
    def other(x: Any) -> Any:
        return np.exp(-x) * 2.0

    @jitcore.compile
    def outer(x: Any) -> Any:
        print(end="")
        return [inner(part) for part in (x, x.astype("f4"))]

    for dtype in ("f8", "f4"):
        other(np.ones(5, dtype))
    inner(np.ones(5))
    inner(np.ones(5, "f4"))
    seen = jitcore.explain(inner)(np.ones(5, "i4"))
    assert [one.changes[0].told for one in seen.recompiles] == [
        "x.dtype was float64, now float32",
        "x.dtype was float32, now int32",
    ]
    met = jitcore.explain(outer)(np.ones(5)).recompiles
    assert {one.place.function for one in met} <= {inner.__qualname__, outer.__qualname__}
