"""One grammar, and profiles of it: every symbol is there, programs are Python, a seed is a text."""

from __future__ import annotations

import functools
import random
import re

import numpy as np
import pytest
from fuzzing.generator import HOLE, Generator, rows_of, rules
from fuzzing.profiles import LARGE, PROFILES, SQUARE, program, ufuncs

BY_NAME = list(PROFILES)
OF_CODE = {"block", "setup", "again", "body", "steps", "bound", "bound_index", "statement"}
OF_CODE |= set("abcdkmsuvwxy") | {"unary", "paired", "helpers", "parameters", "statements"}
OF_CODE |= {"returned", "inputs", "lane", "lane_here", "lane_at_0", "extents", "rounds", "sizes"}
OF_CODE |= {"world_read", "world_line"}


def test_every_symbol_is_there() -> None:
    for name, rule in rules().items():
        holes = [hole.split()[0].lstrip("@#") for row in rule.rows for hole in HOLE.findall(row)]
        wanted = {hole for hole in holes if hole[0] not in "$" and not hole.isdecimal()}
        known = {symbol.partition(".")[0] for symbol in rules()} | OF_CODE
        assert wanted <= known, (name, wanted - known)
        assert rule.operand or not any(hole.isdecimal() for hole in holes), name


@pytest.mark.parametrize("name", BY_NAME)
def test_programs_are_python(name: str) -> None:
    texts = {program(name, seed) for seed in range(40)}
    assert len(texts) == 40
    for text in texts:
        compile(text, "program", "exec")
        assert not HOLE.search(re.sub(r"f'.*'", "", text)) and "<%" not in text, text


@pytest.mark.parametrize("name", BY_NAME)
def test_same_seed_same_program(name: str) -> None:
    assert [program(name, seed) for seed in range(4)] == [program(name, seed) for seed in range(4)]


@pytest.mark.parametrize("profile", [*PROFILES.values(), SQUARE, LARGE])
def test_kinds_are_symbols(profile) -> None:  # type: ignore[no-untyped-def]
    of_code = {"simple", "compound"}
    assert {*profile.kinds, *profile.within} <= rules().keys() | of_code


def test_what_the_op_table_has_is_used() -> None:
    names = [*ufuncs(1), *ufuncs(2)]
    assert len(names) > 80 and {"sin", "hypot"} <= {*names}
    assert sum(f"np.{name}(" in texts() for name in names) > len(names) * 0.7
    assert all(isinstance(getattr(np, name), np.ufunc) for name in names)


# What was found once (tests/finds/test_fuzz_finds_programs.py), by what its programs have.
FOUND = {
    "a name is deleted in a loop": r"\n( +)(for|while) .*:\n(\1 .*\n)*?\1 +del \w",
    "a cell is emptied": r"lambda q: q \+ (\w+)\n +del \1\n",
    "a global is deleted": r"global G\n +del G",
    "a name that nobody looks at": r"\n +[a-z]\w*\n",
    "an operation that nobody looks at": r"\n +\(\w+ \S+ \w+\)\n",
    "a number's attribute": r"\b\w+\.imag\b",
    "a number without the attribute": r"\bk\.size",
    "a scalar's method": r"for (\w+) in .*:\n +\1\.sort\(\)",
    "an operand that does not fit": r"\n +\w+ \+= 'text'",
    "operators of numbers that do not fit": r"\n +\w+ (\||&|<<)= \w+ [<>=!]+",
    "an in-place shift": r"\n +\w+ <<= ",
    "a complex comparison": r"[<>]=? 1j\b",
    "a float that overflows": r"1e300",
    "a method of a list in a loop": r"\n( +)for .*:\n(\1 .*\n)*?\1 +\w+\.append",
}


@functools.cache
def texts() -> str:
    return "".join(program("arrays", seed) for seed in range(400))


@pytest.mark.parametrize("kind", FOUND)
def test_what_was_found_is_made(kind: str) -> None:
    assert re.search(FOUND[kind], texts())


def test_rows() -> None:
    rows = rows_of(["2* a ;; b", "| one", "|     two", "3* | {x}", "| y", "c\\nd"])
    assert rows == ["2* a", "b", "one\n    two", "3* {x}\ny", "c\nd"]


def filled(text: str, seed: int = 1) -> str:
    made = Generator(PROFILES["loops"], random.Random(seed))
    made.names = ["i1"]
    return made.filled(text, "float")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("{$v} = {$v}", r"v1 = v1"),
        ("{0} + {0}", r"(.+) \+ \1"),
        ("{#size} {#size} {#size}", r"(\d+) \1 \1"),
        ("<%a || ~%>!", r"a?!"),
        ("if x:\n    {block}", r"if x:(\n    .+)+"),
        ("{index}", "i1"),
        ("{'p': 1}", r"\{'p': 1\}"),
    ],
)
def test_holes(text: str, pattern: str) -> None:
    for seed in range(20):
        assert re.fullmatch(pattern, filled(text, seed))
