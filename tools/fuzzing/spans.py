"""A seed → the text of a program of loops over parts of arrays: slices with bounds that vary, what
is computed of them, stores into them; beside the scalar code of loops.py."""

from __future__ import annotations

import random
from collections.abc import Callable

from fuzzing import loops

UNARY = (
    "-{0}", "abs({0})", "np.sqrt(np.abs({0}))", "np.sin({0})", "np.exp({0} * 0.01)", "{0} ** 2",
    "np.flip({0})", "{0}[::-1]", "np.floor({0})", "({0} > 0) * {0}", "np.abs({0})", "np.tanh({0})",
)  # fmt: skip
BINARY = (
    "({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "np.maximum({0}, {1})",
    "({0} + {1})", "({0} * {1})", "np.minimum({0}, {1})", "({0} // 3 + {1})", "({0} ** 0.5 + {1})",
    "np.hypot({0}, {1})", "({0} % 5 - {1})", "({0} < {1})", "np.add({0}, {1})",
)  # fmt: skip
FOLDS = (
    "{0} @ {1}", "{0}.sum()", "np.sum({0})", "{0}.max()", "np.min({0})", "np.dot({0}, {1})",
    "{0} @ {1}", "({0} * {1}).sum()", "len({0})", "{0}.shape[0]", "np.add.reduce({0})", "{0}.size",
)  # fmt: skip


COLUMNS = (  # of squares, in rounds over j
    "cc[{0}, j] = dd[{1}] @ cc[:, j] * 0.05", "cc[:, j] -= dd[{0}, j] * dd[:, {1}] * 0.1",
    "dd[{0}:, j] = cc[{0}:, j] * 0.5 + dd[{0}:, j] * 0.25", "dd[{0}, j] = cc[{1}, j] * 0.5",
    "cc[{0}, j] = (cc[{0}, j] - cc[{0}, :j] @ dd[j, :j]) * 0.1", "cc[:, j] = dd[:, j] * {2}",
    "cc[{0}, j] = cc[{0}, :j] @ cc[:j, j] * 0.1", "dd[j, {0}] = cc[{1}, j] * 0.5",
    "s = cc[{0}] @ dd[:, j] * 0.1", "cc[{0}, {1}] = dd[:, j] @ dd[:, {0}] * 0.01",
    "dd[:{0}, j] += cc[{1}, j] * cc[{0}, :{0}] * 0.1", "dd[{0}, j] = dd[{1}, j] - {2}",
    "cc[{0}, j] = cc[{0}, :{1}] @ dd[:{1}, j] / dd[{0}, 3]", "dd[:, {0}] = cc[:, j] * 0.1",
)  # fmt: skip


PICK = """def pick(c, a, b):
    if c > 0.5:
        return a
    return b
"""


def program(seed: int) -> str:
    """The same seed gives the same text."""
    return Writer(random.Random(seed)).program()


class Writer(loops.Writer):
    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.begun = False
        floats = [one for one in loops.DTYPES if one[0] == "f"]
        for name in self.arrays:
            if rng.random() < 0.75:
                self.arrays[name] = rng.choice(floats)

    def block(self, count: int, depth: int) -> list[str]:
        head = [] if self.begun else self.arrays_at_first()
        self.begun = True
        return head + super().block(count, depth)

    def arrays_at_first(self) -> list[str]:
        rng = self.rng
        start = ("np.zeros(3)", "x[:3] * 1.0", "np.array([1.0, 2.0, 3.0])", "y[:3]", "x[:3].copy()")
        return [
            f"q = np.arange({self.size}) % {rng.randint(2, 9)}",
            f"z = {rng.choice(start)}",
            f"u = {rng.choice((*start, 'z', 'z * 2'))}",
            f"h = x * {rng.choice(('1.0', '0.5', 'y'))}",
            "hw = np.arange(h.size)",
            "cc = np.cos(np.arange(784.0)).reshape(28, 28)",
            f"dd = {rng.choice(('cc.T', 'cc', 'cc * 0.5', 'cc[:, ::-1]', 'cc.T.copy()'))}",
            f"p = {rng.choice(('np.eye(3)', 'np.ones((3, 3))', 'g[:3, :3]', 'g[:3, :3] * 1.5'))}",
        ]

    def statement(self, depth: int) -> list[str]:
        if self.rng.random() < 0.5 or not self.indices:
            return super().statement(depth)
        rows: list[tuple[float, Callable[[int], list[str]]]] = [
            (3, self.store_part),
            (2, self.fold),
            (1.5, self.named_part),
            (1, self.row),
            (0.6, self.column),
            (0.8, self.columns),
            (0.4, self.gathered),
            (0.3, self.matrix),
            (1.2, self.carried),
            (0.8, self.called),
            (1, self.selected),
            (0.7, self.several),
            (0.4, self.gone_through),
        ]
        (made,) = self.rng.choices([row for _, row in rows], [weight for weight, _ in rows])
        return made(depth)

    def program(self) -> str:
        """With the arrays among what is returned, and which of them are one."""
        found = super().program().replace("def f(", f"{PICK}\n\ndef f(", 1)
        head, _, tail = found.rpartition("return s")
        return f"{head}return z, u, cc, dd, p, p.strides, z is u, h, hw, s{tail}"

    # -- parts ------------------------------------------------------------------------------------

    def bounds(self) -> str:
        i = self.index()
        return self.rng.choice(
            (f":{i}", f"{i}:", f"{i} - 1 : {i} + 3", f":{i} + 1", "1:-1", f"{i}::2", f"{i}:0:-1",
             f"::{i} + 1", f"{i}::k", f":k:{i}", f"-{i} - 1:", ":", f"{i} % 3 : {i}", f"{i}:k",
             f":{i}:3", "::-1", ":2", f"{i} : {i}")
        )  # fmt: skip

    def part(self, at: str) -> str:
        roll = self.rng.random()
        if roll < 0.45:
            return f"x[{at}]"
        if roll < 0.85:
            return f"y[{at}]"
        return f"g[{at}, {self.rng.choice(('0', '-1', self.index() + ' % 4'))}]"

    def vector(self, at: str, depth: int) -> str:
        rng = self.rng
        if depth == 0:
            return self.part(at)
        roll = rng.random()
        if roll < 0.25:
            return rng.choice(UNARY).format(self.vector(at, depth - 1))
        other = self.vector(at, depth - 1) if rng.random() < 0.6 else self.atom()
        pair = [self.vector(at, depth - 1), other]
        if rng.random() < 0.2:
            pair.reverse()
        return rng.choice(BINARY).format(*pair)

    # -- statements -------------------------------------------------------------------------------

    def store_part(self, depth: int) -> list[str]:
        at = self.bounds()
        sign = self.rng.choice(("=", "=", "=", "+=", "-=", "*=", "/="))
        value = self.vector(at, self.rng.randint(0, 2))
        if self.rng.random() < 0.2:
            value = self.expression(1)
        if self.rng.random() < 0.04:
            value = self.vector(self.bounds(), 1)
        return [f"{self.part(at)} {sign} {value}"]

    def fold(self, depth: int) -> list[str]:
        at = self.bounds()
        one, other = self.vector(at, self.rng.randint(0, 1)), self.vector(at, 0)
        name = self.rng.choice(("s", "t", "w"))
        sign = self.rng.choice(("=", "+=", "-="))
        return [f"{name} {sign} {self.rng.choice(FOLDS).format(one, other)}"]

    def named_part(self, depth: int) -> list[str]:
        at = self.bounds()
        self.counter += 1
        v = f"v{self.counter}"
        lines = [f"{v} = {self.vector(at, self.rng.randint(0, 2))}"]
        lines += self.block(1, depth + 1) if depth < 3 and self.rng.random() < 0.5 else []
        uses = (
            f"{self.part(at)} = {v} * 2 + {v}", f"s = {v}.sum()", f"t += {v} @ {v}",
            f"s += {v}[0]", f"{v}[-1] = 1.5", f"{self.part(at)} = {v}", f"{v} += 1",
        )  # fmt: skip
        return [*lines, *(self.rng.choice(uses) for _ in range(self.rng.randint(1, 2)))]

    def row(self, depth: int) -> list[str]:
        self.counter += 1
        v = f"r{self.counter}"
        lines = [f"{v} = g[{self.index()} % {self.size}]"]
        uses = (
            f"{v}[1:] += {v}[:-1]", f"s = {v} @ g[0]", f"{v}[:] = {v}[::-1]", f"{v}[2] = s",
            f"{v} *= 0.5", f"t = {v}.max() - {v}[1]", f"g[0, :] = {v} + 1", f"w = {v}[5]",
        )  # fmt: skip
        return [*lines, *(self.rng.choice(uses) for _ in range(self.rng.randint(1, 3)))]

    def column(self, depth: int) -> list[str]:
        one, other = self.rng.choice("0123"), self.rng.choice("0123")
        sign = self.rng.choice(("=", "+=", "*="))
        return [f"g[:, {one}] {sign} g[:, {other}] * {self.atom()}"]

    def columns(self, depth: int) -> list[str]:
        """A round has a column of its own, most of the time."""
        rng = self.rng
        bounds = (
            "28",
            "28",
            "3, 28",
            "-28, 0",
            "-5, 28",
            f"{self.index()} % 28, 28",
            "30",
            "0, 28, 2",
        )
        lines = [
            rng.choice(COLUMNS).format(rng.randrange(28), rng.randrange(28), self.atom())
            for _ in range(rng.choice((1, 1, 2, 2, 3)))
        ]
        return [f"for j in range({rng.choice(bounds)}):", *(f"    {line}" for line in lines)]

    def gathered(self, depth: int) -> list[str]:
        at = self.bounds()
        uses = (
            f"s = x[q[{at}]].sum()", f"y[{at}] = x[q[{at}]]", f"t = x[{at}] @ y[q[{at}]]",
            f"y[{at}] += x[q[{at}] - 1] * 2", f"s = y[q[{at}] + {self.index()}].sum()",
        )  # fmt: skip
        return [self.rng.choice(uses)]

    def carried(self, depth: int) -> list[str]:
        """Arrays that each round makes anew, or changes in place."""
        uses = (
            f"z = z * 0.5 + x[:3] * {self.atom()}", "u, z = z, u + z", f"z[{self.index()} % 3] = s",
            "u = z * 1.5", "z += u", f"s = z.sum() + u[{self.index()} % 3]", "z = z[::-1] + 1.0",
            "u = np.array([s, 1.0, z[0]])", f"if {self.condition()}:\n    z = u + 1",
            "u = u * 0.9 + g[0, :3]", "x[:3] = z", "p = p @ p.T * 0.1 + u", "z = p @ z * 0.2",
            f"p[{self.index()} % 3] = z", "u = np.where(z > u, z, u)", "z = u.copy()", "u = z",
            "p = p + p[0]", "z = np.zeros(3) + s", "t = (z * u).sum()", "p *= 0.9",
        )  # fmt: skip
        lines = [self.rng.choice(uses) for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.25:  # arrays that the loop itself makes
            lines = ["z = x[:3] * 1.5", "u = z + 1.0", "p = u * z[:, None]", *lines]
        if self.rng.random() < 0.1:
            lines.append("u = pick(s, z, u)")
        return [part for line in lines for part in line.split("\n")]

    def called(self, depth: int) -> list[str]:
        """What only NumPy's own functions compute."""
        i, at = self.index(), self.bounds()
        v = self.vector(at, self.rng.randint(0, 1))
        uses = (
            "z = np.sort(z)", "u = np.cumsum(z)", "p = np.linalg.inv(p * 0.1 + 3.0 * np.eye(3))",
            "z = np.linalg.solve(p + 5 * np.eye(3), u)", "s = np.linalg.det(p)", "t = np.trace(p)",
            "p = np.outer(z, u) * 0.1", "p = np.add.outer(z, u)", f"z = np.roll(z, {i} % 3)",
            "z = np.concatenate((u[1:], z[:1]))", "p = np.vstack((z, u, z))", "p = np.diag(z)",
            "z = np.full(3, s)", "z = np.arange(3) * s", "u = np.linspace(0.0, 1.0 + s, 3)",
            "u = np.convolve(z, u)[:3] * 0.1", "z = np.clip(u, -1.0, 1.0)", "z = np.cumprod(u)",
            f"s = np.sort({v}).sum()", f"w = np.diff({v}).sum()", f"t = np.argsort({v}).sum()",
            f"{self.part(at)} = np.cumsum({v})", f"s = np.count_nonzero({v})", "z = np.sort(p)[0]",
            f"{self.part(at)} = np.sort({v})[::-1]", f"s = len(np.flatnonzero({v}))",
            f"q = np.argsort(x)\nq[{i} % 4] = 0", f"s = np.unique({v})[:1].sum()", "p = p.copy()",
            f"u[{i} % 3] = np.linalg.norm({v})", f"p = np.eye(3) * {self.atom()}", "p = np.tri(3)",
            "z = np.ascontiguousarray(u)", "z = np.atleast_1d(u)", "u = np.ravel(p)[:3]",
            "p = np.reshape(np.tile(z, 3), (3, 3))", f"s = np.sum(g[:{i}], axis=0)[1]",
            "z = np.sum(p, axis=0)", "p = p ** 2 * 0.1", "u = np.mean(p, axis=1)", "s = p.sum()",
            f"x[{i}] = np.cumsum(x)[{i} - 1] * 0.1", "z = np.asarray(z)", "z = z.astype(float)",
        )  # fmt: skip
        one, other = self.part(at), self.part(at)
        masked = (
            f"s = {one}[{other} > 0].sum()", f"{one}[{other} > 0.5] = {self.atom()}",
            f"{one}[{other} < 0] = 1.5", "z[z > u] = 0.0", f"m = {one} > {other}",
            f"{one}[{one} > {other}] = {other}[{one} > {other}]", f"g[g > 1] = {self.atom()}",
            f"{one}[{other} > 0] *= 0.5", "z = z[z > -9.0]", f"s = len({one}[~({other} > 1)])",
            "p[p > 0.5] = p[p > 0.5] * 0.5", f"t = g[:{i}][g[:{i}] < 0].max()", "u[z == u] = z[:2]",
            "g[:, 1:][g[:, :-1] > g[:, 1:]] = s", "p[:, 0][z > 0] = z[z > 0]",
            f"s = g[q % 4, q % 4].sum() + g[{i} % 4, q % 3][0]", f"g[q % 4, 1] = {self.atom()}",
        )  # fmt: skip
        if self.rng.random() < 0.35:
            uses = masked
        lines = [self.rng.choice(uses) for _ in range(self.rng.randint(1, 3))]
        return [part for line in lines for part in line.split("\n")]

    def selected(self, depth: int) -> list[str]:
        """Arrays as long as what a mask selects: they shrink from round to round, or grow again."""
        a = self.atom()
        uses = (
            f"m = h > {a}\nh, hw = h[m], hw[m]", "h, hw = h[h < 3], hw[h < 3]", "y[hw] = h",
            f"x[hw[h > 0]] = {a}", f"h = h * 0.9 + {a}", f"s = h[:{self.index()}].sum()",
            "if h.size < 3:\n    h, hw = x * 1.5, np.arange(x.size)", "s += len(h)", "t = h.sum()",
            "hw = np.nonzero(x > 0)[0]\nh = x[hw]", "hw = np.flatnonzero(y)\nh = y[hw]",
            "(hw,) = np.where(x < y)\nh = x[hw] - y[hw]", "y[hw] = h + x[hw]", "h = np.sqrt(h)",
            "h = h[h != h[0]] if len(h) > 0 else x + 1.0", "y[hw] += h", "y[q] = x", "h += y[hw]",
            "h = np.maximum(h, y[hw])", "x[hw[:2]] = h[:2]", "s = h.max() if h.size else 0.5",
            "hw = hw[::-1]\nh = h[::-1]", "q[q] = q[::-1]",
        )  # fmt: skip
        lines = [self.rng.choice(uses) for _ in range(self.rng.randint(1, 4))]
        return [part for line in lines for part in line.split("\n")]

    def several(self, depth: int) -> list[str]:
        """Calls that give tuples."""
        i, at = self.index(), self.bounds()
        uses = (
            "c1, c2 = np.linalg.qr(p + 3.0 * np.eye(3))\np = c2 @ c1 * 0.1",
            "z, u = np.modf(u)",
            "z, u = np.divmod(z, 0.7)",
            f"c1, c2 = np.divmod({self.part(at)}, 2)\ns = c1.sum()",
            "c1, c2 = np.linalg.eigh(p + p.T)\nz = c1 * 0.1",
            "z = np.linalg.qr(p).R[0]",
            f"c1, c2 = np.unravel_index({i} % 12, (3, 4))\nw = c1 * 2 + c2",
            "z, c1 = np.frexp(u)",
            f"c1, c2 = np.unravel_index(np.arange(3) + {i} % 9, (4, 3))\nz = u[c2]",
            f"c1, c2 = np.nonzero(g[:3] > {self.atom()})\ns = len(c1)\ng[c1, c2] = 0.5",
            f"c1 = np.unique(q[{at}], return_counts=True)\nw = c1[1].sum()",
            f"s = np.linalg.svd(p)[1][0]\nt = np.linalg.slogdet(p + {i} * np.eye(3))[1]",
        )
        return [part for line in (self.rng.choice(uses),) for part in line.split("\n")]

    def gone_through(self, depth: int) -> list[str]:
        """The items of an array that the loop has, or its rows."""
        self.counter += 1
        v = f"o{self.counter}"
        over = self.rng.choice(
            ("h", "hw", "z", "x[x > 0]", "np.flatnonzero(y)", "g[:3]", "p", "g[:, :2]", "g[::-1]",
             f"x[{self.bounds()}]", "enumerate(g[1:3])", "zip(h, hw)", "reversed(z)")
        )  # fmt: skip
        body = self.rng.choice(
            (f"s += {v}", f"t = np.sum({v})", f"z = z * 0.5 + {v}", f"y[0] = np.sum({v})", "w += 1",
             f"if np.sum({v}) > 0.5:\n        w += 1", f"s = {v}\n    break", "h = h[:-1]")
        )  # fmt: skip
        if over.startswith(("enumerate", "zip")):
            body = self.rng.choice((f"s += {v}[0]", f"t = np.sum({v}[1])", f"z = z + {v}[1]"))
        return f"for {v} in {over}:\n    {body}".split("\n")

    def matrix(self, depth: int) -> list[str]:
        i = self.index()
        return [
            self.rng.choice(
                (
                    f"s = (g[:{i}] @ g[0]).sum()", f"x[:4] = g[{i} % {self.size}] @ g[:4]",
                    f"g[1:, 1:] = g[:-1, :-1] + {self.atom()}", "g[:4] = g[:4] @ g[-4:]",
                    f"g[:{i}, 1:3] *= 2", f"s = (g[:, 1:] - g[:, :-1])[{i} % 4, 1]",
                    f"g[:{i}] = x[:4] + g[:{i}]", "g[:, 0] = (x[:, None] * x[:3])[:, 1]",
                )
            )
        ]  # fmt: skip
