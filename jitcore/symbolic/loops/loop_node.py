"""A loop whose body was walked → its node, and the frame where it ends.

count_rounds   nothing but its range ends it: `for`
test_rounds    `loop`, whose results also say by which way it ended, and how far its range then is
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.ir.graph import Body, Node, Value
from jitcore.ir.ops.control import CONTROL
from jitcore.ir.ops.dyn_array import is_span
from jitcore.ir.ops.loop import LEFT, RANGE_ITEM
from jitcore.ir.ops.operator import BY_OPERATOR
from jitcore.ir.types import PYINT, DynArrayType, ScalarType
from jitcore.opcodes.canon import canonical
from jitcore.opcodes.flow import Loop
from jitcore.symbolic.loops.branches import End, Leaf, Tree, close, leave_at, leaves
from jitcore.symbolic.loops.loop_state import Arm, CannotCapture, Fork, scalar, working
from jitcore.symbolic.loops.union_value import COND, Kinds, flat, kinds, parts, unflat, union, zero
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Counted, Known, Var


@dataclass(slots=True)
class LoopBody:
    """A loop's body, walked with parameters of the types that its rounds end with."""

    slots: list[int]  # of the variables that it sets
    carried: dict[int, Kinds]  # those that a round reads before it sets them
    initial: list[Any]
    params: list[Value]  # the parts of all that is carried
    nodes: list[Node]
    tree: Tree
    it: Counted | None  # what a `for` goes over
    k: Value | None  # how many items were taken when the round began
    base: tuple[Var, ...]  # the stack below the loop's iterator


def leave_unless(vm: Machine, frame: Frame, predicate: Any, at: int, through: bool) -> None:
    work = working(vm)
    nodes, mark = work.open, work.mark
    work.open = []
    leave_at(vm, frame, at, True, through)
    bodies = (Body((), (), ()), Body((), tuple(work.open), ()))
    work.open, work.mark = nodes, mark
    nodes.append(Node(COND, (predicate,), {}, (), bodies))


def leave_way(vm: Machine, frame: Frame, way: Leaf) -> None:
    """CPython goes on where this way has come to."""
    if frame is not vm.outer:
        raise CannotCapture("this loop is in a call that may end in its first iteration")
    work = working(vm)
    now = frame.locals, frame.stack, work.open
    frame.locals, frame.stack, work.open = list(way.locals), list(way.stack), way.nodes
    leave_at(vm, frame, way.at, True)
    frame.locals, frame.stack, work.open = now
    way.end = End.GONE


def count_rounds(vm: Machine, frame: Frame, loop: Loop, shape: LoopBody) -> None:
    """A `for` node."""
    work, it, k = working(vm), shape.it, shape.k
    assert it is not None and k is not None
    made = close(shape.tree, lambda way: carried_by(vm, way, shape))
    index, head = k, []
    if it.taken != 0:
        index = Value(PYINT)
        head = [Node(RANGE_ITEM, (it.taken, 1, index), {}, (k,))]
    body = Body((index, *shape.params), (*head, *shape.nodes), tuple(made))
    trips = rounds_left(vm, it)
    outputs = [Value(param.type) for param in shape.params]
    work.open.append(Node(CONTROL["for"], (trips, *shape.initial), {}, tuple(outputs), (body,)))
    bind(vm, frame, shape, shape.carried, outputs)
    frame.stack = list(shape.base)
    vm.jump(frame, after_last(frame, loop))


def carried_by(vm: Machine, way: Leaf, shape: LoopBody) -> list[Any]:
    return [x for i, one in shape.carried.items() for x in parts(vm, way.locals[i], one)]


def rounds_left(vm: Machine, it: Counted) -> Any:
    if type(it.count) is int and type(it.taken) is int:
        return max(it.count - it.taken, 0)
    return it.count if it.taken == 0 else scalar(vm, RANGE_ITEM, it.count, -1, it.taken)


def after_last(frame: Frame, loop: Loop) -> int:
    """Where FOR_ITER goes when no items are left."""
    instr = frame.code.instrs[frame.code.by_offset[loop.header]]
    (canon,) = canonical(frame.code.code, instr)
    return canon.target


def bind(
    vm: Machine, frame: Frame, shape: LoopBody, known: dict[int, Kinds], made: Sequence[Any]
) -> None:
    """Variables that nobody reads after the loop are gone."""
    vm.parts.in_c_order.update(one for one in made if is_span(one))  # as those of the rounds are
    for i in shape.slots:
        frame.locals[i] = None
    for i, var in zip(known, unflat(list(known.values()), made), strict=True):
        frame.locals[i] = var


def test_rounds(vm: Machine, frame: Frame, loop: Loop, shape: LoopBody, outermost: bool) -> None:
    """A `loop` node: it also says by which way it ended, and how far the iterator then is."""
    work, live = working(vm), frame.code.live
    if outermost:
        for way in list(leaves(shape.tree)):
            if way.end is End.OUT and not is_plain(way, shape):
                leave_way(vm, frame, way)
    outs = [way for way in leaves(shape.tree) if way.end is End.OUT]
    places = sorted({way.at for way in outs})
    if shape.it is not None:
        places.insert(0, after_last(frame, loop))
    late = [i for i in shape.slots if i not in shape.carried]
    extra = {i: one for i in late if (one := kinds_at(vm, outs, live, i))}

    def results(way: Leaf) -> list[Any]:
        out = way.end is End.OUT
        work.open, work.mark = way.nodes, None
        taken = how_far(way, shape)
        values = [x for i, one in shape.carried.items() for x in of_way(vm, way, live, i, one)]
        values = [p if x is None else x for p, x in zip(shape.params, values, strict=True)]
        values += [x for i, one in extra.items() for x in of_way(vm, way, live, i, one)]
        again = not out
        if again and shape.it is not None:
            again = scalar(vm, LEFT, taken, shape.it.count)
        return [again, places.index(way.at) if out else 0, taken, *values]

    nodes, mark = work.open, work.mark
    made = close(shape.tree, results)
    work.open, work.mark = nodes, mark
    k = shape.k if shape.k is not None else Value(PYINT)
    more = [kind for one in extra.values() for kind in flat(one)]
    params = (Value(PYINT), k, *shape.params, *map(Value, more))
    first = 0 if shape.it is None else shape.it.taken
    initial = (0, first, *shape.initial, *map(zero, more))
    body = Body(params, tuple(shape.nodes), tuple(made))
    outputs = tuple(Value(param.type) for param in params)
    node = Node(CONTROL["loop"], initial, {}, outputs, (body,))
    why, far, *values = at_least_once(vm, shape, node, initial)
    bind(vm, frame, shape, shape.carried | extra, values)
    ends = [(at, stack_at(shape, outs, at, far)) for at in places]
    go_on(vm, frame, why, ends, outermost, loop)


def kinds_at(vm: Machine, outs: Sequence[Leaf], live: dict[int, frozenset[int]], i: int) -> Kinds:
    """Of a variable that is set in the loop and read after it; nothing if it is not."""
    found = union([kinds(vm, way.locals[i]) for way in outs if i in live[way.at]])
    if any(not isinstance(kind, ScalarType) for kind in found):
        raise CannotCapture("an array that only the last iteration makes is used after this loop")
    return found


def of_way(
    vm: Machine, way: Leaf, live: dict[int, frozenset[int]], i: int, one: Kinds
) -> list[Any]:
    """A variable's parts at the end of a way; anything, where it is not read again: of an array,
    None."""
    at = way.at
    if way.locals[i] is None or i not in live[at]:
        return [None if isinstance(kind, DynArrayType) else zero(kind) for kind in flat(one)]
    return parts(vm, way.locals[i], one)


def is_plain(way: Leaf, shape: LoopBody) -> bool:
    """The stack is as it was, but for the loop's iterator, and those of loops in it: a return out
    of these has still to drop them."""
    depth = len(shape.base) + (shape.it is not None)
    return len(way.stack) >= depth and all(isinstance(one, Counted) for one in way.stack[depth:])


def how_far(way: Leaf, shape: LoopBody) -> Any:
    depth = len(shape.base)
    if any(a is not b for a, b in zip(way.stack, shape.base, strict=False)):
        raise CannotCapture("this loop changes values of the expression around it")
    above = way.stack[depth:]
    if is_plain(way, shape) and shape.it is None:
        return 0
    if is_plain(way, shape) and isinstance(above[0], Counted):
        return above[0].taken
    raise CannotCapture("this loop is left in the middle of an expression")


def stack_at(shape: LoopBody, outs: Sequence[Leaf], at: int, far: Any) -> list[Var]:
    """With the iterator where a break has still to drop it; whose items nobody takes any more, of
    those there is none."""
    here = [way for way in outs if way.at == at]
    if not here:
        return list(shape.base)
    own = [] if shape.it is None else [replace(shape.it, taken=far)]
    dropped = len(here[0].stack) - len(shape.base) - len(own)
    return [*shape.base, *own, *[Known(None)] * dropped]


def at_least_once(vm: Machine, shape: LoopBody, node: Node, initial: tuple[Any, ...]) -> list[Any]:
    """The node's results. It tests where its rounds end, so a `for` is tested before it, too."""
    work, it = working(vm), shape.it
    sure = it is None or it.sure
    if it is not None and type(it.count) is int and type(it.taken) is int:
        sure = it.taken < it.count
    if sure:
        work.open.append(node)
        return list(node.outputs)
    assert it is not None
    predicate = scalar(vm, LEFT, it.taken, it.count)
    outputs = tuple(Value(one.type) for one in node.outputs)
    bodies = (Body((), (node,), node.outputs), Body((), (), initial))
    work.open.append(Node(COND, (predicate,), {}, outputs, bodies))
    return list(outputs)


def fork_to(vm: Machine, frame: Frame, why: Any, ends: list[tuple[int, list[Var]]]) -> Fork:
    """The last ones of the places are asked for first."""
    ways = [Arm(at, 0, stack) for at, stack in ends]
    tests = [scalar(vm, BY_OPERATOR["=="], why, n) for n in range(1, len(ends))]
    other = ways[0]
    for test, way in zip(tests, ways[1:], strict=True):
        fork = Fork(frame, test, way, other)
        other = replace(way, then=fork)
    return fork


def go_on(
    vm: Machine,
    frame: Frame,
    why: Any,
    ends: list[tuple[int, list[Var]]],
    outermost: bool,
    loop: Loop,
) -> None:
    """The frame where the loop has ended. Where it ends in several places all of them are walked;
    of the outermost loop, if that fails, those but one are CPython's."""
    main = 0
    if not ends:
        raise CannotCapture("no path that jitcore compiles leads out of this loop")
    if len(ends) > 1 and not (outermost and ~loop.header in vm.refused):
        raise fork_to(vm, frame, why, ends)
    if len(ends) > 1 and frame.code.instrs[frame.code.by_offset[loop.header]].op != "FOR_ITER":
        last = max(loop.body)
        main = next((n for n, (at, _) in enumerate(ends) if at > last), 0)
    for n, (at, stack) in enumerate(ends):
        if n != main:
            frame.stack = list(stack)
            leave_unless(vm, frame, scalar(vm, BY_OPERATOR["!="], why, n), at, True)
    frame.stack = ends[main][1]
    vm.jump(frame, ends[main][0])
