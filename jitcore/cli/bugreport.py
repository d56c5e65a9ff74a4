"""`python -m jitcore bugreport [-o FOLDER] [script.py arguments]`: files to be replayed.

With a script it is run in verify mode, all of it compiled: a file for each place where compiled
code and CPython differ, or jitcore fails. Without one, or where nothing was found, one file with
versions, processor, compiler and settings.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jitcore.cli.commands import parser
from jitcore.cli.doctor import LOOKS, title
from jitcore.config import environment
from jitcore.verify.bug_report import Report, surroundings, write


def main(arguments: Sequence[str]) -> int:
    """The script's status; 1 where no file could be written."""
    options = understood(arguments)
    folder = Path(options.output or environment().reports or ".")
    folder.mkdir(parents=True, exist_ok=True)
    before = files(folder)
    status = run(options.script, folder) if options.script else 0
    new = sorted(files(folder) - before)
    if not new:
        found = ["nothing differs, and nothing failed"] if options.script else []
        path = write(plain(found), folder)
        if path is None:
            print(f"jitcore: {folder} cannot be written to", file=sys.stderr)
            return 1
        new = [path]
    for path in new:
        print(path)
    return status


def understood(arguments: Sequence[str]) -> argparse.Namespace:
    known = parser("bugreport")
    known.add_argument(
        "-o", "--output", metavar="FOLDER", help="where they go; else JITCORE_REPORTS; else here"
    )
    text = "a script, -m module or -c command, and arguments"
    known.add_argument("script", nargs="*", help=text)
    first = arguments[0] if arguments else ""
    own = 2 * (first in ("-o", "--output")) + (first in ("-h", "--help"))
    options = known.parse_args(arguments[:own])
    options.script = [*arguments[own:]]
    return options


def run(script: Sequence[str], folder: Path) -> int:
    settings = {"JITCORE": "1", "JITCORE_VERIFY": "1", "JITCORE_REPORTS": str(folder)}
    command = [sys.executable, *script]
    return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def files(folder: Path) -> set[Path]:
    return {*folder.glob("jitcore-*.txt")}


def plain(found: Sequence[str]) -> Report:
    looked = [str(finding) for look in LOOKS for finding in look(environment())]
    return Report(
        {
            "about": ("kind: surroundings", "function: run", f"place: {title()}"),
            "found": tuple(found),
            **surroundings(),
            "doctor": tuple(looked),
        }
    )
