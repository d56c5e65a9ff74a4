"""A plan written with the builder, run without a frame."""

from __future__ import annotations

import builtins
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

from jitcore import _C
from jitcore.guards.program import compile_guards
from jitcore.guards.source import Local
from jitcore.plan.plan_builder import NULL, PlanBuilder


class Left(NamedTuple):
    kind: str
    offset: int
    through_point: int
    value: Any
    stack: tuple[Any, ...] | None
    locals: dict[int, Any]


class Plan(PlanBuilder):
    """A builder whose first registers are the locals."""

    def __init__(self, count: int = 0) -> None:
        self.sources = [Local(i, f"x{i}") for i in range(count)]
        super().__init__(count)

    def returns(self, value: Any) -> int:
        return self.exit("return", -1, False, lambda: ((), (), value))

    def jumps(
        self,
        offset: int,
        stack: Sequence[int] = (),
        locals: Sequence[tuple[int, int]] = (),
        through_point: bool = False,
    ) -> int:
        return self.exit("jump", offset, through_point, lambda: (stack, locals, None))

    def entry(self) -> Any:
        words, consts, exits, registers = self.finish()
        program = compile_guards((), self.sources)
        return _C.Entry(
            "test", registers, program.words, program.consts, program.reasons, words, consts, exits
        )


def run(entry: Any, *locals: Any, stack: Sequence[Any] = (), globals: Any = None) -> Left:
    names = {} if globals is None else globals
    return Left(*entry.run_on(list(locals), list(stack), names, vars(builtins)))


def result(plan: Plan, value: int, *locals: Any, globals: Any = None) -> Any:
    """What a plan returns."""
    plan.leave(plan.returns(value))
    left = run(plan.entry(), *locals, globals=globals)
    assert left.kind == "return"
    return left.value


__all__ = ["NULL", "Left", "Plan", "result", "run"]


def as_numpys(fn: types.FunctionType) -> types.FunctionType:
    """The function as one of NumPy's own: what it raises is dropped, where it is pure."""
    names = {**fn.__globals__, "__name__": "numpy.some"}
    return types.FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)
