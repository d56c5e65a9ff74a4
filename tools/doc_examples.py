"""The examples of README.md and docs/*.md, run: each python block prints what stands under it.

    python tools/doc_examples.py [page ...]     say what differs
    python tools/doc_examples.py --write        put what was printed into the pages

    ```python                   run, all blocks of a page in one process and one namespace
    # heat.py                   the file that it is, for messages; else example.py
    ```
    ```text                     directly under it: what it prints. Times may be others, and a line
    ...                         of three dots is any lines
    ```

A comment `<!-- CPython 3.12 -->` directly above: what is printed is compared on that version only.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(
    r"(?:^<!-- CPython (?P<version>3\.\d+) -->\n\n?)?"
    r"^```python\n(?P<source>.*?)^```$"
    r"(?:\n\n?^```text\n(?P<printed>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
NAMED = re.compile(r"# (\w+\.py)\n")
TIME = re.compile(r"[\d.,]+ (ns|µs|ms|s|kB)\b")
PRELUDE = "import logging\n\nimport numpy as np\n\nimport jitcore\n"


@dataclass(frozen=True)
class Example:
    """A block of a page; `line` is where its source begins there."""

    line: int
    source: str
    printed: str | None
    version: str | None
    span: tuple[int, int]

    @property
    def file(self) -> str:
        named = NAMED.match(self.source)
        return named[1] if named else "example.py"

    @property
    def compared(self) -> bool:
        here = "{}.{}".format(*sys.version_info)
        return self.printed is not None and self.version in (None, here)


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    return [
        Example(
            text.count("\n", 0, found.start("source")) + 1,
            found["source"],
            found["printed"],
            found["version"],
            found.span("printed"),
        )
        for found in BLOCK.finditer(text)
    ]


def pages_with_examples() -> Iterator[Path]:
    return (page for page in PAGES if examples(page))


def printed_by(page: Path) -> list[str]:
    """What each block of the page prints, in a process of its own. RuntimeError: one of them
    raised."""
    env = {name: text for name, text in os.environ.items() if not name.startswith("JITCORE")}
    folder = os.environ.get("JITCORE_CACHE_DIR")
    env |= {"JITCORE_CACHE_DIR": folder} if folder else {}
    paths = [str(ROOT), *filter(None, [env.get("PYTHONPATH")])]
    env |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, __file__, "--run", str(page.resolve())]
        done = subprocess.run(command, env=env, cwd=empty, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{page.name}: {done.stderr.strip()}")
    texts: list[str] = json.loads(done.stdout.splitlines()[-1])
    return texts


def run(page: Path) -> list[str]:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(PRELUDE, names)
    texts = []
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for example in examples(page):
            lines = example.source.splitlines(keepends=True)
            linecache.cache[example.file] = (len(example.source), None, lines, example.file)
            before = len(out.getvalue())
            try:
                exec(compile(example.source, example.file, "exec"), names)
            except Exception as error:
                error.add_note(f"in the block at {page.name}:{example.line}")
                raise
            texts.append(out.getvalue()[before:])
    return texts


def same(shown: str, printed: str) -> bool:
    wanted, got = (TIME.sub(r"0 \1", text.strip()) for text in (shown, printed))
    wanted, got = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE) for text in (wanted, got))
    parts = re.split(r"^\.\.\.$", wanted, flags=re.MULTILINE)
    return re.fullmatch(".*".join(map(re.escape, parts)), got, re.DOTALL) is not None


def differences(page: Path) -> list[str]:
    """In words, with the page's line."""
    found = []
    for example, printed in zip(examples(page), printed_by(page), strict=True):
        if example.compared and not same(example.printed or "", printed):
            found.append(
                f"{page.name}:{example.line} prints\n{printed}\nand shows\n{example.printed}"
            )
    return found


def write(page: Path) -> None:
    """What was printed, in place of what was not the same; excerpts are left to their author."""
    text = page.read_text(encoding="utf-8")
    for example, printed in reversed([*zip(examples(page), printed_by(page), strict=True)]):
        shown = example.printed or ""
        if example.compared and not same(shown, printed) and "\n...\n" not in f"\n{shown}":
            start, end = example.span
            text = text[:start] + printed.rstrip() + "\n" + text[end:]
    page.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run(options.run)))
        return 0
    found = []
    for page in options.pages or pages_with_examples():
        if options.write:
            write(page)
        found += differences(page)
    print("\n\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
