"""A seed → the text of a program whose loops are CPython's, as each body appends a tuple; with
parts of arrays that begin elsewhere in each round, rolls, and what masks select."""

from __future__ import annotations

import random
from collections.abc import Callable

from fuzzing import spans

PARTS = (
    "x[{a} : {a} + 3]", "y[{a} - 1 : {a} + 2]", "x[2 * {a} : 2 * {a} + 3]", "y[{a} : k + {a}]",
    "g[{a} : {a} + 3, {b}]", "g[{a} - 2 : {a} + 1, 1]", "g[{a}, {b} % 2 : {b} % 2 + 3]",
    "g[{a}, 1:]",
    "y[{a} : {a} + 6 : 2]", "g[{a} : {a} + 3, None, -1, ...][:, 0]", "x[5 - {a} : 8 - {a}]",
    "x[{a} + 3 : {a} : -1]", "x[q[{b}] : q[{b}] + 3]",
)  # fmt: skip
VALUES = (
    "{0} * 2 + {1}", "({0} + {1}) * 0.5", "{0} - {1}", "np.sqrt(np.abs({0})) + {1}", "{0} * {1}",
    "{0}", "np.maximum({0}, {1}) * 2 + 1", "s * {0} + {1}", "{0} / ({1} * {1} + 1)", "1.5",
)  # fmt: skip
FOLDS = ("sum()", "max()", "min()", "any()", "mean()", "argmax()")
ROLLS = ("1", "-1", "3", "-2", "40")
PAIRED = (
    "g[:] = np.minimum(g, np.add.outer(g[:, {a}], g[{b}]))",
    "g -= np.multiply.outer(g[:, {a} % 2], g[{b}]) * 0.1",
    "g[1:] = g[1:] - np.subtract.outer(g[1:, {a}], g[0]) * 0.5",
    "g[...] = g + g[{a}] * 2 - g[:, {b} : {b} + 1]",
)  # fmt: skip
MASKED = (
    "x[x > {c}] = 1.0 / x[x > {c}]", "y[y < {c}] *= 0.5", "y[x != 0] = y[x != 0] / x[x != 0]",
    "x[y > {c}] = np.sqrt(y[y > {c}]) + 1", "x[x > {c}] -= 1",
)  # fmt: skip


def program(seed: int) -> str:
    """The same seed gives the same text."""
    return Writer(random.Random(seed)).program()


class Writer(spans.Writer):
    def inside(self, index: str | None, count: int, depth: int) -> list[str]:
        return [f"out.append(({self.index()}, 'o'))", *super().inside(index, count, depth)]

    def statement(self, depth: int) -> list[str]:
        if not self.indices or self.rng.random() < 0.25:
            return super().statement(depth)
        rows: list[tuple[float, Callable[[], list[str]]]] = [
            (4, self.written),
            (3, self.folded),
            (1, self.rolled),
            (1, self.masked),
            (1, self.paired),
        ]
        (made,) = self.rng.choices([row for _, row in rows], [weight for weight, _ in rows])
        return made()

    def moved(self) -> str:
        return self.rng.choice(PARTS).format(a=self.index(), b=self.index())

    def value(self) -> str:
        return self.rng.choice(VALUES).format(self.moved(), self.moved())

    def written(self) -> list[str]:
        sign = self.rng.choice(("=", "=", "+=", "*="))
        return [f"{self.moved()} {sign} {self.value()}"]

    def folded(self) -> list[str]:
        name = self.rng.choice(("s", "t", "w"))
        return [f"{name} = ({self.value()} + {self.moved()}).{self.rng.choice(FOLDS)}"]

    def rolled(self) -> list[str]:
        one, other = self.rng.choice(ROLLS), self.rng.choice(ROLLS)
        uses = (
            f"x[:] = np.roll(x, {one}) + np.roll(x, {other}) * 0.5",
            f"g[...] = np.roll(g, {one}, axis=0) - np.roll(g, ({one}, {other}), (0, 1)) * 0.5",
            f"s = (np.roll(g, {one}, 1) * 2 + np.roll(g, {other}, 1)).sum()",
        )
        return [self.rng.choice(uses)]

    def masked(self) -> list[str]:
        return [self.rng.choice(MASKED).format(c=self.rng.choice(("0", "0.5", "s", "-1")))]

    def paired(self) -> list[str]:
        return [self.rng.choice(PAIRED).format(a=self.index(), b=self.index())]
