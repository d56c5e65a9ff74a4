"""waiting_programs.py FILE: each of WAITS, compiled, waits for another process that writes to FILE,
which is shared memory; its name is printed when it has come to its end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import jitcore

FLAGS = 8
WRITER = """
import mmap, sys, time
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
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


def beside_many(flags: Any, out: Any) -> None:
    """An inner loop over a constant range that is a loop in C, too."""
    found = 0
    while found < 8:
        found = 0
        for i in range(8):
            x = flags[i] * 1.0
            y = np.sqrt(x) * np.sin(x) * 0.0 + x
            z = np.cos(y) * np.exp(-y) * 0.0 + y
            if max(z * z + x * y - y * z, x) + min(x, y) > 0.5:
                found += 1


def chosen(flags: Any, out: Any) -> None:
    """The place is the outcome of a branch, which is the same in each round."""
    while True:
        k = 7 if out[0] < 1 else 3
        if flags[k]:
            break


def one_after_another(flags: Any, out: Any) -> None:
    """The place moves on only when something is found."""
    k = 0
    while True:
        if flags[k]:
            k += 1
            if k == 8:
                break


def at_the_end(flags: Any, out: Any) -> Any:
    """The place moves on to the last one, and stays there."""
    for k in range(10**15):
        if flags[min(k, 7)]:
            return k > 0
    return None


WAITS: tuple[Callable[[Any, Any], Any], ...] = (
    *(each, last, whole, for_a_while, among_others, beside_others, beside_many, chosen),
    *(one_after_another, at_the_end),
)


def main(path: str) -> None:
    shared = np.asarray(np.memmap(path, mode="w+", shape=FLAGS, dtype=np.uint8))
    for wait in WAITS:
        compiled, out = jitcore.compile(wait), np.zeros(1)
        shared[:] = 1
        compiled(shared, out)
        compiled(shared, out)
        shared[:] = 0
        with subprocess.Popen([sys.executable, "-c", WRITER, path]) as writer:
            assert compiled(shared, out) in (None, True)
            assert shared[7] == 1
        assert writer.returncode == 0 and compiled.cache_info().entries
        print(wait.__name__, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
