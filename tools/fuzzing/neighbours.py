"""A seed → the text of a program that fills tables, each element from its neighbours, with numbers
carried along a row and whatever may stand in such loops."""

from __future__ import annotations

import random
import textwrap

from fuzzing import tables

DTYPES = ("f8", "f8", "f8", "f8", "f8", "f4", "f4", "f4", "i8", "c16")
ROWS = ("3, n - 2", "3, n - 2", "n - 3, 2, -1", "1, n - 1", "2, n", "0, n, 2", "1, n + 1", "n")
COLUMNS = (
    "3, m - 2",
    "3, m - 2",
    "m - 3, 2, -1",
    "1, m - 1",
    "i, m",
    "i",
    "m - 2, 2, -1",
    "1, m",
    "m",
)
SHIFTS = ("", "", "", " - 1", " - 1", " - 1", " + 1", " - 2", " + 2", " - 3")
LAYOUTS = (
    "{}", "{}", "{}", "{}", "{}.T.copy().T", "{}[::-1]", "{}[:, ::-1]",
    "np.repeat({}, 2, 1)[:, ::2]",
)  # fmt: skip
PAIRS = ("{0}, {1}", "{0}, {1}", "{0}, {1}", "{0}, {0}", "{0}, {0}[:, ::-1]", "{0}, {0}[::-1]")
EXPRESSIONS = (
    "({0} + {1}) * 0.5", "{0} * 0.5 + {1} * 0.25", "min({0}, {1}) + 1", "{0} - {1} * 0.5",
    "max({0}, {1}, {2})", "({0} + {1} + {2}) / 3.0", "abs({0}) * 0.5 + s",
    "{0} if {1} > {2} else {1}", "{0} / ({1} * {1} + 1.0)", "np.sqrt(np.abs({0})) + {1} * 0.125",
    "{0} * {1} * 0.001 + v[j]",
    "{0} + {1} - {2}", "{0}", "s", "{0} * 0.9 + u[i] * {1} * 0.01", "{0} / {1}", "1.5",
)  # fmt: skip
TESTS = ("{0} > {1}", "i + 1 < n", "j > 0", "j + 1 < m", "(i + j) % 3 == 0", "{0} >= 0.5")


def program(seed: int) -> str:
    """The same seed gives the same text."""
    return Writer(random.Random(seed)).program()


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.tables = ["a", "a", "a", "b"]

    def program(self) -> str:
        rng = self.rng
        body = ["n, m = a.shape", "s = 0.0", "w = u[0]", *self.nest()]
        if rng.random() < 0.3:
            body += self.nest()
        if rng.random() < 0.3:
            body = [*body[:3], f"for k in range({rng.choice('234')}):", *indented(body[3:])]
        body.append(rng.choice(("return s", "return a", "return s, w", "return a[-1, -1], i, j")))
        parts = [tables.PRELUDE, f"FILTER = {rng.choice(('always', 'default'))!r}\n"]
        parts += [f"def f(a, b, u, v):\n{textwrap.indent(chr(10).join(body), '    ')}\n"]
        parts += [self.maker("call0", ""), self.maker("call1", ", odd=True")]
        return "\n\n".join([*parts, "CALLS = [call0, call0, call1, call0]\n"])

    def maker(self, name: str, odd: str) -> str:
        rng = self.rng
        shape = rng.choice(((18, 21), (20, 33), (35, 12), (9, 40), (3, 11), (17, 17)))
        kinds = [rng.choice(DTYPES) for _ in range(2)]
        made = [
            rng.choice(LAYOUTS).format(f"data({shape}, {kind!r}, {k}{odd if k else ''})")
            for k, kind in enumerate(kinds)
        ]
        pair = rng.choice(PAIRS).format("a", "b")
        long = max(shape) + 1
        return (
            f"def {name}():\n    a = {made[0]}\n    b = {made[1]}\n"
            f"    return {pair}, data(({long},), 'f8', 3), data(({long},), 'f8', 4{odd})\n"
        )

    # -- loops ------------------------------------------------------------------------------------

    def nest(self) -> list[str]:
        rng = self.rng
        columns = rng.choice(COLUMNS)
        inner = [f"for j in range({columns}):", *indented(self.column())]
        before = self.aside("02") if rng.random() < 0.35 else []
        after = self.aside("-1 5") if rng.random() < 0.3 else []
        return [f"for i in range({rng.choice(ROWS)}):", *indented([*before, *inner, *after])]

    def column(self) -> list[str]:
        made: list[str] = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            made += self.statement()
        return made

    def statement(self) -> list[str]:
        rng = self.rng
        roll = rng.random()
        if roll < 0.1:
            return [f"s = {self.value()}"]
        if roll < 0.12:
            return [f"w += {self.value()}"]
        if roll < 0.4:
            test = rng.choice(TESTS).format(self.element(), self.element())
            return [f"if {test}:", *indented([self.store()]), *self.otherwise()]
        return [self.store()]

    def otherwise(self) -> list[str]:
        roll = self.rng.random()
        if roll < 0.4:
            return ["else:", *indented([self.store()])]
        return ["else:", "    break"] if roll < 0.44 else []

    def store(self) -> str:
        sign = self.rng.choice(("=", "=", "=", "+=", "*="))
        table = self.rng.choice(self.tables)
        shifts = ("", "", "") if self.rng.random() < 0.8 else SHIFTS
        place = f"{table}[i{self.rng.choice(shifts)}, j{self.rng.choice(shifts)}]"
        if self.rng.random() < 0.04:
            place = self.rng.choice(("u[i]", "v[j]", "u[j]", "v[0]", "a[2, j]", "a[i, 3]"))
        return f"{place} {sign} {self.value()}"

    def value(self) -> str:
        return self.rng.choice(EXPRESSIONS).format(*(self.element() for _ in range(3)))

    def element(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.08:
            return rng.choice(
                ("u[i]", "v[j]", "u[j - 1]", "s", "w", "a[1, j]", "b[i, 0]", "a[j, i]")
            )
        table = rng.choice(self.tables)
        return f"{table}[i{rng.choice(SHIFTS[:7])}, j{rng.choice(SHIFTS)}]"

    def aside(self, columns: str) -> list[str]:
        """Before the loop over columns, or after it."""
        rows = ("s = 0.0", "s = u[i]", "w = 0.5", "u[i] = s", "u[i] += s", "s = a[i, {0}]")
        rows += (
            "a[i, {0}] = u[i]",
            "a[i, {0}] = a[i - 1, {0}] + 1.0",
            "b[i, {0}] = s",
            "w = s * 0.5",
        )
        column = self.rng.choice(columns.split() if " " in columns else columns)
        return [self.rng.choice(rows).format(column) for _ in range(self.rng.choice((1, 1, 2)))]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
