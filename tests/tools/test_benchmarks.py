"""Every benchmark kernel gives the same bits compiled and eager; times are not looked at."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import jitcore
from benchmarks import page, table
from benchmarks.__main__ import chosen
from benchmarks.accounted import accounted
from benchmarks.bandwidth import Bandwidth, better
from benchmarks.bits import difference
from benchmarks.kernels import KERNELS
from benchmarks.measure import Launch, Peer, Row, check, measure, traffic
from benchmarks.operations import count
from benchmarks.peers import handed_over
from benchmarks.registry import SIZES, Kernel
from benchmarks.timing import in_turns


@pytest.mark.parametrize("kernel", chosen(), ids=lambda kernel: kernel.name)
def test_bits_of_a_kernel(kernel: Kernel) -> None:
    args = kernel.arguments("small")
    compiled = jitcore.compile(kernel.function)
    assert check(kernel, compiled, args, calls=3) == ""
    assert compiled.cache_info().compiles > 0


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_what_a_kernel_says_it_writes(kernel: Kernel) -> None:
    args = kernel.arguments("small")
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    kernel.function(*args)
    changed = [k for k, a in enumerate(args) if difference(before[k], a)]
    assert changed == sorted(kernel.writes)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_sizes_grow_and_inputs_repeat(kernel: Kernel) -> None:
    counts = [kernel.counts[size] for size in SIZES]
    assert counts == sorted(set(counts))
    assert difference(kernel.arguments("small"), kernel.arguments("small")) == ""


@pytest.mark.parametrize(
    "other",
    [
        np.array([1.0, np.nextafter(2.0, 3.0)]),
        np.array([1.0, 2.0], dtype=np.float32),
        np.array([1.0, 9.0, 2.0])[::2],
        np.array([[1.0, 2.0]]),
        [1.0, 2.0],
    ],
)
def test_other_bits_are_found(other: object) -> None:
    assert difference(np.array([1.0, 2.0]), other) != ""


def test_wrong_kernels_are_found() -> None:
    kernel = KERNELS["masked_update"]
    args = kernel.arguments("small")
    assert check(kernel, lambda x, limit: np.minimum(x, limit), args) != ""
    assert check(kernel, lambda x, limit: kernel.function(x.copy(), limit), args) != ""


def test_arguments_are_as_before_at_every_reading() -> None:
    seen = []

    def grow(x: np.ndarray) -> None:
        seen.append(x[0])
        x += 1.0

    in_turns({"one": grow, "two": grow}, (np.zeros(3),), (0,), budget=0.0)
    assert set(seen) == {0.0}


def test_operations_are_counted() -> None:
    x = np.ones((4, 3))
    assert count(lambda a: a * a + a, (x,)) == 24
    assert count(lambda a: a.sum(axis=0), (x,)) == 12
    assert count(lambda a: a @ a.T, (x,)) == 2 * 4 * 4 * 3
    assert count(lambda a: np.add(a, 1.0, out=a), (x,)) == 12
    assert (x == 2.0).all()


def test_bytes_that_must_move() -> None:
    moved = {name: traffic(KERNELS[name], KERNELS[name].arguments("small")) for name in KERNELS}
    assert moved["triad"] == 3 * 80
    assert moved["masked_update"] == 2 * 80
    assert moved["root_mean_square_error"] == 2 * 80


def no_peer(kernel: Kernel, args: tuple) -> None:
    raise ValueError("cannot\nat all")


PEERS = {
    "same": lambda kernel, args: kernel.function,
    "other": lambda kernel, args: lambda *given: kernel.function(*given) + 1.0,
    "none": no_peer,
}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [measure(KERNELS["triad"], "small", 0.0, PEERS)]


def test_a_row(rows: list[Row]) -> None:
    (row,) = rows
    assert (row.kernel, row.size, row.elements, row.difference) == ("triad", "small", 10, "")
    assert (row.graphs, row.operations, row.bytes, row.breaks) == (1, 20, 240, [])
    assert row.peers["same"].note == ""
    assert row.peers["other"].note.startswith("result: 10 of 10 elements")
    assert row.peers["none"] == Peer(None, "ValueError: cannot")


def test_what_is_written(rows: list[Row], tmp_path: Path) -> None:
    machine = table.Machine(None, Launch(1.0, 2.0, 3.0), {})
    table.write(tmp_path / "a.json", rows, machine)
    assert json.loads((tmp_path / "a.json").read_text())["rows"][0]["kernel"] == "triad"
    page.write(tmp_path / "a.md", rows)
    heading, rule, line = (tmp_path / "a.md").read_text().splitlines()
    assert heading == "| kernel | small | same | other | none |"
    assert heading.count("|") == rule.count("|") == line.count("|")


def test_sums() -> None:
    good = Row("good", "", "large", 1, 8.0, 1.0, 8.0, 9, "", 8, 1, 1, 0, [], 0.0, 0.0, {})
    bad = replace(good, kernel="bad", ratio=0.5, difference="result: of another dtype")
    text = "\n".join(table.sums([good, bad]))
    assert "geometric mean of 2 kernels, large: jitcore 2.00" in text
    assert "below 0.95: bad large 0.50" in text
    assert "bad large: result: of another dtype" in text
    assert "bits: the same everywhere" in "\n".join(table.sums([good]))


def test_helpers_are_handed_over_with_a_function() -> None:
    wrapped = []

    def wrap(fn: FunctionType) -> FunctionType:
        wrapped.append(fn.__name__)
        return fn

    kernel = KERNELS["black_scholes"]
    other = handed_over(kernel.function, wrap)
    assert {"black_scholes", "normal_cdf"} <= set(wrapped)
    args = kernel.arguments("small")
    assert difference(kernel.function(*args), other(*args)) == ""
    with pytest.raises(AttributeError, match="sqrt"):
        handed_over(kernel.function, wrap, np=object())(*args)


def test_the_better_of_two_bandwidths() -> None:
    assert better(Bandwidth(1.0, 4.0), Bandwidth(2.0, 3.0)) == Bandwidth(2.0, 4.0)
    assert better(None, Bandwidth(2.0, 3.0)) == better(Bandwidth(2.0, 3.0), None)
    assert better(None, None) is None


def test_the_time_of_a_call_has_owners() -> None:
    assert accounted(KERNELS["triad"], "medium") > 0.5
