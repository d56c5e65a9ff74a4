"""CPython's own tests under null region points: proof that the shortcut machinery changes nothing.

Each test module runs in processes of its own, in three ways:

    plain    CPython alone
    hook     jitcore's evaluation function is installed for the whole run, there are no points
    points   and a share of all places where a region point may stand has one: it misses, or leaves
             the frame and goes on at the same place, at random

in everything that the tests run from test/, contextlib and asyncio, and in the code that they make
with exec() and doctest. A test that passes plain and fails with points is a new failure, and makes
the exit status 1, unless EXCEPTIONS says why CPython's test cannot hold.

    python tools/cpython_suite.py [--modules with,gc] [--share 0.4] [--seed 5] [--json out.json]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MODULES = """with contextlib contextlib_async generators genexps coroutines asyncgen except_star
    exceptions traceback frame inspect scope patma listcomps unpack unpack_ex call descr super
    weakref gc threading"""
MODES = ("plain", "hook", "points")
SPLICED = (f"{os.sep}test{os.sep}", "contextlib.py", f"{os.sep}asyncio{os.sep}", "<")
NOT_SPLICED = ("<frozen", f"{os.sep}site-packages{os.sep}", f"{os.sep}jitcore{os.sep}")

GI_CODE = "a generator's code is its frame's code, of which neither identity nor bytes are promised"
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("test_generators.__test__.syntax", "g.gi_code is f.__code__"): GI_CODE,
}
"""(test, the one thing that fails in it) → why."""


@dataclass
class Outcome:
    """What one process found in one module."""

    ran: int = 0
    bad: dict[str, str] = field(default_factory=dict)
    skipped: int = 0
    points: int = 0
    leaves: int = 0
    died: str = ""


def main() -> int:
    options = parse()
    if options.child:
        print(json.dumps(asdict(child(options))), file=sys.__stdout__)
        return 0
    rows = {name: compare(name, options) for name in options.modules}
    report(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    return any(row["new"] for row in rows.values())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--modules", default=MODULES, help="names, with or without test_")
    parser.add_argument("--share", type=float, default=0.4, help="of the allowed places")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one process")
    parser.add_argument("--json", help="where to write what was found")
    parser.add_argument("--child", choices=MODES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.modules.replace(",", " ").split()
    options.modules = [f"test_{name.removeprefix('test_')}" for name in names]
    return options


# ------------------------------------------------------------------------------------------ parent


def compare(name: str, options: argparse.Namespace) -> dict[str, Any]:
    found = {mode: run(name, mode, options) for mode in MODES}
    plain, hook, points = (found[mode] for mode in MODES)
    new = {test: why for test, why in points.bad.items() if test not in plain.bad}
    excused = {test: why for test in new if (why := excuse(test, new[test]))}
    if points.died and not plain.died:
        new["(process)"] = points.died
    return {
        "ran": {mode: found[mode].ran for mode in MODES},
        "plain_bad": sorted(plain.bad),
        "hook_only": sorted(set(hook.bad) - set(plain.bad)),
        "new": {test: why for test, why in new.items() if test not in excused},
        "excused": excused,
        "points": points.points,
        "leaves": points.leaves,
        "died": {mode: found[mode].died for mode in MODES if found[mode].died},
    }


def excuse(test: str, failed: str) -> str | None:
    rows = EXCEPTIONS.items()
    return next((why for (name, what), why in rows if test.endswith(name) and failed == what), None)


def run(name: str, mode: str, options: argparse.Namespace) -> Outcome:
    command = [sys.executable, __file__, "--child", mode, "--modules", name]
    command += ["--share", str(options.share), "--seed", str(options.seed)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=options.timeout, cwd=folder
            )
        except subprocess.TimeoutExpired:
            return Outcome(died=f"no end within {options.timeout} s")
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines or not lines[-1].startswith("{"):
        return Outcome(died=f"status {done.returncode}: {done.stderr.strip()[-600:]}")
    return Outcome(**json.loads(lines[-1]))


def report(rows: dict[str, dict[str, Any]]) -> None:
    print(f"CPython {sys.version.split()[0]}")
    print(f"{'module':26}{'tests':>7}{'plain bad':>11}{'points':>9}{'leaves':>11}  new failures")
    for name, row in rows.items():
        counts = f"{row['ran']['points']:7}{len(row['plain_bad']):11}{row['points']:9}"
        print(f"{name:26}{counts}{row['leaves']:11}  {len(row['new']) or '-'}")
        for test, why in row["new"].items():
            with_hook = "  (with the hook alone too)" if test in row["hook_only"] else ""
            print(f"    {test}{with_hook}\n        {why}")
        for test, why in row["excused"].items():
            print(f"    excused: {test}: {why}")
    tests = sum(row["ran"]["points"] for row in rows.values())
    new = sum(len(row["new"]) for row in rows.values())
    print(f"{tests} tests, {new} new failures")


# ------------------------------------------------------------------------------------------ child


def child(options: argparse.Namespace) -> Outcome:
    outcome = Outcome()
    null = NullPoints(options.child == "points", options.share, options.seed)
    if options.child != "plain":
        null.start()
    for name in options.modules:
        suite = unittest.defaultTestLoader.loadTestsFromName(f"test.{name}")
        result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
        outcome.ran += result.testsRun
        outcome.skipped += len(result.skipped)
        for test, text in result.failures + result.errors:
            outcome.bad[test.id()] = what_failed(text)
    outcome.points = len(null.entries)
    outcome.leaves = sum(entry.hits for entry in null.entries)
    return outcome


def what_failed(text: str) -> str:
    """The failed examples of a doctest, else the last line."""
    lines = text.strip().splitlines()
    examples = {b.strip() for a, b in pairwise(lines) if a == "Failed example:"}
    return " | ".join(sorted(examples)) or lines[-1][:300]


class NullPoints:
    """Gives code objects a C* with null points, at import or when they are first run."""

    def __init__(self, wanted: bool, share: float, seed: int) -> None:
        self.wanted = wanted
        self.share = share
        self.random = random.Random(seed)
        self.entries: list[Any] = []

    def start(self) -> None:
        sys.path.insert(0, str(ROOT))
        import importlib._bootstrap_external as loading  # noqa: PLC0415  the plain child has no jitcore

        from jitcore import _C  # noqa: PLC0415
        from jitcore.fallback import splice  # noqa: PLC0415

        self.native, self.splicing = _C, splice
        _C.set_compiler(None)
        _C.set_discover(self.discover if self.wanted else None)
        if self.wanted:
            self.spliced_loader(loading)
            for name in [n for n in sys.modules if n.split(".")[0] in ("contextlib", "asyncio")]:
                self.module(sys.modules[name])
        _C.hold_hook()

    def spliced_loader(self, loading: Any) -> None:
        """Imports compile from source, as no cached code has points."""

        def source_to_code(loader: Any, data: Any, path: Any, *, _optimization: int = -1) -> Any:
            code = compile(data, path, "exec", dont_inherit=True, optimize=_optimization)
            self.all_in(code)
            return code

        def get_code(loader: Any, name: str) -> Any:
            path = loader.get_filename(name)
            return source_to_code(loader, loader.get_data(path), path)

        loading.SourceLoader.source_to_code = source_to_code
        loading.SourceLoader.get_code = get_code

    def module(self, module: Any) -> None:
        """The functions of a module that was imported before."""
        for value in list(vars(module).values()):
            for each in [value, *vars(value).values()] if isinstance(value, type) else [value]:
                code = getattr(each, "__code__", None)
                if isinstance(code, CodeType) and code.co_filename == getattr(
                    module, "__file__", 0
                ):
                    self.all_in(code)

    def discover(self, code: CodeType) -> None:
        if code.co_filename.startswith("<"):
            self.one(code)

    def all_in(self, code: CodeType) -> None:
        self.one(code)
        for const in code.co_consts:
            if isinstance(const, CodeType):
                self.all_in(const)

    def one(self, code: CodeType) -> None:
        name = code.co_filename
        if not any(part in name for part in SPLICED) or any(part in name for part in NOT_SPLICED):
            return
        if self.native.installed(code) is not None:
            return
        decoded = self.splicing.decode(code)
        points = {}
        for offset in sorted(decoded.allowed):
            if self.random.random() < self.share:
                points[offset] = self.native.Point(offset, decoded.depths[offset])
                entry = self.native.NullEntry(offset, 128, self.random.getrandbits(31))
                points[offset].add(entry)
                self.entries.append(entry)
        made = self.splicing.splice(decoded, points)
        self.native.install(code, made.code, made.at_point, made.at_instr)


if __name__ == "__main__":
    sys.exit(main())
