"""A seed → the text of a program.

The text is run while it is written: every expression is evaluated and every statement executed on
sample inputs, so that shapes and dtypes fit and most programs end well. What fails is thrown away,
or kept now and then, since errors must be the same too.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import textwrap
import warnings
from typing import Any

import numpy as np

from fuzzing import tables
from fuzzing.compounds import COMPOUNDS
from fuzzing.inputs import Inputs

MAX_SIZE = 3000
MISFITS = 0.03  # how often a statement that fails is kept
FIELD = re.compile(r"\{(\w+)\}")
HELPER_BODIES = {
    "helper": ("return p * k", "return np.sin(p) + k", "p = p + k; return p / 2 - G"),
    "pair": ("return p + q, q", "return q * 2, p", "t = np.multiply(p, 2); return t, p is q"),
    "twice": ("return p * 2", "return p + p", "return np.add(p, p)", "return helper(p, 2)"),
    "walk": ("for q in p:;     yield q * 2", "yield p; p = p + 1; yield p", "yield from p"),
    "down": ("return p if n <= 0 else down(p * 0.5, n - 1)", "return n and down(-p, n - 1)"),
    "fill": ("p[...] = k", "p += k", "p[0] = k; return p"),
    "bump": ("global G; G = G + k", "global G; G += k; return G", "NAMES['k'] = k"),
}


def program(seed: int) -> str:
    """The same seed gives the same text, on every machine with the same NumPy."""
    rng = random.Random(seed)
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        return Writer(rng).program()


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.inputs = Inputs(rng)
        self.space: dict[str, Any] = {"__name__": "program"}
        self.helpers = "\n\n".join(self.helper(*row) for row in tables.HELPERS)
        exec(tables.PRELUDE + self.helpers, self.space)
        self.names: list[str] = []  # what the function may read
        self.counter = 0
        self.loops = 0

    def helper(self, name: str, head: str) -> str:
        body = self.rng.choice(HELPER_BODIES[name]).split("; ")
        return "\n".join([head, *("    " + line for line in body)])

    def program(self) -> str:
        exec(self.inputs.maker("call0"), self.space)
        self.names = list(self.inputs.names)
        self.space.update(zip(self.names, self.space["call0"](), strict=True))
        body = self.block(self.rng.randint(2, 9), 0)
        body.append(self.returned())
        parts = [tables.PRELUDE, self.helpers, f"FILTER = {self.warned()!r}\n"]
        parts.append(f"def f({', '.join(self.inputs.names)}):")
        parts[-1] += "\n" + textwrap.indent("\n".join(body), "    ") + "\n"
        parts.append(self.inputs.maker("call0"))
        parts.append(self.inputs.other().maker("call1"))
        parts.append("CALLS = [call0, call1]\n")
        return "\n\n".join(parts)

    def warned(self) -> str:
        return self.rng.choice(("always",) * 6 + ("default", "error"))

    def returned(self) -> str:
        kept = [n for n in self.names if n in self.space]
        picked = self.rng.sample(kept, min(len(kept), self.rng.randint(1, 4)))
        if self.rng.random() < 0.3:
            return f"return {self.array(1)}"
        return "return " + (picked[0] if len(picked) == 1 else ", ".join(picked))

    # -- statements -------------------------------------------------------------------------------

    def block(self, count: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            if depth < 3 and self.rng.random() < 0.22:
                lines += self.compound(depth)
            else:
                lines += self.simple(depth)
        return lines or ["pass"]

    def simple(self, depth: int) -> list[str]:
        for _ in range(6):
            text = self.filled(self.rng.choice(tables.SIMPLE))
            if self.loops and "concatenate" in text:
                continue
            before = dict(self.space)
            good = self.run(text)
            if good and depth and not self.stays(before):
                good = self.rng.random() < 0.1
            if good or self.rng.random() < MISFITS:
                self.learn(before)
                return text.split("; ")
            self.space = before
        return []

    def run(self, text: str) -> bool:
        try:
            exec(text, self.space)
        except Exception:
            return False
        return all(small(value) for value in self.space.values())

    def stays(self, before: dict[str, Any]) -> bool:
        """A loop or a branch may be left out or repeated: names keep their type in it."""
        return all(
            like(value, before[name]) for name, value in self.space.items() if name in before
        )

    def learn(self, before: dict[str, Any]) -> None:
        for name in self.space:
            if (
                name not in before
                and name not in self.names
                and re.fullmatch(r"v\d+|rows|inner", name)
            ):
                self.names.append(name)
        self.names = [name for name in self.names if name in self.space]

    def compound(self, depth: int) -> list[str]:
        head = self.filled(self.rng.choice(tables.BLOCKS))
        if head in COMPOUNDS:
            return COMPOUNDS[head](self, depth)
        if head.startswith("for "):
            target = self.filled("{w}")
            names = [n.strip(", ") for n in head[4 : head.index(" in ")].split(",")]
            source = head[head.index(" in ") + 4 : -1]
            if not self.run(f"{head}\n    break") or not names or not target:
                return []
            return self.loop(head, source, depth)
        return [head, *self.indented(depth)]

    def loop(self, head: str, source: str, depth: int) -> list[str]:
        names = [n.strip(" ,") for n in head[4 : head.index(" in ")].split(",")]
        known = [n for n in names if n in self.space]
        self.names += [n for n in known if n not in self.names]
        self.loops += 1
        body = self.indented(depth)
        self.loops -= 1
        self.names = [n for n in self.names if n not in known]
        if self.rng.random() < 0.15:
            jump = self.rng.choice(("break", "continue"))
            body += [f"    if {self.filled('{s} > {n}')}:", f"        {jump}"]
        return [head, *body]

    def indented(self, depth: int, count: int | None = None) -> list[str]:
        """A block; names that it makes are not known after it, mostly."""
        names = list(self.names)
        lines = self.block(count or self.rng.randint(1, 3), depth + 1)
        if self.rng.random() < 0.95:
            for name in set(self.names) - set(names):
                self.space.pop(name, None)
            self.names = [n for n in names if n in self.space]
        return ["    " + line for line in lines]

    def new(self) -> str:
        self.counter += 1
        return f"v{self.counter}"

    # -- expressions ------------------------------------------------------------------------------

    def arrays(self) -> list[str]:
        return [n for n in self.names if isinstance(self.space.get(n), np.ndarray)]

    def scalars(self) -> list[str]:
        kinds = (bool, int, float, complex, np.generic)
        return [n for n in self.names if isinstance(self.space.get(n), kinds)]

    def filled(self, template: str, depth: int = 2) -> str:
        """Holes are filled from left to right; {a} is the same array everywhere in a template."""
        first = self.array(depth - 1) if "{a}" in template else self.name()
        made = {"a": first}

        def one(match: re.Match[str]) -> str:
            name = match.group(1)
            if name == "a":
                return first if self.rng.random() < 0.7 or name in made else self.name()
            return str(HOLES[name](self, made["a"], depth))

        return FIELD.sub(one, template.replace("{{", "\0").replace("}}", "\1")).replace(
            "\0", "{"
        ).replace("\1", "}")  # fmt: skip

    def name(self) -> str:
        return self.rng.choice(self.arrays() or ["TABLE"])

    def scalar_name(self) -> str:
        return self.rng.choice(self.scalars() or ["G"])

    def array(self, depth: int) -> str:
        """An expression with an array for its value."""
        if depth <= 0 or self.rng.random() < 0.3:
            return self.name()
        for _ in range(5):
            text = self.filled(self.rng.choice(ARRAY_KINDS)(self), depth)
            value = self.value(text)
            if isinstance(value, np.ndarray) and small(value):
                return text
        return self.name()

    def scalar(self, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.4:
            return self.rng.choice((self.scalar_name(), self.scalar_name(), self.number()))
        for _ in range(5):
            text = self.filled(self.rng.choice(tables.SCALARS), depth - 1)
            value = self.value(text)
            if isinstance(value, bool | int | float | complex | np.generic):
                return text
        return self.number()

    def number(self) -> str:
        return self.rng.choice(tables.NUMBERS)

    def value(self, text: str) -> Any:
        try:
            return eval(text, dict(self.space))
        except Exception:
            return None

    def fitting(self, first: str, depth: int) -> str:
        """An array that broadcasts with the first, nearly always."""
        shape = getattr(self.value(first), "shape", ())
        names = [n for n in self.arrays() if broadcasts(shape, self.space[n].shape)]
        if not names or self.rng.random() < 0.05:
            return self.array(depth - 1)
        name = self.rng.choice(names)
        return name if self.rng.random() < 0.7 else f"{self.rng.choice(ELEMENTWISE)}({name})"

    def axis(self, first: str) -> str:
        ndim = getattr(self.value(first), "ndim", 0)
        return str(self.rng.choice([-1, 0, *range(ndim)]))

    def mask(self, first: str) -> str:
        return f"({first} {self.rng.choice(tables.COMPARE)} {self.number()})"


ELEMENTWISE = ("np.abs", "np.sin", "-", "np.square", "np.exp", "+", "np.negative")


def operation(writer: Writer) -> str:
    op = writer.rng.choice(tables.BINARY)
    return writer.rng.choice((f"({{a}} {op} {{b}})", f"({{a}} {op} {{s}})", f"({{s}} {op} {{a}})"))


def unary(writer: Writer) -> str:
    return f"np.{writer.rng.choice(tables.UNARY)}({{a}})"


def paired(writer: Writer) -> str:
    second = writer.rng.choice(("{b}", "{b}", "{s}"))
    return f"np.{writer.rng.choice(tables.PAIRED)}({{a}}, {second})"


def reduction(writer: Writer) -> str:
    rng = writer.rng
    options = rng.choice(("axis={k}", "axis={k}, keepdims=True", "axis={k}", "{k}", ""))
    if rng.random() < 0.5:
        return f"{{a}}.{rng.choice(tables.REDUCED)}({options})"
    return f"np.{rng.choice(tables.REDUCED_NP)}({{a}}, {options})".replace(", )", ")")


def listed(writer: Writer) -> str:
    return writer.rng.choice(tables.ARRAYS)


def compared(writer: Writer) -> str:
    return f"({{a}} {writer.rng.choice(tables.COMPARE)} {{b}})"


ARRAY_KINDS = (
    operation, operation, operation, operation, unary, unary, paired, paired, reduction,
    listed, listed, listed, compared,
)  # fmt: skip
HOLES: dict[str, Any] = {
    "b": lambda w, first, depth: w.fitting(first, depth),
    "s": lambda w, first, depth: w.scalar(depth - 1),
    "n": lambda w, first, depth: w.number(),
    "m": lambda w, first, depth: w.mask(first),
    "v": lambda w, first, depth: first if first.isidentifier() else w.name(),
    "u": lambda w, first, depth: w.name(),
    "w": lambda w, first, depth: w.scalar_name(),
    "k": lambda w, first, depth: w.axis(first),
    "i": lambda w, first, depth: w.rng.choice("0112334"),
    "t": lambda w, first, depth: w.rng.choice(tables.CASTS),
    "x": lambda w, first, depth: w.array(3),
    "y": lambda w, first, depth: w.scalar(3),
    "op": lambda w, first, depth: w.rng.choice(tables.BINARY),
    "err": lambda w, first, depth: w.rng.choice(tables.ERRSTATES),
    "new": lambda w, first, depth: w.new(),
    "new2": lambda w, first, depth: w.new(),
}


def small(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= MAX_SIZE and value.dtype.kind != "O"
    if isinstance(value, int):
        return abs(value) < 1 << 200
    return True


def like(value: Any, before: Any) -> bool:
    if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
        return (value.shape, value.dtype) == (before.shape, before.dtype)
    return type(value) is type(before)


def broadcasts(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(one, other)
    except ValueError:
        return False
    return True
