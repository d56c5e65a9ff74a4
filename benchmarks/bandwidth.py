"""What the memory of this machine gives to one thread: STREAM's copy and triad, in C.

J. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995.
Plain loops over buffers that stay. Bytes are counted as STREAM counts them: a store costs its own
bytes only, although the cache may have to read the line first.
"""

from __future__ import annotations

import ctypes
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jitcore.toolchain.compiler import find

ELEMENTS = 4_000_000  # of float64: each array alone is about an L3 cache of 32 MiB
ROUNDS = 9

SOURCE = """
void copy(double *restrict a, const double *restrict b, const double *restrict c, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i];
}

void triad(double *restrict a, const double *restrict b, const double *restrict c, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}
"""
FLAGS = ("-O3", "-march=native", "-fno-tree-loop-distribute-patterns", "-shared", "-fPIC")
ARRAYS = {"copy": 2, "triad": 3}


@dataclass(frozen=True)
class Bandwidth:
    """Bytes per second: the best of the rounds, as STREAM takes it."""

    copy: float
    triad: float

    @property
    def best(self) -> float:
        return max(self.copy, self.triad)


def better(one: Bandwidth | None, two: Bandwidth | None) -> Bandwidth | None:
    """The best of two readings: another program may have had the memory during one of them."""
    if one is None or two is None:
        return one or two
    return Bandwidth(max(one.copy, two.copy), max(one.triad, two.triad))


def bandwidth(folder: Path) -> Bandwidth | None:
    """None: no C compiler. `folder` is for the library."""
    compiler = find("")
    if compiler is None:
        return None
    source, target = folder / "stream.c", folder / "stream.so"
    source.write_text(SOURCE)
    subprocess.run((*compiler.command, *FLAGS, str(source), "-o", str(target)), check=True)
    library = ctypes.CDLL(str(target))
    arrays = [np.ones(ELEMENTS) for _ in range(3)]
    found = {name: best(getattr(library, name), arrays, count) for name, count in ARRAYS.items()}
    return Bandwidth(**found)


def best(loop: ctypes._NamedFuncPointer, arrays: list[np.ndarray], count: int) -> float:
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        loop(*pointers, ctypes.c_long(ELEMENTS))
        times.append(time.perf_counter() - start)
    return count * arrays[0].nbytes / min(times)
