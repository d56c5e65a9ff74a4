"""What the first call of a process costs: the figures of "When it pays" in docs/index.md.

    python -m benchmarks.first_call [--rounds 11]

Whole processes in turns: NumPy alone, a one-line function plain, decorated with its kernel on disk,
and decorated with an empty cache. Printed are the medians of the processor's seconds, compilers
included, which tell more on a busy machine than the clock's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

LINE = "def f(x): return np.sqrt(x * 2 + 1) * x\nfor _ in range(3): f(np.ones(100))"
PLAIN = f"import numpy as np\n{LINE}"
DECORATED = f"import numpy as np, jitcore\n@jitcore.compile\n{LINE}"
COLD = "decorated, nothing on disk"
PROGRAMS = {
    "import numpy": ("import numpy", "0"),
    "import numpy, JITCORE=1": ("import numpy", "1"),
    "plain": (PLAIN, "0"),
    "decorated, its kernel on disk": (DECORATED, ""),
    COLD: (DECORATED, ""),
}


def seconds(source: str, switch: str, cache: Path) -> float:
    """Of the processor, in a process and in those that it starts."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("JITCORE")}
    env |= {"JITCORE_CACHE_DIR": str(cache), "JITCORE": switch}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", source], env)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"it ended with {os.waitstatus_to_exitcode(status)}: {source}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_call")
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    found: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        kept, empty = Path(folder) / "kept", Path(folder) / "empty"
        seconds(DECORATED, "", kept)
        for _ in range(rounds):
            for name, (source, switch) in PROGRAMS.items():
                shutil.rmtree(empty, ignore_errors=True)
                found[name].append(seconds(source, switch, empty if name == COLD else kept))
    for name, spent in found.items():
        print(f"{name:<32}{statistics.median(spent):6.2f} s")


if __name__ == "__main__":
    main()
