"""Lists, tuples, strings and bytes that exist, in a routine: numbers and characters, read as they
are needed.

    xs[i], for v in xs    seq.item   what it has there now; of another type: the routine is left
    xs[i] = v             seq.store  of a list, a bytearray
    len(xs)               items.from

What a list has may change while a routine runs, by its own stores only. So there nothing else that
is known of a list's items is used along with stores, and after it the region ends.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from jitcore.fallback.exit import Do
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Op
from jitcore.ir.ops.loop import ITEMS_FROM, ORD, SEQ_APPEND, SEQ_ITEM, SEQ_STORE
from jitcore.ir.types import CHARACTER, PYINT, CharacterType, ObjectType, ScalarType, Type, type_of
from jitcore.symbolic.loops.loop_state import CannotCapture, working
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.values import Known, List, Traced, Tuple, Var

CLASSES = (list, tuple, str, bytes, bytearray)
SAMPLE = 2000  # items that are looked at for their type; all are checked as they are read


def sequence(vm: Machine, var: Var) -> Value | None:
    """The graph input; None if the object is none of these, or was made in the region."""
    origin = getattr(var, "origin", None)
    match var:
        case Traced(value) if is_sequence(value.type):
            return value
        case List() if origin is not None:
            cls: type = list
        case Tuple(cls=cls) if origin is not None and cls is tuple:
            pass
        case Known(obj) if origin is not None and type(obj) in (str, bytes):
            cls = type(obj)
        case _:
            return None
    return vm.input(origin, ObjectType(cls))


def is_sequence(kind: Type) -> bool:
    return isinstance(kind, ObjectType) and kind.cls in CLASSES and kind != CHARACTER


def may_read(vm: Machine, var: Var) -> bool:
    """Is it one with items of one type?"""
    try:
        return sequence(vm, var) is not None and kind_of_items(vm, var) is not None
    except CannotCapture:
        return False


def kind_of_items(vm: Machine, var: Var) -> Type:
    obj = live(vm, var)
    if type(obj) is str:
        return CHARACTER
    if type(obj) in (bytes, bytearray):
        return PYINT
    found = {type_of(item) for item in islice(obj, SAMPLE)}
    if len(found) != 1:
        raise CannotCapture("this loop reads a list or tuple with items of several types, or none")
    (kind,) = found
    if not isinstance(kind, ScalarType):
        raise CannotCapture("this loop reads a list or tuple of objects other than numbers")
    return kind


def live(vm: Machine, var: Var) -> Any:
    if isinstance(var, Known):
        return var.obj
    origin = getattr(var, "origin", None)
    return () if origin is None else vm.live.get(origin, ())


# ---- nodes --------------------------------------------------------------------------------------


def count(vm: Machine, over: Value, first: Any) -> Value:
    settled(vm)
    return made(vm, ITEMS_FROM, (over, first), PYINT)


def item(vm: Machine, container: Var, key: Var) -> Var | None:
    """None: not of these."""
    over = sequence(vm, container)
    if over is None or not is_index(key):
        return None
    return item_of(vm, over, kind_of_items(vm, container), leaf(vm, key))


def item_of(vm: Machine, over: Value, kind: Type, index: Any) -> Traced:
    settled(vm)
    return Traced(made(vm, SEQ_ITEM, (over, index), kind))


def store(vm: Machine, container: Var, key: Var, value: Var) -> bool:
    """False: not of these."""
    over = sequence(vm, container)
    if over is None or not is_index(key) or over.type not in (LIST, BYTEARRAY):
        return False
    given = leaf(vm, value)
    kind = given.type if type(given) is Value else type_of(given)
    if not isinstance(kind, ScalarType) or (over.type == BYTEARRAY and kind != PYINT):
        raise CannotCapture(
            "this loop stores something other than a number into a list or bytearray"
        )
    settled(vm)
    work = working(vm)
    add(vm, Node(SEQ_STORE, (over, leaf(vm, key), given), {}, (), (), vm.place()))
    work.list_stores |= over.type == LIST
    work.commit()
    return True


LIST, BYTEARRAY = ObjectType(list), ObjectType(bytearray)


def is_index(key: Var) -> bool:
    match key:
        case Known(obj):
            return type(obj) is int
        case Traced(value):
            kind = value.type
            return isinstance(kind, ScalarType) and kind.dtype.kind in "iu"
    return False


def settled(vm: Machine) -> None:
    """What is held back has not happened to the object yet."""
    if any(held.do is Do.CALL for held in vm.effects):
        raise CannotCapture("this loop reads a container, and one was changed just before")


def made(vm: Machine, op: Op, args: tuple[Any, ...], kind: Type) -> Value:
    out = Value(kind)
    add(vm, Node(op, args, {}, (out,), (), vm.place()))
    return out


def add(vm: Machine, node: Node) -> None:
    work = working(vm)
    if node.op is not SEQ_APPEND:
        work.read.update(node.inputs[:1])
    work.append(vm, node, False)


# ---- characters ---------------------------------------------------------------------------------


def is_character(var: Var) -> bool:
    return isinstance(var, Traced) and isinstance(var.value.type, CharacterType)


def code_point(vm: Machine, var: Var) -> Var | None:
    """`ord()` of a character; None: it is none."""
    match var:
        case Traced(value) if isinstance(value.type, CharacterType):
            return Traced(made(vm, ORD, (value,), PYINT))
        case Known(str() as obj) if len(obj) == 1:
            return Known(ord(obj))
    return None
