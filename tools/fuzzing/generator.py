"""A profile and a seed → the text of a program.

    grammar.txt ─ rules() ─▶ alternatives with weights ─ Generator ─▶ text

    symbol(operand|end): first  the numbered holes of its alternatives are operands; once they lie
        3* second ;; third      deep enough, `end` stands for the symbol. `symbol.profile` goes
        | a longer one,         before `symbol`. 3*: a weight; ~: nothing; \\n: a new line
        | of two lines

    {name}   another symbol             {0} {1}    operands, each the same all over an alternative
    {$v}     a new name                 {@name}    the same all over a statement
    {#name}  the same all over a program           <%one || other%>   one of these
    {block $i $v}   statements that may read these names

A profile is weights of the kinds of statements, and what `bindings` puts in place of symbols.
Profiles: profiles.py. Programs that are run while they are written: tried.py.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Texts = Mapping[str, Sequence[str]]  # symbols → alternatives
HOLE = re.compile(r"\{([$@#]?\w+(?: \$\w+)*)\}")
CHOICE = re.compile(r"<%(.*?)%>", re.DOTALL)
HEADER = re.compile(r"([\w.]+)(?:\((\w+)(?:\|(\w+))?\))?:(?: (.*))?")
WEIGHT = re.compile(r"(\d+)\* (.*)", re.DOTALL)
DEEPEST = 3  # blocks in blocks
EARLIER = 0.25  # how often an expression ends before it is deep enough


@dataclass(frozen=True)
class Rule:
    rows: Sequence[str]
    weights: Sequence[int]
    operand: str = ""
    end: str = ""


@dataclass(frozen=True)
class Profile:
    """`like`: the profile whose symbols it shares. `kinds` of statements; in loops, `within`, if
    there are any."""

    name: str
    kinds: Mapping[str, float]
    within: Mapping[str, float] = field(default_factory=dict)
    like: str = ""
    bindings: Callable[[random.Random], Texts] | None = None


def rule(rows: Sequence[str], operand: str = "", end: str = "") -> Rule:
    found = [WEIGHT.fullmatch(row) for row in rows]
    texts = [one[2] if one else row for one, row in zip(found, rows, strict=True)]
    weights = [int(one[1]) if one else 1 for one in found]
    return Rule(["" if text == "~" else text for text in texts], weights, operand, end)


@cache
def rules() -> Mapping[str, Rule]:
    """Of grammar.txt."""
    made: dict[str, Rule] = {}
    text = Path(__file__).with_name("grammar.txt").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("# ")]
    for part in re.split(r"\n(?=\S)", "\n".join(lines)):
        head, *given = part.splitlines()
        header = HEADER.fullmatch(head)
        assert header is not None and header[1] not in made, head
        rows = rows_of([header[4], *given] if header[4] else given)
        made[header[1]] = rule(rows, header[2] or "", header[3] or "")
    return made


def rows_of(lines: Sequence[str]) -> list[str]:
    rows: list[str] = []
    going_on = False
    for line in map(str.strip, lines):
        weight, bar, rest = line.partition("|")
        if bar and not weight.strip("0123456789* "):
            if going_on and not weight:
                rows[-1] += "\n" + rest[1:]
            else:
                rows.append(weight + rest[1:])
            going_on = True
        else:
            rows += line.split(" ;; ")
            going_on = False
    return [row.replace("\\n", "\n") for row in rows]


class Generator:
    def __init__(self, profile: Profile, rng: random.Random) -> None:
        self.profile, self.rng = profile, rng
        self.rules = dict(rules())
        if profile.bindings is not None:
            self.rules |= {name: rule(rows) for name, rows in profile.bindings(rng).items()}
        self.names: list[str] = []  # bound by the loops around
        self.depth = self.counter = 0
        self.fixed: dict[str, str] = {}  # of {#name}
        self.stated: dict[str, str] = {}  # of {@name}

    def program(self) -> str:
        return re.sub(r"\n[ \n]*\n(?=\S)", "\n\n", self.made("program")) + "\n"

    # -- symbols ----------------------------------------------------------------------------------

    def rule_of(self, symbol: str) -> Rule:
        names = (f"{symbol}.{self.profile.name}", f"{symbol}.{self.profile.like}", symbol)
        return next(self.rules[name] for name in names if name in self.rules)

    def made(self, symbol: str, deep: int = 2) -> str:
        own: Callable[[], str] | None = getattr(self, f"make_{symbol}", None)
        if own is not None:
            return own()
        found = self.rule_of(symbol)
        if found.end and (deep <= 0 or self.rng.random() < EARLIER):
            return self.made(found.end, deep)
        return self.filled(self.row(found), found.operand, deep)

    def row(self, of: Rule) -> str:
        (text,) = self.rng.choices(of.rows, of.weights)
        return text

    def filled(self, text: str, operand: str = "", deep: int = 2) -> str:
        """Holes are filled from left to right; what has several lines keeps its indentation."""
        text = CHOICE.sub(self.chosen, text)
        own: dict[str, str] = {}
        made = ""
        for k, part in enumerate(HOLE.split(text)):
            if k % 2:
                line = made.rpartition("\n")[2]
                value = self.hole(part, own, operand, deep, made)
                made += value.replace("\n", f"\n{line}") if not line.strip() else value
            else:
                made += part
        return made

    def chosen(self, found: re.Match[str]) -> str:
        one = self.rng.choice(found[1].split(" || "))
        return "" if one == "~" else one

    def hole(self, part: str, own: dict[str, str], operand: str, deep: int, before: str) -> str:
        name, *bound = part.split()
        if name == "block":
            return self.block([self.new(one, own) for one in bound], before)
        if name.isdecimal():
            return own.get(name) or own.setdefault(name, self.made(operand, deep - 1))
        match name[0]:
            case "$":
                return self.new(name, own)
            case "@":
                known = self.stated
            case "#":
                known = self.fixed
            case _:
                return self.made(name, deep)
        return known.get(name) or known.setdefault(name, self.made(name[1:], deep))

    def new(self, name: str, own: dict[str, str]) -> str:
        if name not in own:
            self.counter += 1
            own[name] = f"{name[1:]}{self.counter}"
        return own[name]

    # -- statements -------------------------------------------------------------------------------

    def block(self, bound: Sequence[str], before: str) -> str:
        """`before`: what its statement begins with."""
        self.names += bound
        self.depth += 1
        lines = [self.made("opening")] if bound else []
        lines += [self.statement() for _ in range(self.rng.choice((1, 1, 2, 2, 3)))]
        self.depth -= 1
        del self.names[len(self.names) - len(bound) :]
        return "\n".join(line for line in lines if line.strip()) or "pass"

    def statement(self) -> str:
        kinds = self.profile.within if self.names and self.profile.within else self.profile.kinds
        if self.depth >= DEEPEST:
            kinds = {kind: weight for kind, weight in kinds.items() if not self.nests(kind)}
        (kind,) = self.rng.choices([*kinds], [*kinds.values()])
        self.stated = {}
        return self.made(kind)

    def nests(self, kind: str) -> bool:
        """Has a statement of this kind a block, or a loop?"""
        rows = self.rule_of(kind).rows
        return any("{block" in row or "{loop_row}" in row for row in rows)

    def make_statement(self) -> str:
        return self.statement()

    def make_bound(self) -> str:
        return self.rng.choice(self.names or ["s"])

    def make_bound_index(self) -> str:
        indices = [name for name in self.names if name[0] == "i"]
        return self.rng.choice(indices or ["0", "1", "-1", "k % 3"])
