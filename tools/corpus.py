"""A public test suite, run plainly and with JITCORE=1 → the tests whose outcome differs, and times.

Each file or module runs in processes of its own, which may crash or hang. A test that comes out
otherwise than plainly, and does so again, is a difference, and makes the exit status 1.

    python tools/corpus.py cpython [--only "traceback gc"]  CPython's own tests; they import NumPy
    python tools/corpus.py numpy [--only "_core lib"]       NumPy's own tests, by folder
    python tools/corpus.py PATH ...                         test files for pytest

    --stress    JITCORE_STRESS=1: every frame that can be, at the first call, libraries included
    --rounds N  times that each is run in each way (the fastest counts), 1
    --json F    what was found, test by test
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SITE = "import os, site\nsite.addsitedir(os.path.dirname(__file__))\n"
WAYS: dict[str, dict[str, str]] = {"plain": {}, "switched": {"JITCORE": "1"}}
STRESS = {"JITCORE_STRESS": "1"}

CPYTHON = """
    array asyncgen asyncio.test_tasks asyncio.test_futures asyncio.test_queues baseexception
    bdb binop bisect bool builtin bytes call class code codeop coroutines collections
    compare compile complex concurrent_futures contextlib contextlib_async context copy
    copyreg cprofile csv ctypes dataclasses decorators defaultdict deque descr dict
    dictviews dis dynamic dynamicclassattribute enum enumerate eof except_star exceptions
    exception_group exception_variations faulthandler finalization float format fractions
    frame frozen fstring functools funcattrs future_stmt gc generator_stop generators
    genexps getpass global grammar hash heapq import importlib inspect int int_literal
    isinstance iter itertools json keyword keywordonlyarg lambda list listcomps long longexp
    math memoryview metaclass module monitoring named_expressions numeric_tower opcache
    opcodes operator ordered_dict patma pdb peepholer pickle pow pprint print profile
    property pyclbr queue raise random range re reprlib richcmp runpy scope set setcomps
    signal site slice sort statistics string strtod structseq subclassinit sum super sys
    sys_setprofile sys_settrace syntax threading thread threading_local threadsignals timeit
    trace traceback tracemalloc tuple type_annotations type_comments typechecks types typing
    unary unittest unpack unpack_ex userdict userlist userstring utf8_mode warnings weakref
    weakset with yield_from zip
"""
"""Language and library semantics; a name that this Python does not have is left out."""

# (suite's file, test) → why it may differ. None may, by the default rules.
MAY_DIFFER: dict[tuple[str, str], str] = {}


@dataclass
class Outcome:
    tests: dict[str, str] = field(default_factory=dict)  # name → passed, failed, skipped
    why: dict[str, str] = field(default_factory=dict)
    died: str = ""
    seconds: float = 0.0


# ------------------------------------------------------------------------------------------ parent


def main() -> int:
    options = parse()
    if options.child:
        print(json.dumps(unit_tests(options.child)), file=sys.__stdout__)
        return 0
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE)
        shutil.copy(ROOT / "jitcore.pth", site)
        for name, command in suite(options):
            row = compare(name, command, site, options)
            found[name] = row
            report(name, row)
    summary(found)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1))
    return any(row["different"] for row in found.values())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("suite", nargs="*", help="cpython, numpy, or test files for pytest")
    parser.add_argument("--only", default="", help="modules or folders of the suite")
    parser.add_argument("--stress", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one process")
    parser.add_argument("--json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def suite(options: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    """Names, and commands that write their outcomes to the file that is their last word, or print
    them."""
    only = options.only.replace(",", " ").split()
    if options.suite == ["cpython"]:
        for name in dict.fromkeys(only or CPYTHON.split()):
            yield name, [sys.executable, __file__, "--child", name]
        return
    if options.suite == ["numpy"]:
        found = subprocess.check_output(
            [sys.executable, "-c", "import numpy; print(numpy.__file__)"], text=True
        )
        files = sorted(Path(found.strip()).parent.glob("**/tests/test_*.py"))
        chosen = [f for f in files if not only or any(f"/{word}/" in str(f) for word in only)]
    else:
        chosen = [Path(path).resolve() for path in options.suite]
    for file in chosen:
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
        yield "/".join(file.parts[-3:]), [sys.executable, *words, str(file), "--junitxml"]


def compare(
    name: str, command: list[str], site: Path, options: argparse.Namespace
) -> dict[str, Any]:
    def run_both() -> dict[str, Outcome]:
        return {way: run(command, way, site, options) for way in WAYS}

    first = run_both()
    rows = differences(name, first)
    if rows:  # a test that is not the same twice is none of ours
        again = run_both()
        rows = {test: text for test, text in rows.items() if test in differences(name, again)}
        first = {way: fastest(first[way], again[way]) for way in WAYS}
    for _ in range(options.rounds - 1):
        more = run_both()
        first = {way: fastest(first[way], more[way]) for way in WAYS}
    return {
        "tests": len(first["plain"].tests),
        "different": rows,
        "seconds": {way: round(first[way].seconds, 2) for way in WAYS},
        "died": {way: first[way].died for way in WAYS if first[way].died},
    }


def fastest(a: Outcome, b: Outcome) -> Outcome:
    return a if a.seconds <= b.seconds else b


def differences(name: str, found: dict[str, Outcome]) -> dict[str, str]:
    plain, switched = found["plain"], found["switched"]
    rows = {}
    for test in plain.tests.keys() | switched.tests.keys():
        a, b = plain.tests.get(test, "absent"), switched.tests.get(test, "absent")
        if a != b and (name, test) not in MAY_DIFFER:
            rows[test] = f"{a} → {b}: {(switched.why.get(test) or plain.why.get(test, ''))[-600:]}"
    if bool(plain.died) != bool(switched.died):
        rows["(process)"] = f"plain: {plain.died or 'ends'}; switched: {switched.died or 'ends'}"
    return rows


def run(command: list[str], way: str, site: Path, options: argparse.Namespace) -> Outcome:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    kept |= {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]), "PYTHONHASHSEED": "0"}
    kept |= {k: os.environ[k] for k in ("JITCORE_CACHE_DIR",) if k in os.environ}
    kept |= WAYS[way] | (STRESS if options.stress and way == "switched" else {})
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder, "junit.xml")
        whole = [*command, str(xml)] if command[-1] == "--junitxml" else command
        started = time.perf_counter()
        try:
            done = subprocess.run(
                whole, capture_output=True, text=True, errors="replace", env=kept, cwd=folder,
                timeout=options.timeout, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome(died=f"no end within {options.timeout} s", seconds=options.timeout)
        seconds = time.perf_counter() - started
        outcome = from_junit(xml) if xml.exists() else from_lines(done.stdout)
    outcome.seconds = seconds
    if done.returncode < 0 or not outcome.tests:
        outcome.died = f"status {done.returncode}: {(done.stderr or done.stdout)[-800:]}"
    return outcome


def from_junit(path: Path) -> Outcome:
    outcome = Outcome()
    for case in ET.parse(path).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = next((c for c in case if c.tag in ("failure", "error", "skipped")), None)
        outcome.tests[name] = "passed" if bad is None else bad.tag
        if bad is not None:
            outcome.why[name] = (bad.get("message") or "") + (bad.text or "")[-600:]
    return outcome


def from_lines(text: str) -> Outcome:
    lines = text.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        return Outcome()
    found = json.loads(lines[-1])
    return Outcome(found["tests"], found["why"])


def report(name: str, row: dict[str, Any]) -> None:
    plain, switched = row["seconds"]["plain"], row["seconds"]["switched"]
    print(f"{name:44}{row['tests']:6}{plain:9.2f}{switched:9.2f}  {len(row['different']) or '-'}")
    for test, text in row["different"].items():
        print(f"    {test}\n        {text}")
    for way, text in row["died"].items():
        print(f"    {way}: {text.splitlines()[0] if text else ''}")
    sys.stdout.flush()


def summary(found: dict[str, dict[str, Any]]) -> None:
    tests = sum(row["tests"] for row in found.values())
    different = sum(len(row["different"]) for row in found.values())
    plain, switched = (sum(row["seconds"][way] for row in found.values()) for way in WAYS)
    version = sys.version.split()[0]
    print(f"CPython {version}: {len(found)} files, {tests} tests, {different} different;")
    print(f"{plain:.1f} s plainly, {switched:.1f} s switched")


# ------------------------------------------------------------------------------------------ child


def unit_tests(name: str) -> dict[str, Any]:
    import numpy  # noqa: F401, PLC0415  both ways: it is what the switch waits for

    module = f"test.{name}" if name.startswith("test") else f"test.test_{name}"
    loaded = unittest.defaultTestLoader.loadTestsFromName(module)
    result = Names(io.StringIO(), True, 0)
    loaded.run(result)
    for test, text in result.failures + result.errors:
        result.tests[str(test.id())] = "failed"
        result.why[str(test.id())] = what_failed(text)
    return {"tests": result.tests, "why": result.why}


class Names(unittest.TextTestResult):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.tests: dict[str, str] = {}
        self.why: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.tests.setdefault(test.id(), "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.tests[test.id()] = "skipped"


def what_failed(text: str) -> str:
    """The failed examples of a doctest, else the end."""
    lines = text.strip().splitlines()
    examples = {b.strip() for a, b in pairwise(lines) if a == "Failed example:"}
    return " | ".join(sorted(examples)) or text.strip()[-900:]


if __name__ == "__main__":
    sys.exit(main())
