"""A seed → the text of a program whose loops go along one axis of arrays, and mix no elements of
the others: recurrences, filters, solvers of three diagonals; now and then with what does."""

from __future__ import annotations

import random

DTYPES = ("float64", "float64", "float64", "float64", "float32", "complex128", "int64")
ARRAYS = ("a", "b", "c", "d")
VALUES = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * 0.5 + {1}", "0.25 * {0} - {1}", "{0}",
    "{0} * {1} - {2}", "({0} + {1}) * {2}", "-{0} + r * {1}", "np.abs({0}) + {1}",
    "np.sqrt(np.abs({0}))",
    "np.where({0} > {1}, {0}, {2})", "np.maximum({0}, {1})", "{0} / (np.abs({1}) + 1)", "{0} / {1}",
    "({0} < {1}) * {2}", "np.minimum({0}, 3) + {1}", "{0} ** 2 - {1}", "{0} * {1} * {1}",
)  # fmt: skip
INDICES = ("k", "k", "k", "k - 1", "k - 1", "k + 1", "k - 2", "0", "-1", "w[k]", "k // 2")
PARTS = (":", ":", ":", ":", "1:", ":-1", "1:-1", "::2", "::-1", "m:", "2:5")
RANGES = (
    "range(n)", "range(1, n - 1)", "range(1, n - 1)", "range(n - 2, -1, -1)",
    "range(2, n - 2)", "range(2, n, 2)", "range(1, n - 1)",
)  # fmt: skip
GIVEN = ("{0}.copy()", "{0}", "{0}.T", "np.asfortranarray({0})", "{0}[::-1]", "{0}[:, ::-1]")


def program(seed: int) -> str:
    """The same seed gives the same text."""
    return Writer(random.Random(seed)).program()


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.cube = rng.random() < 0.25
        self.axis = rng.randrange(3 if self.cube else 2)
        self.part = rng.choice(PARTS)
        self.place = "k"

    def program(self) -> str:
        rng = self.rng
        side = rng.choice((1, 2, 7, 12, 33, 70))
        rounds = rng.choice((3, 9, 20, 65))
        shape = [side, side] if not self.cube else [side, rng.choice((1, 3, 6)), side]
        shape[self.axis] = rounds
        lines = [
            "import numpy as np",
            "",
            "",
            "def f(a, b, c, d, w, n, m, r):",
            "    s = 0",
            *self.loop(),
            *(self.loop() if rng.random() < 0.5 else []),
            "    return s",
        ]
        return "\n".join([*lines, "", "", *self.arguments(shape)])

    def arguments(self, shape: list[int]) -> list[str]:
        rng = self.rng
        square = len(set(shape)) == 1
        made = []
        dtype = rng.choice(DTYPES)
        mixed = rng.random() < 0.2
        kinds = [rng.choice(DTYPES) if mixed else dtype for _ in ARRAYS]
        for name, kind in zip(ARRAYS, kinds, strict=True):
            text = f"(rng.normal(size={tuple(shape)}) * 3).astype(np.{kind})"
            given = rng.choice(GIVEN[:4] if square else (*GIVEN[:2], *GIVEN[3:]))
            if self.cube and given == "{0}.T":
                given = "{0}"
            made.append(f"{name} = {given.format(text)}")
        if rng.random() < 0.2:
            made.append(f"b = {rng.choice(('a', 'a[::-1]', 'a[:, ::-1]', 'c'))}")
        if rng.random() < 0.3 and all(kind[0] in "fc" for kind in kinds):
            places = f"{rng.choice(ARRAYS)}.flat[{rng.randrange(200)} % a.size]"
            made.append(f"{places} = {rng.choice(('0', '1e30', 'np.inf', 'np.nan'))}")
        count = shape[self.axis]
        number = rng.choice(("0.3", "2", "-1.5"))
        return [
            "def call0():",
            f"    rng = np.random.default_rng({rng.randrange(1000)})",
            *(f"    {line}" for line in made),
            f"    w = rng.integers(0, {count}, {count})",
            f"    return a, b, c, d, w, {count}, {rng.randrange(3)}, {number}",
            "",
            "",
            "CALLS = [call0, call0]",
            f"FILTER = {rng.choice(('always', 'always', 'default'))!r}",
        ]

    # -- loops ------------------------------------------------------------------------------------

    def loop(self) -> list[str]:
        rng = self.rng
        carried = rng.random() < 0.3
        self.place = rng.choice(("k", "k", "k", "k", "k - 1", "w[k]"))
        lines = [f"    y = {self.element('0')}"] if carried else []
        lines.append(f"    for k in {rng.choice(RANGES)}:")
        names = ["y"] if carried else []
        body = self.body(rng.randint(1, 4), names)
        if carried and rng.random() < 0.7:
            body.append(f"y = {self.value(names)}")
        lines += [f"        {line}" for line in body]
        return [*lines, *(["    s = s + y"] if carried and rng.random() < 0.6 else [])]

    def body(self, count: int, names: list[str]) -> list[str]:
        rng = self.rng
        lines: list[str] = []
        for _ in range(count):
            roll = rng.random()
            if roll < 0.6:
                lines.append(f"{self.target()} {self.sign()} {self.value(names)}")
            elif roll < 0.8:
                name = rng.choice(("t", "u"))
                lines.append(f"{name} = {self.value(names)}")
                names = [*names, name]
            elif roll < 0.99:
                test = rng.choice(("k == 1", "k % 2 == 0", "k < n - 2", "k > 3"))
                yes, no = self.body(1, names), self.body(1, names)
                lines += [f"if {test}:", *(f"    {line}" for line in yes)]
                lines += ["else:", *(f"    {line}" for line in no)] if rng.random() < 0.7 else []
            else:
                lines.append(f"s = s + {self.element('k')}.sum()")
        return lines

    def sign(self) -> str:
        return self.rng.choice(("=", "=", "=", "+=", "-=", "*="))

    def target(self) -> str:
        index = self.place if self.rng.random() < 0.95 else self.rng.choice(INDICES)
        return self.element(index, self.rng.choice(("a", "a", "b")))

    def element(self, index: str, name: str = "") -> str:
        rng = self.rng
        part = self.part if rng.random() < 0.99 else rng.choice(PARTS)
        axis = self.axis if rng.random() < 0.99 else 0
        key = [part] * (3 if self.cube else 2)
        if self.cube:
            key = [part, ":", ":"] if self.axis else [":", part, ":"]
        key[axis] = index
        return f"{name or rng.choice(ARRAYS)}[{', '.join(key)}]"

    def value(self, names: list[str]) -> str:
        rng = self.rng
        given: list[str] = []
        for _ in range(3):
            roll = rng.random()
            if names and roll < 0.3:
                given.append(rng.choice(names))
            elif roll > 0.97:
                given.append(f"c{[0] * (3 if self.cube else 2)}")
            else:
                given.append(self.element(rng.choice(INDICES)))
        return rng.choice(VALUES).format(*given)
