"""Before and after: what was measured of a function before and since it was compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import jitcore
from jitcore.attach import attach
from jitcore.config import environment
from jitcore.report import json_file, page
from jitcore.report.measured import run
from jitcore.report.run import Compared, Function

TREE = Path(__file__).parents[2]
PROGRAM = """
import sys
import time
import jitcore
import numpy as np

jitcore.enable()

def plain(x):
    y = np.sqrt(x * x + 1.0)
    for k in range(20):
        y = y * 0.5 + np.exp(-y) * x
    return y

def runs_compiled():
    pipeline = sys.modules.get("jitcore.pipeline")
    records = pipeline.records.all() if pipeline else []
    regions = [region for record in records for region in record.regions]
    return any(r.entry and r.entry.hits for r in regions if r.function.function == "plain")

def main():
    x = np.linspace(0.0, 1.0, 50_000)
    until = time.perf_counter() + 120
    calls = 0
    while not runs_compiled() and time.perf_counter() < until:
        for k in range(20):
            eval("plain(x)", {"plain": plain, "x": x})  # in no graph of this function
        calls += 20
    print(calls)

main()
"""


@pytest.mark.by_turns
def test_calls_before_it_was_compiled(tmp_path: Path) -> None:
    """As JITCORE=1 has them: nobody asked for it, so that it ran plainly first.

    For how long is for the machine to say, and for what else it does.
    """
    (tmp_path / "program.py").write_text(PROGRAM)
    to = tmp_path / "run.json"
    env = {**os.environ, "PYTHONPATH": str(TREE), "JITCORE_REPORT": f"json:{to}"}
    command = [sys.executable, "program.py"]
    ran = subprocess.run(
        command, env=env, cwd=tmp_path, check=True, timeout=300, capture_output=True
    )
    found = json_file.read(to.read_text())
    (one,) = [one for one in found.functions if one.name == "plain"]
    (calls,) = [each for each in one.compared if each.what == "a call"]
    assert calls.before_times >= 1 and calls.after_times >= 1
    assert calls.before_times + calls.after_times <= int(ran.stdout)
    assert calls.before > 0 and calls.after > 0
    assert "a call: " in page.text(found)


def test_a_function_that_is_compiled_at_once_has_none(measured: None) -> None:
    @jitcore.compile
    def scaled(x):
        print(end="")
        return np.exp(-x) * 2.0 - x

    for _ in range(4):
        scaled(np.ones(100))
    assert all(each.what != "a call" for one in run().functions for each in one.compared)


def test_a_function_that_was_compiled_ahead_has_none(measured: None) -> None:
    """Nobody asked the compiler in its calls."""

    @jitcore.compile
    def ahead(x):
        return np.exp(-x) * 2.0 - x

    assert ahead.warmup(np.ones(100))
    for _ in range(4):
        ahead(np.ones(100))
    assert all(each.what != "a call" for one in run().functions for each in one.compared)


def test_graphs_that_took_turns(measured: None) -> None:
    def scaled(x):
        return np.exp(-x) * 2.0 - x

    compiled = attach(scaled, replace(environment(), keep_all=False))
    for _ in range(8):
        compiled(np.ones(20_000))
    (one,) = [one for one in run().functions if one.name == scaled.__qualname__]
    (graph,) = one.compared
    assert graph.what.startswith("the graph at line ") and graph.before_times == 4
    assert graph.before > 0 and graph.after > 0


def test_a_page_shows_bars_or_says_why_not(measured: None) -> None:
    both = Compared("a call", 12, 4e-3, 90, 1e-3)
    own = (0.1,) * 6
    one = Function("f", "a.py", 3, 1, 102, own, (), (both,))
    other = Function("g", "a.py", 9, 1, 4, own, (), ())
    text = page.text(replace(run(), measured=True, functions=(one, other)))
    assert "a call: 4 times as fast" in text
    assert "before, 12 times" in text and "compiled, 90 times" in text
    assert 'style="width:25.0%"' in text and "not measured: no whole call ended before" in text
    slower = replace(both, before=1e-3, after=2e-3)
    text = page.text(replace(run(), measured=True, functions=(replace(one, compared=(slower,)),)))
    assert "a call: 2 times as long" in text
