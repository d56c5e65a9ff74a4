"""`python -m jitcore report FILE.json [FILE.html]`: on the console, or as a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jitcore.cli.commands import parser
from jitcore.report import console, json_file, page


def main(arguments: Sequence[str]) -> int:
    """1 where the file cannot be read or written."""
    understood = parser("report")
    understood.add_argument("file", metavar="FILE.json", help="which JITCORE_REPORT has written")
    understood.add_argument("page", metavar="FILE.html", nargs="?", help="else the console")
    options = understood.parse_args(arguments)
    try:
        found = json_file.read(Path(options.file).read_text(encoding="utf-8"))
        if options.page:
            Path(options.page).write_text(page.text(found), encoding="utf-8")
        else:
            console.print_report(sys.stdout, found, None)
    except (OSError, ValueError) as error:
        print(f"jitcore: {options.file}: {error}", file=sys.stderr)
        return 1
    return 0
