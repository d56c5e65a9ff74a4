"""Region point + live frame → Capture: graph, guards, exits, and why it ended.

walk ─▶ return    Exit RETURN, or JUMP to the return instruction
     ─▶ fence     Exit JUMP to the instruction, which CPython executes
     ─▶ cut       Exit JUMP to a region point: another region goes on there
     ─▶ break     the instruction is fenced; walk again
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from jitcore import logs
from jitcore.config import Config
from jitcore.errors import blame
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakSignal, Place, place_of
from jitcore.fallback.exit import Exit
from jitcore.guards.guard import Absent, ErrState, SameObject
from jitcore.guards.source import Global, Local, Stack
from jitcore.host.fast_dataclass import replace
from jitcore.host.user_exceptions import is_users
from jitcore.host.warning_filter import hushed
from jitcore.ir.fp_effects import any_may_warn
from jitcore.ir.graph import Body, Graph
from jitcore.ir.op import Unsupported
from jitcore.opcodes.decode import Code
from jitcore.opcodes.instr import Instr
from jitcore.symbolic import handlers, models
from jitcore.symbolic.arrays.remainders import rest
from jitcore.symbolic.break_reason import refused, row_of_unsupported
from jitcore.symbolic.exits import exit_at, exit_return
from jitcore.symbolic.loops.local_stack import Guessed
from jitcore.symbolic.loops.loop_region import LoopRejected, enter, enter_branch, wants
from jitcore.symbolic.loops.loop_state import Fork
from jitcore.symbolic.machine import Asks, Machine
from jitcore.symbolic.objects.assumed_constant import promises
from jitcore.symbolic.objects.namespaces import about_to_write, guard_apart, has_names
from jitcore.symbolic.placeholders import NULL
from jitcore.symbolic.signals import Fenced, RegionEnd
from jitcore.symbolic.state import Capture, EffectStep, Frame, LoopRegion, Start, Window
from jitcore.symbolic.unwind import unwind
from jitcore.symbolic.values import Exc, Lazy, Var

MAX_WALKS = 200
NO_LOOPS: Mapping[int, str] = {}
TABLES = (handlers, models)
ASKS = Asks(exit_at, unwind, rest, about_to_write, row_of_unsupported)


def capture(start: Start, config: Config, refused: Mapping[int, str] = NO_LOOPS) -> Capture:
    """Walk until nothing breaks on the way to a fence. `refused`: loops that are CPython's, by
    their headers, and why.

    An instruction that breaks may have changed the symbolic state before it did, so it is fenced
    and the walk begins anew; where even the state before it cannot be rebuilt, the fence moves
    back.
    """
    fenced: dict[int, Break] = {}
    left = dict(refused)
    looked: list[Any] = []
    assumed: dict[Any, Any] = {}
    for _ in range(MAX_WALKS):
        vm = Machine(start, config, fenced, left, ASKS, looked, assumed)
        try:
            with hushed("error"):
                return walk(vm)
        except LoopRejected as refusal:
            logs.breaks.debug("%s: the loop at %d: %s", start.code.code.co_name, *refusal.args)
            left[refusal.at] = refusal.why
            start = replace(start, rolled=frozenset(vm.rolled))
            without_frames(refusal)
        except Guessed as guess:
            start = replace(start, piles={**start.piles, guess.key: guess.kind})
            without_frames(guess)
        except (BreakSignal, Unsupported, Warning) as error:
            start = replace(start, rolled=frozenset(vm.rolled))
            raised = vm.handled[0] if vm.handled else vm.blamed
            fence = error.fence if isinstance(error, BreakSignal) else None
            if fence is not None and fence not in fenced:
                fenced[fence] = signal_of(error).at(place_at(start, fence), vm.chain())
            elif raised is not None and from_where(raised) not in fenced:
                fenced[from_where(raised)] = left_to_raise(vm, raised, signal_of(error))
            else:
                at = next(offset for offset in reversed(vm.walked) if offset not in fenced)
                fenced[at] = signal_of(error).at(vm.place(), vm.chain())
            without_frames(error)
        except Exception as error:
            ours = not is_users(error)  # reports say where it was
            if ours and vm.frames and vm.frames[-1].instr is not None:
                blame(error, vm.place())
            raise
        finally:
            vm.forget()
    raise AssertionError("a walk that does not end")


def without_frames(error: BaseException) -> None:
    """Frames know the user's objects, which end when the user lets go of them, not when the
    garbage collector comes by."""
    ours: BaseException | None = error
    while ours is not None:
        ours.__traceback__ = ours.__context__ = None  # it may be one that the user handles
        ours = ours.__cause__


def place_at(start: Start, offset: int) -> Place:
    code = start.code
    return place_of(code.code, code.instrs[code.by_offset[offset]].position)


def from_where(exc: Exc) -> int:
    return exc.raised_at if exc.raised_at >= 0 else exc.made_at


OF_AN_EXCEPTION = (breaks.ATTRIBUTE, breaks.DESCRIPTOR)


def left_to_raise(vm: Machine, exc: Exc, then: BreakSignal) -> Break:
    """No exit lies where the exception is handled, so CPython goes on where it comes from. The row
    is the exception's own where it is kept or looked at, else that of what broke in the handler."""
    why = then.detail or then.kind.what
    detail = exc.detail or exc.cls.__qualname__
    if then.kind is not exc.kind and then.kind not in OF_AN_EXCEPTION:
        text = f"{why}, while {detail} is handled"
        return BreakSignal(then.kind, text).at(vm.place(), vm.chain())
    text = detail if why == detail else f"{detail}, and then: {why}"
    return BreakSignal(exc.kind, text).at(place_at(vm.start, from_where(exc)))


def signal_of(error: Exception) -> BreakSignal:
    match error:
        case BreakSignal():
            return error
        case Unsupported():
            return refused(error)
    return BreakSignal(breaks.WARN, f"{type(error).__name__}: {error}")


def walk(vm: Machine) -> Capture:
    frame = outermost(vm)
    vm.frames.append(frame)
    try:
        while frame.result is None:
            loop = wants(vm, frame)
            if loop is not None:
                enter(vm, frame, loop)
                continue
            try:
                vm.step(frame)
            except Fork as fork:
                enter_branch(vm, frame, fork)
    except RegionEnd as cut:
        return ended(vm, cut.stop, True)
    except Fenced as fenced:
        return ended(vm, fenced.stop, False)
    return returned(vm)


def outermost(vm: Machine) -> Frame:
    start = vm.start
    code = start.code
    names = code.local_names
    locals: list[Var | None] = [
        None if obj is start.empty else Lazy(Local(i, names[i]), obj)
        for i, obj in enumerate(start.locals)
    ]
    bound = start.globals
    locals += [Lazy(Global(n), bound[n]) if n in bound else None for n in code.names]
    for i, obj in enumerate(start.stack):
        if obj is start.empty:
            vm.guard(Absent(Stack(i)))
    stack: list[Var] = [
        NULL if obj is start.empty else Lazy(Stack(i), obj) for i, obj in enumerate(start.stack)
    ]
    index = code.by_offset[start.offset]
    return Frame(code, index, locals, stack, start.globals, start.builtins, initial=tuple(locals))


def returned(vm: Machine) -> Capture:
    """A return is a jump to the return instruction, or needs no frame when the region is the
    whole function, with no effect on arrays but a kernel's (plan/segments.py)."""
    frame = vm.outer
    assert frame.result is not None and frame.instr is not None
    plain = frame.code.is_plain and not vm.in_loop
    returns = exit_return(vm, frame.result) if plain or vm.returns else None
    if returns is not None and vm.returns:
        return finish(vm, returns, None, (), returns if plain else None)
    if returns is None or not all(isinstance(s, Window) for s in vm.segments):
        leave = exit_at(vm, frame.instr.offset, frame.saved, False)
    else:
        leave = returns
    return finish(vm, leave, None, (), returns)


def ended(vm: Machine, stop: Break | None, cut: bool) -> Capture:
    frame = vm.outer
    instr, unit = frame.instr, frame.unit
    assert instr is not None and unit is not None
    backward = cut and "BACKWARD" in instr.op
    through = cut and not backward
    leave = exit_at(vm, unit.offset, frame.saved, through)
    resume = (unit.offset,) if through else after(frame.code, instr)
    return finish(vm, leave, stop, resume, None)


def headers(vm: Machine) -> tuple[int, ...]:
    """A loop that was left in mid-flight goes on at its header, in its next round."""
    found: set[int] = set()
    for segment in vm.segments:
        if isinstance(segment, LoopRegion):
            found |= segment.headers
            found.update(exit.offset for exit in segment.exits.values() if exit.through_point)
    return tuple(sorted(found))


def after(code: Code, instr: Instr) -> tuple[int, ...]:
    """Where the next regions belong: past the instruction, past a branch on what it made, round a
    loop."""
    found: list[int] = []
    seen: set[int] = set()
    todo = list(code.successors(instr.offset))
    while todo:
        offset = todo.pop()
        if offset in seen or offset not in code.by_offset:
            continue
        seen.add(offset)
        following = code.instrs[code.by_offset[offset]]
        if following.op in TRIVIAL or offset not in code.allowed:
            todo.extend(code.successors(offset))
        else:
            found.append(offset)
    return tuple(sorted(found))


def around_blocks(code: Code) -> tuple[int, ...]:
    """Where a with statement has begun its block, and where it has left it: NumPy's error state may
    be another one there."""
    found: set[int] = set()
    for at, instr in enumerate(code.instrs):
        if instr.op == "BEFORE_WITH" or leaves_block(code, at):
            found.update(after(code, instr))
    return tuple(sorted(found))


def leaves_block(code: Code, at: int) -> bool:
    """Is this the call of __exit__ with None three times? No other has a constant for its
    callable."""
    before = [instr.op for instr in code.instrs[max(0, at - 4) : at] if instr.op != "PRECALL"]
    return code.instrs[at].op == "CALL" and before[-3:] == ["LOAD_CONST"] * 3


TRIVIAL = frozenset(
    [
        "TO_BOOL",
        "POP_JUMP_IF_TRUE",
        "POP_JUMP_IF_FALSE",
        "POP_JUMP_IF_NONE",
        "POP_JUMP_IF_NOT_NONE",
        "POP_JUMP_FORWARD_IF_TRUE",
        "POP_JUMP_FORWARD_IF_FALSE",
        "POP_JUMP_FORWARD_IF_NONE",
        "POP_JUMP_FORWARD_IF_NOT_NONE",
        "POP_JUMP_BACKWARD_IF_TRUE",
        "POP_JUMP_BACKWARD_IF_FALSE",
        "POP_JUMP_BACKWARD_IF_NONE",
        "POP_JUMP_BACKWARD_IF_NOT_NONE",
        "JUMP_FORWARD",
        "JUMP_BACKWARD",
        "FOR_ITER",
        "UNARY_NOT",
        "NOP",
        "POP_TOP",
        "RESUME",
    ]
)


def finish(
    vm: Machine,
    leave: Exit,
    stop: Break | None,
    resume: tuple[int, ...],
    returns: Exit | None,
) -> Capture:
    if vm.mutated:
        guard_aliases(vm)
    guard_apart(vm)
    nodes = tuple(
        n for s in vm.segments for n in ([s.node] if isinstance(s, EffectStep) else s.nodes)
    )
    name = vm.start.code.code.co_name
    if any_may_warn(nodes):
        vm.guard(ErrState(vm.start.errstate))
    graph = Graph(name, Body(tuple(vm.inputs.values()), nodes, ()))
    return Capture(
        graph,
        dict(vm.inputs),
        {value: vm.live[source] for source, value in vm.inputs.items() if source in vm.live},
        tuple(vm.wanted),
        tuple(vm.guards),
        tuple(vm.segments),
        leave,
        stop,
        (*resume, *headers(vm)),
        returns,
        vm.start.errstate,
        frozenset(vm.rolled),
        dict(vm.refused),
        tuple(vm.notes),
        tuple(vm.looked),
        dict(vm.uses),
        tuple(vm.divided),
        tuple(vm.freed),
        promises(vm),
    )


def guard_aliases(vm: Machine) -> None:
    """Something was mutated: which of the mutable objects are one, and which are not, is now a
    fact. (Of those that have names, guard_apart says it.)"""
    for (a, x), (b, y) in combinations(vm.mutable.items(), 2):
        if type(x) is type(y) and not has_names(x):
            vm.guard(SameObject(a, b, x is y))
