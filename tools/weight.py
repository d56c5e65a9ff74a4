"""Scripts → which of jitcore's recognisers, and routines for one shape of program, serve how many.

    python tools/weight.py SCRIPT ... [--switch] [--names 5] [--seconds 300]

Each script runs in a process of its own, with an empty cache; --switch: under JITCORE=1, else
as it is decorated. A mechanism serves a script if it changed what an installed entry runs: ROWS in
weight_rows.py says where that is seen. Scripts of one folder are one column.
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from weight_rows import ROWS, Row

ROOT = Path(__file__).resolve().parent.parent
REGION, LOOP = "jitcore.pipeline:compile_alone", "jitcore.loops.build_loop:routine"
Served = Mapping[str, Sequence[str]]  # scripts → names of rows


class Tracer:
    """A finder: modules of ROWS come with functions that note what they did."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for row in ROWS:
            for where in row.seen.split():
                self.rows[f"jitcore.{where}"].append(row)
        self.modules = {where.partition(":")[0] for where in (*self.rows, REGION, LOOP)}
        self.pending: list[str] = []  # of the region that is being compiled
        self.applied: set[str] = set()

    def find_spec(self, name: str, path: Any = None, _: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in self.modules else None
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda it: (run(it), self.wrap(it))  # type: ignore
        return spec

    def wrap(self, module: ModuleType) -> None:
        for where in (*self.rows, REGION, LOOP):
            place, _, name = where.partition(":")
            if place == module.__name__:
                fn = getattr(module, name)
                for row in self.rows.get(where, ()):
                    fn = self.noting(fn, row)
                setattr(module, name, self.bounded(fn, where) if where in (REGION, LOOP) else fn)

    def noting(self, fn: Callable[..., Any], row: Row) -> Callable[..., Any]:
        @wraps(fn)
        def noted(*args: Any, **kwargs: Any) -> Any:
            before = len(getattr(args[0], "lines", ()))
            result = fn(*args, **kwargs)
            if row.applied(result, args, before):
                self.pending.append(row.name)
            return result

        return noted

    def bounded(self, fn: Callable[..., Any], where: str) -> Callable[..., Any]:
        """What was noted within counts only if an entry, or a native loop, comes of it."""

        @wraps(fn)
        def bound(*args: Any, **kwargs: Any) -> Any:
            start, result = len(self.pending), None
            try:
                result = fn(*args, **kwargs)
            finally:
                if result is None or result == "runs in CPython":
                    del self.pending[start:]
            if where == REGION:
                self.applied.update(self.pending)
                self.pending.clear()
            return result

        return bound


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
    """None: it fails."""
    with tempfile.TemporaryDirectory() as box:
        env = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
        env |= {"JITCORE_CACHE_DIR": f"{box}/cache", "MPLBACKEND": "Agg"}
        out = Path(box, "out.json")
        command = [sys.executable, __file__, "--traced", str(out), str(script.resolve())]
        done = subprocess.run(
            command + ["--switch"] * switch,
            env=env,
            timeout=seconds,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(f"{script}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
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
