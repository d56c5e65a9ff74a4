"""tools/stress.py: a short run, with all that it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


def test_threads_forks_and_signals():
    options = ["--seconds", "2", "--threads", "4", "--functions", "10", "--inputs", "3"]
    done = subprocess.run(
        [sys.executable, "tools/stress.py", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=TREE,
        env={**os.environ, "PYTHONPATH": str(TREE)},
        timeout=200,
    )
    assert (done.returncode, done.stderr) == (0, "")
    counts = {what: int(n) for n, what in map(str.split, done.stdout.strip().split(", "))}
    assert counts["different"] == 0
    assert counts["calls"] and counts["forks"] and counts["signals"]
