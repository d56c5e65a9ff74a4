"""What a program may read, and what may become of it meanwhile: a file in worlds/ for each kind of
state, with these sections.

setup    lines at the top of the program
reads    expressions of the argument `x`, one a line
lines    statements that change `acc`, the result; `\\n` within one
changes  statements that a step runs, between two calls or within one

In changes `NUM`, `ARR` and `ANY` stand for some number, array, or anything; `CHANGE(e)` for one of
the ways to change an array that `e` names. What they take away others bring back, so that entries
that were made before are asked again.

STEPS of a program, each one call: (where, which of CALLS, statement). `where` 0: the statement runs
before the call; else in the `tick(where)` of it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from fuzzing.generator import Generator, Profile, rule

FOLDER = Path(__file__).parent / "worlds"
STEPS = 250
AGAIN = 0.1  # of the steps make all that a part has anew
WITHIN = 0.3  # of the steps change something while f runs
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
CHANGED = re.compile(r"\bCHANGE\(((?:[^()]|\([^()]*\))*)\)")
ANY = {"NUM": NUMBERS, "ARR": ARRAYS, "ANY": (*NUMBERS, *ARRAYS, *OTHERS)}


class Changing(Generator):
    """Programs with one to three parts."""

    def __init__(self, profile: Profile, rng: random.Random) -> None:
        super().__init__(profile, rng)
        self.parts = [PARTS[name] for name in rng.sample(sorted(PARTS), rng.randint(1, 3))]
        self.ticks = rng.randint(1, 2)
        lines = [line for part in self.parts for line in part.lines] or ["acc = acc"]
        self.rules |= {
            "world_read": rule([read for part in self.parts for read in part.reads]),
            "world_line": rule(lines),
            "k": rule([str(k) for k in range(1, self.ticks + 1)]),
        }

    def make_setup(self) -> str:
        return "\n".join(part.setup for part in self.parts)

    def make_again(self) -> str:
        return repr([part.setup for part in self.parts])

    def make_body(self) -> str:
        """Values are read, most of them before and after a tick."""
        made = [self.statement() for _ in range(self.rng.randint(2, 5))]
        made += self.rng.sample(made, self.rng.randint(0, 2))
        for where in range(1, self.ticks + 1):
            made.insert(self.rng.randint(1, len(made)), f"tick({where})")
        return "\n".join(made)

    def make_steps(self) -> str:
        return "\n".join(f"{self.step()}," for _ in range(STEPS))

    def step(self) -> tuple[int, int, str]:
        rng = self.rng
        where = rng.randint(1, self.ticks) if rng.random() < WITHIN else 0
        call, part = rng.choice((0, 0, 0, 1, 2, 3)), rng.randrange(len(self.parts))
        if rng.random() < AGAIN:
            return where, call, f"exec(AGAIN[{part}], globals())"
        return where, call, changed(rng, rng.choice(self.parts[part].changes))


def changed(rng: random.Random, text: str) -> str:
    text = CHANGED.sub(lambda found: rng.choice(OF_ARRAYS).format(e=found[1]), text)
    return re.sub(r"\b(NUM|ARR|ANY)\b", lambda found: rng.choice(ANY[found[1]]), text)
