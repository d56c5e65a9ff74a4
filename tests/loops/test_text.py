"""The C text of loops: the same in every process, so that the disk cache finds it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

import numpy as np
import pytest

import jitcore
from jitcore.loops import build_loop
from jitcore.toolchain import subprocesses

PROGRAM = """
import hashlib
import numpy as np
import jitcore


def f(x, n):
    s, t, most, where = 0, 0.0, -1e9, 0
    for i in range(n):
        for j in range(3, 40):
            if x[i % 9] > most:
                most = x[i % 9]
                where = i
            t += x[(i + j) % 9]
            s += j
            if t > 1e6:
                break
    return s, t, most, where


fn = jitcore.compile(f)
fn(np.arange(9.0), 50)
print(hashlib.sha256(jitcore.explain(fn)(np.arange(9.0), 50).source().encode()).hexdigest())
"""


def digest(seed: int) -> str:
    path = os.pathsep.join([str(Path(jitcore.__file__).parent.parent), os.getcwd()])
    space = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path, "X": "x" * seed}
    done = subprocess.run(
        [sys.executable, "-"], input=PROGRAM, env=space, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_text_is_the_same_in_every_process() -> None:
    assert len({digest(seed) for seed in (1, 2, 300)}) == 1


def smoothed(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    n = len(x)
    out = np.zeros_like(x)
    for i in range(1, n - 1):
        for j in range(a.shape[1]):
            out[i] += a[i, j] * x[i + 1] / n
        out[i] -= x[i % 29]
    return out


def test_the_text_is_the_same_for_other_sizes() -> None:
    """Two columns of one extent, numbers that happen to be another's: right in any case."""
    texts = []
    for n, m in (50, 31), (73, 40), (200, 29), (29, 29), (30, 17), (17, 18), (31, 29):
        x, a = np.linspace(0, 1, n), np.linspace(1, 2, n * m).reshape(n, m)
        fn = jitcore.compile(smoothed)
        want = smoothed(x, a)
        assert fn(x, a).tobytes() == want.tobytes() and fn(x, a).tobytes() == want.tobytes()
        texts.append(jitcore.explain(fn)(x, a).source())
        jitcore.reset()
    assert len(set(texts[:3])) == 1


def test_loops_are_compiled_at_once_also_where_kernels_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def f(x: np.ndarray, n: int) -> tuple[np.ndarray, int]:
        y = np.exp(x) * 2 + x
        s = 0
        for i in range(n):
            s += i * i % 7
        return y - 1, s

    monkeypatch.setenv("JITCORE_COMPILE", "background")
    fn = jitcore.compile(f)
    x = np.linspace(0, 1, 50)
    for _ in range(20):
        got = fn(x, 100)
        assert got[0].tobytes() == f(x, 100)[0].tobytes() and got[1] == f(x, 100)[1]
    jitcore.wait()
    record = jitcore.pipeline.records.find(f.__code__)
    kernels = [one for region in record.regions for one in region.kernels]
    assert kernels and all(one.launches and not one.refusals for one in kernels)


def stencil(x: np.ndarray, rounds: int) -> np.ndarray:
    y = x.copy()
    for _ in range(rounds):
        y[1:-1] = (x[:-2] + x[2:]) / 2 - x[1:-1]
        x[1:-1] = (y[:-2] + y[2:]) / 2 - y[1:-1]
    return y


def test_the_same_extents_are_computed_once() -> None:
    x = np.linspace(0, 1, 200) ** 2
    fn = jitcore.compile(stencil)
    assert fn(x.copy(), 30).tobytes() == stencil(x.copy(), 30).tobytes()
    source = jitcore.explain(fn)(x.copy(), 30).source()
    lines = [line.strip() for line in source[source.index("rounds++") :].splitlines()]
    counts = [line.partition("=")[2] for line in lines if "= rt_items(" in line]
    assert counts and len(set(counts)) == len(counts)


def one_of_two(a: np.ndarray, rounds: int) -> tuple[np.ndarray, float]:
    """What is computed on one way, or in an inner loop, is not there on the other, or after it."""
    last = a[:4] * 1.0
    total = 0.0
    for k in range(rounds):
        if a[k] > 0.5:
            part = a[k : k + 5] * 2.0
            last = part[:4] + part[1:]
            total += part.sum()
        n = k % 5
        for j in range(n):
            piece = a[j : j + n] - 1.0
            total += (piece * a[j : j + n]).sum()
            n = n - 1
        again = a[k : k + 5] * 2.0
        total += again[: n + 1].sum() - (a[n : n + 5] * again).sum()
    return last, total


def shrinking(a: np.ndarray, rounds: int) -> tuple[np.ndarray, float]:
    part = a * 1.0
    total = 0.0
    for _ in range(rounds):
        total += (part[1:] - part[:-1]).sum() + part[1:].sum()
        part = part[1:] * 0.5
        total += (part[1:] - part[:-1]).sum() + part[1:].sum()
    return part, total


@pytest.mark.parametrize("fn", [one_of_two, shrinking])
def test_what_is_computed_once_is_what_it_was(fn: Callable[..., Any]) -> None:
    jitcore.reset()
    made = jitcore.compile(fn)
    for seed in range(6):
        a = np.random.default_rng(seed).random(70)
        got, want = made(a, 60), fn(a, 60)
        assert got[0].tobytes() == want[0].tobytes() and repr(got[1]) == repr(want[1])
    record = jitcore.pipeline.records.find(fn.__code__)
    routines = [one for region in record.regions for one in region.routines]
    assert routines


def written(lines: list[str]) -> Callable[..., Any]:
    head = ["def f(x, y):", "    s = 0.0", "    for i in range(x.shape[0]):"]
    space: dict[str, Any] = {}
    exec("\n".join([*head, *(f"        {line}" for line in lines), "    return s"]), space)
    found: Callable[..., Any] = space["f"]
    return found


def test_a_loop_of_too_much_c_is_cpythons() -> None:
    x = np.random.default_rng(3).random(40)
    few, many = (
        written([f"if x[i] > {k / 100}: s += x[i] * {k}" for k in range(n)]) for n in (10, 100)
    )
    for fn, whole in ((few, True), (many, False)):
        about = jitcore.explain(jitcore.compile(fn))(x, x)
        assert repr(about.result) == repr(fn(x, x))
        assert any(graph.routines for graph in about.graphs) is whole
        assert ("characters of C" in str(about)) is not whole
        assert (" kB of C" in str(about)) is whole


def test_long_texts_are_compiled_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    real, commands = subprocesses.begun, []

    def begun(command: tuple[str, ...], folder: Path | None) -> Popen[str]:
        commands.append(command)
        return real(command, folder)

    monkeypatch.setattr(subprocesses, "begun", begun)
    x = np.linspace(0, 1, 50)
    for n, long, quick in ((2, 25_000, False), (25, 25_000, True), (25, 1 << 30, True)):
        monkeypatch.setattr(build_loop, "LONG", long)
        number = np.random.default_rng().random()  # a text that no cache has
        lines = [f"y[1:-1] = (x[2:] * {k + number} + y[:-2]) / (y[1:-1] + 0.5)" for k in range(n)]
        fn = written(lines)
        commands.clear()
        got, want = x + 1, x + 1
        about = jitcore.explain(jitcore.compile(fn))(x, got)
        fn(x, want)
        assert got.tobytes() == want.tobytes()
        assert about.source().startswith("#define RT_LONG\n") is quick
        assert any("-O1" in command for command in commands) is quick
        assert any("-ffp-contract=off" in command for command in commands)
