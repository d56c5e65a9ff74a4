"""A seed → the text of a program of scalar code: loops, branches, numbers, elements of arrays.

Unlike those of grammar.py its expressions are not tried while they are written, since what they
give changes from round to round; indices are kept in range, and numbers small, most of the time.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable

from fuzzing import tables

DTYPES = ("f8", "f8", "f8", "f4", "i8", "i8", "i4", "u1", "i2", "b1", "c16", "u8")
INTS = ("0", "1", "2", "3", "-1", "7", "100", "2**40", "-2**63", "2**62")
FLOATS = ("0.0", "-0.0", "0.5", "1.5", "-2.25", "1e300", "1e-300", "0.1")
OPERATORS = ("+", "-", "*", "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", ">>", "<<")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
CALLS = (
    "abs({0})", "int({0})", "float({0})", "min({0}, {1})", "max({0}, {1}, 2)", "bool({0})",
    "math.sqrt(abs({0}))", "math.sin({0})", "math.exp({0})", "math.floor({0})", "round({0})",
    "math.atan2({0}, {1})", "np.sqrt({0})", "np.sin({0})", "np.maximum({0}, {1})", "np.abs({0})",
    "np.float64({0})", "sign({0})", "power({0}, {i} % 5)", "between({0}, {1})",
    "math.hypot({0}, 1)",
    "np.power({0}, {1})", "np.power({0}, 0.5)", "np.fmax({0}, 0.0)", "math.trunc({0})",
    "math.log(abs({0}) + 1, 2)", "-{0}", "~int({0})", "(not {0})", "divmod({0}, 7)[0]",
    "({0} if {c} else {1})", "({0} and {1})", "({0} in (0, 1, 2.5, k))", "({0} not in {{1, 0.1}})",
)  # fmt: skip
TALLIES = ("'a'", "cs[0]", "None", "(s, w)", "x", "True", "t", "cs")
LISTS = (
    "x.tolist()", "x.tolist()", "[1.5, -0.25] * 9", "list(range(-3, 20))", "[True, False] * 7",
    "[7, 2**70, 1] * 5", "tuple(y.tolist())", "[0.5] * 300", "[1, 2.5] * 8", "list(x)", "[]",
    "[1.0, float('nan')] * 6", "[2**40] * 12",
)  # fmt: skip
BYTES = ("bytearray(range(20))", "bytes(range(60, 90))", "bytearray(b'abc' * 100)", "bytearray(9)")
TEXTS = ("'abcab' * 4", "'a\\u0101bc' * 5", "'ab\\U00010000' * 9", "'abc' * 100", "'xyz'")
ITEMS = (
    "{v} in {a}", "{v} in {a}", "{i}, {v} in enumerate({a})", "{i}, {v} in enumerate({a}, 2)",
    "{v}, {u} in zip({a}, {b})", "{i}, {v} in zip({r}, {a})", "{v}, {i} in zip({a}, {r})",
    "{v} in reversed({a})", "{i} in reversed({r})", "{i}, ({v}, {u}) in enumerate(zip({a}, {b}))",
    "{v}, ({i}, {u}) in zip(reversed({a}), enumerate({b}, k))", "{v} in iter({a})",
    "{v} in map(ord, cs)", "{i}, {v} in enumerate(cs)", "{v} in cs",
    "e{n} = enumerate({a}); {i}, {v} in e{n}", "{i}, {v} in enumerate({r})",
    "e{n} = iter({a}); {v}, {u} in zip(e{n}, e{n})", "{v}, {u} in zip({a}, {b}, strict=True)",
)  # fmt: skip
HELPERS = """
def sign(v):
    if v > 0:
        return 1
    if v < 0:
        return -1
    return 0


def power(v, n):
    out = 1
    for _ in range(n):
        out *= v
    return out


def between(v, w):
    k = 0
    while v < w and k < 6:
        v = v + 1
        k += 1
    return k if k < 4 else 0.5
"""


def program(seed: int) -> str:
    """The same seed gives the same text."""
    return Writer(random.Random(seed)).program()


class Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.arrays = {"x": rng.choice(DTYPES), "y": rng.choice(DTYPES), "g": rng.choice(DTYPES)}
        self.numbers = ["s", "t", "k", "w"]
        self.indices: list[str] = []
        self.counter = 0
        self.size = rng.choice((5, 8, 13, 30))

    def program(self) -> str:
        rng = self.rng
        body = [f"s = {rng.choice(('0', '0.0', 't', 'x[0]', '1'))}", "w = 0"]
        body += [f"m = {rng.choice(('None', 'None', '0', 's'))}"]
        body += [
            rng.choice(("out = []", "out = []", "out = [t, k]", "out = xs", "out = also = []"))
        ]
        body += self.block(rng.randint(1, 3), 0)
        for _ in range(rng.randint(0, 1)):
            body += self.loop(0)
        body.append(
            rng.choice(
                (
                    "return s, out",
                    "return s, t, k, w, out, m",
                    "return s, x[0], w, m",
                    "return np.array(out)",
                    "return t",
                    "return s",
                    "return k * 2 if w else None",
                )
            )
        )
        text = textwrap.indent("\n".join(body), "    ")
        parts = [
            tables.PRELUDE,
            HELPERS,
            f"FILTER = {rng.choice(('always', 'always', 'default'))!r}\n",
        ]
        parts.append(f"def f(x, y, g, t, k, xs, bs, cs):\n{text}\n")
        parts += [
            self.maker("call0"),
            self.maker("call1"),
            "CALLS = [call0, call0, call1, call0]\n",
        ]
        return "\n\n".join(parts)

    def maker(self, name: str) -> str:
        rng = self.rng
        odd = ", odd=True" if rng.random() < 0.15 else ""
        layout = rng.choice(("{}", "{}", "{}[::-1]", "{}.T.copy().T"))
        g = layout.format(f"data(({self.size}, 4), '{self.arrays['g']}', 2{odd})")
        lines = [
            f"def {name}():",
            f"    x = data(({self.size},), '{self.arrays['x']}', 0{odd})",
            f"    y = data(({self.size * 2},), '{self.arrays['y']}', 1)[::2]",
            f"    return x, {'x' if rng.random() < 0.1 else 'y'}, {g}, "
            f"{rng.choice((*FLOATS, '3', 'np.float64(1.5)', 'np.int64(3)'))}, "
            f"{rng.choice(('3', str(self.size), '0', '7', '40', '-2'))}, {rng.choice(LISTS)}, "
            f"{rng.choice(BYTES)}, {rng.choice(TEXTS)}\n",
        ]
        return "\n".join(lines)

    # -- statements -------------------------------------------------------------------------------

    def block(self, count: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines or ["pass"]

    def statement(self, depth: int) -> list[str]:
        rows: list[tuple[float, Callable[[int], list[str]]]] = [
            (5, self.assign),
            (3, self.update),
            (3, self.store),
            (3 if depth < 3 else 0, self.branch),
            (2.5 if depth < 2 else 0.2 if depth < 3 else 0, self.loop),
            (0.5 if self.indices else 0, self.jump),
            (0.15, self.shows),
            (0.3, self.swap),
            (0.7 if self.indices and depth < 3 else 0, self.few),
            (0.25 if depth < 3 else 0, self.guarded),
            (1.5, self.append),
            (0.4, self.comprehension),
            (1.5 if depth < 2 else 0, self.pile),
            (1.0, self.missing),
        ]
        (made,) = self.rng.choices([row for _, row in rows], [weight for weight, _ in rows])
        return made(depth)

    def assign(self, depth: int) -> list[str]:
        name = self.rng.choice(["s", "t", "w", "u"])
        line = f"{name} = {self.expression(2)}"
        if name not in self.numbers and depth == 0:
            self.numbers.append(name)
        return [line] if name in self.numbers else [f"s = {self.expression(2)}"]

    def update(self, depth: int) -> list[str]:
        sign = self.rng.choice(("+", "+", "+", "-", "-", "*", "/", "//", "%", "|"))
        return [f"{self.rng.choice(['s', 's', 't', 'w'])} {sign}= {self.expression(1)}"]

    def store(self, depth: int) -> list[str]:
        sign = self.rng.choice(("=", "=", "+=", "-=", "*=", "/="))
        return [f"{self.element()} {sign} {self.expression(2)}"]

    def branch(self, depth: int) -> list[str]:
        lines = [
            f"if {self.condition()}:",
            *indented(self.block(self.rng.randint(1, 2), depth + 1)),
        ]
        if self.rng.random() < 0.25:
            lines += [f"elif {self.condition()}:", *indented(self.block(1, depth + 1))]
        if self.rng.random() < 0.4:
            lines += ["else:", *indented(self.block(1, depth + 1))]
        return lines

    def loop(self, depth: int) -> list[str]:
        rng = self.rng
        self.counter += 1
        count = rng.randint(1, 3)
        if rng.random() < 0.3:
            c = f"c{self.counter}"
            test = f"{c} < {rng.choice(('9', 'k', '30'))}"
            if rng.random() < 0.6:
                test = f"{self.condition()} and {test}"
            body = [f"{c} += 1", *self.inside(None, count, depth)]
            lines = [f"{c} = 0", f"while {test}:", *indented(body)]
        elif rng.random() < 0.4:
            lines = self.over_items(count, depth)
        else:
            i = f"i{self.counter}"
            body = self.inside(i, count, depth)
            lines = [f"for {i} in {self.range()}:", *indented(body)]
        if rng.random() < 0.1:
            lines += ["else:", *indented(self.block(1, depth + 1))]
        return lines

    def over_items(self, count: int, depth: int) -> list[str]:
        """A loop over arrays, and what enumerate(), zip() and reversed() make of them."""
        rng = self.rng
        i, v, u = (f"{letter}{self.counter}" for letter in "ivu")
        array = rng.choice(("x", "x", "y", "g[:, 1]", "x[1:]", "y[::-1]", "xs", "xs", "bs"))
        form = rng.choice(ITEMS)
        head = form.format(
            i=i,
            v=v,
            u=u,
            a=array,
            b=rng.choice(("x", "y", "g[:, 0]", "xs", "bs")),
            r=self.range(),
            n=self.counter,
        )
        names = [name for name in (v, u) if name in head.split(" in ")[0] and "cs" not in head]
        self.numbers += names
        body = self.inside(i if i in head.split(" in ")[0] else None, count, depth)
        for name in names:
            self.numbers.remove(name)
        *before, last = head.split("; ")
        if head.endswith("cs") or head.endswith("(cs)"):
            test = rng.choice(("== 'a'", "!= cs[0]", "< 'b'", "== 'ab'", "== cs[k]", "in 'abc'"))
            body += [f"if {v} {test}:", *indented(self.block(1, depth + 2)), f"w += ord({v})"]
        return [*before, f"for {last}:", *indented(body)]

    def inside(self, index: str | None, count: int, depth: int) -> list[str]:
        self.indices.append(index or "w")
        if index is not None:
            self.numbers.append(index)
        body = self.block(count, depth + 1)
        self.indices.pop()
        if index is not None:
            self.numbers.remove(index)
        return body

    def range(self) -> str:
        n = str(self.size)
        most = self.rng.choice((n, n, "k", "len(x)", "9", "2", "x.shape[0]", "30"))
        outer = [i for i in self.indices if i[0] == "i"]
        form = self.rng.choice(
            ("range({m})", "range({m})", "range(1, {m})", "range({m}, 0, -1)", "range({o}, {m})",
             "range(0, {m}, 2)", "range({o})")
        )  # fmt: skip
        return form.format(m=most, o=self.rng.choice(outer) if outer else "2")

    def jump(self, depth: int) -> list[str]:
        what = self.rng.choice(
            ("break", "continue", "break", "return s, w", "return t", "return w")
        )
        return [f"if {self.condition()}:", f"    {what}"]

    def shows(self, depth: int) -> list[str]:
        return [f"if {self.condition()}:", f"    print('at', {self.rng.choice(self.numbers)})"]

    def swap(self, depth: int) -> list[str]:
        a, b = self.rng.choice((("s", "t"), ("t", "w"), ("s", "w")))
        return [self.rng.choice((f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b}, {a} + {b}"))]

    def few(self, depth: int) -> list[str]:
        """A loop over a few constants, with ways out of it."""
        self.counter += 1
        d = f"d{self.counter}"
        over = self.rng.choice(("(0, 1, -1)", "(0.5, 2)", "range(3)", "((0, 1), (1, 2))"))
        self.numbers.append(d)
        body = [f"if {self.condition()}:", f"    {self.rng.choice(('continue', 'break'))}"]
        body += self.block(self.rng.randint(1, 2), depth + 2)
        if self.rng.random() < 0.6:
            body += [f"if {self.condition()}:", f"    {self.rng.choice(('break', 'continue'))}"]
        self.numbers.remove(d)
        head = f"for {d}, e in {over}:" if over[1] == "(" else f"for {d} in {over}:"
        return [head, *indented(body)]

    def append(self, depth: int) -> list[str]:
        kind = self.rng.random()
        if kind < 0.1:
            return [f"out.append({self.rng.choice(TALLIES)})"]
        if kind < 0.15:
            return [f"w += {self.rng.choice(('len(out)', 'out[-1]', 'out[0]', 'len(xs)'))}"]
        return [f"out.append({self.expression(1)})"]

    def missing(self, depth: int) -> list[str]:
        """With `m`, which may be None."""
        some = self.expression(1)
        form = self.rng.choice(
            ("if m is None or {0} > m:\n    m = {0}", "if {c}:\n    m = None",
             "if m is not None:\n    w += m", "if m is None:\n    m = {0}\nelse:\n    m += 1",
             "w += m is None", "out.append(m)", "if not m:\n    w += 1", "if m == 1:\n    w -= 1",
             "m = None", "s += m", "m = {0} if {c} else None")
        )  # fmt: skip
        return form.format(some, c=self.condition()).split("\n")

    def pile(self, depth: int) -> list[str]:
        """A list from which items are taken while others come."""
        rng = self.rng
        self.counter += 1
        q, c, e = f"q{self.counter}", f"c{self.counter}", f"e{self.counter}"
        first, take, item = rng.choice(
            (
                ("(k, 0)", f"{e}, d = {{}}", f"({e} - 1, {rng.choice(('k', 'd', 's', '0.5'))})"),
                ("(k, s)", f"{e}, d = {{}}", f"({e} - 1, {rng.choice(('s', 'd', 'd + 1'))})"),
                ("k", f"{e} = {{}}", f"{e} - {rng.choice(('1', '2', '1.0', 'k'))}"),
                ("s", f"{e} = {{}}", rng.choice((f"{e} / 2", f"{e} + s", "t"))),
            )
        )
        first = rng.choice((first, first, first, f"{first}, {first}"))
        test = rng.choice((q, q, f"len({q}) > 0", f"not not {q}", f"len({q}) < 30"))
        self.numbers.append(e)
        lines = [take.format(rng.choice((f"{q}.pop()", f"{q}.pop()", f"{q}[-1]", f"{q}[0]")))]
        lines += self.block(rng.randint(0, 1), depth + 2)
        grows = rng.choice((f"{e} > 0", self.condition(), f"len({q}) < 9"))
        lines += [f"if {grows}:", f"    {q}.append({item})"]
        extra = (
            f"{q}.pop()",
            f"w += len({q})",
            f"{q}.clear()",
            f"out.append({e})",
            "break",
            "pass",
        )
        lines += [f"if {self.condition()}:", f"    {rng.choice(extra)}"]
        self.numbers.remove(e)
        after = rng.choice(([], [], [f"w += len({q})"], [f"out.append({q})"], [f"print({q})"]))
        body = [f"{c} += 1", *lines]
        if rng.random() < 0.4:  # it is empty at first
            index = f"i{self.counter}"
            again = rng.choice((f"{c} % 3 < 2", self.condition(), "True"))
            return [
                f"{q} = []",
                f"{c} = 0",
                f"for {index} in range({rng.choice(('k', '20'))}):",
                *indented([f"if {test}:", *indented(body), f"if {again}:"]),
                f"        {q}.append({first.split('), ')[0] + ')' if '), ' in first else first})",
                *after,
            ]
        return [
            f"{q} = [{first}]",
            f"{c} = 0",
            f"while {test} and {c} < 40:",
            *indented(body),
            *after,
        ]

    def comprehension(self, depth: int) -> list[str]:
        self.counter += 1
        v = f"v{self.counter}"
        self.numbers.append(v)
        test = f" if {self.condition()}" if self.rng.random() < 0.5 else ""
        array = self.rng.choice(("x", "y", "xs", "bs", "range(k)", "range(12)"))
        line = f"[{self.expression(1)} for {v} in {array}{test}]"
        self.numbers.remove(v)
        return [self.rng.choice((f"out = {line}", f"w = len({line})", f"out.append({line})"))]

    def guarded(self, depth: int) -> list[str]:
        error = self.rng.choice(("IndexError", "ZeroDivisionError", "(TypeError, ValueError)"))
        return ["try:", *indented(self.block(1, depth + 1)), f"except {error}:", "    w += 1"]

    # -- expressions ------------------------------------------------------------------------------

    def element(self) -> str:
        name = self.rng.choice(("x", "x", "x", "y", "y", "g", "g", "xs", "bs"))
        if name in ("xs", "bs"):
            return (
                f"{name}[{self.index()} % len({name})]"
                if self.rng.random() < 0.5
                else f"{name}[{self.index()}]"
            )
        if name == "g":
            column = self.rng.choice(("0", "1", "-1", f"{self.index()} % 4"))
            return f"g[{self.index()} % {self.size}, {column}]"
        plain = self.rng.random() < 0.5
        at = (
            self.index() if plain else f"({self.index()} + {self.rng.randint(-2, 3)}) % {self.size}"
        )
        return f"{name}[{at}]"

    def index(self) -> str:
        names = [i for i in self.indices if i[0] == "i"]
        return self.rng.choice(names) if names else self.rng.choice(("0", "1", "-1", "k % 3"))

    def condition(self) -> str:
        rng = self.rng
        if rng.random() < 0.12:
            return self.rng.choice(self.numbers)
        if rng.random() < 0.15:
            return f"{self.atom()} < {self.atom()} {rng.choice(COMPARISONS)} {self.atom()}"
        test = f"{self.expression(1)} {rng.choice(COMPARISONS)} {self.atom()}"
        if rng.random() < 0.2:
            more = f"{self.atom()} {rng.choice(COMPARISONS)} {self.atom()}"
            return f"{test} {rng.choice(('and', 'or'))} {more}"
        return test

    def expression(self, depth: int) -> str:
        if depth == 0 or self.rng.random() < 0.25:
            return self.atom()
        if self.rng.random() < 0.3:
            parts = [self.expression(depth - 1) for _ in range(2)]
            call = self.rng.choice(CALLS)
            return call.format(*parts, i=self.index(), c=self.condition() if "{c}" in call else "")
        sign = self.rng.choice(OPERATORS)
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if sign in ("&", "|", "^", "<<", ">>") and self.rng.random() < 0.9:
            left, right = f"int({left})", f"int({right})"
        if sign in ("**", "<<", ">>"):
            right = self.rng.choice(("2", "3", "1", "0.5" if sign == "**" else "4"))
        if sign == "*" and self.rng.random() < 0.5:
            return f"({left} * {right}) % 1009"
        return f"({left} {sign} {right})"

    def atom(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            return rng.choice(self.numbers)
        if roll < 0.7:
            return self.element()
        return (
            rng.choice(INTS[:7] if rng.random() < 0.92 else INTS)
            if roll < 0.87
            else rng.choice(FLOATS)
        )


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
