"""Other people's programs, plainly and with JITCORE=1: what they print, and their seconds.

    python tools/scripts.py PATH ... [--rounds 3] [--below 0.97] [--json F] [--reports FOLDER]

Each script runs in processes of its own, plainly and with JITCORE=1 at the same time, a processor
each, which change from round to round: what else goes on, or slows the machine, is the same for
both. With one processor they share it. What its imports alone take, measured likewise, is its
start-up. Seconds are the processor's, compilers and threads included, and medians of the rounds.
Kernels of earlier runs are in JITCORE_CACHE_DIR.

    speed  (plain - its start-up) / (switched - its start-up): the median of the rounds', of those
           that take --least seconds

A program that prints something else, or ends otherwise, or runs at less than --below of the plain
speed makes the exit status 1. --reports keeps the report of one more run of each: what was gained
where.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from corpus import ROOT, RULES, SITE

WAYS = ("plain", "default")
ADDRESSES = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True)
class Ran:
    seconds: float  # the processor's, of the process and those that it waited for
    printed: str
    status: int


@dataclass(frozen=True)
class Row:
    program: str
    plain: float
    default: float
    starts: tuple[float, float]
    same: bool
    rounds: list[tuple[float, float]]  # seconds of each, plainly and with JITCORE=1

    @property
    def beyond(self) -> float:
        return self.plain - self.starts[0]

    @property
    def speed(self) -> float:
        before, after = self.starts
        return median((one - before) / max(two - after, 1e-3) for one, two in self.rounds)


def main() -> int:
    options = parse()
    rows: list[Row] = []
    print(f"{'plain':>9}{'JITCORE=1':>10}{'start-up':>10}{'speed':>8}")
    with places() as (site, folder):
        for path in options.programs:
            row = compare(Path(path).resolve(), site, folder, options)
            if row is None:
                print(f"{'':37}  {path}: does not run plainly", flush=True)
                continue
            rows.append(row)
            print(line(row, options), flush=True)
            if options.json:
                Path(options.json).write_text(json.dumps([told(r) for r in rows], indent=1))
    slow = [r for r in rows if r.beyond >= options.least and r.speed < options.below]
    other = [r for r in rows if not r.same]
    print(f"{len(rows)} programs, {len(other)} different, {len(slow)} below {options.below}")
    return bool(slow or other)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--below", type=float, default=0.97)
    parser.add_argument("--least", type=float, default=0.3, help="seconds beyond start-up")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--json")
    parser.add_argument("--reports")
    return parser.parse_args()


@contextmanager
def places() -> Iterator[tuple[Path, Path]]:
    """A folder that makes JITCORE=1 known to the processes, and one for scripts of imports."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE)
        shutil.copy(ROOT / "jitcore.pth", site)
        yield site, Path(folder)


def compare(program: Path, site: Path, folder: Path, options: argparse.Namespace) -> Row | None:
    imports = folder / "imports.py"
    imports.write_text(imports_of(program.read_text()))
    ran: dict[Path, list[tuple[Ran, Ran]]] = {program: [], imports: []}
    for number in range(options.rounds):
        for script, rounds in ran.items():
            plain, switched = both(script, site, program.parent, number, options.timeout)
            if plain is None or switched is None or plain.status:
                return None
            rounds.append((plain, switched))
    if options.reports:
        report = Path(options.reports, f"{program.stem}.json").resolve()
        report.parent.mkdir(parents=True, exist_ok=True)
        wanted = environ("default", site) | {"JITCORE_REPORT": f"json:{report}"}
        run(program, wanted, program.parent, options.timeout)
    seconds = {
        script: [(a.seconds, b.seconds) for a, b in rounds] for script, rounds in ran.items()
    }
    middles = {
        script: [median(way) for way in zip(*of, strict=True)] for script, of in seconds.items()
    }
    return Row(
        "/".join(program.parts[-2:]),
        *middles[program],
        (middles[imports][0], middles[imports][1]),
        is_same([a for a, _ in ran[program]], [b for _, b in ran[program]]),
        seconds[program],
    )


def both(
    script: Path, site: Path, cwd: Path, number: int, timeout: float
) -> tuple[Ran | None, Ran | None]:
    """Plainly and with JITCORE=1, on processors that change with the round's number."""
    processors = sorted(os.sched_getaffinity(0))[:2]
    if number % 2:
        processors.reverse()
    with ThreadPoolExecutor(len(processors)) as pool:
        plain, switched = (
            pool.submit(
                run, script, environ(way, site), cwd, timeout, processors[i % len(processors)]
            )
            for i, way in enumerate(WAYS)
        )
        return plain.result(), switched.result()


def imports_of(text: str) -> str:
    """What the script imports at its top level, and nothing else."""
    body = ast.parse(text).body
    kept = [ast.unparse(s) for s in body if isinstance(s, ast.Import | ast.ImportFrom)]
    return "\n".join(kept) + "\n"


def is_same(plain: list[Ran], switched: list[Ran]) -> bool:
    """What each run plainly prints otherwise (times, dates) is not compared."""
    if any(done.status for done in switched):
        return False
    if len({words(done) for done in plain}) > 1:
        return True
    return {words(done) for done in switched} <= {words(done) for done in plain}


def words(done: Ran) -> str:
    return ADDRESSES.sub("0x", done.printed)


def environ(way: str, site: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    kept |= {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]), "PYTHONHASHSEED": "0"}
    kept |= {"MPLBACKEND": "Agg"}
    kept |= {k: os.environ[k] for k in ("JITCORE_CACHE_DIR",) if k in os.environ}
    return kept | RULES[way]


def run(
    script: Path, env: dict[str, str], cwd: Path, timeout: float, processor: int | None = None
) -> Ran | None:
    """None: no end within the time."""
    with tempfile.TemporaryFile("w+", errors="replace") as printed:
        child = subprocess.Popen(
            [sys.executable, str(script)], env=env, cwd=cwd,
            stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if processor is not None:
            os.sched_setaffinity(child.pid, {processor})
        late = threading.Event()
        clock = threading.Timer(timeout, lambda: (late.set(), child.kill()))
        clock.start()
        _, status, use = os.wait4(child.pid, 0)
        clock.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
    return None if late.is_set() else Ran(use.ru_utime + use.ru_stime, text, child.returncode)


def line(row: Row, options: argparse.Namespace) -> str:
    speed = f"{row.speed:8.3f}" if row.beyond >= options.least else f"{'-':>8}"
    other = "" if row.same else "  DIFFERENT"
    times = f"{row.plain:9.2f}{row.default:10.2f}{row.starts[0]:10.2f}"
    return f"{times}{speed}  {row.program}{other}"


def told(row: Row) -> dict[str, object]:
    return {**vars(row), "beyond": row.beyond, "speed": row.speed}


if __name__ == "__main__":
    sys.exit(main())
