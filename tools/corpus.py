"""A public test suite, run plainly and with JITCORE=1 → the tests whose outcome differs, and times.

Each file or module runs in processes of its own, which may crash or hang. A test that comes out
otherwise than plainly, and does so again, is a difference, and makes the exit status 1. So is what
jitcore says of bugs of its own, and an exception that is printed and ignored, where plainly there
is none.

    python tools/corpus.py cpython [--only "traceback gc"]  CPython's own tests; they import NumPy
    python tools/corpus.py numpy [--only "_core lib"]       NumPy's own tests, by folder
    python tools/corpus.py PATH ...                         test files for pytest

    --rules "default stress"  default: JITCORE=1, and no more. stress: JITCORE_STRESS=1, too: every
                              frame that can be is compiled at its first call, libraries included.
                              keep: JITCORE_KEEP_ALL=1, too: regions without any kernel run as well
    --together N  so many files in one process: what runs the tests is compiled once for them.
                  Where a test differs, or the process dies, each file runs alone after all
    --rounds N  times that each is run in each way (the fastest counts), 1
    --json F    what was found, test by test, written anew after each file
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from may_differ import reason

ROOT = Path(__file__).resolve().parent.parent
SITE = "import os, site\nsite.addsitedir(os.path.dirname(__file__))\n"
CHILD = Path(__file__).with_name("unit_tests.py")
RULES: dict[str, dict[str, str]] = {
    "plain": {},
    "default": {"JITCORE": "1"},
    "stress": {"JITCORE": "1", "JITCORE_STRESS": "1"},
    "keep": {"JITCORE": "1", "JITCORE_STRESS": "1", "JITCORE_KEEP_ALL": "1"},
}
FILE = "@file@"  # in a command, where its outcomes go
SHOWN = 300  # characters of why a test failed; the file of --json has more
COMPLAINTS = re.compile(r"^(?:Exception ignored in|jitcore:|internal error:).*", re.MULTILINE)

CPYTHON = """
    array asyncgen asyncio.test_tasks asyncio.test_futures asyncio.test_queues baseexception
    bdb binop bisect bool builtin bytes call class code codeop coroutines collections
    compare compile complex contextlib
    concurrent_futures.test_future concurrent_futures.test_thread_pool concurrent_futures.test_wait
    contextlib_async context copy
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


@dataclass
class Outcome:
    tests: dict[str, str] = field(default_factory=dict)  # name → passed, failed, skipped
    why: dict[str, str] = field(default_factory=dict)
    died: str = ""
    complaints: list[str] = field(default_factory=list)
    seconds: float = 0.0


# ------------------------------------------------------------------------------------------ parent


def main() -> int:
    options = parse()
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE)
        shutil.copy(ROOT / "jitcore.pth", site)
        for files in batched(list(suite(options)), options.together):
            for name, row in rows_of(files, site, options):
                found[name] = row
                report(name, row)
                if options.json:
                    Path(options.json).write_text(json.dumps(found, indent=1))
    summary(found)
    return any(row["different"] for row in found.values())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("suite", nargs="+", help="cpython, numpy, or test files for pytest")
    parser.add_argument("--only", default="", help="modules or folders of the suite")
    parser.add_argument("--rules", default="default", help="default, stress, keep, or several")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--together", type=int, default=1, help="files in one process")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one process")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.rules = words(options.rules)
    if not set(options.rules) <= RULES.keys() - {"plain"}:
        parser.error("--rules: default, stress, keep, or several")
    return options


def words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def batched(files: list[str], count: int) -> Iterator[list[str]]:
    for first in range(0, len(files), count):
        yield files[first : first + count]


def rows_of(
    files: list[str], site: Path, options: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of all in one process, if nothing differs; else of each."""
    if len(files) > 1:
        row = compare(files, site, options)
        if not row["different"] and not row["died"]:
            yield " ".join(map(shown, files)), row
            return
    for file in files:
        yield shown(file), compare([file], site, options)


def suite(options: argparse.Namespace) -> Iterator[str]:
    """Modules of CPython's tests, or paths of files."""
    only = words(options.only)
    if options.suite == ["cpython"]:
        yield from dict.fromkeys(only or CPYTHON.split())
        return
    if options.suite == ["numpy"]:
        found = subprocess.check_output(
            [sys.executable, "-c", "import numpy; print(numpy.__file__)"], text=True
        )
        folder = Path(found.strip()).parent
        files = sorted(folder.glob("**/tests/test_*.py"))
        chosen = [f for f in files if not only or f.relative_to(folder).parts[0] in only]
    else:
        chosen = [Path(path).resolve() for path in options.suite]
    yield from map(str, chosen)


def shown(file: str) -> str:
    return "/".join(Path(file).parts[-3:])


def command_for(files: list[str]) -> list[str]:
    """It writes outcomes to FILE."""
    if not Path(files[0]).is_absolute():
        return [sys.executable, str(CHILD), FILE, *files]
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
    pytest += ["--continue-on-collection-errors"]
    pytest += ["--confcutdir", str(home(Path(files[0])))]
    wanted = (*pytest, *files, f"--junitxml={FILE}", f"--log-file={FILE}.log")
    return [sys.executable, *wanted, "--log-file-level=ERROR"]


def home(file: Path) -> Path:
    """The outermost package, or folder with a conftest.py, that the file is in."""
    inside = [
        p for p in file.parents if (p / "__init__.py").exists() or (p / "conftest.py").exists()
    ]
    return inside[-1] if inside else file.parent


def compare(files: list[str], site: Path, options: argparse.Namespace) -> dict[str, Any]:
    names, command = [*map(shown, files)], command_for(files)

    def run_all(rules: list[str]) -> dict[str, Outcome]:
        return {rule: run(command, rule, site, options) for rule in ["plain", *rules]}

    found = run_all(options.rules)
    different = {
        rule: rows
        for rule in options.rules
        if (rows := differences(names, found["plain"], found[rule], rule))
    }
    if different and len(files) == 1:  # a test that is not the same twice is none of ours
        again = run_all(list(different))
        for rule, rows in different.items():
            twice = differences(names, again["plain"], again[rule], rule)
            different[rule] = {test: text for test, text in rows.items() if test in twice}
        found = {rule: fastest(found[rule], again.get(rule, found[rule])) for rule in found}
    for _ in range(options.rounds - 1):
        more = run_all(options.rules)
        found = {rule: fastest(found[rule], more[rule]) for rule in found}
    return {
        "tests": len(found["plain"].tests),
        "passed": list(found["plain"].tests.values()).count("passed"),
        "different": {rule: rows for rule, rows in different.items() if rows},
        "excused": excused(names, found),
        "seconds": {rule: round(found[rule].seconds, 2) for rule in found},
        "died": {rule: found[rule].died for rule in found if found[rule].died},
    }


def fastest(a: Outcome, b: Outcome) -> Outcome:
    return a if a.seconds <= b.seconds else b


def differences(names: list[str], plain: Outcome, switched: Outcome, rule: str) -> dict[str, str]:
    rows = {}
    for test in plain.tests.keys() | switched.tests.keys():
        a, b = plain.tests.get(test, "absent"), switched.tests.get(test, "absent")
        if a != b and not (rule != "default" and reason(names, test)):
            rows[test] = f"{a} → {b}: {(switched.why.get(test) or plain.why.get(test, ''))[-600:]}"
    if bool(plain.died) != bool(switched.died):
        rows["(process)"] = f"plain: {plain.died or 'ends'}; switched: {switched.died or 'ends'}"
    if len(switched.complaints) > len(plain.complaints):
        rows["(printed)"] = "\n        ".join(switched.complaints)
    return rows


def excused(names: list[str], found: dict[str, Outcome]) -> dict[str, str]:
    """What the list allows, and did differ."""
    plain = found["plain"].tests
    ran = [found[rule].tests for rule in found if rule not in ("plain", "default")]
    other = {t for t in plain for tests in ran if plain[t] != tests.get(t)}
    return {t: why for t in sorted(other) if (why := reason(names, t))}


def run(command: list[str], rule: str, site: Path, options: argparse.Namespace) -> Outcome:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JITCORE")}
    kept |= {"PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]), "PYTHONHASHSEED": "0"}
    kept |= {k: os.environ[k] for k in ("JITCORE_CACHE_DIR",) if k in os.environ}
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder, "outcomes"), Path(folder, "outcomes.log")
        whole = [word.replace(FILE, str(file)) for word in command]
        started = time.perf_counter()
        try:
            done = subprocess.run(
                whole, capture_output=True, text=True, errors="replace", env=kept | RULES[rule],
                cwd=folder, timeout=options.timeout, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome(died=f"no end within {options.timeout} s", seconds=options.timeout)
        seconds = time.perf_counter() - started
        outcome = outcome_in(file) if file.exists() else Outcome()
        logged = log.read_text(errors="replace") if log.exists() else ""
    outcome.seconds = seconds
    outcome.complaints = COMPLAINTS.findall(done.stderr)
    outcome.complaints += [line for line in logged.splitlines() if "internal error:" in line]
    if done.returncode < 0 or not outcome.tests:
        outcome.died = f"status {done.returncode}: {(done.stderr or done.stdout)[-800:]}"
    return outcome


def outcome_in(path: Path) -> Outcome:
    text = path.read_text(errors="replace")
    if text.startswith("{"):
        found = json.loads(text)
        return Outcome(found["tests"], found["why"])
    outcome = Outcome()
    for case in ET.fromstring(text).iter("testcase") if text else ():
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = next((c for c in case if c.tag in ("failure", "error", "skipped")), None)
        outcome.tests[name] = "passed" if bad is None else bad.tag
        if bad is not None:
            outcome.why[name] = (bad.get("message") or "") + (bad.text or "")[-600:]
    return outcome


def report(name: str, row: dict[str, Any]) -> None:
    seconds = "".join(f"{s:9.2f}" for s in row["seconds"].values())
    count = sum(map(len, row["different"].values()))
    print(f"{name:44}{row['tests']:6}{seconds}  {count or '-'}")
    for rule, rows in row["different"].items():
        for test, text in rows.items():
            print(f"    {rule}: {test}\n        {short(text)}")
    for test, why in row["excused"].items():
        print(f"    may differ: {test}: {why}")
    for rule, text in row["died"].items():
        print(f"    {rule}: {text.splitlines()[0] if text else ''}")
    sys.stdout.flush()


def short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:40]} … {text[-SHOWN:]}"


def summary(found: dict[str, dict[str, Any]]) -> None:
    rows = list(found.values())
    tests = sum(row["tests"] for row in rows)
    passed = sum(row["passed"] for row in rows)
    files = sum(len(name.split()) for name in found)
    print(f"CPython {sys.version.split()[0]}: {files} files, {tests} tests, {passed} pass;")
    for rule in rows[0]["seconds"] if rows else ():
        count = sum(len(row["different"].get(rule, ())) for row in rows)
        seconds = sum(row["seconds"][rule] for row in rows)
        print(f"{rule}: {seconds:.1f} s" + (f", {count} different" if rule != "plain" else ""))


if __name__ == "__main__":
    sys.exit(main())
