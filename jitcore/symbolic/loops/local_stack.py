"""A list that a loop takes items from and puts items to, the stack of a search: a routine's own.

    stack = [(i, j)]            pile        before the loop, of what the list has then
    while stack:                pile.count
        i, j = stack.pop()      pile.pop    where it is empty, the routine is left
        stack.append((y, x))    pile.push

In C its items lie column by column in a room; what leaves the routine makes the list of them. It
is one that the code has just made, so nobody else has it, and its items are numbers, or tuples of
numbers, whose identity nobody asks for. Of what type they are is known from what the list has
before the loop; if that is nothing, from what is first put to it: then capture begins anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from jitcore.fallback import breaks
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Op, leaf_type
from jitcore.ir.ops.local_stack import PILE, PILE_CLEAR, PILE_COUNT, PILE_ITEM, PILE_POP, PILE_PUSH
from jitcore.ir.types import PYINT, ScalarType, StackType
from jitcore.symbolic.loops.counted_iter import is_held
from jitcore.symbolic.loops.loop_state import CannotCapture, working
from jitcore.symbolic.loops.sequences import is_index
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.state import Frame, PileKey
from jitcore.symbolic.values import Bound, Known, List, Traced, Tuple, Var
from jitcore.symbolic.wrap import realize

METHODS = ("append", "pop", "clear")
MOST = 8  # numbers of an item
UNKNOWN = StackType()


class Guessed(Exception):
    """Of what type the items of a list are that begins empty."""

    def __init__(self, key: PileKey, kind: StackType) -> None:
        super().__init__(key, kind)
        self.key, self.kind = key, kind


def is_pile(var: Var | None) -> bool:
    return isinstance(var, Traced) and isinstance(var.value.type, StackType)


# ---- before a loop ------------------------------------------------------------------------------


def make_piles(vm: Machine, frame: Frame, offsets: Collection[int]) -> None:
    for slot in sorted(piled(frame, offsets)):
        var = frame.locals[slot]
        if not isinstance(var, List) or var.origin is not None:
            continue
        items = [leaf(vm, item) for item in var.items]
        key = frame.code.code, min(offsets), slot
        kind: StackType | None = vm.start.piles.get(key, UNKNOWN)
        if items:
            kind = type_of_items([leaf_type_of(item) for item in items])
        made = None if kind is None else make_pile(vm, frame, var, items, kind)
        if made is not None and kind is UNKNOWN:
            working(vm).guesses[made] = key


def piled(frame: Frame, offsets: Iterable[int]) -> set[int]:
    """The variables whose lists are changed there, and not by append() alone."""
    changed: set[int] = set()
    others: set[int] = set()
    before = None
    for op, arg, name in loads(frame, offsets):
        if before is not None and op not in ("LOAD_ATTR", "LOAD_METHOD"):
            others.add(before)
        elif before is not None and name in METHODS:
            changed.add(before)
            others |= {before} if name != "append" else set()
        before = arg if op in ("LOAD_FAST", "LOAD_FAST_CHECK") else None
    return changed & others


def loads(frame: Frame, offsets: Iterable[int]) -> Iterator[tuple[str, int, Any]]:
    for at in sorted(offsets):
        for canon in frame.code.canonical(frame.code.by_offset[at]):
            yield canon.op, canon.arg, canon.argval


def make_pile(
    vm: Machine, frame: Frame, var: List, items: list[Any], kind: StackType
) -> Value | None:
    """None: it has other names."""
    made = Traced(Value(kind))
    kept = list(frame.locals), list(frame.stack)
    for slots in (frame.locals, frame.stack):
        for i, one in enumerate(slots):
            if one is var:
                slots[i] = made
    if is_held(vm, None, [var]):
        frame.locals, frame.stack = kept
        return None
    add(vm, PILE, tuple(items), (made.value,))
    return made.value


def all_known(vm: Machine) -> None:
    """Where a walk has come to its end."""
    if working(vm).guesses:
        raise CannotCapture("this loop uses an empty list to which nothing is appended")


def leaf_type_of(item: Any) -> Any:
    return tuple(map(leaf_type, item)) if type(item) is tuple else leaf_type(item)


def type_of_items(kinds: list[Any]) -> StackType | None:
    """None: they are no numbers, or not of one type."""
    first = kinds[0]
    if any(kind != first for kind in kinds):
        return None
    several = first if type(first) is tuple else (first,)
    if not all(isinstance(kind, ScalarType) for kind in several):
        return None
    if len(several) > MOST or (type(first) is tuple and len(several) < 2):
        return None
    return StackType(None, several, type(first) is tuple)


# ---- in a routine -------------------------------------------------------------------------------


def bound(owner: Var, name: str) -> Bound | None:
    return Bound(owner, name) if is_pile(owner) and name in METHODS else None


def call(vm: Machine, pile: Traced, name: str, args: tuple[Var, ...], words: dict[str, Var]) -> Var:
    if words or len(args) != (name == "append"):
        raise CannotCapture(f"this loop calls list.{name}() with arguments that are not compiled")
    if name == "append":
        push(vm, pile, args[0])
    elif name == "pop":
        return popped(vm, pile)
    else:
        add(vm, PILE_CLEAR, (pile.value,), ())
        working(vm).commit()
    return Known(None)


def push(vm: Machine, pile: Traced, item: Var) -> None:
    given = leaf(vm, realize(vm, item))
    kind = pile.value.type
    assert isinstance(kind, StackType)
    found = type_of_items([leaf_type_of(given)])
    if kind == UNKNOWN and found is not None:
        raise Guessed(working(vm).guesses[pile.value], found)
    if found != kind:
        raise CannotCapture(
            "this loop's list has items of several types, or other items than numbers"
        )
    add(vm, PILE_PUSH, (pile.value, given), ())
    working(vm).commit()


def popped(vm: Machine, pile: Traced) -> Var:
    made = item_of(vm, PILE_POP, pile, ())
    working(vm).commit()
    return made


def item(vm: Machine, container: Var, key: Var) -> Var | None:
    """None: it is another container."""
    if not is_pile(container):
        return None
    assert isinstance(container, Traced)
    if not is_index(key):
        raise CannotCapture("this loop takes a slice of a list that changes")
    return item_of(vm, PILE_ITEM, container, (leaf(vm, key),))


def item_of(vm: Machine, op: Op, pile: Traced, more: tuple[Any, ...]) -> Var:
    kind = pile.value.type
    assert isinstance(kind, StackType)
    if kind == UNKNOWN:
        raise CannotCapture("this loop reads an item of an empty list")
    outputs = tuple(map(Value, kind.kinds))
    add(vm, op, (pile.value, *more), outputs)
    made: list[Var] = [Traced(value) for value in outputs]
    return Tuple(tuple(made)) if kind.tuples else made[0]


def count(vm: Machine, var: Var) -> Var:
    """Of a pile, how many items it has, which is also whether it is true; else the same."""
    if not is_pile(var):
        return var
    assert isinstance(var, Traced)
    out = Value(PYINT)
    add(vm, PILE_COUNT, (var.value,), (out,))
    return Traced(out)


def add(vm: Machine, op: Op, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
    if vm.work is None:
        vm.stop(breaks.CONTAINER_MUTATION, "a list that a compiled loop has made")
    working(vm).append(vm, Node(op, args, {}, outputs, (), vm.place()), False)


def handed_over(vm: Machine, var: Var | None) -> bool:
    """Does what comes after the routine get one? Then another region begins there."""
    match var:
        case Traced():
            return is_pile(var)
        case Tuple(items) | List(items):
            return any(handed_over(vm, one) for one in items)
    return False
