"""The ways through code that branches on run-time values: walked one after the other, then joined.

    walk ─▶ Fork ─┬▶ one way ─▶ Leaf: it comes to the meeting, goes round, leaves the loop, returns
                  └▶ the other ─▶ …
            both come to the meeting:  a `cond` node, and the walk goes on with what it gives
            else:                      a Split, which whoever asked for the walk closes

A way that cannot be captured is one that is left to CPython (LEAVE): the frame goes on there where
the way begins. Nothing but numbers may differ where ways meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum, auto
from typing import Any

from jitcore.fallback.breaks import BreakSignal
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node
from jitcore.ir.op import Unsupported, leaf_type
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.ops.loop import LEAVE
from jitcore.opcodes.flow import Loop
from jitcore.symbolic.loops.local_arrays import only_named_once, same_order
from jitcore.symbolic.loops.loop_state import Arm, CannotCapture, Fork, TooMuch, working
from jitcore.symbolic.loops.union_value import cond, kinds, naming, parts, unflat, union, zero
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.signals import Raising
from jitcore.symbolic.state import Frame, ResumePoint
from jitcore.symbolic.values import Known, Var

MAX_SPLITS = 400  # of one routine: ways that do not meet soon are walked several times


class End(Enum):
    MEETING = auto()
    ROUND = auto()  # at the loop's header again
    OUT = auto()  # of the loop: at `at`
    RETURN = auto()
    GONE = auto()  # CPython's


@dataclass(slots=True, eq=False)
class Leaf:
    """How one way ended."""

    end: End
    nodes: list[Node]
    at: int = -1
    locals: Sequence[Var | None] = ()
    stack: Sequence[Var] = ()
    value: Var | None = None


@dataclass(slots=True, eq=False)
class Split:
    nodes: list[Node]
    predicate: Any
    yes: Tree
    no: Tree


Tree = Leaf | Split
Results = Callable[[Leaf], Sequence[Any]]


# ---- walking ------------------------------------------------------------------------------------


def walk(
    vm: Machine, frame: Frame, loop: Loop | None, meeting: int | None, moved: bool = False
) -> Tree:
    """From where the frame is to the end of the way; nodes go to the list that is open."""
    work = working(vm)
    nodes = work.open
    while True:
        if frame.result is not None:
            return Leaf(End.RETURN, nodes, value=frame.result)
        at = frame.code.instrs[frame.index].offset
        if at == meeting:
            return ended(frame, End.MEETING, nodes, at)
        if loop is not None and at not in loop.body:
            return ended(frame, End.OUT, nodes, at)
        if loop is not None and at == loop.header and moved:
            return ended(frame, End.ROUND, nodes, at)
        found = frame.code.loops.get(at)
        try:
            if found is None or found is loop or not work.takes(vm, frame, found):
                vm.step(frame)
            else:
                work.loop(vm, frame, found)
        except Fork as fork:
            if fork.frame is not frame:
                raise CannotCapture("this loop has a branch in a generator") from None
            tree = split(vm, frame, loop, fork, nodes)
            if tree is not None:
                return tree
        moved = True


def ended(frame: Frame, end: End, nodes: list[Node], at: int) -> Leaf:
    return Leaf(end, nodes, at, tuple(frame.locals), tuple(frame.stack))


def split(
    vm: Machine,
    frame: Frame,
    loop: Loop | None,
    fork: Fork,
    nodes: list[Node],
    strict: bool = False,
) -> Tree | None:
    """All ways. None: they have met, and the frame is where they did. `strict`: none of them is
    left to CPython."""
    work = working(vm)
    mark, commits = work.mark, work.commits
    meeting = meeting_of(frame, loop, fork)
    tree = both(vm, frame, loop, fork, nodes, meeting, strict)
    if meeting is None:
        return tree
    work.mark = None if work.commits != commits else mark
    meet(vm, frame, meeting, tree)
    return None


def meeting_of(frame: Frame, loop: Loop | None, fork: Fork) -> int | None:
    meeting, *others = offsets(fork)
    for at in others:
        found = frame.code.meeting(loop, meeting, at)
        if found is None:
            return None
        meeting = found
    return meeting


def offsets(fork: Fork) -> Iterator[int]:
    """Where its ways begin."""
    for way in (fork.yes, fork.no):
        if way.then is None:
            yield way.offset
        else:
            yield from offsets(way.then)


def both(
    vm: Machine,
    frame: Frame,
    loop: Loop | None,
    fork: Fork,
    nodes: list[Node],
    meeting: int | None,
    strict: bool,
) -> Split:
    work = working(vm)
    work.splits += 1
    if work.splits > MAX_SPLITS:
        raise TooMuch("this loop has too many branches")
    before = ForkState(tuple(frame.locals), tuple(frame.stack), work.mark, work.commits, work.level)
    trees: list[Tree] = []
    failed: list[Exception] = []
    for way in (fork.yes, fork.no):
        open_way(vm, frame, before, way)
        if way.then is not None:
            trees.append(both(vm, frame, loop, way.then, work.open, meeting, strict))
            continue
        tree = tried(vm, frame, loop, meeting, failed)
        if strict and failed:
            raise failed[0]
        trees.append(tree or left(vm, frame, before, way))
    yes, no = trees
    if len(failed) == 2:
        raise failed[0]
    work.open, work.level = nodes, before.level
    return Split(nodes, fork.predicate, yes, no)


@dataclass(frozen=True, slots=True)
class ForkState:
    """What both ways of a branch begin with."""

    locals: tuple[Var | None, ...]
    stack: tuple[Var, ...]
    mark: ResumePoint | None
    commits: int
    level: int


def open_way(vm: Machine, frame: Frame, before: ForkState, way: Arm) -> None:
    work = working(vm)
    work.open, work.mark = [], before.mark
    work.deeper()
    frame.result, frame.kw_names, frame.unit_continues = None, (), False
    frame.locals = list(before.locals)
    frame.stack = list(before.stack if way.stack is None else way.stack)
    del frame.stack[len(frame.stack) - way.pops :]
    if way.known is not None:
        old, new = way.known
        frame.locals = [new if var is old else var for var in frame.locals]
        frame.stack = [new if var is old else var for var in frame.stack]
    vm.jump(frame, way.offset)


def tried(
    vm: Machine, frame: Frame, loop: Loop | None, meeting: int | None, failed: list[Exception]
) -> Tree | None:
    depth = len(vm.frames)
    handled, opaque, kept = len(vm.handled), vm.opaque, changes(vm)
    working(vm).ways += 1
    try:
        return walk(vm, frame, loop, meeting, True)
    except (BreakSignal, CannotCapture, Unsupported, Raising) as error:
        if frame is not vm.outer or kept != changes(vm) or isinstance(error, TooMuch):
            raise
        working(vm).left_out(vm, error)
        del vm.frames[depth:], vm.handled[handled:]
        vm.opaque = opaque
        failed.append(error.with_traceback(None))  # whose frames would hold the list
        return None
    finally:
        working(vm).ways -= 1


def changes(vm: Machine) -> tuple[int, ...]:
    """What a way must not change, if it is walked in vain."""
    return vm.writes, len(vm.effects), vm.errstate, len(vm.tokens)


def left(vm: Machine, frame: Frame, before: ForkState, way: Arm) -> Leaf:
    """CPython goes on where the way begins."""
    work = working(vm)
    open_way(vm, frame, before, way)
    leave_at(vm, frame, way.offset, False)
    return Leaf(End.GONE, work.open)


def leave_at(
    vm: Machine, frame: Frame, offset: int, for_good: bool, through_point: bool = True
) -> None:
    """A node that leaves the routine, in the state of the outermost frame before this
    instruction. `for_good`: the loop would end there in CPython, too."""
    work = working(vm)
    work.mark = ResumePoint(offset, list(frame.stack), list(frame.locals))
    work.emit(vm, LEAVE, (for_good,), {}, through_point)


# ---- meeting ------------------------------------------------------------------------------------


def leaves(tree: Tree) -> Iterator[Leaf]:
    """Those that end somewhere."""
    if isinstance(tree, Split):
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    elif tree.end is not End.GONE:
        yield tree


def meet(vm: Machine, frame: Frame, at: int, tree: Split) -> None:
    """The frame where all ways have come to: what differs, and is used again, comes from a `cond`
    node."""
    ways = list(leaves(tree))
    live = frame.code.live[at]
    if len({len(way.stack) for way in ways}) != 1:
        raise CannotCapture("this loop's branches meet in the middle of an expression")
    slots = [i for i in range(len(frame.locals)) if differ([way.locals[i] for way in ways])]
    wanted = [i for i in slots if i in live]
    depth = len(ways[0].stack)
    places = [k for k in range(depth) if differ([way.stack[k] for way in ways])]

    def of(way: Leaf) -> list[Var | None]:
        return [way.locals[i] for i in wanted] + [way.stack[k] for k in places]

    made = merged(vm, tree, of, live, [frame.code.local_names[i] for i in wanted])
    frame.locals = [None if i in slots else var for i, var in enumerate(ways[0].locals)]
    frame.stack = list(ways[0].stack)
    for i, var in zip(wanted, made, strict=False):
        frame.locals[i] = var
    for k, var in zip(places, made[len(wanted) :], strict=True):
        frame.stack[k] = var
    vm.jump(frame, at)


def merged(
    vm: Machine,
    tree: Tree,
    of: Callable[[Leaf], Sequence[Var | None]],
    live: Collection[int] | None = None,
    names: Sequence[str] = (),
) -> list[Var]:
    """`of` gives the same variables of each leaf: what they are where all have met."""
    rows = [of(way) for way in leaves(tree)]
    columns = [*zip(*rows, strict=True)]
    many = []
    for k, column in enumerate(columns):
        with naming(names[k] if k < len(names) else "a value"):
            many.append(union([kinds(vm, var) for var in column]))

    def results(way: Leaf) -> list[Any]:
        return [x for var, one in zip(of(way), many, strict=True) for x in parts(vm, var, one)]

    for way, row in zip(leaves(tree), rows, strict=True):
        named = [var for i, var in enumerate(way.locals) if live is None or i in live]
        returned = list(row) if way.end is End.RETURN else []
        only_named_once(vm, row, [named, way.stack, returned])
    made = unflat(many, close(tree, results))
    for var, column in zip(made, columns, strict=True):
        same_order(vm, var, column)
    return made


def differ(vars: list[Var | None]) -> bool:
    first = vars[0]
    return not all(var is first or equal(var, first) for var in vars[1:])


def equal(a: Var | None, b: Var | None) -> bool:
    """Two constants, of which CPython would have one."""
    if not isinstance(a, Known) or not isinstance(b, Known):
        return False
    return a.obj is b.obj or (type(a.obj) is type(b.obj) is int and a.obj == b.obj)


def close(tree: Tree, results: Results) -> list[Any]:
    """Into the tree's list of nodes: `cond` nodes, which give what each leaf gives."""
    made = closed(tree, results)
    if made is None:
        raise CannotCapture("no path through this loop can be compiled")
    return made


def closed(tree: Tree, results: Results) -> list[Any] | None:
    if isinstance(tree, Leaf):
        return None if tree.end is End.GONE else list(results(tree))
    found = [closed(tree.yes, results), closed(tree.no, results)]
    some = next((one for one in found if one is not None), None)
    given = [somewhere(some or ()) if one is None else one for one in found]
    made = cond(tree.nodes, tree.predicate, [tree.yes.nodes, tree.no.nodes], given)
    return None if some is None else made


def somewhere(results: Sequence[Any]) -> list[Any]:
    """Where nobody comes from: any numbers of these types, and no arrays."""
    return [None if is_span(one) else zero(leaf_type(one)) for one in results]
