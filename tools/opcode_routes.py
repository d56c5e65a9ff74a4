"""Lists the route of every instruction of the running CPython: a handler, a break row, or CPython
only.

python tools/opcode_routes.py            the table; exit code 1 if an instruction has no route
"""

from __future__ import annotations

import opcode
import sys

from jitcore.opcodes import canon, tables
from jitcore.symbolic import handlers
from jitcore.symbolic.handlers.left import LEFT
from jitcore.symbolic.opcode import HANDLERS

# Never in the code of a function that a region point can reach: caches, prefixes, tools' own,
# before RESUME.
NATIVE = frozenset(("CACHE", "EXTENDED_ARG", "RESERVED", "INSTRUMENTED_LINE", "INSTRUMENTED_CALL"))
# What the version tables turn these into.
PARTS = {
    "RETURN_CONST": ("LOAD_CONST", "RETURN_VALUE"),
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST",),
    "STORE_FAST_STORE_FAST": ("STORE_FAST",),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "FORMAT_VALUE": ("FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"),
}
BROKEN = {name: kind for kind, names in LEFT.items() for name in names}


def native_names() -> list[str]:
    """Real instructions; pseudo ones exist in the compiler only."""
    numbers = {name: number for name, number in opcode.opmap.items() if number < 256}
    plain = (n for n in numbers if not n.startswith(("INSTRUMENTED_", "<")))
    return sorted(name for name in plain if name not in NATIVE)


def route(name: str) -> str | None:
    canonical = PARTS.get(name) or (tables.RENAMED.get(name, name),)
    if name in BROKEN:
        return f"{BROKEN[name].code} {BROKEN[name].name}"
    if all(part in HANDLERS for part in canonical):
        return "handler " + ", ".join(canonical)
    return None


def main() -> int:
    assert handlers and canon
    routes = {name: route(name) for name in native_names()}
    for name, found in routes.items():
        print(f"{name:32} {found or 'NO ROUTE'}")
    return 1 if None in routes.values() else 0


if __name__ == "__main__":
    sys.exit(main())
