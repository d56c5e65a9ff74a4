"""The break table and its programs (tests/breaks) → docs/breaks.md. `--check` only says whether the
file is current."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from generated import written_or_checked

from jitcore.fallback.breaks import KINDS, BreakKind, HintClass
from jitcore.fallback.hints import CLOSER, ELSE, WAYS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "breaks.md"
PROGRAMS = ROOT / "tests" / "breaks"

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
that piece, and the report says where, why, and what would help. The rest stays compiled: there are
regions before it and after it, also inside loops, `with` and `try` blocks.

This page is generated from `jitcore/fallback/breaks/` by `make docs`. A code never changes its
meaning.

Each break belongs to one of four classes:

{classes}

Each row has a program that breaks there, and what it became when its user had done what the hint
says: `tests/breaks/` has both, whole, and a test finds that the break is gone and the result equal.
Where the detail says more than the row, the hint is closer: see
[the end of this page](#closer-hints).
"""

CLASSES = {
    HintClass.OUR_BUG: "please report it",
    HintClass.YOUR_ERROR: "CPython raises the exception, at its own line",
    HintClass.COULD: "a later version may compile it",
    HintClass.NEVER: "only CPython can do this",
}


@dataclass(frozen=True)
class Program:
    """A marked function: `row` is its row's code, or `of` the name of the one that it was."""

    name: str
    row: str
    of: tuple[str, ...]
    text: str


def programs(path: Path) -> Iterator[Program]:
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                marks = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
                source = ast.get_source_segment(text, node) or ""
            case ast.Assign(targets=[ast.Name(name)], value=ast.Call(func=ast.Call() as mark)):
                marks, source = [mark], source_of_call(text, node.value)
            case _:
                continue
        rows = [str(m.args[0].value) for m in marks if is_mark(m, "breaks", "closely")]
        of = [m.args[0].id for m in marks if is_mark(m, "way_out")]
        if rows or of:
            yield Program(name, "".join(rows), tuple(of), told(marks) + source.strip())


def told(marks: list[ast.Call]) -> str:
    """The options that a program is compiled with, as a comment."""
    words = (word for mark in marks for word in mark.keywords if word.arg == "options")
    return "".join(f"# compiled with {ast.unparse(word.value)}\n" for word in words)


def is_mark(mark: ast.Call, *names: str) -> bool:
    return isinstance(mark.func, ast.Name) and mark.func.id in names


def source_of_call(text: str, call: ast.Call) -> str:
    """Of a program that is given as text, the text."""
    given = call.args[0]
    if isinstance(given, ast.Call) and is_mark(given, "of_text"):
        quoted = ast.get_source_segment(text, given.args[0]) or ""
        return dedent(quoted.lstrip("f").strip('"'))
    return ast.get_source_segment(text, given) or ""


def shown(program: Program) -> str:
    return f"```py\n{program.text}\n```\n"


def with_ways(broken: Program, found: list[Program]) -> str:
    ways = [shown(each) for each in found if broken.name in each.of]
    became = "\nThe way out:\n\n" if ways else ""
    return f"\n{shown(broken)}{became}" + "\n".join(ways)


def row(kind: BreakKind, found: list[Program]) -> str:
    broken = next(each for each in found if each.row == kind.code)
    return (
        f"### {kind.code} {kind.name}\n\n"
        f"{kind.what[0].upper()}{kind.what[1:]}.\n\n"
        f"- CPython runs: {kind.runs}.\n"
        f"- Hint: {kind.hint}.\n"
        f"- Class: {kind.hint_class.value}.\n"
        f"{with_ways(broken, found)}"
    )


def closer_hints() -> str:
    found = [*programs(PROGRAMS / "closer.py")]
    lines = ["## Closer hints\n"]
    lines += [f"- {code}, where the detail has `{part}`: {hint}." for code, part, hint in CLOSER]
    lines += [f"- inside `{library}`: {way}." for library, way in WAYS.items()]
    lines.append(f"- inside another library: {ELSE}.")
    return (
        "\n".join(lines) + "\n" + "".join(with_ways(each, found) for each in found if not each.of)
    )


def page() -> str:
    classes = "\n".join(f"- **{c.value}**: {text}." for c, text in CLASSES.items())
    parts = [HEAD.format(classes=classes)]
    found = [each for path in sorted(PROGRAMS.glob("j[0-9]*.py")) for each in programs(path)]
    for digit, title in FAMILIES.items():
        rows = [kind for code, kind in sorted(KINDS.items()) if code[1] == digit]
        parts.append(f"## J{digit}xx: {title}\n")
        parts.extend(row(kind, found) for kind in rows)
    parts.append(closer_hints())
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(written_or_checked(PAGE, page(), sys.argv[1:]))
