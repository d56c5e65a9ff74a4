"""A Python function that is called → its body, interpreted in place.

Its frame is not rebuilt: any break in it fences the call.
"""

from __future__ import annotations

from collections.abc import Callable

from jitcore.fallback import breaks
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame
from jitcore.symbolic.values import Func, Var

MAX_DEPTH = 24
MAX_RECURSION = 8


def inline(vm: Machine, func: Func, locals: list[Var | None]) -> Var:
    depth = sum(1 for frame in vm.frames if frame.code.code is func.code)
    if depth >= MAX_RECURSION:
        vm.stop(breaks.RECURSION_LIMIT, f"{func.qualname} calls itself more than {depth} deep")
    return vm.run(frame_of(vm, func, locals))


def generator(vm: Machine, func: Func, locals: list[Var | None]) -> Callable[[], Var | None]:
    """Interprets from yield to yield: what was yielded, None at the end."""
    frame = frame_of(vm, func, locals)
    yields: list[Var] = []
    frame.yields = yields
    if any(instr.op == "PUSH_EXC_INFO" for instr in frame.code.instrs):
        # one that is dropped half-way would have to run them
        vm.stop(breaks.GENERATOR_CALL, f"a generator with handlers: {func.qualname}")

    def resume() -> Var | None:
        if len(vm.frames) >= MAX_DEPTH or frame in vm.frames:
            vm.stop(breaks.RECURSION_LIMIT, f"generators in generators: {func.qualname}")
        vm.frames.append(frame)
        while frame.result is None and not yields:
            vm.step(frame)
        vm.frames.pop()
        return yields.pop() if yields else None

    return resume


def frame_of(vm: Machine, func: Func, locals: list[Var | None]) -> Frame:
    if len(vm.frames) >= MAX_DEPTH:
        vm.stop(breaks.RECURSION_LIMIT, f"more than {MAX_DEPTH} calls deep")
    code = vm.decode(func.code)
    slots = func.code.co_nlocals + len(func.code.co_cellvars) + len(func.code.co_freevars)
    locals = locals + [None] * (slots - len(locals))
    return Frame(code, 0, locals, [], func.globals, vm.start.builtins, func)
