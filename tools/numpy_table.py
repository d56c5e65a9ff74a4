"""The op table -> docs/numpy.md: for each public name of NumPy, what a graph does with it.

    python tools/numpy_table.py            write docs/numpy.md
    python tools/numpy_table.py --check    fail if it is not current

The page does not depend on the release of NumPy: names that some release lacks are listed here.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from generated import written_or_checked

from jitcore.ir import Effect, Kind, row_of
from jitcore.ir.ops.array import ATTRIBUTES, METHODS
from jitcore.ir.ops.opaque import BREAKS, LOUD, QUIET

PAGE = Path(__file__).parent.parent / "docs" / "numpy.md"
MODULES = ("numpy", "numpy.linalg", "numpy.fft")

# Public in some supported releases only.
SOMETIMES = {"numpy": ("row_stack", "matvec", "vecmat")}
SOMETIMES_ROWS = {"matvec": "row, linalg", "vecmat": "row, linalg"}
# Deprecated in one release and gone in the next; "test" is there or not by how NumPy is loaded.
SKIPPED = ("trapz", "in1d", "test", "testing")

HEAD = """# What jitcore does with each name of NumPy

Written by `tools/numpy_table.py` from the op table; do not edit.

- **row**: the table foretells the type of the result where the arguments allow it; the word after
  it is the kind of operation. Elementwise rows (map) can become part of a C kernel.
- **opaque**: a function without effects; the graph calls NumPy. Loud: it may emit Python warnings.
- **store**: writes to an argument; the graph calls NumPy, in order.
- **break**: the graph ends before it and CPython makes the call.

Everything in `numpy.random` is a break: random numbers are global state.
"""


def public_names(module: ModuleType) -> list[str]:
    names = set(dir(module)) | set(SOMETIMES.get(module.__name__, ()))
    return sorted(n for n in names if not n.startswith("_") and n not in SKIPPED)


def classify(module: ModuleType, name: str) -> str | None:
    """The answer for a name; None if it is not something that is called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        target = getattr(module, name, None)
    if isinstance(target, ModuleType) or (target is not None and not callable(target)):
        return None
    if target is None and hasattr(module, name):
        return None
    if target is None:
        return SOMETIMES_ROWS.get(name) or _by_name(module.__name__, name)
    row = row_of(target)
    if row is None:
        return "break"
    if row.kind is Kind.STORE:
        return "store"
    if row.rule is None:
        return "opaque, loud" if row.effect is Effect.LOUD else "opaque"
    return f"row, {row.kind.name.lower()}"


def _by_name(module: str, name: str) -> str:
    """For a name that this release lacks: from the lists alone."""
    if name in LOUD[module].split():
        return "opaque, loud"
    return "opaque" if name in QUIET[module].split() else "break"


def page() -> str:
    lines = [HEAD]
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        found = [(n, classify(module, n)) for n in public_names(module)]
        lines += _section(module_name, [(n, answer) for n, answer in found if answer is not None])
    lines += _section("numpy.ndarray", list(_methods()))
    return "\n".join(lines).rstrip() + "\n"


def _methods() -> Iterator[tuple[str, str]]:
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        attribute: Any = ATTRIBUTES.get(name)
        row = METHODS.get(name) or (attribute.row if attribute else None)
        if row is not None:
            rule = f"row, {row.kind.name.lower()}" if row.rule is not None else "opaque"
            yield name, "store" if row.kind is Kind.STORE else rule
        elif attribute is not None and attribute.constant is not None:
            yield name, "row, told by the type"
        else:
            yield name, "break"


def _section(title: str, found: list[tuple[str, str]]) -> list[str]:
    counts = Counter(answer.split(",")[0] for _, answer in found)
    shown = ", ".join(f"{counts[word]} {word}" for word in ("row", "opaque", "store", "break"))
    lines = [
        f"## `{title}`",
        "",
        f"{len(found)} names: {shown}.",
        "",
        "| name | |",
        "| --- | --- |",
    ]
    return [*lines, *(f"| `{name}` | {answer} |" for name, answer in found), ""]


def undecided() -> list[str]:
    """Functions that no list names: each needs a decision."""
    found = []
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        listed = set(BREAKS[module_name].split())
        for name in public_names(module):
            target = getattr(module, name, None)
            if isinstance(target, type | ModuleType) or not callable(target):
                continue
            if classify(module, name) == "break" and name not in listed:
                found.append(f"{module_name}.{name}")
    return found


if __name__ == "__main__":
    sys.exit(written_or_checked(PAGE, page(), sys.argv[1:]))
