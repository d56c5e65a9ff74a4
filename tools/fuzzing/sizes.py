"""Programs of the arrays' grammar, called with the same arrays at several sizes: one entry is to
serve all of them."""

from __future__ import annotations

import random
import re

from fuzzing import grammar

CALLS = 6
SHAPE = re.compile(r"data\(\(([\d, ]*)\)")
FIRST = re.compile(r"^def call0\(\):\n(?:    .*\n)+", re.MULTILINE)
SECOND = re.compile(r"^def call1\(\):\n(?:    .*\n)+", re.MULTILINE)
EXTENTS = (2, 3, 5, 8, 16, 17, 18, 31, 40, 64, 65, 100, 129, 200)
MOST = 40_000  # elements


def program(seed: int) -> str:
    """The same seed gives the same text, on every machine with the same NumPy."""
    rng = random.Random(seed)
    text = SECOND.sub("", grammar.program(seed))
    found = FIRST.search(text)
    assert found is not None
    calls = [resized(found[0], number, rng) for number in range(1, CALLS)]
    names = ", ".join(f"call{number}" for number in range(CALLS))
    text = text.replace(found[0], "\n\n".join([found[0], *calls]))
    return text.replace("CALLS = [call0, call1]", f"CALLS = [{names}]")


def resized(maker: str, number: int, rng: random.Random) -> str:
    """Arrays with the same extent have another one, which is again the same."""
    shapes = [found[1] for found in SHAPE.finditer(maker)]
    most = max((len(shape.split(",")) for shape in shapes), default=1)
    choices = [n for n in EXTENTS if n**most <= MOST]
    new: dict[str, str] = {}

    def shape(found: re.Match[str]) -> str:
        parts = [part.strip() for part in found[1].split(",")]
        parts = [new.setdefault(p, str(rng.choice(choices))) if p > "1" else p for p in parts]
        return f"data(({', '.join(parts)})"

    return SHAPE.sub(shape, maker).replace("call0", f"call{number}")
