"""A loop in bytecode → a `for` or `loop` node, with what its body carries from round to round.

    enter      the outermost frame stands before a loop, or a branch with loops on its ways: a
               routine begins, which ends where the loop ends, or the ways meet
    take       one loop: its body is walked with a graph value for each number that it carries,
               until their types are those that the rounds end with; where only the first round has
               others (`s = 0`, then `s += x[i]`), that round comes before the loop

    for i in range(n): …             while c: …
    for(n - taken, s…)               loop(s…)
      (k, s…): poll; i = item(k)       (s…): poll; …; yield again, why, s…
        …; yield s…
    where a body breaks, returns or ends a `for` early, that is a `loop`, too

A loop that cannot be one (NotALoop, a break that is on every way) is CPython's, with regions in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from jitcore.fallback.breaks import BreakSignal
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Kind, Unsupported
from jitcore.ir.ops_loop import LEAVE, LEFT, POLL, RANGE_COUNT, RANGE_ITEM, RANGE_NEXT
from jitcore.ir.types import PYINT, SpanType
from jitcore.opcodes.flow import Loop
from jitcore.opcodes.instr import Instr
from jitcore.symbolic import large
from jitcore.symbolic.carried import (
    array_of,
    arrays_apart,
    copy_private,
    drop_spans,
    handed_over,
    stays,
)
from jitcore.symbolic.counted import counted, item_at, known_rounds, may_count
from jitcore.symbolic.either import Kinds, flat, kinds, naming, parts, unflat, union
from jitcore.symbolic.growing import keep_apart, make_lists
from jitcore.symbolic.leave import SHOWS_LOCALS, exit_return
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.made import spans_in
from jitcore.symbolic.piles import all_known, make_piles
from jitcore.symbolic.rounds import (
    Shape,
    after_last,
    count_rounds,
    leave_unless,
    leave_way,
    test_rounds,
)
from jitcore.symbolic.spans import computed, scalar
from jitcore.symbolic.state import Frame, Mark, Routine
from jitcore.symbolic.unwind import Raising
from jitcore.symbolic.values import Counted, Known, Var
from jitcore.symbolic.ways import (
    End,
    Leaf,
    Split,
    Tree,
    changes,
    close,
    closed,
    leaves,
    meet,
    merged,
    split,
    walk,
)
from jitcore.symbolic.working import Fork, NotALoop, TooMuch, Way, Working
from jitcore.symbolic.wrap import realize

UNROLLED = 4  # rounds; in a routine, where constant indices make fewer checks,
UNROLLED_INSIDE = 8
UNROLLED_SIZE = 160  # instructions of all rounds
MAX_FIRSTS = 6  # first rounds that are walked before their loops, in one routine
COUNTERS = (POLL, LEAVE, LEFT, RANGE_COUNT, RANGE_ITEM, RANGE_NEXT)
COMPARISONS = ("op.lt", "op.le", "op.eq", "op.ne", "op.gt", "op.ge", "op.truth", "op.not_")
COUNTING = frozenset((*(row.name for row in COUNTERS), *COMPARISONS))


class Refused(Exception):
    """Capture begins anew, with this loop left to CPython."""

    def __init__(self, at: int, why: Exception) -> None:
        super().__init__(at, why)
        self.at = at
        self.why = f"{why.kind.what}: {why.detail}" if isinstance(why, BreakSignal) else str(why)


# ---- a routine ----------------------------------------------------------------------------------


def wants(vm: Machine, frame: Frame) -> Loop | None:
    """The loop that the outermost frame stands before, if it is to be a routine."""
    at = frame.code.instrs[frame.index].offset
    found = frame.code.loops.get(at)
    if found is None or at in vm.refused or not may_begin(vm, frame):
        return None
    return found if takes(vm, frame, found) and vm.fenced.keys().isdisjoint(found.body) else None


def takes(vm: Machine, frame: Frame, loop: Loop) -> bool:
    """Not a `for` over what is not counted, nor one of few rounds: that is unrolled."""
    header = frame.code.instrs[frame.code.by_offset[loop.header]]
    if header.op != "FOR_ITER":
        return header.op not in ("SEND", "GET_ANEXT")
    it = realize(vm, frame.stack[-1])
    rounds = known_rounds(it)
    if not may_count(vm, it) or rounds is None:
        return may_count(vm, it)
    most = UNROLLED if vm.work is None else UNROLLED_INSIDE
    return rounds > most or rounds * len(loop.body) > UNROLLED_SIZE


def enter(vm: Machine, frame: Frame, loop: Loop) -> None:
    """The loop as a segment of the graph; the frame is then where it ends."""
    instr = frame.code.instrs[frame.index]
    frame.saved, frame.instr, frame.unit = frame.stack.copy(), instr, instr
    vm.walked.append(instr.offset)
    lists_for(vm, frame, loop.body)
    with routine(vm, instr) as work:
        try:
            take(vm, frame, loop, True)
        except Fork as ends:
            work.routine.at = ~instr.offset
            join(vm, frame, ends)
        ended(vm, frame)


def enter_branch(vm: Machine, frame: Frame, fork: Fork) -> None:
    """The same for a branch with loops on its ways: the test before a `while`, say."""
    assert frame.instr is not None
    at, meeting = frame.instr.offset, frame.code.meeting(None, fork.yes.offset, fork.no.offset)
    end = frame.code.instrs[-1].end if meeting is None else meeting
    ahead = [loop.body for header, loop in frame.code.loops.items() if at < header < end]
    lists_for(vm, frame, frozenset().union(*ahead))
    with routine(vm, frame.instr) as work:
        join(vm, frame, fork, meeting is None)
        if not work.routine.headers:
            raise NotALoop("there is no loop on its ways")
        ended(vm, frame)


def ended(vm: Machine, frame: Frame) -> None:
    if frame.result is None:
        drop_spans(vm, frame)
    else:
        handed_over(vm, frame.result)
        frame.locals, frame.stack = [None] * len(frame.locals), []
        vm.returns = True


def join(vm: Machine, frame: Frame, fork: Fork, strict: bool = True) -> None:
    """The frame where the ways meet; where all of them return, with what the function returns."""
    tree = split(vm, frame, None, fork, vm.working().open, strict)
    if tree is None:
        return
    if not frame.code.is_plain:
        raise NotALoop("its ways do not meet")
    lengths = [(one, len(one)) for one in lists(tree)]
    try:
        frame.result = returned(vm, tree)
    except NotALoop:  # of more than two types, say
        for nodes, count in lengths:
            del nodes[count:]
        return_each(vm, tree)
        frame.result = Known(None)


def lists(tree: Tree) -> Iterator[list[Node]]:
    yield tree.nodes
    if isinstance(tree, Split):
        yield from lists(tree.yes)
        yield from lists(tree.no)


def return_each(vm: Machine, tree: Tree) -> None:
    """The function returns where each way does."""
    work = vm.working()
    nodes = work.open
    for way in leaves(tree):
        assert way.value is not None
        handed_over(vm, way.value)
        work.open, work.mark = way.nodes, None
        work.emit(vm, LEAVE, (True,), {})
        work.routine.exits[way.nodes[-1]] = exit_return(vm, way.value)
        way.end = End.GONE
    work.open = nodes
    closed(tree, lambda way: ())


def lists_for(vm: Machine, frame: Frame, offsets: frozenset[int]) -> None:
    assert frame.instr is not None
    try:
        make_lists(vm, frame, offsets)
    except (NotALoop, BreakSignal) as error:
        raise Refused(frame.instr.offset, error.with_traceback(None)) from error


def branches_to_loop(vm: Machine, frame: Frame, at: int, yes: Way, no: Way) -> bool:
    """Is there a loop on the ways of this branch, before they meet, or return?"""
    if vm.inlined or at in vm.refused or not may_begin(vm, frame):
        return False
    if any(~rolled <= at for rolled in vm.rolled if rolled < 0):
        return False
    meeting = frame.code.meeting(None, yes.offset, no.offset)
    end = frame.code.instrs[-1].end if meeting is None else meeting
    if any(at <= fence < end for fence in vm.fenced):
        return False
    return any(at < header < end for header in frame.code.loops)


def may_begin(vm: Machine, frame: Frame) -> bool:
    """Not where the frame's variables are shown: a routine drops those that are not read again."""
    if vm.config.backend != "c" or vm.cut_next is not None:
        return False
    return SHOWS_LOCALS.isdisjoint(frame.code.code.co_names)


@contextmanager
def routine(vm: Machine, instr: Instr) -> Iterator[Working]:
    """What is captured inside is a segment of its own. CPython may go on at the instruction."""
    vm.window()
    outer = vm.outer
    segment = Routine(vm.exit_before(instr), instr.offset, vm.errstate)
    work = Working(segment, segment.nodes, takes, take_inner, call, computed)
    work.mark = Mark(instr.offset, list(outer.saved), list(outer.locals))
    work.small_only = instr.offset + large.SMALL_ONLY in vm.refused
    before = vm.writes, len(vm.effects)
    in_loop, vm.work, vm.in_loop = vm.in_loop, work, True
    try:
        yield work
        if (vm.writes, len(vm.effects)) != before:
            raise NotALoop("it changes objects")
        keep_apart(vm, work)
        large.finish(vm)
        all_known(vm)
        used = {*operations(segment.nodes)}
        if LEAVE.name in used and used <= COUNTING:
            raise NotALoop("nothing is computed on the ways that could be compiled")
        if work.list_stores and work.fixed_items:
            raise NotALoop("it changes a list, of which items are known")
    except large.LargeOnAWay as error:
        raise Refused(instr.offset + large.SMALL_ONLY, error.with_traceback(None)) from error
    except (NotALoop, BreakSignal, Unsupported, Raising) as error:
        if isinstance(error, TooMuch) and instr.offset not in outer.code.loops:
            vm.rolled.add(~instr.offset)
        # with its frames the user's objects would live until the next garbage collection
        raise Refused(segment.at, error.with_traceback(None)) from error
    finally:
        vm.work, vm.in_loop = None, in_loop
    vm.segments.append(segment)
    vm.fresh_window, vm.routines = True, True
    vm.notes += work.notes
    vm.cut_here = work.list_stores or any(work.grown.values()) or work.hands_over


def operations(nodes: Sequence[Node]) -> Iterator[str]:
    """By name, those of all bodies."""
    for node in nodes:
        if node.op.kind is not Kind.CONTROL:
            yield node.op.name
        for body in node.bodies:
            yield from operations(body.nodes)


def call(vm: Machine, frame: Frame) -> Var:
    """A function that is called in a body: what it returns, on whichever way."""
    work = vm.working()
    nodes, commits = work.open, work.commits
    tree = walk(vm, frame, None, None)
    work.open = nodes
    if work.commits != commits:
        work.mark = None
    return returned(vm, tree)


def returned(vm: Machine, tree: Tree) -> Var:
    """What a function returns, on whichever way."""
    if isinstance(tree, Leaf) and tree.value is not None:
        return tree.value
    values = {id(way.value): way.value for way in leaves(tree)}
    if len(values) > 1:
        return merged(vm, tree, lambda way: [way.value])[0]
    close(tree, lambda way: ())
    (value,) = values.values()
    assert value is not None
    return value


# ---- one loop -----------------------------------------------------------------------------------


def take_inner(vm: Machine, frame: Frame, loop: Loop) -> None:
    vm.working().inner += 1
    try:
        take(vm, frame, loop, False)
    finally:
        vm.working().inner -= 1


def take(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> None:
    """Nodes for the loop; the frame is then where it ends. A Fork, where it ends in two places."""
    make_piles(vm, frame, loop.body)
    mark, commits = vm.working().mark, vm.working().commits
    if frame is vm.outer:
        vm.working().routine.headers.add(loop.header)
    if frame.code.instrs[frame.index].op == "FOR_ITER":
        frame.stack[-1] = counted(vm, frame)
    shape = settle(vm, frame, loop, first_pays(vm, frame, loop, outermost))
    if shape is None and copy_private(vm, frame, mark):
        shape = settle(vm, frame, loop, True)
    for again in (True, False):  # an array may be what another was in the round before
        if shape is None:
            try_first_round(vm, frame, loop, outermost)
            strict = again and bool(vm.working().moved) and first_pays(vm, frame, loop, outermost)
            shape = settle(vm, frame, loop, strict)
    if shape is None:
        raise NotALoop("a variable may not be bound when a round begins")
    repeatable(vm, frame, mark, commits)
    if shape.it is not None and not any(way.end is End.OUT for way in leaves(shape.tree)):
        count_rounds(vm, frame, loop, shape)
    else:
        test_rounds(vm, frame, loop, shape, outermost)


def first_pays(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> bool:
    """To walk one round before the loop, if only that has other types. It is C twice as long."""
    work = vm.working()
    is_for = frame.code.instrs[frame.index].op == "FOR_ITER"
    return work.firsts < MAX_FIRSTS and (is_for or outermost)


def settle(vm: Machine, frame: Frame, loop: Loop, strict: bool) -> Shape | None:
    """None: a variable is not yet bound; or, if `strict`, only a first round has other types."""
    work = vm.working()
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
            raise NotALoop(
                f"{name}: an array that takes the place of another, which others may have"
            )
        carried = found
    raise NotALoop("types that do not settle")


def walked(
    vm: Machine, frame: Frame, loop: Loop, slots: list[int], carried: dict[int, Kinds]
) -> tuple[Shape, dict[int, Kinds]]:
    """A round with variables of these kinds, and the kinds that there are at its end."""
    work = vm.working()
    start, stack, nodes = frame.locals, frame.stack, work.open
    mark, commits = work.mark, work.commits
    initial = [x for i, one in carried.items() for x in parts(vm, start[i], one)]
    params = [Value(kind) for one in carried.values() for kind in flat(one)]
    vm.parts.in_c_order.update(one for one in params if isinstance(one.type, SpanType))
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
        raise NotALoop("no way leads to a second round")
    found = {}
    for i, one in carried.items():
        with naming(frame.code.local_names[i]):
            found[i] = union([one, *(kinds(vm, way.locals[i]) for way in rounds)])
            found[i] = union([found[i], *kinds_outside(vm, frame, tree, i)])
    assert it is None or isinstance(it, Counted)
    base = tuple(stack[:-1] if it is not None else stack)
    live = frame.code.live[loop.header]
    slots = [i for i in slots if i in carried or i not in live or array_of(vm, start[i]) is None]
    return Shape(slots, carried, initial, params, body, tree, it, k, base), found


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
        vm.working().mark = Mark(loop.header, list(frame.stack), list(frame.locals))


def repeatable(vm: Machine, frame: Frame, mark: Mark | None, commits: int) -> None:
    """After a loop: CPython goes on here, or makes the whole call that the loop was in."""
    work = vm.working()
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
    work = vm.working()
    before = list(frame.locals), list(frame.stack), work.mark
    nodes, count, depth, kept = work.open, len(work.open), len(vm.frames), changes(vm)
    level = work.level
    try:
        first_round(vm, frame, loop, outermost)
    except (NotALoop, BreakSignal, Unsupported) as error:
        if kept != changes(vm) or isinstance(error, TooMuch):
            raise
        del nodes[count:], vm.frames[depth:]
        work.open, work.level = nodes, level
        frame.locals, frame.stack, work.mark = before
        vm.jump(frame, loop.header)


def first_round(vm: Machine, frame: Frame, loop: Loop, outermost: bool) -> None:
    """Walk one round before the loop, where there is one; else an outermost loop is CPython's."""
    work = vm.working()
    work.firsts += 1
    mark, commits, level = work.mark, work.commits, work.level
    work.deeper()
    if frame.code.instrs[frame.index].op == "FOR_ITER":
        it = counted_iter(frame)
        known = type(it.count) is int and type(it.taken) is int
        if known and it.taken >= it.count:
            raise NotALoop("it has no rounds")
        if not known and not it.sure:
            some = scalar(vm, LEFT, it.taken, it.count)
            if not outermost:
                begun = [*frame.stack[:-1], replace(it, sure=True)]
                raise Fork(frame, some, Way(loop.header, 0, begun), Way(after_last(frame, loop), 1))
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
        raise NotALoop("no way leads to a second round")
    work.open, work.level = nodes, level
    repeatable(vm, frame, mark, commits)
