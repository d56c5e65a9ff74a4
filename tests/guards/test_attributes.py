"""Attributes of instances are found by their place; whatever becomes of the instance, they are the
ones that Python finds."""

from __future__ import annotations

import numpy as np
import pytest
from guard_frames import NULL, checker, entry_of, loader

from jitcore import _C
from jitcore.guards import guard as g
from jitcore.guards import source as s
from jitcore.guards.program import compile_guards
from jitcore.ir.types import type_of

X = s.Local(0, "x")
NAMES = [f"w{i}" for i in range(40)]


class Plain:
    pass


class Slotted:
    __slots__ = ("__dict__", "__weakref__")


def guards_of(cls: type) -> list[g.Guard]:
    return [g.HasType(X, cls), g.TypeVersion(cls)]


def ops_of(source: s.Source, guards: list[g.Guard]) -> list[str]:
    program = compile_guards(guards, (source,))
    widths = {number: (name, len(kinds)) for name, (number, kinds) in _C.GUARD_OPS.items()}
    found, at = [], 0
    while at < len(program.words):
        name, width = widths[program.words[at]]
        found.append(name)
        at += width + 2
    return found


def made(cls: type, names: list[str]) -> object:
    obj = cls()
    for name in names:
        setattr(obj, name, [name])
    return obj


@pytest.mark.parametrize("cls", [Plain, Slotted])
@pytest.mark.parametrize("count", [1, 5, 40])
def test_any_layout(cls: type, count: int) -> None:
    names = NAMES[:count]
    loads = {name: loader(s.Attr(X, name), *guards_of(cls)) for name in NAMES}
    same, backwards, half = (made(cls, n) for n in (names, names[::-1], names[::2]))
    vars(backwards)  # a dict of its own
    gone = made(cls, names)
    delattr(gone, names[0])
    again = made(cls, names)
    delattr(again, names[0])
    setattr(again, names[0], "again")
    replaced = made(cls, [])
    replaced.__dict__ = {name: [name] for name in reversed(names)}
    renamed = made(cls, [])
    renamed.__dict__ = {"".join(list(name)): [name] for name in names}
    for _ in range(2):
        for obj in (same, backwards, half, gone, again, replaced, renamed):
            for name, load in loads.items():
                assert load(obj) is getattr(obj, name, NULL), (name, vars(obj))


def test_keys_that_are_no_names_are_left_alone() -> None:
    obj = made(Plain, ["w0"])
    load = loader(s.Attr(X, "w0"), *guards_of(Plain))
    assert load(obj) == ["w0"]
    vars(obj)[1] = 2
    assert load(obj) is NULL


class Later:
    """Not a descriptor; its class may become one."""


def test_classes_attributes_that_may_become_descriptors() -> None:
    class Owner:
        plain = 1
        late = Later()

    source = {name: s.Attr(X, name) for name in ("plain", "late", "own")}
    used = {name: ops_of(each, guards_of(Owner))[-1] for name, each in source.items()}
    assert used == {"plain": "LOAD_OWN", "late": "LOAD_ATTR", "own": "LOAD_OWN"}
    assert ops_of(source["own"], [g.HasType(X, Owner)])[-1] == "LOAD_ATTR"
    obj = made(Owner, ["late"])
    load = loader(source["late"], *guards_of(Owner))
    assert load(obj) == ["late"]
    Later.__set__ = lambda self, instance, value: None  # type: ignore[attr-defined]
    Later.__get__ = lambda self, instance, owner: 5  # type: ignore[attr-defined]
    assert load(obj) is NULL and obj.late == 5  # type: ignore[attr-defined]


def test_keys_of_dicts() -> None:
    keys = ("a", 1, None, "b")
    loads = [loader(s.Key(X, k, type(k)), g.Keys(X, keys)) for k in keys]
    whole = dict(zip(keys, "wxyz", strict=True))
    holes = {"gone": 0, **whole, 5: 6}
    del holes["gone"], holes[5]
    for _ in range(2):
        for table in (whole, holes, dict(whole)):
            assert [load(table) for load in loads] == list("wxyz")
        assert [load({**whole, "c": 1}) for load in loads] == [NULL] * 4
    names = ("a", "b")
    load = loader(s.Key(X, "b", str), g.Keys(X, names))
    assert load({"a": 1, "b": 2}) == 2
    assert load({"a": 1, "".join(["b"]): 3}) == 3


def test_arrays_of_a_kind_share_what_is_demanded() -> None:
    small, large = np.ones(3), np.ones((3, 3))
    items = [g.IsArray(s.Item(X, i), type_of(a)) for i, a in enumerate((small, large) * 3)]
    program = compile_guards([g.HasType(X, list), *items], ())
    assert len([c for c in program.consts if isinstance(c, _C.ArraySpec)]) == 2
    holds = checker(g.HasType(X, list), *items)
    assert holds([small, large] * 3)
    for at in range(6):
        others = [small, large] * 3
        others[at] = np.ones(4)
        assert not holds(others)
    assert entry_of(program) is not None
