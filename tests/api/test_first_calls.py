"""What the first call of a function happens to be decides nothing about the later ones."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore import pipeline
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.runtime.records import records

X = np.linspace(0.0, 1.0, 1000)
USUAL = dataclasses.replace(environment(), keep_all=False)


def chain(x: Any) -> Any:
    return np.sqrt(x * x + 1.0) * 0.5 + x


def rounds(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = np.sqrt(np.sort(x) * x + 1.0) * 0.5 + x
    return x


def asked(x: Any, go: Any) -> Any:
    if not go:
        return None
    return np.sqrt(x * x + 1.0) * 0.5 + x


def plain(x: Any, _: Any) -> Any:
    return np.sqrt(x * x + 1.0) * 0.5 + x


USELESS: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (rounds, (X, 0), 3),
    (asked, (X, False), True),
    (asked, (X, None), "yes"),
    (asked, (X, []), [1]),
    (plain, (1.0, 0), 0),
    (plain, (np.float64(1.0), 0), 0),
    (plain, (X[:0], 0), 0),
    (plain, (X.astype(np.longdouble), 0), 0),
]


@pytest.mark.parametrize(("fn", "first", "second"), USELESS)
def test_one_with_nothing_to_do(fn: Any, first: Any, second: Any) -> None:
    jitcore.reset()
    jit = attach(fn, USUAL)
    jit(*first)
    wanted = fn(X, second).tobytes()
    for _ in range(20):
        assert jit(X, second).tobytes() == wanted
    found = jitcore.explain(jit)(X, second).graphs
    graphs = [graph for graph in found if graph.kernels or graph.routines]
    assert graphs and sum(graph.entry.hits for graph in graphs) >= 8


def test_many_threads_make_one_version() -> None:
    def fn(x: Any) -> Any:
        return np.sqrt(x * x + 1.0) * np.exp(-x)

    jit = attach(fn, dataclasses.replace(USUAL, keep_all=True))
    together = threading.Barrier(8)

    def call() -> None:
        together.wait()
        for _ in range(4):
            jit(X)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    jit(X)
    (graph,) = jitcore.explain(jit)(X).graphs
    assert graph.entry.hits > 0


def test_modules_that_numpy_imports_meanwhile_are_left_alone(tmp_path: Path) -> None:
    """They would be compiled for the error state that pure calls run under."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, jitcore\n"
        "def f(x):\n"
        "    return x * 2 + np.unique(x)[0] + np.linalg.inv(np.eye(3))[0, 0]\n"
        "x = np.linspace(0, 1, 50)\n"
        "print(jitcore.explain(jitcore.compile(f))(x))\n"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "f: " in done.stdout and "J904" not in done.stdout


def test_a_function_without_arrays_is_asked_so_often_and_no_more() -> None:
    """Asking costs as much as a small function: where nothing ever is to be done, points die."""

    def steady(x: float) -> float:
        return (x * x + 1.0) * x

    def branching(n: int) -> int:
        return n if n < 2 else branching(n - 1) + branching(n - 2)

    def caller(values: list[float]) -> list[float]:
        made = []
        for value in filter(None, values):
            made.append(steady(value))
        return made

    attach(steady, USUAL)
    assert attach(caller, USUAL)([0.5] * 1100) == [steady(0.5)] * 1100
    assert attach(branching, USUAL)(14) == branching(14)
    for fn in (steady, branching):
        record = records.find(fn.__code__)
        assert record is not None and record.tries
        assert all(point.dead for point in record.points.values())


def test_an_interrupt_while_it_is_compiled(monkeypatch):
    """The traceback is the user's, and the next call compiles."""

    def plain(x):
        return np.sqrt(x * x + 1.0) * 0.5

    def interrupted(*args, **more):
        signal.raise_signal(signal.SIGINT)
        return capture(*args, **more)

    capture, compiled, x = pipeline.capture, jitcore.compile(plain), np.arange(5.0)
    monkeypatch.setattr(pipeline, "capture", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            compiled(x)
    finally:
        signal.signal(signal.SIGINT, before)
    assert {entry.filename for entry in traceback.extract_tb(caught.tb)} == {__file__}
    assert caught.value.__context__ is None
    monkeypatch.undo()
    for _ in range(2):
        assert compiled(x).tobytes() == plain(x).tobytes()
    assert compiled.cache_info().hits
