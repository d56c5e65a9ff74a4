"""Programs whose world changes: between two calls of `f`, or within one, where `f` calls tick().

STEPS, each one call: (where, which of CALLS, statement). `where` 0: the statement runs before the
call; else in the `tick(where)` of it. What there is to read and to change: worlds/.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from fuzzing.worlds import ARRAYS, NUMBERS, OF_ARRAYS, OTHERS, PARTS, Part

STEPS = 250
AGAIN = 0.1  # of the steps make all that a part has anew
WITHIN = 0.3  # of the steps change something while f runs
HOLE = re.compile(r"\b(NUM|ARR|ANY)\b|CHANGE\(((?:[^()]|\([^()]*\))*)\)")
OPERATORS = ("+", "+", "-", "*")
CALLS = """
def call0():
    global X, Y
    X, Y = numpy.array([0.5, -1.5, 2.0]), numpy.arange(3.0)
    return X, Y


def call1():
    global X, Y
    X, Y = numpy.arange(6.0).reshape(2, 3), numpy.ones(3, "f4")
    return X, Y


def call2():
    global X, Y
    X = Y = numpy.arange(3)
    return X, Y


def call3():
    global X, Y
    X, Y = numpy.arange(12.0)[::4], 2.0
    return X, Y
"""
HEAD = """import collections
import dataclasses
import enum
import functools
import gc
import types
import typing
import warnings

import numpy
import numpy as np

PENDING = {{}}
DTYPE, AXIS = "f8", None


class Own(np.ndarray):
    pass


def tick(where):
    exec(PENDING.pop(where, ""), globals())

{setup}

def f(x, y, a=1.0, *, b=2.0):
    acc = x * a + b
{body}
    return acc

{calls}

AGAIN = {again}
CALLS = [call0, call1, call2, call3]
STEPS = [
{steps}
]
"""


def program(seed: int) -> str:
    """The same seed gives the same text."""
    rng = random.Random(seed)
    names = rng.sample(sorted(PARTS), rng.randint(1, 3))
    parts = [PARTS[name] for name in names]
    ticks = rng.randint(1, 2)
    body = "\n".join(indented(text) for text in statements(rng, parts, ticks))
    steps = "\n".join(f"    {step(rng, parts, ticks)}," for _ in range(STEPS))
    return HEAD.format(
        setup="\n".join(part.setup for part in parts),
        body=body,
        calls=CALLS,
        again=[part.setup for part in parts],
        steps=steps,
    )


def statements(rng: random.Random, parts: Sequence[Part], ticks: int) -> list[str]:
    """What `f` does: values are read, most of them before and after a tick."""
    made = [one(rng, rng.choice(parts), ticks) for _ in range(rng.randint(2, 5))]
    made += rng.sample(made, rng.randint(0, 2))
    for where in range(1, ticks + 1):
        made.insert(rng.randint(1, len(made)), f"tick({where})")
    return made


def one(rng: random.Random, part: Part, ticks: int) -> str:
    if part.lines and rng.random() < 0.3:
        return rng.choice(part.lines).replace("{k}", str(rng.randint(1, ticks)))
    reads = [f"acc {rng.choice(OPERATORS)} {rng.choice(part.reads)}"]
    while rng.random() < 0.3:
        reads.append(f"{rng.choice(OPERATORS)} {rng.choice(part.reads)}")
    return f"acc = {' '.join(reads)}"


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


def step(rng: random.Random, parts: Sequence[Part], ticks: int) -> tuple[int, int, str]:
    where = rng.randint(1, ticks) if rng.random() < WITHIN else 0
    call = rng.choice((0, 0, 0, 1, 2, 3))
    if rng.random() < AGAIN:
        return where, call, f"exec(AGAIN[{rng.randrange(len(parts))}], globals())"
    return where, call, filled(rng, rng.choice(rng.choice(parts).changes))


def filled(rng: random.Random, text: str) -> str:
    def value(found: re.Match[str]) -> str:
        match found[1]:
            case "NUM":
                return rng.choice(NUMBERS)
            case "ARR":
                return rng.choice(ARRAYS)
            case "ANY":
                return rng.choice((*NUMBERS, *ARRAYS, *OTHERS))
        return rng.choice(OF_ARRAYS).format(e=found[2])

    return HOLE.sub(value, text)
