"""A small part of tools/cpython_suite.py: CPython's own tests, leaving frames at random."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "cpython_suite.py"


@pytest.mark.parametrize(
    "module", ["test_with", "test_generators", "test_except_star", "test_call"]
)
def test_no_new_failure(module: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, str(TOOL), "--modules", module, "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    row = json.loads(out.read_text())[module]
    assert done.returncode == 0, done.stdout + done.stderr
    assert row["ran"]["points"] == row["ran"]["plain"] > 20
    assert row["leaves"] > 5_000  # none of them in functions of our own
