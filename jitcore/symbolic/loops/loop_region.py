"""A loop, or a branch with loops on its ways → a segment of the graph that is C as a whole.

    enter          the outermost frame stands before a loop
    enter_branch   … or before a branch with loops on its ways: the test before a `while`, say

The segment ends where the loop ends, or the ways meet; where each of them returns, the function
does. What cannot be one (CannotCapture, a break on every arm) is rejected: capture begins anew,
and the loop is CPython's, with regions in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from jitcore.fallback import breaks
from jitcore.fallback.breaks import BreakSignal
from jitcore.ir.graph import Node
from jitcore.ir.op import Kind, Unsupported
from jitcore.ir.ops.loop import LEAVE, LEFT, POLL, RANGE_COUNT, RANGE_ITEM, RANGE_NEXT
from jitcore.opcodes.flow import Loop
from jitcore.opcodes.instr import Instr
from jitcore.symbolic.exits import SHOWS_LOCALS, exit_return
from jitcore.symbolic.loops import size_limits
from jitcore.symbolic.loops.append_list import keep_apart, make_lists
from jitcore.symbolic.loops.array_views import computed
from jitcore.symbolic.loops.branches import (
    End,
    Leaf,
    Split,
    Tree,
    close,
    closed,
    leaves,
    merged,
    split,
    walk,
)
from jitcore.symbolic.loops.carried_arrays import drop_spans, handed_over
from jitcore.symbolic.loops.counted_iter import known_rounds, may_count
from jitcore.symbolic.loops.local_stack import all_known
from jitcore.symbolic.loops.loop_state import Arm, CannotCapture, Fork, LoopState, TooMuch, working
from jitcore.symbolic.loops.walk_loop import take, take_inner
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.signals import Raising
from jitcore.symbolic.state import Frame, LoopRegion, ResumePoint
from jitcore.symbolic.values import Known, Var
from jitcore.symbolic.wrap import realize

UNROLLED = 4  # rounds; in a routine, where constant indices make fewer checks,
UNROLLED_INSIDE = 8
UNROLLED_SIZE = 160  # instructions of all rounds
COUNTERS = (POLL, LEAVE, LEFT, RANGE_COUNT, RANGE_ITEM, RANGE_NEXT)
COMPARISONS = ("op.lt", "op.le", "op.eq", "op.ne", "op.gt", "op.ge", "op.truth", "op.not_")
COUNTING = frozenset((*(row.name for row in COUNTERS), *COMPARISONS))


class LoopRejected(Exception):
    """Capture begins anew, with this loop left to CPython."""

    def __init__(self, at: int, why: Exception) -> None:
        super().__init__(at, why)
        self.at = at
        self.why = in_words(why)


def in_words(why: Exception) -> str:
    match why:
        case BreakSignal(kind=kind, detail=detail):
            text = kind.said(detail).removesuffix(f": {breaks.LOOP_COST}")
            return f"this loop's body has a graph break ({kind.code} {text})"
        case Unsupported():
            return f"this loop's body has an operation that jitcore does not compile ({why})"
        case Raising():
            return f"this loop's body raises an exception ({why})"
    return str(why)


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
    try:
        it = realize(vm, frame.stack[-1])
    except BreakSignal:
        return False  # the instruction says so, when it is its turn
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
            raise CannotCapture("neither arm of this branch has a loop")
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
    tree = split(vm, frame, None, fork, working(vm).open, strict)
    if tree is None:
        return
    if not frame.code.is_plain:
        raise CannotCapture("the arms of this branch do not meet again")
    lengths = [(one, len(one)) for one in lists(tree)]
    try:
        frame.result = returned(vm, tree)
    except CannotCapture:  # of more than two types, say
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
    work = working(vm)
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
    except (CannotCapture, BreakSignal) as error:
        raise LoopRejected(frame.instr.offset, error.with_traceback(None)) from error


def branches_to_loop(vm: Machine, frame: Frame, at: int, yes: Arm, no: Arm) -> bool:
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
def routine(vm: Machine, instr: Instr) -> Iterator[LoopState]:
    """What is captured inside is a segment of its own. CPython may go on at the instruction."""
    vm.window()
    outer = vm.outer
    segment = LoopRegion(vm.exit_before(instr), instr.offset, vm.errstate)
    work = LoopState(segment, segment.nodes, takes, take_inner, call, computed)
    work.mark = ResumePoint(instr.offset, list(outer.saved), list(outer.locals))
    work.small_only = instr.offset + size_limits.SMALL_ONLY in vm.refused
    before = vm.writes, len(vm.effects)
    in_loop, vm.work, vm.in_loop = vm.in_loop, work, True
    try:
        yield work
        if (vm.writes, len(vm.effects)) != before:
            raise CannotCapture("this loop changes Python objects")
        keep_apart(vm, work)
        size_limits.finish(vm)
        all_known(vm)
        used = {*operations(segment.nodes)}
        if LEAVE.name in used and used <= COUNTING:
            raise CannotCapture(
                "nothing is computed on the paths of this loop that can be compiled"
            )
        if work.list_stores and work.fixed_items:
            raise CannotCapture("this loop changes a list whose items are constants of the graph")
    except size_limits.LargeOnAWay as error:
        raise LoopRejected(
            instr.offset + size_limits.SMALL_ONLY, error.with_traceback(None)
        ) from error
    except (CannotCapture, BreakSignal, Unsupported, Raising) as error:
        if isinstance(error, TooMuch) and instr.offset not in outer.code.loops:
            vm.rolled.add(~instr.offset)
        # with its frames the user's objects would live until the next garbage collection
        raise LoopRejected(segment.at, error.with_traceback(None)) from error
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
    work = working(vm)
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
