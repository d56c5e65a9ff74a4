"""A loop in bytecode → a `for` or `loop` node, with what its body carries from round to round.

The body is walked with a graph value for each number that it carries, until their types are those
that the rounds end with. Where only the first round has others (`s = 0`, then `s += x[i]`), that
round comes before the loop.

    for i in range(n): …             while c: …
    for(n - taken, s…)               loop(s…)
      (k, s…): poll; i = item(k)       (s…): poll; …; yield again, why, s…
        …; yield s…
    where a body breaks, returns or ends a `for` early, that is a `loop`, too

Which loops are taken, and where a routine of them begins and ends, loop_region.py says.
"""

from __future__ import annotations

from jitcore.fallback.breaks import BreakSignal
from jitcore.host.fast_dataclass import replace
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Unsupported
from jitcore.ir.ops.loop import LEFT, POLL, RANGE_NEXT
from jitcore.ir.types import PYINT, DynArrayType
from jitcore.opcodes.flow import Loop
from jitcore.symbolic.loops.branches import End, Split, Tree, changes, leaves, meet, walk
from jitcore.symbolic.loops.carried_arrays import array_of, arrays_apart, copy_private, stays
from jitcore.symbolic.loops.counted_iter import counted, item_at
from jitcore.symbolic.loops.local_arrays import spans_in
from jitcore.symbolic.loops.local_stack import make_piles
from jitcore.symbolic.loops.loop_node import (
    LoopBody,
    after_last,
    count_rounds,
    leave_unless,
    leave_way,
    test_rounds,
)
from jitcore.symbolic.loops.loop_state import Arm, CannotCapture, Fork, TooMuch, scalar, working
from jitcore.symbolic.loops.union_value import Kinds, flat, kinds, naming, parts, unflat, union
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame, ResumePoint
from jitcore.symbolic.values import Counted

MAX_FIRSTS = 6  # first rounds that are walked before their loops, in one routine


def take_inner(vm: Machine, frame: Frame, loop: Loop) -> None:
    working(vm).inner += 1
    try:
        take(vm, frame, loop, False)
    finally:
        working(vm).inner -= 1


def take(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> None:
    """Nodes for the loop; the frame is then where it ends. A Fork, where it ends in two places."""
    make_piles(vm, frame, loop.body)
    mark, commits = working(vm).mark, working(vm).commits
    if frame is vm.outer:
        working(vm).routine.headers.add(loop.header)
    if frame.code.instrs[frame.index].op == "FOR_ITER":
        frame.stack[-1] = counted(vm, frame)
    shape = settle(vm, frame, loop, first_pays(vm, frame, loop, outermost))
    if shape is None and copy_private(vm, frame, mark):
        shape = settle(vm, frame, loop, True)
    for again in (True, False):  # an array may be what another was in the round before
        if shape is None:
            try_first_round(vm, frame, loop, outermost)
            strict = again and bool(working(vm).moved) and first_pays(vm, frame, loop, outermost)
            shape = settle(vm, frame, loop, strict)
    if shape is None:
        raise CannotCapture("a variable may be unset when an iteration of this loop begins")
    repeatable(vm, frame, mark, commits)
    if shape.it is not None and not any(way.end is End.OUT for way in leaves(shape.tree)):
        count_rounds(vm, frame, loop, shape)
    else:
        test_rounds(vm, frame, loop, shape, outermost)


def first_pays(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> bool:
    """To walk one round before the loop, if only that has other types. It is C twice as long."""
    work = working(vm)
    is_for = frame.code.instrs[frame.index].op == "FOR_ITER"
    return work.firsts < MAX_FIRSTS and (is_for or outermost)


def settle(vm: Machine, frame: Frame, loop: Loop, strict: bool) -> LoopBody | None:
    """None: a variable is not yet bound; or, if `strict`, only a first round has other types."""
    work = working(vm)
    work.moved = []  # others were another loop's, of another frame perhaps
    start, live = list(frame.locals), frame.code.live[loop.header]
    slots = sorted({i for at in loop.body for i in written(frame, at)})
    if any(start[i] is None for i in slots if i in live):
        return None
    fixed = [i for i in slots if i in live and array_of(vm, start[i]) is not None]
    carried = {}
    for i in slots:
        if i in live and i not in fixed:
            with naming(frame.code.local_names[i]):
                carried[i] = kinds(vm, start[i])
    for _ in range(len(carried) + 2):
        shape, found = walked(vm, frame, loop, slots, carried)
        work.moved = [i for i in fixed if not stays(vm, shape, i, start[i])]
        if found == carried and not work.moved:
            arrays_apart(vm, frame, shape)
            return shape
        if strict:
            return None
        if work.moved:
            name = frame.code.local_names[work.moved[0]]
            raise CannotCapture(
                f"this loop sets {name} to another array, and other variables may hold the first"
            )
        carried = found
    raise CannotCapture("a variable of this loop changes its type at each iteration")


def walked(
    vm: Machine, frame: Frame, loop: Loop, slots: list[int], carried: dict[int, Kinds]
) -> tuple[LoopBody, dict[int, Kinds]]:
    """A round with variables of these kinds, and the kinds that there are at its end."""
    work = working(vm)
    start, stack, nodes = frame.locals, frame.stack, work.open
    mark, commits = work.mark, work.commits
    initial = [x for i, one in carried.items() for x in parts(vm, start[i], one)]
    params = [Value(kind) for one in carried.values() for kind in flat(one)]
    vm.parts.in_c_order.update(one for one in params if isinstance(one.type, DynArrayType))
    body: list[Node] = []
    work.open, level = body, work.level
    work.deeper()
    frame.locals, frame.stack = list(start), list(stack)
    for i, var in zip(carried, unflat(list(carried.values()), params), strict=True):
        frame.locals[i] = var
    it = stack[-1] if frame.code.instrs[frame.index].op == "FOR_ITER" else None
    k = Value(PYINT) if it is not None else None
    tree = one_round(vm, frame, loop, k)
    work.open, work.level = nodes, level
    work.mark = None if frame is vm.outer or work.commits != commits else mark
    frame.locals, frame.stack = start, stack
    vm.jump(frame, loop.header)
    rounds = [way for way in leaves(tree) if way.end is End.ROUND]
    if not rounds:
        raise CannotCapture(
            "no path that jitcore compiles leads to a second iteration of this loop"
        )
    found = {}
    for i, one in carried.items():
        with naming(frame.code.local_names[i]):
            found[i] = union([one, *(kinds(vm, way.locals[i]) for way in rounds)])
            found[i] = union([found[i], *kinds_outside(vm, frame, tree, i)])
    assert it is None or isinstance(it, Counted)
    base = tuple(stack[:-1] if it is not None else stack)
    live = frame.code.live[loop.header]
    slots = [i for i in slots if i in carried or i not in live or array_of(vm, start[i]) is None]
    return LoopBody(slots, carried, initial, params, body, tree, it, k, base), found


def kinds_outside(vm: Machine, frame: Frame, tree: Tree, i: int) -> list[Kinds]:
    """Of an array, where the loop is left: its extents may be others there."""
    ends = [way for way in leaves(tree) if way.end is End.OUT and i in frame.code.live[way.at]]
    return [kinds(vm, way.locals[i]) for way in ends if spans_in(way.locals[i])]


def written(frame: Frame, at: int) -> frozenset[int]:
    return frame.code.writes(at)


def one_round(vm: Machine, frame: Frame, loop: Loop, k: Value | None) -> Tree:
    """From the header on. CPython may go on here, at the header, in each round."""
    if k is not None:
        frame.stack[-1] = replace(counted_iter(frame), taken=k)
    at_header(vm, frame, loop)
    scalar(vm, POLL)
    if k is not None:
        next_item(vm, frame)
    return walk(vm, frame, loop, None, k is not None)


def at_header(vm: Machine, frame: Frame, loop: Loop) -> None:
    """Of a call it is not known how CPython would go on inside it."""
    if frame is vm.outer:
        working(vm).mark = ResumePoint(loop.header, list(frame.stack), list(frame.locals))


def repeatable(vm: Machine, frame: Frame, mark: ResumePoint | None, commits: int) -> None:
    """After a loop: CPython goes on here, or makes the whole call that the loop was in."""
    work = working(vm)
    if frame is vm.outer:
        work.commit()
    elif work.commits == commits:
        work.mark = mark


def counted_iter(frame: Frame) -> Counted:
    it = frame.stack[-1]
    assert isinstance(it, Counted)
    return it


def next_item(vm: Machine, frame: Frame) -> None:
    """What FOR_ITER does where items are left."""
    it = counted_iter(frame)
    item = item_at(vm, it.over, it.taken)
    one = type(it.taken) is int
    taken = it.taken + 1 if one else scalar(vm, RANGE_NEXT, it.taken)
    frame.stack[-1] = replace(it, taken=taken, sure=False)
    frame.stack.append(item)
    vm.jump(frame, frame.code.instrs[frame.index].end)


def try_first_round(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> None:
    """As if nothing had happened, where it cannot be walked: a way that breaks is the only one in
    a first round whose conditions are known."""
    work = working(vm)
    before = list(frame.locals), list(frame.stack), work.mark
    nodes, count, depth, kept = work.open, len(work.open), len(vm.frames), changes(vm)
    level = work.level
    try:
        first_round(vm, frame, loop, outermost)
    except (CannotCapture, BreakSignal, Unsupported) as error:
        if kept != changes(vm) or isinstance(error, TooMuch):
            raise
        del nodes[count:], vm.frames[depth:]
        work.open, work.level = nodes, level
        frame.locals, frame.stack, work.mark = before
        vm.jump(frame, loop.header)


def first_round(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> None:
    """Walk one round before the loop, where there is one; else an outermost loop is CPython's."""
    work = working(vm)
    work.firsts += 1
    mark, commits, level = work.mark, work.commits, work.level
    work.deeper()
    if frame.code.instrs[frame.index].op == "FOR_ITER":
        it = counted_iter(frame)
        known = type(it.count) is int and type(it.taken) is int
        if known and it.taken >= it.count:
            raise CannotCapture("this loop has no iterations")
        if not known and not it.sure:
            some = scalar(vm, LEFT, it.taken, it.count)
            if not outermost:
                begun = [*frame.stack[:-1], replace(it, sure=True)]
                raise Fork(frame, some, Arm(loop.header, 0, begun), Arm(after_last(frame, loop), 1))
            leave_unless(vm, frame, some, loop.header, False)
        at_header(vm, frame, loop)
        next_item(vm, frame)
        tree = walk(vm, frame, loop, None, True)
    else:
        at_header(vm, frame, loop)
        tree = walk(vm, frame, loop, None)
    nodes = tree.nodes
    for way in list(leaves(tree)):
        if way.end is End.OUT:
            leave_way(vm, frame, way)
    if isinstance(tree, Split):
        meet(vm, frame, loop.header, tree)
    elif tree.end is End.GONE:
        raise CannotCapture(
            "no path that jitcore compiles leads to a second iteration of this loop"
        )
    work.open, work.level = nodes, level
    repeatable(vm, frame, mark, commits)
