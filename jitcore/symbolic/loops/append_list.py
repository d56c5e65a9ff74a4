"""Lists that a routine appends to: the very object grows, round by round.

    out = []                          a list of the region's own is made before the routine,
    for v in x: out.append(f(v))      seq.append: one more item

Nobody reads the list in the routine: its items move as it grows. One that came from elsewhere is
none of those that are read, by guards; after the routine the region ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jitcore.guards.guard import HasType, SameObject
from jitcore.guards.source import Source
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Effect, Kind, Op
from jitcore.ir.ops.loop import SEQ_APPEND
from jitcore.ir.ops.python import OF_LISTS, new_list
from jitcore.ir.types import ScalarType, type_of
from jitcore.symbolic.loops import local_stack
from jitcore.symbolic.loops.counted_iter import is_held
from jitcore.symbolic.loops.loop_state import CannotCapture, LoopState, working
from jitcore.symbolic.loops.sequences import LIST, add, is_character, settled
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.nodes import leaf
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Bound, Known, Lazy, List, TaggedUnion, Traced, Var
from jitcore.symbolic.wrap import realize

NEW_LIST = Op("py.list", new_list, Kind.OPAQUE, Effect.SILENT, lambda op, args, kwargs: LIST)
EMPTY_LIST = Op("py.list", list, Kind.OPAQUE, Effect.SILENT, lambda op, args, kwargs: LIST)

OF_LIST = {id(row.target): (row.target, row) for row in OF_LISTS}

# ---- before a routine ---------------------------------------------------------------------------


def make_lists(vm: Machine, frame: Frame, offsets: Iterable[int]) -> None:
    """Those of the region's own that the instructions at these offsets append to."""
    others = [frame.locals[i] for i in local_stack.piled(frame, offsets)]
    for var in appended(frame, offsets):
        if isinstance(var, List) and var.origin is None and not any(var is one for one in others):
            make_list(vm, frame, var)


def appended(frame: Frame, offsets: Iterable[int]) -> list[Var | None]:
    code = frame.code
    found: list[Var | None] = []
    before = None
    for at in sorted(offsets):
        for canon in code.canonical(code.by_offset[at]):
            if canon.op == "LIST_APPEND" and len(frame.stack) > 1:
                found.append(frame.stack[-2])
            loads = canon.op in ("LOAD_ATTR", "LOAD_METHOD") and canon.argval == "append"
            if loads and before is not None:
                found.append(frame.locals[before])
            is_local = canon.op in ("LOAD_FAST", "LOAD_FAST_CHECK")
            before = canon.arg if is_local else None
    return found


def make_list(vm: Machine, frame: Frame, var: List) -> None:
    items = [realize(vm, item) for item in var.items]
    if any(isinstance(one, TaggedUnion) for one in items) or not all(map(is_plain, items)):
        return
    row = NEW_LIST if items else EMPTY_LIST
    out = Value(LIST)
    made = Traced(out)
    for slots in (frame.locals, frame.stack, frame.saved):
        where = [i for i, one in enumerate(slots) if one is var]
        for i in where:
            slots[i] = made
    if is_held(vm, None, [var]):
        raise CannotCapture("this loop appends to a list that another object holds")
    args = tuple(leaf(vm, item) for item in items)
    vm.window().nodes.append(Node(row, args, {}, (out,), (), vm.place()))


def is_plain(item: Var) -> bool:
    if isinstance(item, Traced):
        return isinstance(item.value.type, ScalarType)
    return isinstance(item, Known) and type(item.obj) in (int, float, bool, complex, str)


# ---- after a routine ----


def as_array(vm: Machine, fn: Any, args: tuple[Var, ...], kwargs: dict[str, Var]) -> Var | None:
    """`np.array(out)` of a list that has grown, whose items are numbers and characters: NumPy's own
    call, which runs nothing of the user's. None: something else."""
    found = OF_LIST.get(id(fn))
    if found is None or found[0] is not fn or len(args) != 1 or not {"dtype"} >= set(kwargs):
        return None
    over = realize(vm, args[0])
    if not isinstance(over, Traced) or over.value.type != LIST:
        return None
    words = {key: leaf(vm, realize(vm, one), True) for key, one in kwargs.items()}
    return vm.emit(found[1], (over.value,), words)


# ---- in a routine -------------------------------------------------------------------------------


def may_grow(vm: Machine, owner: Var) -> bool:
    """A list that nobody has looked at, or that was made for this."""
    match owner:
        case Traced(value, origin=None):
            return value.type == LIST
        case Lazy(origin, obj):
            return type(obj) is list and origin not in vm.realized and id(obj) not in vm.by_id
    return False


def bound(vm: Machine, owner: Var, name: str) -> Bound | None:
    if name != "append" or not may_grow(vm, owner):
        return None
    return Bound(owner, name)


def append(vm: Machine, owner: Var, value: Var) -> Var:
    over = grown(vm, owner)
    value = realize(vm, value)
    if is_character(value):
        item: Any = leaf(vm, value)
    elif isinstance(value, Known) and type(value.obj) is str and len(value.obj) == 1:
        item = value.obj
        if ord(item) > 255:
            raise CannotCapture("this loop appends a string to a list")
    else:
        item = leaf(vm, value)
        if not isinstance(item.type if type(item) is Value else type_of(item), ScalarType):
            raise CannotCapture("this loop appends objects other than numbers to a list")
    add(vm, Node(SEQ_APPEND, (over, item), {}, (), (), vm.place()))
    working(vm).commit()
    return Known(None)


def grown(vm: Machine, owner: Var) -> Value:
    settled(vm)
    work = working(vm)
    if isinstance(owner, Traced):
        work.grown[owner.value] = None
        return owner.value
    assert isinstance(owner, Lazy)
    origin = owner.origin
    vm.guard(HasType(origin, list))
    vm.live[origin] = vm.mutable[origin] = owner.obj
    vm.mutated.add(origin)
    vm.blind.add(origin)
    value = vm.input(origin, LIST)
    work.grown[value] = origin
    return value


def keep_apart(vm: Machine, work: LoopState) -> None:
    """No list that grows is one that is read, or grows under another name."""
    lists: dict[Value, Source | None] = {
        value: origin for origin, value in vm.inputs.items() if value.type == LIST
    }
    lists |= work.grown
    for value, origin in work.grown.items():
        if value in work.read:
            raise CannotCapture("this loop reads a list that it appends to")
        for other, where in lists.items():
            if other is value or origin is None or where is None:
                continue
            if vm.live.get(origin) is vm.live.get(where):
                raise CannotCapture("this loop appends to a list that has two names")
            vm.guard(SameObject(origin, where, False))
