"""tools/weight.py: what applied to a script is counted, and what did not is not."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import weight
from weighing.rows import ROWS, Row

ROOT = weight.ROOT
RECURRENCE = """
import jitcore
import numpy as np

@jitcore.compile
def f(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]

f(np.ones(1000))
"""
OTHER = """
import jitcore
import numpy as np

@jitcore.compile
def f(x):
    return ((x - x.mean()) ** 2).sum()

f(np.ones(100_000))
"""
FORWARDED, FUSED = "loops/transform/forward_stores.py", "passes/fuse.py passes/clusters.py"


@pytest.mark.by_turns
def test_programs_that_are_served(tmp_path: Path) -> None:
    texts = {"recurrence": RECURRENCE, "other": OTHER, "fails": "import nothing_of_that_name"}
    scripts = [tmp_path / f"{name}.py" for name in texts]
    for script in scripts:
        script.write_text(texts[script.stem])
    command = [sys.executable, weight.__file__, *map(str, scripts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    rows = {line.split("`")[1]: line.split(" | ")[3:] for line in done.stdout.splitlines()[2:]}
    assert rows[FORWARDED] == ["1", "recurrence |"], done.stderr
    assert rows[FUSED] == ["1", "other |"]
    assert rows["passes/pad_rolls.py"][0] == "0"
    assert "fails.py: " in done.stderr and "nothing_of_that_name" in done.stderr


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.split()[0])
def test_rows_are_of_this_tree(row: Row) -> None:
    assert all([*Row(name, "", "", row.applied).files(ROOT)] for name in row.name.split())
    for where in row.seen.split():
        module, _, name = where.partition(":")
        assert callable(getattr(import_module(f"jitcore.{module}"), name))


def test_table() -> None:
    found = {"one": {"a": [FUSED], "b": [FUSED, FORWARDED]}, "two": {"c": [FORWARDED]}}
    head, _, *lines = weight.table(found, 1)
    assert "| one (2) | two (1) |" in head
    fused, forwarded = (next(x for x in lines if f"`{n}`" in x) for n in (FUSED, FORWARDED))
    assert fused.endswith("| 2 | 0 | a |") and forwarded.endswith("| 1 | 1 | b, c |")
