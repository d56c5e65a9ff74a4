"""Imports point down and never in a circle: every module of jitcore → the lines that break the
order.

LAYERS is the order: a folder, or a module at the top, may import itself and what stands in a line
above its own. NARROW says where less is allowed, LATER what is loaded when it is called. Lines
under TYPE_CHECKING count, and so does LazyModule("jitcore.module"). No import stands inside a
function, none is relative. Exit 1 when a line is wrong.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "jitcore"
ROOT = Path(__file__).parent.parent

LAYERS = """
_C
pristine version errors
host
config logs
user
opcodes
ir
guards
fallback
symbolic
toolchain
kernels
passes
loops
cost
plan
runtime
verify dump
pipeline
attach
report
auto
api cli
switch __main__ __init__
"""

# What a layer may import of the package besides itself, where that is less than what stands above.
NARROW: Mapping[str, tuple[str, ...]] = {
    "ir": ("host", "errors"),
    "guards": ("host", "errors", "_C", "ir.types", "ir.errstate"),
    # A recipe names the graph's values; nothing else of the graph.
    "fallback": ("host", "errors", "opcodes", "guards.source", "ir.value", "ir.graph.Value"),
    "__main__": ("auto.site_check",),
}
ANYWHERE = ("pristine", "version")

# What users call stands in a module that another one needs to load: it is loaded when it is called.
LATER: Mapping[str, tuple[str, ...]] = {"config": ("user.config_scope",)}

NUMPY = (
    *("user", "ir", "guards", "symbolic", "toolchain", "kernels", "passes", "loops", "cost"),
    *("plan", "runtime", "verify", "pipeline", "attach", "report", "auto", "api", "cli"),
)
OUTSIDE: Mapping[str, tuple[str, ...]] = dict.fromkeys(NUMPY, ("numpy",))

HEIGHT = {name: k for k, line in enumerate(LAYERS.split("\n")) for name in line.split()}


@dataclass(frozen=True)
class Import:
    module: str
    lineno: int
    inside: bool = False  # of a function
    later: bool = False
    relative: bool = False


def imports(path: Path) -> Iterator[Import]:
    """What the file imports, with the lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        inside = id(node) in inner
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, inside)
        elif isinstance(node, ast.ImportFrom):
            start = f"{node.module}." if node.module else ""
            for alias in node.names:
                name = f"{start}{alias.name}"
                yield Import(name, node.lineno, inside, relative=bool(node.level))
        elif isinstance(node, ast.Call):
            yield from lazily(node)


def lazily(call: ast.Call) -> Iterator[Import]:
    """`LazyModule("module")`"""
    match call:
        case ast.Call(func=ast.Name("LazyModule"), args=[ast.Constant(str(module))]):
            yield Import(module, call.lineno, later=True)


def within(module: str, allowed: Iterable[str]) -> bool:
    return any(module == one or module.startswith(one + ".") for one in allowed)


def layer_of(name: str) -> str:
    """`jitcore.ir.graph`: ir."""
    return name.split(".")[1] if "." in name else "__init__"


def complaint(name: str, line: Import) -> str | None:
    """Why module `name` may not have this line; None: it may."""
    layer = layer_of(name)
    if layer not in HEIGHT:
        return f"{layer} has no place in the order of the layers"
    if line.relative:
        return "a relative import"
    if line.inside:
        return f"import of {line.module} inside a function"
    if not within(line.module, [PACKAGE]):
        top = line.module.split(".")[0]
        known = top in sys.stdlib_module_names or top in OUTSIDE.get(layer, ())
        return None if known else f"{layer} may not import {top}"
    target = line.module.removeprefix(PACKAGE).lstrip(".")
    allowed = (layer, *ANYWHERE, *NARROW.get(layer, above(layer)))
    allowed += LATER.get(layer, ()) if line.later else ()
    return None if within(target, allowed) else f"{layer} may not import {target or PACKAGE}"


def above(layer: str) -> tuple[str, ...]:
    return tuple(name for name, height in HEIGHT.items() if height < HEIGHT[layer])


def modules_of(package: Path) -> dict[str, Path]:
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def complaints(package: Path) -> Iterator[str]:
    for name, path in modules_of(package).items():
        for line in imports(path):
            why = complaint(name, line)
            if why:
                yield f"{path}:{line.lineno}: {why}"


def circles(package: Path) -> Iterator[str]:
    """Modules that import one another, by whatever way."""
    files = modules_of(package)
    ways = {
        name: {
            next(
                (each for each in (line.module, line.module.rpartition(".")[0]) if each in files),
                "",
            )
            for line in imports(path)
            if not line.later
        }
        - {"", PACKAGE, name}
        for name, path in files.items()
    }
    while ends := {
        name
        for name, targets in ways.items()
        if not targets or all(name not in others for others in ways.values())
    }:
        ways = {name: targets - ends for name, targets in ways.items() if name not in ends}
    for name, targets in sorted(ways.items()):
        yield f"{files[name]}: in a circle, by {', '.join(sorted(targets))}"


def namesakes(tests: Path) -> Iterator[str]:
    seen: dict[str, Path] = {}
    for path in sorted(tests.rglob("test_*.py")):
        first = seen.setdefault(path.name, path)
        if first is not path:
            yield f"{path}: has the name of {first}"


def main() -> int:
    package = ROOT / PACKAGE
    found = [*complaints(package), *circles(package), *namesakes(ROOT / "tests")]
    print("\n".join(found) or "imports point down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
