"""tools/scripts.py: what programs print is compared, and what they take beyond their imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import scripts

TOOL = Path(scripts.__file__)
SAME = """
import numpy as np
def main():
    print(np.arange(10.0).sum(), object())
main()
"""
OTHER = "import os\nprint(os.environ.get('JITCORE'))\n"
FAILS = "raise SystemExit(3)\n"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--rounds", "1", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.by_turns
def test_a_program_that_prints_the_same(tmp_path: Path) -> None:
    (tmp_path / "same.py").write_text(SAME)
    (tmp_path / "fails.py").write_text(FAILS)
    out = tmp_path / "out.json"
    done = run(str(tmp_path / "same.py"), str(tmp_path / "fails.py"), "--json", str(out))
    assert done.returncode == 0, done.stdout
    (row,) = json.loads(out.read_text())
    assert row["same"] and row["plain"] > 0 and row["starts"][0] > 0
    assert "fails.py: does not run plainly" in done.stdout
    assert "1 programs, 0 different, 0 below 0.97" in done.stdout


@pytest.mark.by_turns
def test_a_difference_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    done = run(str(tmp_path / "other.py"))
    assert done.returncode == 1
    assert "other.py  DIFFERENT" in done.stdout and "1 different" in done.stdout


def test_imports_at_the_top_are_its_start_up() -> None:
    text = "import numpy as np\nfrom os import path\nx = 1\ndef f():\n    import json\n"
    assert scripts.imports_of(text) == "import numpy as np\nfrom os import path\n"


def test_times_that_differ_plainly_are_no_difference() -> None:
    one, two = scripts.Ran(1.0, "took 1 s", 0), scripts.Ran(1.0, "took 2 s", 0)
    assert scripts.is_same([one, two], [one])
    assert not scripts.is_same([one, one], [two])
    assert not scripts.is_same([one], [scripts.Ran(1.0, "took 1 s", 1)])


def test_the_speed_is_the_median_of_the_rounds() -> None:
    rounds = [(3.0, 2.2), (6.0, 2.1), (3.0, 9.2)]
    row = scripts.Row("a.py", 3.0, 2.2, (1.0, 1.2), True, rounds)
    assert row.beyond == 2.0
    assert row.speed == pytest.approx(2.0)
