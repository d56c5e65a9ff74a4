"""Loops that wait for another process: what it writes to shared memory is read anew."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitcore

WRITER = """
import sys, time
import numpy as np
shared = np.memmap(sys.argv[1], mode="r+")
for i in range(len(shared)):
    time.sleep(0.01)
    shared[i] = 1
"""


def each(flags: Any, out: Any) -> None:
    for i in range(len(flags)):
        while not flags[i]:
            pass


def last(flags: Any, out: Any) -> None:
    while flags[7] == 0:
        pass


def whole(flags: Any, out: Any) -> None:
    while not flags[4:].all():
        pass


def for_a_while(flags: Any, out: Any) -> Any:
    for k in range(10**15):
        if flags[7]:
            return k > 0
    return None


def among_others(flags: Any, out: Any) -> None:
    ready = False
    while not ready:
        out[0] += 1.0
        ready = flags[0] > 0 and flags[7] > 0


def beside_others(flags: Any, out: Any) -> None:
    """An inner loop goes over the same places in each round."""
    found = 0
    while found < 8:
        found = 0
        for i in range(8):
            found += flags[i]


WAITS = [each, last, whole, for_a_while, among_others, beside_others]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("wait", WAITS)
def test_it_ends_when_another_process_has_written(wait: Callable[..., Any], tmp_path: Path) -> None:
    shared = np.asarray(np.memmap(tmp_path / "flags", mode="w+", shape=8, dtype=np.uint8))
    compiled, out = jitcore.compile(wait), np.zeros(1)
    shared[:] = 1
    compiled(shared, out)
    compiled(shared, out)
    shared[:] = 0
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "flags")]) as writer:
        assert compiled(shared, out) in (None, True)
        assert shared[7] == 1
    assert writer.returncode == 0 and compiled.cache_info().entries
