"""Nobody looks into emitted C to decide: jitcore's modules → the lines that search in strings.

What is asked about C is a field of the record that is printed: CExpression, Text, CSource, the
facts of a LoopEmitter. So modules that make C, or decide about it, import no `re` and call no
method that takes a string apart, but for those of ALLOWED. Exit 1 when a line is wrong.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "jitcore"
FOLDERS = ("kernels", "loops", "passes", "cost", "plan")
SEARCHES = frozenset(
    (
        *("startswith", "endswith", "partition", "rpartition", "split", "rsplit", "splitlines"),
        *("find", "rfind", "isidentifier", "isdigit", "isdecimal"),
    )
)
MADE = ("rt_", "__builtin_", "world->", "goto", "RT_")  # how names in emitted C begin

# Module: what it may do, and why.
ALLOWED: Mapping[str, tuple[frozenset[str], str]] = {
    "cost/operations.py": (frozenset(("rpartition",)), "names of operations"),
    "loops/local_stack.py": (frozenset(("startswith",)), "names of operations"),
    "plan/backend_call.py": (frozenset(("find",)), "of backends, by name"),
    # Texts of expressions have no record yet: is one a variable's name, or a number, as it stands?
    "loops/emitter.py": (frozenset(("isidentifier",)), "is a new variable needed?"),
    "loops/arrays/elementwise.py": (frozenset(("isidentifier",)), "the same"),
    "loops/transform/strip_mine_body.py": (frozenset(("isidentifier",)), "the same"),
    **dict.fromkeys(
        (
            *("loops/carried.py", "loops/arrays/delayed.py"),
            *("loops/arrays/reductions.py", "loops/arrays/stores.py"),
        ),
        (frozenset(("isdigit",)), "is an extent, or a step, known?"),
    ),
    # What a function of its own captures: any form may have named it. Goes with the nest IR.
    "loops/transform/strip_mine_function.py": (frozenset(("re",)), "captured variables"),
}


def searches(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that import `re`, take a string apart, or ask whether C has a name in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import(names=names) if any(one.name == "re" for one in names):
                yield node.lineno, "re"
            case ast.ImportFrom(module="re"):
                yield node.lineno, "re"
            case ast.Call(func=ast.Attribute(attr=method)) if method in SEARCHES:
                yield node.lineno, method
            case ast.Call(
                func=ast.Attribute(attr="count" | "index" as method),
                args=[ast.Constant(str()), *_],
            ):
                yield node.lineno, method
            case ast.Compare(left=ast.Constant(str(text)), ops=[ast.In() | ast.NotIn()]):
                if text.startswith(MADE):
                    yield node.lineno, f"{text!r} in"


def complaints(package: Path) -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((package / folder).rglob("*.py")):
            allowed, _ = ALLOWED.get(path.relative_to(package).as_posix(), (frozenset(), ""))
            for line, what in searches(path):
                if what not in allowed:
                    yield f"{path}:{line}: {what}: emitted C is not searched, ask its record"


def unused(package: Path) -> Iterator[str]:
    for name, (allowed, _) in ALLOWED.items():
        found = {what for _, what in searches(package / name)}
        for what in sorted(allowed - found):
            yield f"{package / name}: does no {what} any more: out of ALLOWED"


def main() -> int:
    found = [*complaints(PACKAGE), *unused(PACKAGE)]
    print("\n".join(found) or "nobody looks into C")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
