"""The commands, in words: `--help`, and what is said of words that are none."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

PROGRAM = "python -m jitcore"
SCRIPT = "(script.py | -m module | -c command) [arguments]"
USAGE = f"{PROGRAM} [run] [--report[=FILE]] {SCRIPT}\n       {PROGRAM} COMMAND ..."
ABOUT: Mapping[str, str] = {
    "run": "run a program with what runs long in it compiled (JITCORE=1)",
    "explain": "the same, and at its end each line with what runs it",
    "report": "read a report that was written as JSON, or make a page of it",
    "doctor": "what jitcore finds on this machine, and what to install",
    "cache": "the kernels that are kept on disk",
    "bugreport": "write a file with what a maintainer needs",
    "replay": "does what a bug report tells of happen here?",
}
OF_SCRIPTS = {"run": f"[--report[=FILE]] {SCRIPT}", "explain": SCRIPT}


def parser(command: str) -> argparse.ArgumentParser:
    """Of one command, which adds what it takes."""
    return argparse.ArgumentParser(prog=f"{PROGRAM} {command}", description=ABOUT[command])


def all_of_them() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=PROGRAM, usage=USAGE)
    made.add_argument("--report", metavar="FILE", nargs="?", help=".json or .html; else stderr")
    commands = made.add_subparsers(title="commands", metavar="COMMAND")
    for name, about in ABOUT.items():
        commands.add_parser(name, help=about, add_help=False)
    return made


def show(command: str = "") -> int:
    """`--help` of a command of scripts, or of all."""
    made = all_of_them()
    if command:
        made = parser(command)
        made.usage = f"%(prog)s {OF_SCRIPTS[command]}"
    made.print_help()
    return 0


def refuse(why: str = "") -> int:
    """The list of commands, and why, for those who look for an error."""
    all_of_them().print_help(sys.stderr)
    if why:
        print(f"\n{PROGRAM}: {why}", file=sys.stderr)
    return 2
