"""The break table → docs/breaks.md. `--check` only says whether the file is current."""

from __future__ import annotations

import sys
from pathlib import Path

from jitcore.fallback.breaks import KINDS, BreakKind, HintClass

PAGE = Path(__file__).parent.parent / "docs" / "breaks.md"

FAMILIES = {
    "1": "Instructions",
    "2": "Calls",
    "3": "Control flow",
    "4": "Arrays",
    "5": "Objects and effects",
    "9": "Whole frames",
}

HEAD = """\
# Breaks

What jitcore cannot keep to exactly, it does not compile: it breaks the graph there, CPython runs
that piece, and the report says where, why, and what would help. A break costs only itself: compiled
regions stand before it and after it, also inside loops, `with` and `try` blocks.

This page is generated from `jitcore/fallback/breaks.py` by `make docs`. A code never changes its
meaning.

Each break belongs to one of four classes:

{classes}
"""

CLASSES = {
    HintClass.OUR_BUG: "please report it",
    HintClass.YOUR_ERROR: "CPython raises the exception, at its own line",
    HintClass.COULD: "a later version may compile it",
    HintClass.NEVER: "only CPython can do this",
}


def row(kind: BreakKind) -> str:
    return (
        f"### {kind.code} {kind.name}\n\n"
        f"{kind.what[0].upper()}{kind.what[1:]}.\n\n"
        f"- CPython runs: {kind.runs}.\n"
        f"- Hint: {kind.hint}.\n"
        f"- Class: {kind.hint_class.value}.\n"
    )


def page() -> str:
    classes = "\n".join(f"- **{c.value}**: {text}." for c, text in CLASSES.items())
    parts = [HEAD.format(classes=classes)]
    for digit, title in FAMILIES.items():
        rows = [kind for code, kind in sorted(KINDS.items()) if code[1] == digit]
        parts.append(f"## J{digit}xx: {title}\n")
        parts.extend(row(kind) for kind in rows)
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()
    if not current:
        print("docs/breaks.md is not current: run `make docs`", file=sys.stderr)
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
