"""Jumps, branches, loops, returns of generators.

A branch on a run-time value ends the region. A loop over known items is unrolled within a budget;
any other is run by CPython, with regions in its body.
"""

from __future__ import annotations

from typing import NoReturn

from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakSignal, place_of
from jitcore.guards.source import Stack
from jitcore.ir.types import ScalarType
from jitcore.opcodes.canon import Canon
from jitcore.opcodes.instr import Instr
from jitcore.symbolic.break_rows import ITERATES, undecided
from jitcore.symbolic.describe import describe
from jitcore.symbolic.loops import local_stack
from jitcore.symbolic.loops.loop_region import branches_to_loop
from jitcore.symbolic.loops.loop_state import Arm, Fork
from jitcore.symbolic.loops.union_value import if_none
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.objects.comparisons import identical
from jitcore.symbolic.objects.iterate import ITERATORS, following, iterator, remaining
from jitcore.symbolic.objects.operators import to_bool
from jitcore.symbolic.opcode import opcode
from jitcore.symbolic.placeholders import Null
from jitcore.symbolic.signals import RegionEnd
from jitcore.symbolic.state import Frame
from jitcore.symbolic.truth import truth
from jitcore.symbolic.values import Counted, Generator, Iter, Known, TaggedUnion, Traced, Var
from jitcore.symbolic.wrap import realize

UNROLL = 24  # iterations
NESTED_NODES = 300  # of a graph, from where on unrolled loops do not nest
MAX_BACKWARD = 64


@opcode("JUMP_FORWARD", "--")
def jump_forward(vm: Machine, frame: Frame, canon: Canon) -> None:
    vm.jump(frame, canon.target)


@opcode("JUMP_BACKWARD", "--")
@opcode("JUMP_BACKWARD_NO_INTERRUPT", "--")
def jump_backward(vm: Machine, frame: Frame, canon: Canon) -> None:
    back(vm, frame, canon.target)


def back(vm: Machine, frame: Frame, target: int) -> None:
    """Follow a back edge only round a loop that is being unrolled."""
    if vm.work is not None:
        vm.jump(frame, target)
        return
    header = frame.code.instrs[frame.code.by_offset[target]]
    unrolled = header.op == "FOR_ITER" and isinstance(frame.stack[-1], ITERATORS)
    if not unrolled and not leaves_handler(frame, target):
        if not vm.inlined:
            raise RegionEnd(None if header.op in ITERATES else while_loop(vm, frame, header))
        vm.backward += 1
        if vm.backward > MAX_BACKWARD:
            vm.stop(breaks.UNROLL_BUDGET, f"more than {MAX_BACKWARD} iterations in an inlined call")
    vm.jump(frame, target)


def leaves_handler(frame: Frame, target: int) -> bool:
    """Handlers stand at the end of the code: from there on past the try statement is backward."""
    assert frame.instr is not None
    return frame.raised < target < frame.handler <= frame.instr.offset


def while_loop(vm: Machine, frame: Frame, header: Instr) -> Break:
    """At its test, which stands at the end of the body; `while True` has none."""
    assert frame.instr is not None
    top = min(header.position, frame.instr.position, key=lambda position: position[0] or 0)
    why = why_left(vm, header.offset)
    text = f"{why}: {breaks.LOOP_COST}" if why else ""
    return Break(breaks.WHILE, text, place_of(frame.code.code, top))


def branch(vm: Machine, frame: Frame, canon: Canon, value: Var, when: bool) -> None:
    value = local_stack.count(vm, value)
    found = truth(vm, value)
    yes, no = Arm(canon.target), Arm(frame.code.instrs[frame.index].offset)
    assert frame.instr is not None
    if found is None and (vm.work or branches_to_loop(vm, frame, frame.instr.offset, yes, no)):
        fork(vm, frame, value, *((yes, no) if when else (no, yes)))
    if found is None:
        undecided(vm, value, describe(realize(vm, value)))
    if found is when:
        go(vm, frame, canon)


def fork(vm: Machine, frame: Frame, value: Var, yes: Arm, no: Arm) -> NoReturn:
    """In a loop both ways are walked."""
    value = to_bool(vm, value) if isinstance(value, TaggedUnion) else realize(vm, value)
    if not isinstance(value, Traced) or not isinstance(value.value.type, ScalarType):
        undecided(vm, value, describe(value))
    raise Fork(frame, value.value, yes, no)


def go(vm: Machine, frame: Frame, canon: Canon) -> None:
    assert frame.instr is not None
    if canon.target <= frame.instr.offset:
        back(vm, frame, canon.target)
    else:
        vm.jump(frame, canon.target)


@opcode("POP_JUMP_IF_TRUE", "value --")
def pop_jump_if_true(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    branch(vm, frame, canon, value, True)


@opcode("POP_JUMP_IF_FALSE", "value --")
def pop_jump_if_false(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    branch(vm, frame, canon, value, False)


@opcode("POP_JUMP_IF_NONE", "value --")
def pop_jump_if_none(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    fork_if_none(vm, frame, canon, value, True)
    if identical(vm, value, Known(None)):
        go(vm, frame, canon)


def fork_if_none(vm: Machine, frame: Frame, canon: Canon, value: Var, when: bool) -> None:
    """Where only run time knows, of a number in a loop."""
    found = if_none(vm, value)
    if found is None:
        return
    tag, yes, no, yes_is_none = found
    value = realize(vm, value)
    here, there = frame.code.instrs[frame.index].offset, canon.target
    ways = (
        Arm(there if is_none is when else here, known=(value, one))
        for one, is_none in ((yes, yes_is_none), (no, not yes_is_none))
    )
    raise Fork(frame, tag, *ways)


@opcode("POP_JUMP_IF_NOT_NONE", "value --")
def pop_jump_if_not_none(vm: Machine, frame: Frame, canon: Canon, value: Var) -> None:
    fork_if_none(vm, frame, canon, value, False)
    if not identical(vm, value, Known(None)):
        go(vm, frame, canon)


def jump_or_pop(vm: Machine, frame: Frame, canon: Canon, when: bool) -> None:
    found = truth(vm, frame.stack[-1])
    if found is None and vm.work is not None:
        ways = Arm(canon.target), Arm(frame.code.instrs[frame.index].offset, 1)
        fork(vm, frame, frame.stack[-1], *(ways if when else reversed(ways)))
    if found is None:
        undecided(vm, frame.stack[-1], describe(realize(vm, frame.stack[-1])))
    if found is when:
        vm.jump(frame, canon.target)
    else:
        frame.stack.pop()


@opcode("JUMP_IF_TRUE_OR_POP")
def jump_if_true_or_pop(vm: Machine, frame: Frame, canon: Canon) -> None:
    jump_or_pop(vm, frame, canon, True)


@opcode("JUMP_IF_FALSE_OR_POP")
def jump_if_false_or_pop(vm: Machine, frame: Frame, canon: Canon) -> None:
    jump_or_pop(vm, frame, canon, False)


@opcode("GET_ITER", "over -- it")
def get_iter(vm: Machine, frame: Frame, canon: Canon, over: Var) -> Var:
    made = iterator(vm, over)
    if isinstance(made, Iter) and made is not over:
        made.private = True
    return made


@opcode("FOR_ITER")
def for_iter(vm: Machine, frame: Frame, canon: Canon) -> None:
    it = frame.stack[-1]
    if not isinstance(it, ITERATORS):
        begun = isinstance(getattr(it, "origin", None), Stack) or isinstance(it, Counted)
        what = "it had begun before" if begun else "over an iterator that was made before"
        vm.stop(breaks.LOOP_UNKNOWN, what)
    left = remaining(vm, it)
    if left is None or left > UNROLL or (isinstance(it, Generator) and it.taken > UNROLL):
        vm.stop(breaks.LOOP_LONG, too_long(vm, frame, left))
    assert frame.instr is not None
    if frame is vm.outer and frame.instr.offset in vm.rolled and left:
        vm.stop(breaks.UNROLL_BUDGET, "a loop with inner loops")
    if vm.work is None:
        bound_nested(vm, frame, left)
    value = following(vm, it)
    if value is None:
        frame.stack.pop()
        vm.jump(frame, canon.target)
    else:
        frame.stack.append(value)


def bound_nested(vm: Machine, frame: Frame, left: int) -> None:
    """Loops in loops, unrolled, multiply: all but the innermost are CPython's from here on. In a
    call, the call is. Known as soon as there has been one round of the innermost."""
    assert frame.instr is not None
    place = len(vm.frames), frame.instr.offset
    begun = vm.unrolling.get(place)
    if begun is None or left >= begun[2]:
        begun = left, vm.nodes, left
    rounds, nodes, _ = begun
    vm.unrolling[place] = rounds, nodes, left
    around = [headers(vm, each) for each in vm.frames]
    if left == rounds or sum(map(len, around)) < 2:
        return
    total = (vm.nodes - nodes) / (rounds - left)
    for depth, each in enumerate(around, 1):
        for header in each:
            total *= vm.unrolling[depth, header][0] if (depth, header) in vm.unrolling else 1
    if total <= NESTED_NODES:
        return
    outer = around[0] if vm.inlined else around[0][:-1]
    vm.rolled.update(outer)
    text = f"loops in loops, of more than {NESTED_NODES} operations"
    raise BreakSignal(breaks.UNROLL_BUDGET, text, outer[0] if outer else None)


def headers(vm: Machine, frame: Frame) -> list[int]:
    """Of the loops that a frame is in the midst of, outermost first."""
    assert frame.instr is not None
    at = frame.instr.offset
    begun = [loop for loop in frame.code.loops.values() if at in loop.body]
    if frame is vm.outer:
        begun = [loop for loop in begun if loop.header in vm.walked]
    return [loop.header for loop in sorted(begun, key=lambda loop: -len(loop.body))]


def too_long(vm: Machine, frame: Frame, left: int | None) -> str:
    """The reason why it does not run in C either, where one is known, and what it costs."""
    assert frame.instr is not None
    many = "an unknown number of" if left is None else left
    why = why_left(vm, frame.instr.offset) if frame is vm.outer else None
    return f"{why or f'a loop over {many} items is too long to unroll'}: {breaks.LOOP_COST}"


def why_left(vm: Machine, header: int) -> str | None:
    """Why a loop is CPython's: as this capture has found, or one from an earlier point."""
    return vm.refused.get(header) or vm.start.refused.get(header)


@opcode("RETURN_GENERATOR", "-- null")
def return_generator(vm: Machine, frame: Frame, canon: Canon) -> Var:
    return Null()


@opcode("YIELD_VALUE", "value -- sent")
def yield_value(vm: Machine, frame: Frame, canon: Canon, value: Var) -> Var:
    if frame.yields is None:
        vm.stop(breaks.YIELD)
    frame.yields.append(value)
    return Known(None)
