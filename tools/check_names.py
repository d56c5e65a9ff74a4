"""One name, one meaning, and files of a size that one reads: the tree → the lines that break that.

No two classes of jitcore have one name. Modules of one name stand in different folders and are
about the same thing at several stages (STAGES). A folder has at most 20 files, the top of the
package 10 modules, a Python module 350 lines, a C file 400. Exit 1 when something is wrong.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

STAGES = frozenset(
    """arrays cache calls comparisons control directives elementwise errstate exits
    local_stack moving_view objects operators reductions sequences""".split()
)
"""Nouns of which each stage has a module: the break rows of calls, their handlers, their models."""

FILES, TOP, PYTHON, C = 20, 10, 350, 400


def twice(package: Path) -> Iterator[str]:
    classes: dict[str, Path] = {}
    modules: dict[str, Path] = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                first = classes.setdefault(node.name, path)
                if first is not path:
                    yield f"{path}:{node.lineno}: {first} has a class {node.name}, too"
        if path.stem not in STAGES and path.name != "__init__.py":
            first = modules.setdefault(path.stem, path)
            if first is not path:
                yield f"{path}: has the name of {first}"


def sizes(package: Path, extension: Path) -> Iterator[str]:
    top = [path for path in package.glob("*.py")]
    if len(top) > TOP:
        yield f"{package}: {len(top)} modules, at most {TOP} are wanted"
    for folder in sorted({path.parent for path in sources(package, extension)} - {package}):
        count = sum(path.parent == folder for path in sources(package, extension))
        if count > FILES:
            yield f"{folder}: {count} files, at most {FILES} are wanted"
    for path in sources(package, extension):
        most = PYTHON if path.suffix == ".py" else C
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > most:
            yield f"{path}: {lines} lines, at most {most} are wanted"


def sources(package: Path, extension: Path) -> list[Path]:
    return [*package.rglob("*.py"), *extension.rglob("*.c"), *extension.rglob("*.h")]


def main() -> int:
    package, extension = ROOT / "jitcore", ROOT / "csrc"
    found = [*twice(package), *sizes(package, extension)]
    print("\n".join(found) or "one name, one meaning")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
