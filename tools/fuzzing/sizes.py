"""Programs called with the same arrays at several sizes: one entry is to serve all of them.

Half are of the arrays' grammar, half of what depends on sizes otherwise: stores between parts that
meet at some sizes, extents that must divide, parts from the end, what is asked of len(), and what
is made of that: shapes, parts and arguments.
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
# Numbers made of lengths that reach NumPy's calls: shapes, parts, arguments.
MADE = (
    "z.append(x[: len(x) // {k}] * 2.0 + 1.0)",
    "z.append(x[len(x) // {k} :] * 2.0 - y[len(y) // {k} :])",
    "z.append(x[len(x) // {k} : len(x) - len(x) // {k}].copy())",
    "z.append(x[-(len(x) // {k}) :] + x[: len(x) // {k}])",
    "z.append(x[len(x) % {k} :] * 0.5 + 1.0)",
    "z.append(x[: (len(x) - {c}) // {k}].sum() / len(x))",
    "z.append(x[len(x) >> 1] + y[-len(y) // 2])",
    "z.append(x[: divmod(len(x), {k})[0]] + x[: len(x) // {k}])",
    "z.append(x[: len(x) // 2] + x[len(x) // 2 :])",
    "z.append(np.zeros(len(x)) + x)",
    "z.append(np.empty(len(x) // {k}))\n    z[-1][:] = x[: len(x) // {k}]",
    "z.append(np.ones(x.shape, dtype=np.float32))",
    "z.append(np.full((len(x), {k}), 0.25))\n    z[-1][:, 0] = x * 2.0 + y",
    "z.append(np.full(x.size, len(x)))",
    "z.append(np.arange(len(x)) * x)",
    "z.append(np.arange({c}, len(x), {k}) * 2.5 + 1.0)",
    "z.append(np.arange(len(x) - {c}, dtype=np.int32))",
    "z.append(np.arange(len(x), dtype=np.uint8))",
    "z.append(np.linspace(0.0, 1.0, len(x)) * x + y)",
    "z.append(np.linspace({a}, len(x), len(x) + {k}, endpoint=False))",
    "z.append(np.logspace(0, {k}, len(x)) * x)",
    "z.append(np.geomspace({c}, 500.5, len(x) // {k}) + 1.0)",
    "z.append(np.hanning(len(x)) * x + np.hamming(len(x)))",
    "z.append(np.kaiser(len(x) // {k}, 8.6) * 2.0)",
    "z.append(np.tile(x * 2.0, {k}) + np.repeat(y, {k}))",
    "z.append(np.repeat(np.arange({k}), len(x) // {k}) * 1.5)",
    "z.append(np.tile(np.arange({k}), len(x)) + 1.0)",
    "z.append(np.broadcast_to(x, ({k}, len(x))) * 2.0 + y)",
    "z.append(np.broadcast_to(x[0], (len(x),)) * y - x)",
    "z.append((x * 2.0).reshape(len(x), 1) + np.ones((1, {k})))",
    "z.append((x * 2.0 + 1.0).reshape(1, -1, 1))",
    "z.append((x + 1.0).reshape(len(x) // {k}, {k}) * 2.0)",
    "z.append(x / len(x) + y * (1.0 / (len(x) + 1)))",
    "z.append(np.float64(len(x)) * x - np.sqrt(len(x)))",
    "z.append(np.roll(x * 2.0, len(x) // {k}) + y)",
    "z.append(np.clip(x * 300.0, -len(x), len(x) // 2))",
    "z.append(x[: min(len(x), {b})] * 2.0 + 1.0)",
    "z.append(x[max(0, len(x) - {b}) :] * 2.0 + 1.0)",
    "x = x * 2.0 if len(x) > {b} else x * 3.0 + 1.0",
    "if len(x) < {k}:\n        return x",
    "if len(x) % {k}:\n        x = x * 2.5 + 1.0",
    "x = x * 2.0 if x.size % {k} == 1 else x * 3.0 + 1.0",
    "if x.size // {k} > {b}:\n        y = y * 2.0 + x",
    "n = len(x) - len(x) % {k}\n    z.append(x[:n].reshape(-1, {k}).sum(axis=1) * 2.0)",
    "z.append(np.concatenate([x, np.zeros(-len(x) % {k})]).reshape(-1, {k}) * 2.0)",
    "m = len(x) - {k}\n    z.append(np.zeros(m) + x[{k} :])",
    "m = len(x) // {k}\n    z.append((np.concatenate([x[m:], y[:m]]) + 1.0) * 2.0)",
    "w = x[1:] - x[:-1]\n    z.append(w * len(w) + np.arange(len(w)))",
    "w = np.concatenate([x, y]) * 2.0\n    z.append(w[: len(w) // 2] + x)",
    "w = x[len(x) // {k} :] * 2.0\n    z.append(w + np.zeros(w.shape[0]) + np.ones(w.size))",
    "z.append(len(x) // {k} + len(x) % {k})",
    "x[len(x) // {k} :] = y[len(x) // {k} :] * 2.0 + 1.0",
    "x[: len(x) // {k}] += 1.0",
)
SQUARE = (  # of so many elements as a square has
    "z.append(np.eye(len(x)) * 2.0 + x)",
    "z.append(np.identity(len(x) // {k}) + 1.0)",
    "z.append(np.tri(len(x), len(x) // {k}, {c}) * 3.0 - 1.0)",
    "z.append(np.eye(len(x), {k}, -1, order='F') * 3.0 - 1.0)",
    "z.append((x[:, None] * y + 1.0)[: len(x) // {k}])",
    "z.append(np.multiply.outer(x, y)[len(x) // {k}] * 2.0 + 1.0)",
    "z.append(np.zeros((len(x), len(x) // {k})) + x[:, None])",
    "w = np.outer(x, y) * 2.0 + 1.0\n    z.append(w.reshape(len(x) * len(x)) * 0.5)",
)
# Expressions of the length, at each of many small sizes: where ranges end, and remainders differ.
OF_LENGTH = (
    *("z.append(x[{} : {}] * 2.0 + 1.0)", "z.append(x[{} :] * 2.0)", "z.append(x[: {}] + 1.0)"),
    *("z.append(np.zeros({}) + 1.5)", "z.append(np.arange({}) * 2.0)", "z.append(x[{}] * x)"),
    *("z.append(np.arange({}, {}) * 2.0)", "z.append(np.linspace(0.0, 1.0, {}) * 3.0)"),
    *("z.append(x + x[{} : {}])", "z.append(np.eye({}) * 2.0)", "w = x[{} : {}] * 2.0"),
    *("w = np.concatenate([x, w])", "z.append(np.repeat(x[:3], {}) * 2.0)", "z.append(x / ({}))"),
    *("z.append(np.tile(x[:3], {}) + 1.0)", "z.append((x * 2.0).reshape({}, {}))"),
    *("if {} < {}:\n        z.append(x * 2.0)", "if {} == {}:\n        return z"),
    *("z.append(np.full({}, 2.5) * x[:1])", "z.append(np.roll(x * 2.0, {}) + x)"),
    *("z.append(np.broadcast_to(x[:1], ({},)) * 2.0)", "z.append({})"),
    "z.append(np.tri({}, {}, {}) * 2.0)",
    *("if {}:\n        z.append(x * 2.5)", "if {} >= {}:\n        z.append(x * 3.5)"),
    *(
        "if {} != {}:\n        x = x * 1.5",
        "if not {}:\n        return z",
        "if {} > 20.5:\n        w = w + 1.0",
    ),
    *(
        "z.append((x * 2.0, w * 3.0)[({}) % 2])",
        "for k in range(({}) % 3):\n        w = w * 1.5 + k",
    ),
)
JOINED = (
    *("({} + {})", "({} - {})", "({}) // 2", "({}) // 3", "({}) // 4", "({}) % 2", "({}) % 3"),
    *("({}) & 1", "({}) & 3", "({}) % 4", "-({}) % 8"),
    *("2 * ({})", "3 * ({})", "-({})", "min({}, {})", "max({}, {})", "({}) >> 1"),
)
ENDS = ("n",) * 7 + ("len(w)",) * 2 + tuple(map(str, (0, 1, 2, 3, 5, 8, 13, 30)))
MANY = """import numpy as np


def f(x):
    n = len(x)
    w = x[1:]
    z = []
{body}
    return z, w


def sized(n):
    return lambda: (np.random.default_rng(n).normal(size=n),)


CALLS = [sized(n) for n in {sizes}]
"""
HUGE = (100_003, 70_000, 65_537, 40_000)
PLAIN = """import numpy as np


def f(x, y):
    z = []
{body}
    return x, y, z

{calls}
CALLS = [{names}]
"""


def program(seed: int) -> str:
    """The same seed gives the same text, on every machine with the same NumPy."""
    if seed % 2 == 0:
        return of_arrays(seed)
    return (plain if seed % 4 == 1 else of_length)(random.Random(seed))


def of_length(rng: random.Random) -> str:
    chosen = (rng.choice(OF_LENGTH) for _ in range(rng.randint(1, 4)))
    body = "\n".join("    " + filled(one, rng, 0) for one in chosen)
    return MANY.format(body=body, sizes=[40, 31, *rng.sample(range(75), 30), 300, 301])


def filled(text: str, rng: random.Random, deep: int) -> str:
    return re.sub(r"\{\}", lambda _: expression(rng, deep + 1), text)


def expression(rng: random.Random, deep: int) -> str:
    if deep > 3 or rng.random() < 0.4:
        return rng.choice(ENDS)
    return filled(rng.choice(JOINED), rng, deep)


def plain(rng: random.Random) -> str:
    lines = [line(rng) for _ in range(rng.randint(1, 4))]
    first = rng.choice((6, 20, 60, 120, 300))
    sizes = [first, first + rng.choice((2, 10, 61)), *(rng.randint(1, 400) for _ in range(5))]
    sizes += [rng.choice((0, 1, 2, 3)), rng.choice(range(first, first + 9))]
    if not any(one in SQUARE for one, _ in lines):
        sizes.insert(rng.randint(2, len(sizes)), rng.choice(HUGE))
    calls = [
        f"def call{k}():\n    x = np.random.default_rng({k}).normal(size={n})\n"
        f"    return x, x[::-1] * 2.0\n"
        for k, n in enumerate(sizes)
    ]
    names = ", ".join(f"call{k}" for k in range(len(calls)))
    body = "\n".join("    " + text for _, text in lines)
    return PLAIN.format(body=body, calls="\n\n".join(calls), names=names)


def line(rng: random.Random) -> tuple[str, str]:
    """As it is in the tables, and with numbers."""
    a, c, count = rng.randint(0, 40), rng.randint(1, 40), rng.randint(1, 30)
    chosen = {"a": a, "b": a + count, "c": c, "d": c + count, "k": rng.randint(2, 5)}
    table = rng.choice((LINES, MADE, MADE, MADE, SQUARE))
    text = rng.choice(table)
    return text, text.format(**chosen)


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
