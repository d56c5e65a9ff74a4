"""Programs without arrays, plainly and with JITCORE=1, in processes that take turns → ratios.

    python -m benchmarks.pure_python [--only fib] [--rounds 5] [--seconds 1] [--json F]

    alone   the program never imports NumPy
    numpy   it does, and does nothing with it
    arrays  it works with arrays first, so that something is compiled

The first second of a process does not count. A process's time is that of its fastest run; a ratio
is that of the medians over the processes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from benchmarks.pure_python import programs

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("alone", "numpy", "arrays")
SITE = "import os, site\nsite.addsitedir(os.path.dirname(__file__))\n"
WARM = 1.0  # seconds
ARRAYS = """
import numpy
def work(x):
    return numpy.sqrt(x * x + 1.0) * 2.0 - x
x = numpy.linspace(0.0, 1.0, 50_000)
for _ in range(2000):
    work(x)
"""


def main() -> int:
    options = parse()
    if options.child:
        print(fastest(*options.child))
        return 0
    names = options.only or sorted(p.stem for p in Path(programs.__path__[0]).glob("[a-z]*.py"))
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text(SITE)
        shutil.copy(ROOT / "jitcore.pth", folder)
        for name in names:
            rows[name] = {kind: ratio(name, kind, folder, options) for kind in KINDS}
            print(f"{name:14}" + "".join(f"{kind}: {rows[name][kind]:.3f}  " for kind in KINDS))
    for kind in KINDS:
        mean = statistics.geometric_mean(row[kind] for row in rows.values())
        worst = max(row[kind] for row in rows.values())
        print(f"{kind:8}geometric mean {mean:.3f}, highest {worst:.3f}")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def ratio(name: str, kind: str, folder: str, options: argparse.Namespace) -> float:
    found: dict[str, list[float]] = {"0": [], "1": []}
    for turn in range(options.rounds):
        for switch in ("0", "1") if turn % 2 else ("1", "0"):
            found[switch].append(measured(name, kind, switch, folder, options.seconds))
    return statistics.median(found["1"]) / statistics.median(found["0"])


def measured(name: str, kind: str, switch: str, folder: str, seconds: float) -> float:
    env = os.environ | {"JITCORE": switch, "PYTHONPATH": os.pathsep.join([folder, str(ROOT)])}
    command = [sys.executable, "-m", "benchmarks.pure_python", "--child", name, kind, str(seconds)]
    return float(subprocess.check_output(command, env=env, text=True, timeout=100))


def fastest(name: str, kind: str, seconds: str) -> float:
    """Of the runs after the first second; in a process that began with the switch, or without."""
    began = time.perf_counter()
    if kind != "alone":
        import_module("numpy")
    if kind == "arrays":
        exec(compile(ARRAYS, "arrays.py", "exec"), {})
    run = import_module(f"benchmarks.pure_python.programs.{name}").run
    while time.perf_counter() < began + WARM:
        run()
    least, until = float("inf"), time.perf_counter() + float(seconds)
    while time.perf_counter() < until:
        start = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - start)
    return least


if __name__ == "__main__":
    sys.exit(main())
