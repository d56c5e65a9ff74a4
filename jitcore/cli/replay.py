"""`python -m jitcore replay FILE [--minify] [--execute]`: does what a bug report tells of still
happen?

The graph of the file is compiled and run on the file's inputs, and so is each node of it by NumPy.
Of the file only text is read: a graph of operations from the table, numbers, arrays. With --execute
the function's source is executed as well: do so only with files that you would run.

exit status   0: it does not happen any more   1: it does   2: it cannot be replayed
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import traceback
from collections.abc import Sequence
from pathlib import Path

from jitcore.cli.commands import parser
from jitcore.cli.replay_source import AGREED, executed
from jitcore.host.units import counted
from jitcore.ir.parse import ParseError
from jitcore.verify.bug_report import NotAReport, Report, parse
from jitcore.verify.case import (
    Case,
    NotACase,
    NotCompared,
    case_of,
    differences,
    missing_backend,
    sections_of,
)
from jitcore.verify.shrink import shrunk, size
from jitcore.verify.value_codec import NotAnInput, given

GONE, STILL, UNKNOWN = 0, 1, 2
CANNOT = (NotAReport, NotACase, NotAnInput, ParseError, ValueError, KeyError, TypeError)


def main(arguments: Sequence[str]) -> int:
    options = understood(arguments)
    try:
        report = parse(Path(options.file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"jitcore: {options.file}: {error}", file=sys.stderr)
        return UNKNOWN
    print(f"{report.words('about').get('kind', 'report')} in {report.words('about').get('place')}")
    if options.execute:
        return of_source(report)
    try:
        case = case_of(report)
    except CANNOT as error:
        return unknown(error or type(error).__name__, report)
    try:
        texts = tried(case)
    except NotCompared as error:
        return unknown(error, report)
    if texts and options.minify:
        minified(case, report, Path(options.file))
    return said(texts, report)


def of_source(report: Report) -> int:
    try:
        ran = executed(report)
    except NotCompared as error:
        print(f"cannot be replayed: {error}")
        return UNKNOWN
    print(f"{counted(ran.compared, 'run')} of compiled regions compared")
    return said(ran.said, report, ran.agreed())


def unknown(why: object, report: Report) -> int:
    print(f"cannot be replayed: {why}")
    if report.sections.get("source"):
        print("with --execute the function itself is run: read its source first")
    return UNKNOWN


def understood(arguments: Sequence[str]) -> argparse.Namespace:
    known = parser("replay")
    known.add_argument("file", help="what `python -m jitcore bugreport` or verify mode has written")
    known.add_argument("--minify", action="store_true", help="write a smaller file beside it")
    known.add_argument(
        "--execute",
        action="store_true",
        help="run the function's source as well: only of files that you trust",
    )
    return known.parse_args(arguments)


def tried(case: Case) -> list[str]:
    """What differs, or what the compiler raises; NotCompared: neither."""
    try:
        return differences(case)
    except NotCompared:
        raise
    except Exception as error:
        own = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__}: {error} ({Path(own.filename).name}:{own.lineno})"]


def said(texts: Sequence[str], report: Report, agreed: str = AGREED) -> int:
    """Where its backend is not known here, another one was asked, which may be right."""
    missing = missing_backend(report)
    if missing and not texts:
        print(f"cannot be replayed: {missing}. With backend 'c' {agreed}{made_up(report)}")
        return UNKNOWN
    if not texts:
        print(f"it does not happen here: {agreed}{made_up(report)}")
        return GONE
    print(f"it still happens{', with backend c' if missing else ''}:")
    for text in texts:
        print(textwrap.indent(text, "    "))
    return STILL


def made_up(report: Report) -> str:
    """Other numbers may be what it takes to happen."""
    found = []
    for line in report.sections.get("inputs", ()):
        try:
            one = given(line)
        except CANNOT:
            continue
        found += [one.source] if one.made_up else []
    return f", on numbers made up for {', '.join(found)}, which the file has not" if found else ""


def minified(case: Case, report: Report, file: Path) -> None:
    kind = tried(case)[0].partition(":")[0].split()[0]
    small = shrunk(case, lambda one: any(text.startswith(kind) for text in tried(one)))
    target = file.with_name(f"{file.stem}-small{file.suffix}")
    for name, lines in sections_of(small).items():
        report = report.having(name, lines)
    report = report.having("found", tried(small))
    try:
        target.write_text(str(report), encoding="utf-8")
    except OSError as error:
        print(f"jitcore: {error}", file=sys.stderr)
        return
    nodes, elements, _ = size(small)
    before = size(case)
    print(f"{before[0]} nodes, {before[1]} elements → {nodes} nodes, {elements}: {target}")
