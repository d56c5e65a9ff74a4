"""Scripts → which of jitcore's recognisers, and routines for one shape of program, serve how many.

    python tools/weight.py SCRIPT ... [--switch] [--names 5] [--seconds 300]

Each script runs in a process of its own, with an empty cache; --switch: under JITCORE=1, else
as it is decorated. A mechanism serves a script if it changed what an installed entry runs: ROWS in
weighing/rows.py says where that is seen. How long compiling takes is no matter. Scripts of one
folder are one column.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from weighing.rows import ROWS
from weighing.trace import Tracer

ROOT = Path(__file__).resolve().parent.parent
Served = Mapping[str, Sequence[str]]  # scripts → names of rows


def traced(out: Path, script: str, switch: bool) -> None:
    """In the script's own process."""
    tracer = Tracer()
    sys.path[0] = str(ROOT)
    sys.meta_path.insert(0, tracer)
    if switch:
        os.environ["JITCORE"] = "1"
        runpy.run_module("jitcore.switch")["arm"]()
    sys.path[0] = str(Path(script).resolve().parent)
    sys.path.insert(1, str(ROOT))
    sys.argv = [script]
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        out.write_text(json.dumps(sorted(tracer.applied)))


def served(script: Path, switch: bool, seconds: float) -> list[str] | None:
    """None: it fails before anything is known of it."""
    with tempfile.TemporaryDirectory() as box:
        env = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
        env |= {"JITCORE_CACHE_DIR": f"{box}/cache", "MPLBACKEND": "Agg"}
        out = Path(box, "out.json")
        command = [sys.executable, __file__, "--traced", str(out), str(script.resolve())]
        command += ["--switch"] * switch
        try:
            subprocess.run(command, env=env, timeout=seconds, capture_output=True, check=True)
        except subprocess.CalledProcessError as error:
            print(f"{script}: {error.stderr.decode().strip()[-300:]}", file=sys.stderr)
        except subprocess.TimeoutExpired:
            print(f"{script}: more than {seconds:.0f} s", file=sys.stderr)
        return json.loads(out.read_text()) if out.exists() else None


def table(found: Mapping[str, Served], names: int) -> Iterable[str]:
    """`found`: corpora → scripts → names of rows."""
    yield (
        "| Mechanism | Lines | What | "
        + " | ".join(f"{corpus} ({len(scripts)})" for corpus, scripts in found.items())
        + " | Programs |"
    )
    yield "| --- | ---: | --- |" + " ---: |" * len(found) + " --- |"
    for row in ROWS:
        by = [[s for s, rows in scripts.items() if row.name in rows] for scripts in found.values()]
        some = ", ".join(dict.fromkeys(s for one in by for s in one[:names]))
        lines = sum(len(path.read_text().splitlines()) for path in row.files(ROOT))
        counts = " | ".join(str(len(one)) for one in by)
        yield f"| `{row.name}` | {lines} | {row.what} | {counts} | {some} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", nargs="+", type=Path)
    parser.add_argument("--switch", action="store_true")
    parser.add_argument("--names", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--traced", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.traced:
        traced(options.traced, str(options.scripts[0]), options.switch)
        return
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for script in options.scripts:
        rows = served(script, options.switch, options.seconds)
        if rows is not None:
            found[script.resolve().parent.name][script.stem] = rows
    print(*table(found, options.names), sep="\n")


if __name__ == "__main__":
    main()
