"""Profiles: weights of one grammar (grammar.txt), by name. `program(name, seed)` is the text.

arrays       whatever NumPy does with arrays; run while it is written (tried.py)
loops        numbers, elements, lists and texts in loops and branches
spans        as loops, with parts of arrays, and arrays made in each round
moving       parts that begin elsewhere in each round, rolls, masks; CPython's own loops
neighbours   tables whose elements are made of their neighbours
strands      loops along one axis of arrays
sizes        programs called with the same arrays at many sizes
mutations    the world changes between two calls, and within one (worlds.py)
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import numpy as np

from fuzzing.generator import Generator, Profile, Texts
from fuzzing.tried import Tried
from fuzzing.worlds import Changing
from jitcore.ir.ops import OPS

SHAPE = re.compile(r"data\(\(([\d, ]*)\)")
FIRST = re.compile(r"^def call0\(\):\n(?:    .*\n)+", re.MULTILINE)
SECOND = re.compile(r"^def call1\(\):\n(?:    .*\n)+", re.MULTILINE)
EXTENTS = (2, 3, 5, 8, 16, 17, 18, 31, 40, 64, 65, 100, 129, 200)
MOST = 40_000  # elements
CALLS = 6
HUGE = (100_003, 70_000, 65_537, 40_000)


def ufuncs(operands: int) -> list[str]:
    """Of the op table, by NumPy's names."""
    found = ((name, row.ufunc) for name, row in OPS.items() if row.ufunc is not None)
    return [name for name, of in found if of is getattr(np, name, None) and of.nin == operands]


def of_table(rng: random.Random) -> Texts:
    return {"unary": ufuncs(1), "paired": ufuncs(2)}


def lanes(rng: random.Random) -> Texts:
    """Arrays of two or three axes, and the one along which loops go."""
    ndim = rng.choice((2, 2, 2, 3))
    axis, side = rng.randrange(ndim), rng.choice((1, 2, 7, 12, 33, 70))
    rounds, middle = rng.choice((3, 9, 20, 65)), rng.choice((1, 3, 6))
    shape = [side, middle, side] if ndim == 3 else [side, side]
    shape[axis] = rounds

    def lane(index: str, array: str, part: str) -> str:
        rest = [part, *[":"] * (ndim - 2)]
        return f"{array}[{', '.join([*rest[:axis], index, *rest[axis:]])}]"

    here = rng.choice(("k", "k", "k", "k", "k - 1", "w[k]"))
    return {
        "lane": [lane("{strand_index}", "<%a || b || c || d%>", "{#strand_part}")] * 20
        + [lane("{strand_index}", "<%a || b || c || d%>", "{strand_part}")],
        "lane_here": [lane(here, "<%a || a || b%>", "{#strand_part}")],
        "lane_at_0": [lane("0", "<%a || b%>", "{#strand_part}")],
        "extents": [str(tuple(shape))],
        "rounds": [str(rounds)],
    }


def numbers(rng: random.Random) -> Texts:
    """Of lines that depend on sizes, and the sizes."""
    a, c, count = rng.randint(0, 40), rng.randint(1, 40), rng.randint(1, 30)
    chosen = {"a": a, "b": a + count, "c": c, "d": c + count, "k": rng.randint(2, 5)}
    first = rng.choice((6, 20, 60, 120, 300))
    sizes = [first, first + rng.choice((2, 10, 61)), *(rng.randint(1, 400) for _ in range(5))]
    sizes += [rng.choice((0, 1, 2, 3)), rng.choice(range(first, first + 9))]
    sizes += rng.choice(([], rng.sample(range(75), 30)))
    return {**{name: [str(n)] for name, n in chosen.items()}, "sizes": [str(sizes)]}


def huge(rng: random.Random) -> Texts:
    made = dict(numbers(rng))
    return {**made, "sizes": [made["sizes"][0].replace("]", f", {rng.choice(HUGE)}]")]}


def mixed(*parts: tuple[float, Mapping[str, float]]) -> dict[str, float]:
    """Weights of several tables, each with its share of all."""
    found: dict[str, float] = {}
    for share, kinds in parts:
        for kind, weight in kinds.items():
            found[kind] = found.get(kind, 0) + share * weight / sum(kinds.values())
    return found


SCALAR = {
    "assign": 5, "update": 3, "store": 3, "branch": 3, "loop": 2.5, "shows": 0.15, "swap": 0.3,
    "guarded": 0.25, "append": 1.5, "comprehension": 0.4, "pile": 1.5, "missing": 1.0,
}  # fmt: skip
IN_LOOPS = SCALAR | {"jump": 0.5, "few": 0.7, "loop": 1.0}
SPANS = {
    "store_part": 3, "fold": 2, "named_part": 1.5, "row": 1, "column": 0.6, "columns": 0.8,
    "gathered": 0.4, "matrix": 0.3, "carried": 1.2, "called": 1.8, "selected": 1, "several": 0.7,
    "gone_through": 0.4,
}  # fmt: skip
MOVING = {"written": 4, "folded": 3, "rolled": 1, "masked": 1, "outer": 1}
PROFILES = {
    profile.name: profile
    for profile in (
        Profile("arrays", {"simple": 0.78, "compound": 0.22}, bindings=of_table),
        Profile("loops", SCALAR, IN_LOOPS),
        Profile("spans", SCALAR, mixed((0.5, IN_LOOPS), (0.5, SPANS)), like="spans"),
        Profile(
            "moving", SCALAR, mixed((0.13, IN_LOOPS), (0.12, SPANS), (0.75, MOVING)), like="spans"
        ),
        Profile("neighbours", {"cell_store": 6, "cell_if": 2.8, "cell_number": 1.2}),
        Profile(
            "strands",
            {"strand_store": 6, "strand_name": 2, "strand_if": 1.8, "strand_sum": 0.1},
            bindings=lanes,
        ),
        Profile("sizes", {"size_line": 1, "size_made": 3, "of_length": 3}, bindings=numbers),
        Profile("mutations", {"read": 7, "change_of_acc": 3}),
    )
}
SQUARE = Profile("sizes", {"size_line": 1, "size_square": 3}, bindings=numbers)
LARGE = Profile("sizes", {"size_line": 1, "size_made": 3}, bindings=huge)


MAKERS = {"arrays": Tried, "mutations": Changing}


def program(name: str, seed: int) -> str:
    """The same seed gives the same text, on every machine with the same NumPy."""
    rng, profile = random.Random(seed), PROFILES[name]
    if name == "sizes":
        if seed % 2 == 0:
            return resized(program("arrays", seed), rng)
        profile = rng.choice((profile, profile, SQUARE, LARGE))
    return MAKERS.get(name, Generator)(profile, rng).program()


def resized(text: str, rng: random.Random) -> str:
    """A program of arrays, called with the same ones at other sizes."""
    text = SECOND.sub("", text)
    found = FIRST.search(text)
    assert found is not None
    calls = [found[0], *(at_size(found[0], number, rng) for number in range(1, CALLS))]
    names = ", ".join(f"call{number}" for number in range(CALLS))
    text = text.replace(found[0], "\n\n".join(calls))
    return text.replace("CALLS = [call0, call1]", f"CALLS = [{names}]")


def at_size(maker: str, number: int, rng: random.Random) -> str:
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
