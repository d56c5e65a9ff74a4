"""Where a report goes: a terminal, a stream, or a file whose name says how."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from jitcore.config import environment
from jitcore.report import console, json_file, page, whole_run
from jitcore.report.measured import run
from jitcore.report.run import Run

WRITERS: Mapping[str, Callable[[Run], str]] = {"json": json_file.text, "html": page.text}
EXPLAIN = "explain"
PROCESS = "%p"  # in a file's name: the number of the process
told = False  # at the end, once a process


def report(to: Any = None) -> None:
    """TypeError for what is no place, ValueError for a file of another kind."""
    if to is None or hasattr(to, "write"):
        console.print_report(to)
        return
    if not isinstance(to, (str, os.PathLike)):
        raise TypeError(f"report: a file's name or a stream that is open for text, not {to!r}")
    path = Path(to)
    kind = path.suffix.removeprefix(".").lower()
    if kind not in WRITERS:
        raise ValueError(f"a report goes into a file .json or .html, not {os.fspath(to)!r}")
    write(kind, path)


def write(kind: str, path: Path) -> None:
    path.write_text(WRITERS[kind](run()), encoding="utf-8")


def at_exit() -> None:
    """As JITCORE_REPORT says. The program is over: what fails is said, and no more."""
    global told
    if told:
        return
    told = True
    kind, colon, name = environment().report.partition(":")
    try:
        if colon:
            write(kind, Path(name.replace(PROCESS, str(os.getpid()))))
        else:
            tell(sys.stderr, kind == EXPLAIN)
    except OSError as error:
        print(f"jitcore: no report: {error}", file=sys.stderr)


def tell(out: TextIO | None, explained: bool) -> None:
    if out is None or out.closed:
        return
    text = console.shown(out, most=None if explained else console.SCREEN)
    if explained:
        text += "".join(console.as_it_can(line, out) + "\n" for line in whole_run.explained())
    console.in_one_piece(text, out)
