"""A page of docs/ that is written by a program → the file; or, with --check, is it current?"""

from __future__ import annotations

import sys
from pathlib import Path


def written_or_checked(page: Path, text: str, arguments: list[str]) -> int:
    """The exit status."""
    if "--check" not in arguments:
        page.write_text(text, encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == text:
        return 0
    print(f"docs/{page.name} is not current: run `make docs`", file=sys.stderr)
    return 1
