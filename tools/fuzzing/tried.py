"""Programs that are run while they are written: every expression is evaluated and every statement
executed on sample inputs, so that shapes and dtypes fit and most programs end well. What fails is
thrown away, or kept now and then, since errors must be the same too.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from fuzzing.generator import Generator, Profile
from fuzzing.inputs import Inputs

MAX_SIZE = 3000
MISFITS = 0.03  # how often a statement that fails is kept
NUMBERS = (bool, int, float, complex, np.generic)
ELEMENTWISE = ("np.abs", "np.sin", "-", "np.square", "np.exp", "+", "np.negative")


class Tried(Generator):
    """Holes are {a}, an array expression; {v}, its name, or another array's; {b}, what broadcasts
    with it; {u}, an array's name; {w}, a number's; {s} {y}, scalar expressions; {x}, an array
    expression; {m}, a mask of {a}; {k}, one of its axes."""

    def __init__(self, profile: Profile, rng: Random) -> None:
        super().__init__(profile, rng)
        self.inputs = Inputs(rng)
        self.space: dict[str, Any] = {"__name__": "program"}
        self.first = ""  # {a} of the template that is being filled
        self.deep = 2
        self.loops = 0

    def program(self) -> str:
        """Parts are made in the order in which they run."""
        quiet = np.errstate(all="ignore"), warnings.catch_warnings()
        with quiet[0], quiet[1], contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            self.fixed["#helpers"] = super().made("helpers").replace("; ", "\n    ")
            exec(super().made("prelude") + "\n\n" + self.fixed["#helpers"], self.space)
            first = self.inputs.maker("call0")
            exec(first, self.space)
            self.names = list(self.inputs.names)
            self.space.update(zip(self.names, self.space["call0"](), strict=True))
            count = self.rng.randint(2, 9)
            lines = [self.statement() for _ in range(count)]
            self.fixed["#statements"] = "\n".join(filter(None, lines)) or "pass"
            self.fixed["#returned"] = self.returned()
            self.fixed["#inputs"] = first + "\n" + self.inputs.other().maker("call1")
            self.fixed["#parameters"] = ", ".join(self.inputs.names)
            return super().program()

    def returned(self) -> str:
        if self.rng.random() < 0.3:
            return f"return {self.array(1)}"
        kept = [name for name in self.names if name in self.space]
        return "return " + ", ".join(self.rng.sample(kept, min(len(kept), self.rng.randint(1, 4))))

    # -- statements -------------------------------------------------------------------------------

    def make_simple(self) -> str:
        for _ in range(6):
            text = self.filled(self.row(self.rule_of("simple")))
            if self.loops and "concatenate" in text:
                continue
            before = dict(self.space)
            good = self.run(text)
            if good and self.depth and not self.stays(before):
                good = self.rng.random() < 0.1
            if good or self.rng.random() < MISFITS:
                self.learn(before)
                return text
            self.space = before
        return ""

    def make_compound(self) -> str:
        """Its blocks are run as they are written, whether or not the program comes there."""
        before, names, loops = dict(self.space), list(self.names), self.loops
        row = self.row(self.rule_of("compound"))
        try:
            text = self.filled(row)
        except Misfit:
            self.space, self.names, text = before, names, ""
        self.loops = loops
        if "{block" not in row and self.run(text):
            self.learn(before)
        return text

    def block(self, bound: Sequence[str], before: str) -> str:
        names, depth = list(self.names), self.depth
        self.enter(before)
        self.names += re.findall(
            r"\b(?:_i|row|p|q)\b", before.rpartition("for ")[2].split(" in ")[0]
        )
        self.names = [name for name in dict.fromkeys(self.names) if name in self.space]
        text = super().block((), before)
        self.depth = depth
        if self.rng.random() < 0.95:  # names that it makes are not known after it, mostly
            for name in set(self.names) - set(names):
                self.space.pop(name, None)
            self.names = [name for name in names if name in self.space]
        return text

    def enter(self, before: str) -> None:
        """What a loop's head binds."""
        lines = before.split("\n")
        starts = [k for k, line in enumerate(lines) if re.match("for |while ", line)]
        if starts:
            self.loops += 1
            if not self.run("\n".join([*lines[: starts[-1] + 1], "    break"])):
                raise Misfit

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
        new = [n for n in self.space if n not in before and re.fullmatch(r"[uv]\d+|rows|inner", n)]
        self.names = [n for n in dict.fromkeys([*self.names, *new]) if n in self.space]

    # -- expressions ------------------------------------------------------------------------------

    def filled(self, text: str, operand: str = "", deep: int = 2) -> str:
        kept = self.first, self.deep
        self.deep = deep
        self.first = self.array(deep - 1) if "{a}" in text else self.make_u()
        made = super().filled(text, operand, deep)
        self.first, self.deep = kept
        return made

    def of(self, *kinds: type) -> list[str]:
        return [name for name in self.names if isinstance(self.space.get(name), kinds)]

    def array(self, deep: int) -> str:
        """An expression with an array for its value."""
        if deep > 0 and self.rng.random() >= 0.3:
            for _ in range(5):
                text = self.filled(self.row(self.rule_of("array_row")), "", deep)
                value = self.value(text)
                if isinstance(value, np.ndarray) and small(value):
                    return text
        return self.make_u()

    def scalar(self, deep: int) -> str:
        if deep > 0 and self.rng.random() >= 0.4:
            for _ in range(5):
                text = self.filled(self.row(self.rule_of("scalar_row")), "", deep - 1)
                if isinstance(self.value(text), NUMBERS):
                    return text
        return self.rng.choice((self.make_w(), self.make_w(), self.made("n")))

    def value(self, text: str) -> Any:
        try:
            return eval(text, dict(self.space))
        except Exception:
            return None

    def make_a(self) -> str:
        return self.first if self.rng.random() < 0.9 else self.make_u()

    def make_v(self) -> str:
        return self.first if self.first.isidentifier() else self.make_u()

    def make_u(self) -> str:
        return self.rng.choice(self.of(np.ndarray) or ["TABLE"])

    def make_w(self) -> str:
        return self.rng.choice(self.of(*NUMBERS) or ["G"])

    def make_x(self) -> str:
        return self.array(3)

    def make_y(self) -> str:
        return self.scalar(3)

    def make_s(self) -> str:
        return self.scalar(self.deep - 1)

    def make_m(self) -> str:
        return f"({self.first} {self.made('compare')} {self.made('n')})"

    def make_k(self) -> str:
        return str(self.rng.choice([-1, 0, *range(getattr(self.value(self.first), "ndim", 0))]))

    def make_b(self) -> str:
        """An array that broadcasts with the first, nearly always."""
        shape = getattr(self.value(self.first), "shape", ())
        names = [n for n in self.of(np.ndarray) if broadcasts(shape, self.space[n].shape)]
        if not names or self.rng.random() < 0.05:
            return self.array(self.deep - 1)
        name = self.rng.choice(names)
        return name if self.rng.random() < 0.7 else f"{self.rng.choice(ELEMENTWISE)}({name})"


class Misfit(Exception):
    """A loop's head fails."""


def small(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= MAX_SIZE and value.dtype.kind != "O"
    return not isinstance(value, int) or abs(value) < 1 << 200


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
