"""Generated signatures × generated calls: the result of the plain function, or its TypeError word
for word, both before and after an entry answers for the whole function."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

import jitcore

X = np.arange(4.0)
KINDS = ("posonly", "plain", "kwonly")
GOOD, OPTIONAL = 1, 2


def signature(seed: int) -> tuple[str, list[str]]:
    rng = random.Random(seed)
    counts = [rng.choice((0, 0, 1, 2, 3)) for _ in KINDS]
    names = iter("abcdefghij")
    groups = [[next(names) for _ in range(n)] for n in counts]
    defaulted = rng.randint(0, counts[0] + counts[1])
    positional = [*groups[0], *groups[1]]
    shown = {
        name: f"{name}={10 + i}.0" if i >= len(positional) - defaulted else name
        for i, name in enumerate(positional)
    }
    shown |= {name: rng.choice((name, f"{name}=5.5")) for name in groups[2]}
    parts = [shown[n] for n in groups[0]] + (["/"] if groups[0] else [])
    parts += [shown[n] for n in groups[1]]
    star = rng.random() < 0.2
    if star or groups[2]:
        parts.append("*rest" if star else "*")
    parts += [shown[n] for n in groups[2]]
    if rng.random() < 0.2:
        parts.append("**more")
    return ", ".join(parts), [n for g in groups for n in g]


def function(seed: int) -> Any:
    text, names = signature(seed)
    body = "".join(f" + {n} * {i + 2}" for i, n in enumerate(names))
    space: dict[str, Any] = {"X": X}
    exec(f"def f({text}):\n    return (X{body},)\n", space)
    return space["f"], names


def calls(seed: int, names: list[str]) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Right and wrong ones: too few, too many, twice, unknown."""
    rng = random.Random(seed)
    found: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {})]
    for count in range(len(names) + 2):
        args = tuple(float(i + 1) for i in range(count))
        found.append((args, {}))
        for left in (names[count:], rng.sample(names, rng.randint(0, len(names))), ["unknown"]):
            found.append((args, {n: rng.random() for n in left}))
    return found


def outcome(fn: Any, args: Any, kwargs: Any) -> Any:
    try:
        return ("value", fn(*args, **kwargs)[0].tobytes())
    except TypeError as error:
        return ("TypeError", str(error))


@pytest.mark.parametrize("seed", range(60))
def test_calls(seed: int) -> None:
    plain, names = function(seed)
    compiled = jitcore.compile(plain)
    for _, (args, kwargs) in itertools.product(range(3), calls(seed, names)):
        assert outcome(compiled, args, kwargs) == outcome(plain, args, kwargs), (args, kwargs)


def test_the_calls_reach_both_ways() -> None:
    """The test above would be empty if entries never answered, or no call were wrong."""
    hits = wrong = 0
    for seed in range(20):
        plain, names = function(seed)
        compiled = jitcore.compile(plain)
        for _, (args, kwargs) in itertools.product(range(3), calls(seed, names)):
            wrong += outcome(compiled, args, kwargs)[0] == "TypeError"
        hits += compiled._hits
    assert hits > 100
    assert wrong > 100


class Word(str):
    """A keyword that compares in its own way."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Word.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_keyword_that_compares_in_its_own_way_is_compared_no_more_often() -> None:
    def f(a, b=1.0):
        return X * a + b

    compiled = jitcore.compile(f)
    for _ in range(3):
        compiled(2.0, b=3.0)
    assert compiled._hits

    def count(fn: Any) -> int:
        Word.compared = 0
        fn(2.0, **{Word("b"): 3.0})
        return Word.compared

    assert count(compiled) == count(f)


def test_not_a_name() -> None:
    def f(a):
        return X * a

    compiled = jitcore.compile(f)
    for _ in range(3):
        compiled(2.0)
    with pytest.raises(TypeError, match="keywords must be strings"):
        compiled(**{1: 2.0})


@pytest.mark.parametrize("count", [33, 64, 65, 120])
def test_many_arguments(count: int) -> None:
    names = [f"a{i}" for i in range(count)]
    space: dict[str, Any] = {}
    exec(f"def f({', '.join(names)}):\n    return {' + '.join(names)}\n", space)
    plain = space["f"]
    compiled = jitcore.compile(plain)
    args = tuple(X + i for i in range(count))
    for _ in range(3):
        assert compiled(*args).tobytes() == plain(*args).tobytes()
    by_name = dict(zip(names, args, strict=True))
    assert compiled(**by_name).tobytes() == plain(*args).tobytes()


def test_defaults_are_looked_up_at_each_call() -> None:
    def f(x, y=1.0, *, z=2.0):
        return x * y + z

    compiled = jitcore.compile(f)
    for defaults, words in [
        ((1.0,), {"z": 2.0}),
        ((3.0,), {"z": 2.0}),
        ((5.0, 7.0), None),
        (None, {"z": 1.5}),
        ((X + 1,), {"z": X}),
    ]:
        compiled.__defaults__, compiled.__kwdefaults__ = defaults, words
        assert f.__defaults__ == defaults or f.__defaults__ is defaults
        for args, kwargs in [((X,), {}), ((), {}), ((X, 4.0), {}), ((X,), {"z": 9.0})]:
            for _ in range(3):
                assert again(compiled, args, kwargs) == again(f, args, kwargs)


def again(fn: Any, args: Any, kwargs: Any) -> Any:
    try:
        return fn(*args, **kwargs).tobytes()
    except TypeError as error:
        return str(error)
