"""Programs called with the same arrays at several sizes: one entry is to serve all of them.

Half are of the arrays' grammar, half of what depends on sizes otherwise: stores between parts that
meet at some sizes, extents that must divide, parts from the end, what is asked of len().
"""

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


LINES = (
    "x[{a}:{b}] = x[-{d}:-{c}] * 2.0 + 1.0",
    "x[{a}:{b}] += y[-{d}:-{c}]",
    "x[1:] = x[:-1] * 0.5 + x[1:]",
    "x[:-{k}] -= x[{k}:]",
    "y = y + (x.reshape(-1, {k}) * 2.0 + 1.0).sum()",
    "y = y * (x.reshape({k}, -1) > 0.5).any()",
    "y = y + (x[::{k}] * 3.0).max()",
    "y = y - x.view(np.complex128).real.sum()",
    "y[{a}:] = (x[: len(x) - {a}] + 1.0) / 2.0",
    "y = np.concatenate([x[{a}:] * 2.0, y[: {a}]])",
    "y = y * (x[-1] + x[len(x) - 1])",
    "y = y + np.diff(x * 2.0).sum() / len(x)",
    "x = x * (1.0 if len(x) % {k} else 2.0)",
    "y = y + np.zeros(len(x)) + np.arange(x.size)",
    "x = (x - x.mean()) / (x.std() + 1.0)",
    "y = np.sqrt(x * x + 1.0) + y[::-1]",
)
PLAIN = """import numpy as np


def f(x, y):
{body}
    return x, y

{calls}
CALLS = [{names}]
"""


def program(seed: int) -> str:
    """The same seed gives the same text, on every machine with the same NumPy."""
    return plain(random.Random(seed)) if seed % 2 else of_arrays(seed)


def plain(rng: random.Random) -> str:
    body = "\n".join("    " + line(rng) for _ in range(rng.randint(1, 4)))
    first = rng.choice((6, 20, 60, 120, 300))
    sizes = [first, first + rng.choice((2, 10, 60)), *(rng.randint(1, 400) for _ in range(6))]
    calls = [
        f"def call{k}():\n    x = np.random.default_rng({k}).normal(size={n})\n"
        f"    return x, x[::-1] * 2.0\n"
        for k, n in enumerate(sizes)
    ]
    names = ", ".join(f"call{k}" for k in range(len(calls)))
    return PLAIN.format(body=body, calls="\n\n".join(calls), names=names)


def line(rng: random.Random) -> str:
    a, c, count = rng.randint(0, 40), rng.randint(1, 40), rng.randint(1, 30)
    chosen = {"a": a, "b": a + count, "c": c, "d": c + count, "k": rng.randint(2, 5)}
    return rng.choice(LINES).format(**chosen)


def of_arrays(seed: int) -> str:
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
