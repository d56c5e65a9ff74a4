"""A compiler that does one thing wrong is found, and the program has CPython's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support.verifying import Bench

import jitcore
from jitcore.ir.interp import interpret
from jitcore.user import backends
from jitcore.verify.findings import findings

# Constants that no other test compiles: kernels are found by their text.
RIGHT, WRONG = "0x1.8a00000000000p+1", "0x1.8a00000000001p+1"  # 3.078125


def scaled(x: Any, y: Any) -> Any:
    return np.sqrt(x * 3.078125 + y) - 1.0


def stored(x: Any, y: Any) -> None:
    x[1:] = y[1:] * 3.078125


def looped(x: Any, out: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 3.078125
        out[i] = s
        if i == 7:
            print("half")
    return s


def test_a_right_compiler_differs_in_nothing(bench: Bench) -> None:
    x, y = np.arange(1.0, 50.0), np.ones(49)
    f, g, h = map(bench.compiled, (scaled, stored, looped))
    for _ in range(3):
        assert f(x, y).tobytes() == scaled(x, y).tobytes()
        g(x, y)
        h(x, y)
    assert sum(findings.compared.values()) >= 9
    assert not findings.differences and not bench.told


def test_a_wrong_constant_is_found_and_the_right_result_kept(bench: Bench, tmp_path: Path) -> None:
    bench.wrong[RIGHT] = WRONG
    f = bench.compiled(scaled, cache_dir=tmp_path)
    x, y = np.arange(1.0, 50.0), np.ones(49)
    for _ in range(3):
        assert f(x, y).tobytes() == scaled(x, y).tobytes()
    (found,) = findings.differences.values()
    assert found.place.function == "scaled"
    assert "of 49 elements: [" in found.texts[0] and "in CPython" in found.texts[0]
    assert len(bench.told) == 1  # once per place
    (file,) = bench.files()
    assert f"python -m jitcore replay {file}" in bench.told[0]
    assert file.stat().st_mode & 0o077 == 0


def test_wrong_stores_are_undone(bench: Bench, tmp_path: Path) -> None:
    bench.wrong[RIGHT] = WRONG
    g = bench.compiled(stored, cache_dir=tmp_path)
    x, y = np.zeros(40), np.arange(1.0, 41.0)
    g(x, y)
    want = np.zeros(40)
    stored(want, y)
    assert x.tobytes() == want.tobytes()
    (found,) = findings.differences.values()
    assert "as it is afterwards" in found.texts[0]


def test_a_loop_that_is_left_in_mid_flight(bench: Bench, tmp_path: Path, capsys: Any) -> None:
    bench.wrong[RIGHT] = WRONG
    h = bench.compiled(looped, cache_dir=tmp_path)
    x, out = np.arange(1.0, 20.0), np.zeros(19)
    assert h(x, out) == looped(x, np.zeros(19))
    assert capsys.readouterr().out == "half\nhalf\n"
    assert findings.differences
    assert any("s:" in text for one in findings.differences.values() for text in one.texts)


def test_a_wrong_backend(bench: Bench) -> None:
    def off_by_a_bit(graph: Any, examples: Any) -> Any:
        def run(*inputs: Any) -> tuple[Any, ...]:
            return tuple(np.nextafter(x, np.inf) for x in right(graph, inputs))

        return run

    backends.register("off-by-a-bit", off_by_a_bit)
    f = bench.compiled(scaled, backend="off-by-a-bit")
    x = np.arange(9.0)
    assert f(x, x).tobytes() == scaled(x, x).tobytes()
    assert len(findings.differences) == 1


def right(graph: Any, inputs: Any) -> Any:

    return interpret(graph, *inputs)


PRICES = [3.0]


@jitcore.assume_constant_result
def price() -> float:
    return PRICES[0]


def priced(x: Any) -> Any:
    return np.sqrt(x + 1.0) * price()


def test_a_promise_that_was_not_kept_is_named(bench: Bench) -> None:
    f, x = bench.compiled(priced), np.arange(1.0, 50.0)
    f(x)
    assert not findings.differences
    PRICES[0] = 4.0
    try:
        assert f(x).tobytes() == priced(x).tobytes()
    finally:
        PRICES[0] = 3.0
    (found,) = findings.differences.values()
    assert "of 49 elements" in found.texts[0]
    assert found.texts[1].startswith("price() gave 3.0 when this was compiled (jitcore.assume_con")


def kmeans(points: Any, centres: Any) -> Any:
    """It is left where a region begins as well, and comes there by several ways."""
    labels = np.full(points.shape[0], -1)
    rounds = 0
    while True:
        distance = ((points[:, np.newaxis, :] - centres) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        if (nearest == labels).all():
            return labels, rounds
        labels = nearest
        for k in range(centres.shape[0]):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
        rounds += 1


def test_a_loop_that_ends_its_function_is_compared(bench: Bench) -> None:
    points = np.random.default_rng(20).random((30, 2))
    rounds = bench.compiled(kmeans)(points, points[:3].copy())[1]
    assert rounds == kmeans(points, points[:3].copy())[1]
    assert findings.compared and not findings.differences
