"""Loops that wait for another process: what it writes to shared memory is read anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting_programs import WAITS
from waiting_programs import __file__ as programs

ROOT = Path(__file__).parents[2]
LONG_ENOUGH = 100  # seconds, for all; one that does not end leaves no signal's handler a chance


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """Names of those that did, and what was said."""
    folder: Path = tmp_path_factory.mktemp("waiting")
    told = folder / "told"
    with told.open("w") as out:
        command = [sys.executable, programs, str(folder / "flags")]
        path = {"PYTHONPATH": str(ROOT)}
        child = subprocess.Popen(
            command, stdout=out, stderr=subprocess.PIPE, text=True, env={**os.environ, **path}
        )
        try:
            _, said = child.communicate(timeout=LONG_ENOUGH)
        except subprocess.TimeoutExpired:
            child.kill()
            _, said = child.communicate()
    return told.read_text().split(), said


@pytest.mark.parametrize("name", [wait.__name__ for wait in WAITS])
def test_it_ends_when_another_process_has_written(ended: tuple[list[str], str], name: str) -> None:
    names, said = ended
    assert name in names, said or "it waits for what has been written"
