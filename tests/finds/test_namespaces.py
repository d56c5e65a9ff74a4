"""The dict of a module's globals is written while its names are read."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np
import pytest
from finds.scenario import agree, outcomes

FIRST = """
def first(a):
    globals()["g"] = 255
    return a * g + 1
"""
BETWEEN = """
def between(a):
    x = a * g
    globals()["g"] = 255
    return x + a * g
"""
BY_NAME = """
def by_name(a):
    global g
    d = globals()
    g = 255
    return a * d["g"] + 1
"""
GIVEN = """
def given(a):
    names["g"] = 255
    return (a * g + 1).sum()
"""


def test_globals_that_are_set_by_their_dict_are_seen() -> None:
    def scenario(jit: Any) -> Any:
        seen = []
        for text in (FIRST, BETWEEN, BY_NAME, GIVEN):
            places: dict[str, Any] = {}
            exec(text, places)
            places["names"] = places
            fn = jit(places[text.split("(")[0].split()[1]])
            for _ in range(3):
                places["g"] = 1.5
                seen.append((outcomes(fn, np.arange(5.0))[0], places["g"]))
        return seen

    agree(scenario)


class Owner:
    pass


def item_then_name(a: Any, o: Any, d: Any) -> Any:
    d["v"] = 2.0
    return a * o.v + 1


def name_then_item(a: Any, o: Any, d: Any) -> Any:
    o.v = 2.0
    return a * d["v"] + 1


def between_names(a: Any, o: Any, d: Any) -> Any:
    x = a * o.v + 1
    d["v"] = 2.0
    return x + a * o.v


def by_its_own_dict(a: Any, o: Any, d: Any) -> Any:
    x = a * o.v + 1
    o.__dict__["v"] = 2.0
    return x + a * o.v


def between_items(a: Any, o: Any, d: Any) -> Any:
    x = a * o.v + d["v"]
    o.v = 3.0
    return x + a * d["v"]


def in_a_loop(a: Any, o: Any, d: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        d["v"] += a[i]
        s += o.v
    return s


def deleted(a: Any, o: Any, d: Any) -> Any:
    x = a * o.v
    d.pop("v")
    d["w"] = 3.0
    return x + a * getattr(o, "v", 7.0) + a * o.w


def new_names(a: Any, o: Any, d: Any) -> Any:
    o.w = 2.0
    x = a * len(d)
    d["u"] = 5.0
    return x + o.u


OF_AN_OBJECT = (
    *(item_then_name, name_then_item, between_names, by_its_own_dict),
    *(between_items, in_a_loop, deleted, new_names),
)


@pytest.mark.parametrize("fn", OF_AN_OBJECT, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("order", ["oooo", "xxoo", "xxxo", "yyYY", "nnoo", "zzoo", "zyxo"])
def test_an_object_and_its_own_dict(fn: Any, order: str) -> None:
    """Which is given (o), or another dict of the same names (x), of more (y), of none (z). The
    object may have another name (Y, n)."""

    def scenario(jit: Any) -> Any:
        seen = []
        run = jit(fn)
        for which in order:
            o = Owner()
            o.v = 1.0  # type: ignore[attr-defined]
            o.u = 1.5  # type: ignore[attr-defined]
            if which in "Yn":
                setattr(o, "q" if which == "Y" else "r", 1)
            others = {
                "n": {"v": 4.0, "u": 4.5},
                "x": {"v": 4.0, "u": 4.5},
                "y": {"v": 4.0, "u": 4.5, "q": 1},
                "z": {},
            }
            d = vars(o) if which in "oY" else others[which]
            seen.append((outcomes(run, np.arange(5.0), o, d)[0], dict(vars(o)), dict(d)))
        return seen

    agree(scenario)


class Other:
    pass


def one_then_other(a: Any, o: Any, d: Any) -> Any:
    o.v = 2.0
    return a * d.v + 1


def in_a_loop_by_two(a: Any, o: Any, d: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        o.v += a[i]
        s += d.v
    return s


@pytest.mark.parametrize("fn", [one_then_other, in_a_loop_by_two], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("order", ["xxoo", "oxox", "ttoo"])
def test_two_objects_that_share_one_dict(fn: Any, order: str) -> None:
    """Of one class, or of two (t); o: they share it."""

    def scenario(jit: Any) -> Any:
        seen = []
        run = jit(fn)
        for which in order:
            o, p = Owner(), Other() if which == "t" else Owner()
            o.v = p.v = 1.0  # type: ignore[attr-defined, union-attr]
            if which == "o":
                p.__dict__ = o.__dict__
            seen.append((outcomes(run, np.arange(5.0), o, p)[0], dict(vars(o)), dict(vars(p))))
        return seen

    agree(scenario)


OF_NAMES = """
def by_item(a, m, d): d["v"] = 2.0; return a * v
def by_attribute(a, m, d): m.v = 2.0; return a * v
def by_module(a, m, d): d["v"] = 2.0; return a * module.v
def by_a_function(a, m, d): d["v"] = 2.0; return a * function()
def by_name(a, m, d):
    global v
    x = m.v + d["v"]
    v = 3.0
    return a * x + m.v + d["v"]
def function(): return v
"""


WAYS = {
    "globals": ("by_item", "by_attribute", "by_module", "by_name"),
    "builtins": ("by_item", "by_attribute"),
    "a function's": ("by_a_function",),
}


def globals_of(kind: str, names: dict[str, Any]) -> dict[str, Any]:
    return {"globals": names, "builtins": {"__builtins__": names}}.get(kind, {})


@pytest.mark.parametrize(("kind", "name"), [(kind, n) for kind in WAYS for n in WAYS[kind]])
@pytest.mark.parametrize("order", ["xxoo", "oxox"])
def test_names_that_are_reached_as_an_object_or_a_dict(kind: str, name: str, order: str) -> None:
    """Those of a module that has no __builtins__ or __loader__, where a function finds its own."""
    made: dict[str, Any] = {}
    exec(OF_NAMES, made)

    def scenario(jit: Any) -> Any:
        module = types.ModuleType("module")
        del module.__loader__
        names = vars(module)
        of_run = globals_of(kind, names)
        of_run["module"] = module
        of_run["function"] = types.FunctionType(made["function"].__code__, names)
        run = jit(types.FunctionType(made[name].__code__, of_run))
        seen = []
        for which in order:
            names["v"] = 1.0
            o = Owner()
            o.v = 4.0  # type: ignore[attr-defined]
            d = dict(names)
            if which == "o":
                o.__dict__, d = names, names
            seen.append((outcomes(run, np.arange(5.0), o, d)[0], names["v"], d["v"]))
        return seen

    agree(scenario)


@pytest.mark.parametrize("order", ["xxoo", "oxox"])
def test_the_keywords_of_a_partial(order: str) -> None:
    def scaled(a: Any, by: float = 1.0) -> Any:
        return a * by

    def around(a: Any, p: Any, d: Any) -> Any:
        x = p(a)
        d["by"] = 2.0
        return x + p(a)

    def scenario(jit: Any) -> Any:
        seen = []
        run = jit(around)
        for which in order:
            p = functools.partial(scaled, by=1.0)
            d = p.keywords if which == "o" else {"by": 1.0}
            seen.append((outcomes(run, np.arange(5.0), p, d)[0], dict(p.keywords)))
        return seen

    agree(scenario)
