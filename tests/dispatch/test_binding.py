"""Arguments are bound as CPython binds them: generated signatures, generated calls."""

from __future__ import annotations

import random
import sys

import pytest
from dispatch_entries import compiled

SEEDS = range(150)


def signature(rng):
    """Parameters as source text, and their names."""
    posonly, plain, kwonly = rng.randrange(3), rng.randrange(4), rng.randrange(3)
    first_default = rng.randrange(posonly + plain + 1)
    parts, names = [], []
    for i in range(posonly + plain):
        names.append(f"a{i}")
        parts.append(f"a{i}={i + 100}" if i >= first_default else f"a{i}")
        if i + 1 == posonly:
            parts.append("/")
    if rng.random() < 0.15:
        parts.append("*rest")
        names.append("rest")
    elif kwonly:
        parts.append("*")
    for i in range(kwonly):
        names.append(f"k{i}")
        parts.append(rng.choice([f"k{i}", f"k{i}={i + 200}"]))
    if rng.random() < 0.15:
        parts.append("**more")
        names.append("more")
    return ", ".join(parts), names


def calls(rng, names):
    for _ in range(25):
        args = [object() for _ in range(rng.randrange(len(names) + 2))]
        pool = [*names, "unknown"]
        rng.shuffle(pool)
        words = {name: object() for name in pool[: rng.randrange(len(pool) + 1)]}
        yield args, words


def outcome(fn, args, words):
    try:
        return fn(*args, **words)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("seed", SEEDS)
def test_signatures(seed):
    rng = random.Random(seed)
    text, names = signature(rng)
    space = {}
    result = f"({', '.join(names)}{',' if names else ''})"
    exec(f"def f({text}): return 'ran', *{result}", space)
    plain = space["f"]
    jit = compiled(plain)
    bound = 0
    for args, words in calls(rng, names):
        wanted = outcome(plain, args, words)
        hits = jit._hits
        got = outcome(jit, args, words)
        if jit._hits > hits:
            got = ("ran", *got)
        assert got == wanted, (text, args, words)
        bound += not isinstance(wanted, str)
    assert jit._hits == (0 if "*rest" in text or "**more" in text else bound)


def test_defaults_are_those_of_now():
    def f(a, b=2, *, c=3):
        raise AssertionError

    jit = compiled(f)
    assert jit(1) == (1, 2, 3)
    f.__defaults__ = (20,)
    f.__kwdefaults__ = {"c": 30}
    assert jit(1) == (1, 20, 30)
    jit.__defaults__ = (21,)
    jit.__kwdefaults__["c"] = 31
    assert jit(1) == (1, 21, 31)
    assert (f.__defaults__, f.__kwdefaults__) == ((21,), {"c": 31})
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        jit(1)
    f.__kwdefaults__ = None
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'c'"):
        jit(1, 2)


def test_more_defaults_than_parameters():
    def f(a):
        raise AssertionError

    f.__defaults__ = (1, 2, 3)
    assert compiled(f)() == (3,)


def test_names_that_are_equal_but_not_interned():
    def f(name, other):
        raise AssertionError

    jit = compiled(f)
    assert jit(**{"".join(["na", "me"]): 1, "other": 2}) == (1, 2)
    assert jit._hits == 1


def test_names_that_are_no_plain_str():
    class Name(str):
        def __eq__(self, other):
            return True

        __hash__ = str.__hash__

    def f(a, b=0):
        return a, b

    jit = compiled(f)
    for words in ({Name("a"): 1}, {Name("a"): 1, "b": 2}, {Name("zz"): 1}):
        assert outcome(jit, (), words) == outcome(f, (), words)


def test_many_parameters():
    names = [f"p{i}" for i in range(100)]
    space = {}
    exec(f"def f({', '.join(names)}): return {', '.join(names)}", space)
    jit = compiled(space["f"])
    assert jit(*names) == tuple(names)
    assert jit(**{name: name for name in names}) == tuple(names)


def test_arguments_are_not_kept():
    def f(a, b=(), *, c=None):
        raise AssertionError

    jit = compiled(f)
    x = object()
    before = sys.getrefcount(x)
    for _ in range(100):
        jit(x, x, c=x)
        jit(x, c=x)
        jit(a=x, b=x)
    assert jit._hits == 300
    assert sys.getrefcount(x) == before
