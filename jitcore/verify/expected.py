"""What a rehearsal says → what is looked at where CPython comes to the same place.

    RETURN  where the frame ends: the value
    JUMP    before an instruction: stack, live locals        and everywhere: effects, arrays,
    RAISE   where the frame ends: the exception              warnings, NumPy's error state

A region with loops may be left in any of their rounds, and CPython comes by in each: then one visit
where nothing differs is enough, and what differs least is told where there is none.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field
from enum import Enum
from typing import Any

from jitcore import _C
from jitcore.fallback.exit import Do
from jitcore.host.fast_dataclass import dataclass
from jitcore.verify.deep_equal import PARTS, Comparison, described
from jitcore.verify.journal import Journal
from jitcore.verify.warning_recorder import Heard

NULL = _C.NULL
COPIED = (list, dict, set, deque, bytearray, OrderedDict, defaultdict)
ATTRIBUTES = (object.__setattr__, object.__delattr__)


class How(Enum):
    RETURN = "return"
    JUMP = "jump"
    RAISE = "raise"


@dataclass(frozen=True, slots=True)
class ExpectedSlot:
    """Something that is expected: `name` as the user would say it."""

    name: str
    value: Any


@dataclass(slots=True)
class Effects:
    """What the exit's effects come to."""

    names: dict[str, Any] = field(default_factory=dict)  # global names; NULL: none
    cells: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by id: the cell, its content
    attributes: dict[tuple[int, str], tuple[Any, Any]] = field(default_factory=dict)
    copies: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by id: container, its copy
    unseen: list[str] = field(default_factory=list)  # what cannot be compared

    def differences(self, globals: Mapping[str, Any], comparison: Comparison) -> Iterator[str]:
        pairs = [(f"global {n}", x, globals.get(n, NULL)) for n, x in self.names.items()]
        pairs += [("a variable of a closure", x, content(c)) for c, x in self.cells.values()]
        pairs += [
            (f".{name}", value, attribute(owner, name))
            for (_, name), (owner, value) in self.attributes.items()
        ]
        for name, predicted, actual in pairs:
            found = comparison.differs(predicted, actual)
            if found:
                yield f"{name}: {found}"
        for owner, twin in self.copies.values():
            parts = PARTS[dict if isinstance(owner, dict) else type(owner)]
            found = comparison.of_parts([*parts(twin)], [*parts(owner)], type(owner), 0)
            if found:
                yield f"a {type(owner).__name__} that was changed: {found}"


def content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


def attribute(owner: Any, name: str) -> Any:
    try:
        return object.__getattribute__(owner, name)
    except AttributeError:
        return NULL


def effects_of(told: tuple[Any, ...]) -> Effects:
    """Called while all is as it was before."""
    found = Effects()
    for do, own, *parts in told:
        match do:
            case Do.SET_GLOBAL:
                found.names[parts[0]] = parts[1]
            case Do.DEL_GLOBAL:
                found.names[parts[0]] = NULL
            case Do.SET_CELL:
                found.cells[id(parts[0])] = parts[0], parts[1]
            case Do.CALL:
                called(found, own, *parts)
    return found


def called(found: Effects, own: bool, fn: Any, owner: Any, *args: Any) -> None:
    if own:
        fn(owner, *args)
    elif fn in ATTRIBUTES:
        value = args[1] if len(args) > 1 else NULL
        found.attributes[id(owner), args[0]] = owner, value
    elif type(owner) in COPIED:
        _, twin = found.copies.setdefault(id(owner), (owner, copy(owner)))
        fn(twin, *args)
    else:
        found.unseen.append(f"a change to a {type(owner).__qualname__}")


@dataclass(slots=True)
class Expected:
    how: How
    offset: int  # of the instruction where the region is left; RAISE: that raises; else -1
    at: int  # where it is looked at, some loads before `offset`
    slots: list[tuple[int, Any]]  # of locals: index, value; numbers first
    stack: list[Any]  # at `at`
    value: Any
    effects: Effects
    journal: Journal
    heard: tuple[tuple[str, int], ...]  # warnings of the rehearsal
    errstate: int
    globals: dict[str, Any]
    names: tuple[str, ...]  # of the frame's slots
    marks: bool  # see poison_empty.py
    before: frozenset[int]  # objects that were there, by id
    many: bool  # CPython may come by more than once
    best: list[str] = field(default_factory=list)  # where it came nearest

    def differences(self, state: Any, listening: Heard) -> list[str]:
        """In a frame at `at`. Cheap ones first: in a loop most rounds are not the one."""
        comparison = Comparison(self.journal.arrays, self.marks, self.before)
        found: list[str] = []
        stack = as_bound(self.stack, state.stack)
        if len(stack) != len(self.stack):
            return [f"{len(self.stack)} values on the stack are {len(stack)} in CPython"]
        pairs = [(self.names[at], value, state.locals[at]) for at, value in self.slots]
        both = zip(self.stack, stack, strict=True)
        pairs += [(f"value {at} on the stack", *pair) for at, pair in enumerate(both)]
        for name, predicted, actual in pairs:
            text = comparison.differs(predicted, actual)
            if text:
                found.append(f"{name}: {text}")
            if self.best and len(found) > len(self.best):
                return found
        return [*found, *self.around(comparison, listening)]

    def around(self, comparison: Comparison, listening: Heard) -> Iterator[str]:
        yield from self.effects.differences(self.globals, comparison)
        yield from self.journal.differences(comparison, self.effects.copies)
        heard = tuple(listening.texts)
        if heard != self.heard:
            yield f"warnings: {told(self.heard)}; in CPython {told(heard)}"
        if self.how is not How.RAISE and _C.errstate_code() != self.errstate:
            yield f"np.errstate is {self.errstate:#o}; in CPython {_C.errstate_code():#o}"

    def ended(self, result: Any, error: BaseException | None, listening: Heard) -> list[str]:
        """Where the frame ends."""
        comparison = Comparison(self.journal.arrays, self.marks, self.before)
        if self.how is How.JUMP:
            return self.best or [f"{ending(result, error)}, and never came to the place"]
        if self.how is How.RETURN:
            if error is not None:
                return [f"it returns {described(self.value)}; in CPython it {ending(None, error)}"]
            found = comparison.differs(self.value, result)
            own = [f"the result: {found}"] if found else []
            return [*own, *self.around(comparison, listening)]
        if error is None:
            return [f"it raises {shown(self.value)}; in CPython it {ending(result, None)}"]
        if type(error) is not type(self.value) or str(error) != str(self.value):
            return [f"it raises {shown(self.value)}; in CPython it {ending(None, error)}"]
        return [*self.around(comparison, listening)]


def as_bound(predicted: Sequence[Any], actual: Sequence[Any]) -> list[Any]:
    """CPython lays a method's function and its self where compiled code may lay the bound method
    and a NULL: before it, and from 3.13 on after it."""
    found, at = [*actual], 0
    while at < min(len(predicted), len(found)) - 1:
        (one, other), (first, second) = found[at : at + 2], predicted[at : at + 2]
        methods = [type(part) in METHODS for part in (first, second)]
        if one is NULL or other is NULL or not any(methods):
            at += 1
        elif first is NULL:
            found[at : at + 2] = NULL, bound(one, other)
            at += 2
        elif second is NULL and first is not one:
            found[at : at + 2] = bound(one, other), NULL
            at += 2
        else:
            at += 1
    return found


METHODS: tuple[type, ...] = (types.MethodType, types.BuiltinMethodType, type([].__iter__))


def bound(function: Any, owner: Any) -> Any:
    get = getattr(type(function), "__get__", None)
    return get(function, owner, type(owner)) if get is not None else function


def told(heard: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{text!r} at line {line}" for text, line in heard) or "none"


def ending(result: Any, error: BaseException | None) -> str:
    return f"raised {shown(error)}" if error is not None else f"returned {described(result)}"


def shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
