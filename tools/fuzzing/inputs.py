"""Random arguments of a program, as the text of the functions that make them."""

from __future__ import annotations

import random

DTYPES = ("f8",) * 8 + ("f4", "f4", "i8", "i8", "i4", "u1", "bool", "c16", "f2")
LAYOUTS = (
    "{d}",
    "{d}",
    "{d}",
    "{d}",
    "np.asfortranarray({d})",
    "{d}[::-1]",
    "{wide}[..., ::2]",
    "{d}.T.copy().T",
    "{d}[...]",
)
SCALARS = ("2", "1.5", "True", "np.float64(2.5)", "np.float32(0.75)", "np.int64(4)", "-3", "0")
SHAPES = (
    ("n",), ("n",), ("n", "m"), ("n", "m"), ("n", "m"), ("m",), (1, "m"), ("n", 1), (2, "n", "m"),
    (), (0,), (0, "m"),
)  # fmt: skip


class Inputs:
    """Names and makers. `other` has the same arguments with other sizes or dtypes."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sizes = {"n": rng.choice((3, 4, 5)), "m": rng.choice((3, 4, 4, 7))}
        if rng.random() < 0.15:
            self.sizes["n"] = rng.choice((1, 17, 33))
        count = rng.randint(1, 4)
        self.names = [f"a{i}" for i in range(count)] + ["k", "box"]
        main = rng.choice(DTYPES)
        self.dtypes = [main if rng.random() < 0.6 else rng.choice(DTYPES) for _ in range(count)]
        weights = [4, 4, 6, 6, 6, 3, 1, 1, 1, 1, 0.5, 0.3]
        self.shapes = rng.choices(SHAPES, weights, k=count)
        self.layouts = [rng.choice(LAYOUTS) for _ in range(count)]
        self.odd = rng.random() < 0.25
        self.scalar = rng.choice(SCALARS)
        self.alias = rng.random() < 0.15
        self.alias_as = rng.choice(("", "", "[...]", "[::-1]", "[1:]", "[:-1]", ".T"))

    def other(self) -> Inputs:
        changed = Inputs(self.rng)
        changed.names, changed.shapes = self.names, self.shapes
        changed.alias, changed.alias_as = self.alias, self.alias_as
        if self.rng.random() < 0.5:
            changed.dtypes, changed.layouts = self.dtypes, self.layouts
            changed.scalar = self.scalar
        else:
            changed.sizes = self.sizes
            changed.dtypes = changed.dtypes[: len(self.shapes)]
            changed.dtypes += self.dtypes[len(changed.dtypes) :]
            changed.layouts += self.layouts
        return changed

    def maker(self, name: str) -> str:
        lines = [f"def {name}():"]
        for i in range(len(self.shapes)):
            lines.append(f"    a{i} = {self.array(i)}")
        if self.alias and len(self.shapes) > 1:
            lines.append(f"    a1 = a0{self.alias_as}" if self.shapes[0] else "    a1 = a0")
        lines.append(f"    k = {self.scalar}")
        lines.append("    box = Box(a0.copy(), 2)" if not self.alias else "    box = Box(a0, 2.5)")
        lines.append(f"    return {', '.join(self.names)}\n")
        return "\n".join(lines)

    def array(self, i: int) -> str:
        shape = tuple(self.sizes.get(str(n), n) for n in self.shapes[i])
        layout = self.layouts[i] if shape else "{d}"
        odd = ", odd=True" if self.odd else ""
        wide = (*shape[:-1], int(shape[-1]) * 2) if shape else shape
        made = f"data({shape}, '{self.dtypes[i]}', {i}{odd})"
        return layout.format(d=made, wide=f"data({wide}, '{self.dtypes[i]}', {i}{odd})")
