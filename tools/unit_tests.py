"""unit_tests.py FILE NAME ...: modules of CPython's own tests → their outcomes as JSON in a file.
tools/corpus.py starts it.

NumPy is imported however it runs: it is what JITCORE=1 waits for. Without a name, so that the
functions here are none that promise work with arrays: on 3.11 the evaluation function would stand
until they are called.
"""

from __future__ import annotations

import io
import json
import sys
import unittest
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import_module("numpy")


def main() -> None:
    file, *names = sys.argv[1:]
    sys.argv = sys.argv[:1]
    result = Names(io.StringIO(), True, 0)
    for name in names:
        module = f"test.{name}" if name.startswith("test") else f"test.test_{name}"
        unittest.defaultTestLoader.loadTestsFromName(module).run(result)
    Path(file).write_text(json.dumps(outcomes(result)))


def outcomes(result: Names) -> dict[str, dict[str, str]]:
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
    main()
