"""Every kernel of the loop half: the same bits and the same changes of arguments as eager NumPy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import jitcore
from benchmarks.__main__ import chosen
from benchmarks.kernels import KERNELS
from benchmarks.limit import TooLong, at_most
from benchmarks.measure import check, measure
from benchmarks.registry import Kernel
from benchmarks.table import loop_lines, sums

pytestmark = pytest.mark.by_turns

LOOPS = {name: kernel for name, kernel in KERNELS.items() if kernel.half == "loops"}


@pytest.mark.parametrize("kernel", LOOPS.values(), ids=LOOPS.keys())
def test_bits_of_a_loop(kernel: Kernel) -> None:
    compiled = jitcore.compile(kernel.function)
    assert check(kernel, compiled, kernel.arguments("small"), calls=3) == ""


def test_the_public_set_is_whole() -> None:
    names = [kernel.npbench for kernel in LOOPS.values() if kernel.npbench]
    assert len(names) == len(set(names)) == 54


def test_halves() -> None:
    assert {kernel.half for kernel in chosen()} == {"lines"}
    assert chosen(halves=["loops"]) == list(LOOPS.values())
    assert [kernel.name for kernel in chosen(["nussinov"])] == ["nussinov"]
    assert chosen(["nussinov"], ["lines"]) == []


def test_means_of_the_public_set() -> None:
    rows = [measure(LOOPS[name], "small", 0.0, {}) for name in ("nussinov", "collatz")]
    text = "\n".join(sums(rows))
    assert "geometric mean of 2 kernels, small" in text
    assert "of these 1 of npbench, small" in text
    assert rows[0].operations == rows[1].elements == 0
    assert all(row.first > row.cold > 0 for row in rows)


def test_what_is_asked_of_loops() -> None:
    names = ("scalar_loop", "scalar_loop_print")
    rows = [measure(LOOPS[name], "small", 0.0, {}) for name in names]
    silent = replace(rows[0], size="large", compiled=3.0, graphs=1, breaks=[], cold=0.01)
    silent = replace(silent, first=0.5)
    printing = replace(
        rows[1], size="large", compiled=4.0, graphs=2, breaks=["J204 output"], cold=1.03, first=1.5
    )
    assert loop_lines([silent, printing]) == [
        "loops that are one graph without a break: 1 of 2 (in 0 others there is nothing to"
        " compile)",
        "compiling all of a kernel, first, at its slowest size: 520 ms (up to 1030), 1 of 2 within"
        " 1000 ms",
        "a first call as a whole, large: 1000 ms (up to 1500)",
        "a loop that prints ten times, large: 75% of the speed without",
    ]
    again = replace(printing, size="medium", cold=0.02, first=0.1)
    assert loop_lines([again, printing])[1].startswith(
        "compiling all of a kernel, first, at its slowest size: 1030 ms"
    )
    assert loop_lines([]) == []


def test_a_peer_that_takes_too_long() -> None:
    def endless(kernel: Kernel, args: object) -> None:
        raise TooLong("more than 60 s")

    with pytest.raises(TooLong, match=r"more than 0\.05 s"), at_most(0.05):
        while True:
            pass
    row = measure(LOOPS["crc16"], "small", 0.0, {"slow": endless})
    assert row.peers["slow"].note == "TooLong: more than 60 s"
    assert "slow nan on the 0 that it runs" in "\n".join(sums([row]))
    assert "1.00 on all, where what it cannot run is 1" in "\n".join(sums([row]))


@pytest.mark.by_turns
def test_the_command(tmp_path: Path) -> None:
    options = ("--half", "loops", "--only", "durbin", "--sizes", "small", "--seconds", "0")
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "benchmarks", *options, "--output", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=root, timeout=200)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads((tmp_path / "benchmarks.json").read_text())["rows"]
    assert (row["kernel"], row["half"], row["npbench"]) == ("durbin", "loops", "durbin")
