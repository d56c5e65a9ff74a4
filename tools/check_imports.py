"""Imports point down: every module of jitcore → the lines that break the order of the layers.

    pristine → version dataclass errors switch topics
    → config limit logs marks leaving stances hush users, lazy → backends, groups → processors
    → opcodes ir → guards → fallback → symbolic → codegen
    → runtime → dump, verify → faults → pipeline → report, waiting → arriving → everywhere
    → api → pickled → __init__

A layer may import its own modules and those that its row names; a row may narrow a layer to one of
its modules. No import stands inside a function; Lazy("jitcore.module") is an import like others.
Exit 1 when a line is wrong.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "jitcore"
ROOT = Path(__file__).parent.parent

LEAVES = (
    *(
        "amounts",
        "armed",
        "axes",
        "spec",
        "settings",
        "version",
        "errors",
        "config",
        "marks",
        "leaving",
        "limit",
        "hush",
    ),
    *("lazy", "backends", "users", "own", "promises", "streams"),
    *("cached", "groups", "processors", "stances", "logs", "topics"),
)
MIDDLE = (*LEAVES, "_C", "opcodes", "ir", "guards", "fallback", "symbolic", "codegen")

ORDER: dict[str, tuple[str, ...]] = {
    "pristine": (),
    "version": (),
    "numpy_versions": (),
    "dataclass": (),
    "errors": (),
    "topics": (),
    "logs": ("topics",),
    "config": ("errors", "lazy", "topics"),
    "marks": ("_C",),
    "leaving": ("_C",),
    "limit": (),
    "promises": ("_C",),
    "streams": (),
    "stances": ("_C",),
    "switch": (),
    "armed": (),
    "__main__": ("armed",),
    "hush": ("_C",),
    "users": (),
    "own": (),
    "lazy": (),
    "backends": ("lazy",),
    "cached": (),
    "settings": ("config",),
    "amounts": (),
    "axes": ("_C",),
    "spec": ("_C", "axes", "errors"),
    "groups": (),
    "processors": ("groups",),
    "opcodes": ("errors",),
    "ir": ("errors",),
    "guards": ("errors", "ir.types", "ir.errstate", "_C"),
    # A recipe names the graph's values; nothing else of the graph.
    "fallback": ("errors", "opcodes", "guards.source", "ir.graph.Value"),
    "symbolic": (
        *("errors", "config", "limit", "marks", "hush", "logs", "users", "own", "promises"),
        "streams",
        *("opcodes", "ir", "guards", "fallback"),
    ),
    "codegen": ("errors", "logs", "lazy", "config", "limit", "version", "processors", "ir", "_C"),
    # Turns a capture into an entry, so it knows both sides.
    "runtime": MIDDLE,
    "dump": (*MIDDLE, "runtime"),
    "verify": (*MIDDLE, "runtime"),
    "faults": (*MIDDLE, "runtime", "verify"),
    "pipeline": (*MIDDLE, "runtime", "dump", "verify", "faults"),
    "controls": (*MIDDLE, "runtime", "pipeline"),
    "report": (*MIDDLE, "runtime", "verify", "pipeline"),
    "waiting": ("_C", "opcodes", "fallback", "runtime.arrivals"),
    "arriving": (*MIDDLE, "runtime", "waiting"),
    "everywhere": (*MIDDLE, "runtime", "arriving"),
    "api": (*MIDDLE, "runtime", "pipeline", "controls", "report", "everywhere"),
    "pickled": (*LEAVES, "_C", "api"),
    "__init__": (*MIDDLE, "runtime", "pipeline", "report", "api", "pristine"),
}

ANYWHERE = ("version", "numpy_versions", "dataclass", "pristine")

# What users call stands in a module that another one needs to load: it is loaded when it is called.
LATER: dict[str, tuple[str, ...]] = {"config": ("settings",)}

OUTSIDE: dict[str, tuple[str, ...]] = {
    "axes": ("numpy",),
    "spec": ("numpy",),
    "ir": ("numpy",),
    "guards": ("numpy",),
    "symbolic": ("numpy",),
    "codegen": ("numpy", "cffi", "_cffi_backend"),
    "runtime": ("numpy",),
    "verify": ("numpy",),
    "pipeline": ("numpy",),
    "report": ("numpy",),
    "everywhere": ("numpy",),
    "api": ("numpy",),
}


@dataclass(frozen=True)
class Import:
    module: str
    lineno: int
    inside: bool
    later: bool = False


def imports(path: Path, name: str) -> Iterator[Import]:
    """The modules that the file `path`, which is module `name`, imports, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    parent = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        inside = id(node) in inner
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, inside)
        elif isinstance(node, ast.ImportFrom):
            start = absolute(node, parent)
            for alias in node.names:
                yield Import(f"{start}.{alias.name}", node.lineno, inside)
        elif isinstance(node, ast.Call):
            yield from lazily(node)


def lazily(call: ast.Call) -> Iterator[Import]:
    """`Lazy("module")`"""
    match call:
        case ast.Call(func=ast.Name("Lazy"), args=[ast.Constant(str(module))]):
            yield Import(module, call.lineno, False, later=True)


def absolute(node: ast.ImportFrom, parent: str) -> str:
    if node.level == 0:
        return node.module or ""
    start = parent.split(".")[: parent.count(".") + 2 - node.level]
    return ".".join([*start, *(node.module or "").split(".")]).rstrip(".")


def within(module: str, allowed: str) -> bool:
    return module == allowed or module.startswith(allowed + ".")


def complaint(name: str, line: Import) -> str | None:
    """Why module `name` may not have this line; None: it may."""
    layer = name.split(".")[1] if "." in name else "__init__"
    if layer not in ORDER:
        return f"{layer} has no row in the order of the layers"
    if line.inside:
        return f"import of {line.module} inside a function"
    if not within(line.module, PACKAGE):
        top = line.module.split(".")[0]
        known = top in sys.stdlib_module_names or top in OUTSIDE.get(layer, ())
        return None if known else f"{layer} may not import {top}"
    target = line.module.removeprefix(PACKAGE).lstrip(".")
    own = (layer, *ANYWHERE) if layer != "__init__" else ("",)
    later = LATER.get(layer, ()) if line.later else ()
    if any(within(target, allowed) for allowed in (*own, *ORDER[layer], *later)):
        return None
    return f"{layer} may not import {target or PACKAGE}"


def complaints(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for line in imports(path, name):
            why = complaint(name, line)
            if why:
                yield f"{path}:{line.lineno}: {why}"


def namesakes(tests: Path) -> Iterator[str]:
    seen: dict[str, Path] = {}
    for path in sorted(tests.rglob("test_*.py")):
        first = seen.setdefault(path.name, path)
        if first is not path:
            yield f"{path}: has the name of {first}"


def main() -> int:
    found = [*complaints(ROOT / PACKAGE), *namesakes(ROOT / "tests")]
    print("\n".join(found) or "imports point down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
