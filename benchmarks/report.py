"""What a report costs while it is wanted.

    python -m benchmarks.report [--only NAME ...] [--half lines loops] [--sizes small medium]
                                [--rounds 15] [--processor] [--examples]

Each program runs in two processes, one with JITCORE_REPORT=html:FILE, which are asked in turns for
the seconds of some calls, so that both meet the same neighbours on the machine. Printed are the
median of the ratios round by round, of each program and over all, and what writing the page at the
end took, and its bytes. With --processor it is the time of processors, which tells more on a busy
machine. With --examples: the programs in `examples/` whole, from start to exit, and
their pages.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jitcore
from benchmarks.__main__ import chosen
from benchmarks.kernels import KERNELS
from benchmarks.measure import WARM_UP
from benchmarks.registry import HALVES, SIZES, Kernel
from benchmarks.timing import Calls

READING = 20e-3  # seconds that a reading shall take at least
MOST_CALLS = 2000
EXAMPLES = sorted(Path(__file__).parents[1].glob("examples/*.py"))


@dataclass(frozen=True)
class Cost:
    """`off`, `on`: seconds of a call, medians; `ratio`: the median of on / off. `written`: seconds
    from the last call to the end of the process; `size`: bytes of the page."""

    name: str
    off: float
    on: float
    ratio: float
    written: float
    size: int


class Worker:
    """A process that makes the calls of one program."""

    def __init__(self, name: str, size: str, report: str, clock: str) -> None:
        env = {key: value for key, value in os.environ.items() if key != "JITCORE_REPORT"}
        env |= {"JITCORE_REPORT": report} if report else {}
        command = [sys.executable, "-m", "benchmarks.report", "--worker", name, size, clock]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=env, text=True, stdin=pipe, stdout=pipe)
        self.answer()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def seconds(self, calls: int) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        return float(self.answer())

    def end(self) -> float:
        start = time.perf_counter()
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        return time.perf_counter() - start


def work(name: str, size: str, clock: str) -> None:
    kernel = KERNELS[name]
    args = kernel.arguments(size)
    function = jitcore.compile(kernel.function)
    Calls(args, kernel.writes, WARM_UP).seconds(function)
    print("ready", flush=True)
    for line in sys.stdin:
        count = int(line)
        sets = min(count, 100)
        calls = Calls(args, kernel.writes, sets)
        times = -(-count // sets)
        print(sum(reading(calls, function, clock) for _ in range(times)) / times, flush=True)


def reading(calls: Calls, function: Callable[..., object], clock: str) -> float:
    """Seconds of a call."""
    now = CLOCKS[clock]
    calls.restore()
    start = now()
    for args in calls.sets:
        function(*args)
    return (now() - start) / len(calls.sets)


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def cost(kernel: Kernel, size: str, options: argparse.Namespace, folder: Path) -> Cost:
    page = folder / f"{kernel.name}.html"
    clock, rounds = "processor" if options.processor else "wall", options.rounds
    off = Worker(kernel.name, size, "", clock)
    on = Worker(kernel.name, size, f"html:{page}", clock)
    calls = max(1, min(MOST_CALLS, round(READING / off.seconds(1))))
    readings: list[tuple[float, float]] = []
    for k in range(rounds):
        first, second = (off, on) if k % 2 else (on, off)
        found = {id(one): one.seconds(calls) for one in (first, second)}
        readings.append((found[id(off)], found[id(on)]))
    alone, written = off.end(), on.end()
    return Cost(
        f"{kernel.name} {size}",
        statistics.median(pair[0] for pair in readings),
        statistics.median(pair[1] for pair in readings),
        statistics.median(pair[1] / pair[0] for pair in readings),
        written - alone,
        page.stat().st_size,
    )


def example(script: Path, rounds: int, folder: Path) -> Cost:
    """From its start to its exit."""
    page = folder / f"{script.stem}.html"
    env = {key: value for key, value in os.environ.items() if key != "JITCORE_REPORT"}
    found: dict[str, list[float]] = {"": [], f"html:{page}": []}
    for k in range(rounds + 1):
        for report in [*found][:: 1 if k % 2 else -1]:
            start = time.perf_counter()
            more = {"JITCORE_REPORT": report} if report else {}
            command = [sys.executable, str(script)]
            subprocess.run(command, env={**env, **more}, cwd=folder, check=True, stdout=-1)
            if k:  # the first round fills the caches
                found[report].append(time.perf_counter() - start)
    off, on = found.values()
    ratio = statistics.median(b / a for a, b in zip(off, on, strict=True))
    middle = statistics.median(off), statistics.median(on)
    return Cost(script.name, *middle, ratio, 0.0, page.stat().st_size)


def line(one: Cost) -> str:
    times = f"{one.off * 1e3:12.4f} ms {one.on * 1e3:12.4f} ms  {one.ratio:6.3f}"
    return f"{one.name:32}{times}{one.written * 1e3:10.0f} ms {one.size / 1000:8.0f} kB"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="kernels or themes")
    parser.add_argument("--half", nargs="+", choices=HALVES, default=[])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["small", "medium"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.worker:
        work(*options.worker)
        return
    with tempfile.TemporaryDirectory() as name:
        os.environ.setdefault("JITCORE_CACHE_DIR", str(Path(name) / "kernels"))
        print(f"{'':32}{'off':>15}{'on':>16}   on/off     at exit        page")
        found = run(options, Path(name))
    ratios = [one.ratio for one in found]
    print(f"median of {len(ratios)}: {statistics.median(ratios):.3f}; most: {max(ratios):.3f}")
    print(f"largest page: {max(one.size for one in found)} bytes")


def run(options: argparse.Namespace, folder: Path) -> Sequence[Cost]:
    found = []
    if options.examples:
        for script in EXAMPLES:
            if script.stem != "demo":
                found.append(example(script, options.rounds, folder))
                print(line(found[-1]), flush=True)
        return found
    for kernel in chosen(options.only, options.half):
        for size in options.sizes:
            found.append(cost(kernel, size, options, folder))
            print(line(found[-1]), flush=True)
    return found


if __name__ == "__main__":
    main()
