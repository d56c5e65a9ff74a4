"""What a program may read, and what may become of it meanwhile: a file in worlds/ for each kind of
state, with these sections.

setup    lines at the top of the program
reads    expressions of the argument `x`, one a line
lines    statements that change `acc`, the result; `\\n` within one
changes  statements that a step runs, between two calls or within one

In changes `NUM`, `ARR` and `ANY` stand for some number, array, or anything; `CHANGE(e)` for one of
the ways to change an array that `e` names. What they take away others bring back, so that entries
that were made before are asked again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "worlds"
NUMBERS = (
    "2.0", "2.0", "3.0", "3", "-0.0", "0", "True", "np.float32(3)", "np.float64(2.5)",
    "np.int64(4)", "10**20", "float('nan')", "1j", "np.uint8(200)", "2.5",
)  # fmt: skip
ARRAYS = (
    "np.ones(3)", "np.arange(3.0)", "np.arange(3.0)", "np.arange(3)", "np.full(3, 2.0, 'f4')",
    "np.ones((2, 3))", "np.asfortranarray(np.arange(6.0).reshape(2, 3))", "np.arange(6.0)[::2]",
    "np.arange(3.0)[::-1]", "np.ones(1)", "np.array(2.0)", "np.broadcast_to(np.float64(2), (3,))",
    "np.arange(3, dtype='>f8')", "np.array([True, False, True])", "np.ones(3, complex)",
    "np.frombuffer(bytes(25), offset=1)", "np.zeros((0, 3))", "np.ones(4)",
    "np.ones(3).view(Own)",
)  # fmt: skip
OTHERS = ("None", "'text'", "[1.0, 2.0, 3.0]", "(1.0, 2.0, 3.0)", "{'a': 1.0}", "object()")
OF_ARRAYS = (
    "{e} += 1", "{e} *= 0.5", "{e}[0] = 7", "{e}[:] = 3", "{e}.fill(0)", "{e}.sort()",
    "{e}[...] = -{e}", "{e}.shape = (3, 1)", "{e}.shape = (3,)", "{e}.shape = {e}.shape[::-1]",
    "{e}.dtype = 'i8'", "{e}.dtype = 'f8'", "{e}.flags.writeable = False",
    "{e}.flags.writeable = True", "{e}.byteswap(inplace=True)", "{e}[-1] = float('inf')",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    setup: str
    reads: tuple[str, ...]
    lines: tuple[str, ...]
    changes: tuple[str, ...]


def part(path: Path) -> Part:
    found: dict[str, list[str]] = {"setup": [], "reads": [], "lines": [], "changes": []}
    section = ""
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            section = line[3:]
        elif line or section == "setup":
            found[section].append(line if section == "setup" else line.replace("\\n", "\n"))
    rows = (tuple(found[name]) for name in ("reads", "lines", "changes"))
    return Part("\n" + "\n".join(found["setup"]) + "\n", *rows)


PARTS = {path.stem: part(path) for path in sorted(FOLDER.glob("*.txt"))}
