"""What every example does with its function: NumPy beside jitcore, and the report.

python examples/heat.py
"""

from __future__ import annotations

import contextlib
import io
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import jitcore


def show(title: str, compiled: Any, inputs: Callable[[], tuple[Any, ...]], rounds: int = 9) -> Any:
    """Run `compiled` and its original on equal fresh inputs, interleaved; print times and breaks.

    `inputs` makes the arguments anew for every call. Returns jitcore's result.
    """
    eager = compiled.__wrapped__
    with quiet():
        explanation = jitcore.explain(compiled)(*inputs())  # compiles
        wanted, got = eager(*inputs()), compiled(*inputs())
        numpy_time, jitcore_time = interleaved(eager, compiled, inputs, rounds)
    same = "yes" if equal(wanted, got) else "NO"
    graphs = [region for region in explanation.graphs]
    print(f"\n{title}")
    print(f"  NumPy    {numpy_time * 1e3:9.3f} ms")
    print(
        f"  jitcore  {jitcore_time * 1e3:9.3f} ms   {numpy_time / jitcore_time:.2f} times as fast"
    )
    print(f"  bits equal: {same}   graphs: {len(graphs)}   breaks: {len(explanation.breaks)}")
    for stop in explanation.breaks:
        print(f"  {stop.code} {stop.filename.rpartition('/')[2]}:{stop.lineno} {stop.reason}")
        print(f"       hint: {stop.hint}")
    return got


def quiet() -> contextlib.redirect_stdout[io.StringIO]:
    """The program's own prints are not the demo's."""
    return contextlib.redirect_stdout(io.StringIO())


def interleaved(
    one: Callable[..., Any], two: Callable[..., Any], inputs: Callable[[], Any], rounds: int
) -> tuple[float, float]:
    """Medians in seconds; the two take turns, so that both meet the same machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for fn, found in zip((one, two), times, strict=True):
            args = inputs()
            start = time.perf_counter()
            fn(*args)
            found.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def equal(one: Any, two: Any) -> bool:
    """Every bit of every array."""
    if isinstance(one, (tuple, list)):
        return len(one) == len(two) and all(map(equal, one, two))
    a, b = np.asarray(one), np.asarray(two)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
