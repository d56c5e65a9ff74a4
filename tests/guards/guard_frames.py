"""Guards run on a made-up frame: do they hold, and what do they load?"""

from __future__ import annotations

import builtins
from array import array
from collections.abc import Iterable
from typing import Any

from jitcore import _C
from jitcore.guards.guard import Guard
from jitcore.guards.program import GuardProgram, compile_guards
from jitcore.guards.source import Source

NULL = _C.NULL
LEAVE = array("i", (_C.PLAN_OPS["EXIT"][0], 1))


def entry_of(program: GuardProgram, result: int | None = None) -> Any:
    """Guards, and a plan that returns a register, or "held"."""
    value = ~0 if result is None else result
    exits = ((0, -1, False, 0, (), (), (), _C.PLAN_NULL), (1, -1, False, 0, (), (), (), value))
    count = len(program.registers)
    return _C.Entry(
        "test", count, program.words, program.consts, program.reasons, LEAVE, ("held",), exits
    )


class Frame:
    """What a guard program sees."""

    def __init__(
        self,
        *locals: Any,
        stack: Iterable[Any] = (),
        globals: dict[str, Any] | None = None,
        builtins_: dict[str, Any] | None = None,
    ) -> None:
        self.locals = list(locals)
        self.stack = list(stack)
        self.globals = {} if globals is None else globals
        self.builtins = vars(builtins) if builtins_ is None else builtins_

    def run(self, entry: Any) -> Any:
        return entry.run_on(self.locals, self.stack, self.globals, self.builtins)


def checker(*guards: Guard) -> Any:
    """A function of a frame's locals: do the guards hold?"""
    entry = entry_of(compile_guards(guards, ()))

    def holds(*locals: Any, **frame: Any) -> bool:
        kind, *_ = Frame(*locals, **frame).run(entry)
        return {"return": True, "miss": False}[kind]

    holds.entry = entry
    return holds


def loader(source: Source, *guards: Guard) -> Any:
    """A function of a frame's locals: what the source is there; NULL at a miss."""
    program = compile_guards(guards, (source,))
    entry = entry_of(program, program.registers[source])

    def load(*locals: Any, **frame: Any) -> Any:
        return Frame(*locals, **frame).run(entry)[3]

    load.entry = entry
    return load
