"""Steps → plan words: registers, frees after last use, windows, exits.

    operand   >= 0 a register, < 0 the constant ~operand, PLAN_NULL CPython's NULL (csrc/plan/ops.h)

A window's exit may need any value up to the window's last step, so those live until then;
everything else is freed after its last use, as CPython's own stack would.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

from jitcore import _C
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.value import Value

Operand = int
OPS: dict[str, int] = {name: number for name, (number, _) in _C.PLAN_OPS.items()}
NULL: Operand = _C.PLAN_NULL
KINDS = {"miss": 0, "return": 1, "jump": 2}
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement, or by an extension at run time


@dataclass(slots=True)
class PlanStep:
    words: tuple[int, ...]
    reads: tuple[Operand, ...] = ()
    writes: tuple[int, ...] = ()
    exits: tuple[int, ...] = ()  # other than those of its window


@dataclass(slots=True)
class PlannedExit:
    kind: str
    offset: int = -1
    through_point: bool = False
    steps: list[PlanStep] = field(default_factory=list)
    stack: tuple[Operand, ...] = ()
    locals: tuple[tuple[int, Operand], ...] = ()
    value: Operand = NULL

    def reads(self) -> Iterable[Operand]:
        for step in self.steps:
            yield from step.reads
        yield from self.stack
        yield from (operand for _, operand in self.locals)
        yield self.value


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """Among the arguments of a step: an int that follows from extents of arrays. `made` is a
    _C.Number; None: in a sample, in which any int may be one."""

    made: Any = None


class PlanBuilder:
    null = NULL

    def __init__(self, loaded: int) -> None:
        self.loaded = loaded  # registers that the guard program fills
        self.registers = loaded
        self.consts: list[Any] = []
        self.const_ids: dict[int, int] = {}
        self.values: dict[Value, Operand] = {}
        self.users: dict[
            int, tuple[Any, PlanStep]
        ] = {}  # by id: the object, the step that fetches it
        self.main: list[PlanStep] = []
        self.steps = self.main
        self.exits = [PlannedExit("miss")]
        self.arrays: tuple[Operand, ...] = ()  # whose extents numbers are made of

    # -- operands ---------------------------------------------------------------------------------

    def const(self, obj: Any) -> Operand:
        at = self.const_ids.get(id(obj))
        if at is None:
            at = self.const_ids[id(obj)] = len(self.consts)
            self.consts.append(obj)
        return ~at

    def known(self, obj: Any) -> Operand:
        """Like `const`, but what may be the user's is not kept alive. Where it is gone, the plan
        misses."""
        if not is_users(obj):
            return self.const(obj)
        if id(obj) not in self.users:
            out, held = self.new(), self.const(_C.hold(obj))
            self.users[id(obj)] = obj, PlanStep((OPS["ALIVE"], out, held), (held,), (out,))
        return self.users[id(obj)][1].writes[0]

    def bind(self, value: Value, operand: Operand) -> None:
        self.values[value] = operand

    def reg(self, value: Value) -> Operand:
        return self.values[value]

    def new(self) -> int:
        self.registers += 1
        return self.registers - 1

    def out(self, value: Value | None) -> int:
        register = self.new()
        if value is not None:
            self.values[value] = register
        return register

    def operand(self, tree: Any) -> Operand:
        """An argument tree. What holds values, or could be changed by the call, is built anew each
        time."""
        cls = type(tree)
        if cls is Value:
            return self.reg(tree)
        if cls in TREES and is_made(tree):
            return TREES[cls](self, tree)
        return self.const(tree)

    # -- steps ------------------------------------------------------------------------------------

    def add(self, name: str, *words: int, reads: Sequence[Operand] = (), write: int = -1) -> int:
        writes = (write,) if write >= 0 else ()
        self.steps.append(PlanStep((OPS[name], *words), tuple(reads), writes))
        return write

    def build(self, name: str, parts: Sequence[Operand]) -> Operand:
        out = self.new()
        return self.add(name, out, len(parts), *parts, reads=parts, write=out)

    def number(self, number: Number) -> Operand:
        of = self.arrays if number.made is not None else ()
        out, made = self.new(), self.const(number.made)
        return self.add("NUMBER", out, made, len(of), *of, reads=of, write=out)

    def fixed(self, name: str, *parts: Operand) -> Operand:
        """A step with a result and a fixed number of operands."""
        out = self.new()
        return self.add(name, out, *parts, reads=parts, write=out)

    def do(self, name: str, *parts: Operand) -> None:
        """A step without a result."""
        self.add(name, *parts, reads=parts)

    def call_operands(self, fn: Operand, *args: Operand) -> Operand:
        out = self.new()
        return self.add("CALL", out, fn, len(args), *args, reads=(fn, *args), write=out)

    def call(
        self, out: Value | None, fn: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Operand:
        operands = [self.operand(arg) for arg in args]
        operands += [self.operand(arg) for arg in kwargs.values()]
        target = self.const(fn)
        register = self.out(out)
        if not kwargs:
            words = (register, target, len(operands), *operands)
            return self.add("CALL", *words, reads=(target, *operands), write=register)
        names = self.const(tuple(kwargs))
        words = (register, target, names, len(operands), *operands)
        return self.add("CALL_KW", *words, reads=(target, *operands), write=register)

    def kernel(self, kernel: Any, inputs: Sequence[Operand], outputs: Sequence[Value]) -> None:
        registers = tuple(self.out(value) for value in outputs)
        words = (self.const(kernel), len(inputs), len(registers), *inputs, *registers)
        self.steps.append(PlanStep((OPS["KERNEL"], *words), tuple(inputs), registers))

    def routine(self, made: Any, exits_of: Callable[[], Sequence[int]]) -> None:
        """`exits_of` gives the exits of way 1 and up; their state is made of the outputs."""
        inputs = [self.reg(value) for value in made.inputs]
        registers = tuple(self.out(value) for value in made.outputs)
        exits = exits_of()
        sizes = (len(inputs), len(registers), len(exits))
        words = (self.const(made.code), *sizes, *inputs, *registers, *exits)
        self.steps.append(
            PlanStep((OPS["ROUTINE"], *words), tuple(inputs), registers, tuple(exits))
        )

    # -- windows and exits ------------------------------------------------------------------------

    def window(self, exit: int, quiet: Any = None) -> None:
        """Pure steps follow. `quiet`: NumPy's error state for them, None: they raise no flags."""
        self.add("QUIET", NULL if quiet is None else self.const(quiet))
        self.add("WINDOW", exit)

    def loud(self, offset: int, exit: int, state: Operand = NULL) -> None:
        """One step follows that is not repeated. `state`: of NumPy, if not the one that there
        is."""
        self.add("LOUD", offset, state, exit, reads=(state,))

    def exit(
        self,
        kind: str,
        offset: int,
        through_point: bool,
        state: Callable[
            [], tuple[Sequence[Operand], Sequence[tuple[int, Operand]], Operand | None]
        ],
    ) -> int:
        """An exit; the steps that `state` makes are its own."""
        planned = PlannedExit(kind, offset, through_point)
        self.exits.append(planned)
        self.steps = planned.steps
        stack, locals, value = state()
        planned.stack, planned.locals = tuple(stack), tuple(locals)
        planned.value = NULL if value is None else value
        self.steps = self.main
        return len(self.exits) - 1

    def leave(self, exit: int) -> None:
        self.add("EXIT", exit)

    # -- the end ----------------------------------------------------------------------------------

    def finish(self) -> tuple[array[int], tuple[Any, ...], tuple[Any, ...], int]:
        words = array("i")
        self.main[:0] = [step for _, step in self.users.values()]
        last = self.last_uses()
        for at, step in enumerate(self.main):
            words.extend(step.words)
            for register in last.get(at, ()):
                words.extend((OPS["FREE"], register))
        rows = []
        for number, exit in enumerate(self.exits):
            start = len(words)
            for step in exit.steps:
                words.extend(step.words)
            words.extend((OPS["EXIT"], number))
            index = tuple(i for i, _ in exit.locals)
            operands = tuple(operand for _, operand in exit.locals)
            rows.append(
                (KINDS[exit.kind], exit.offset, exit.through_point, start, exit.stack, index,
                 operands, exit.value)
            )  # fmt: skip
        return words, tuple(self.consts), tuple(rows), self.registers

    def last_uses(self) -> dict[int, list[int]]:
        """Step → registers to free after it; only temporaries, the guards' own are few."""
        last: dict[int, int] = {}
        current: PlannedExit | None = None
        for at, step in enumerate(self.main):
            for register in (*step.reads, *step.writes):
                last[register] = at
            for exit in step.exits:
                for register in self.exits[exit].reads():
                    last[register] = at
            if step.words[0] in (OPS["WINDOW"], OPS["LOUD"], OPS["EXIT"]):
                current = self.exits[step.words[-1]]
            for register in current.reads() if current is not None else ():
                last[register] = at
        final = len(self.main) - 1
        found: dict[int, list[int]] = {}
        for register, at in last.items():
            if register >= self.loaded and at < final:
                found.setdefault(at, []).append(register)
        return found


def is_users(obj: Any) -> bool:
    if isinstance(obj, type):
        return bool(obj.__flags__ & HEAP_TYPE)
    return isinstance(obj, FunctionType | CodeType)


def is_made(tree: Any) -> bool:
    """Not a constant: a value, a number of extents, a list, a dict, or a tuple or slice with one of
    them inside."""
    cls = type(tree)
    if cls is slice:
        return any(map(is_made, (tree.start, tree.stop, tree.step)))
    return cls in (Value, Number, list, dict) or (cls is tuple and any(map(is_made, tree)))


def _dict(plan: PlanBuilder, tree: dict[Any, Any]) -> Operand:
    parts = [p for key, item in tree.items() for p in (plan.const(key), plan.operand(item))]
    return plan.build("BUILD_MAP", parts)


def _slice(plan: PlanBuilder, tree: slice) -> Operand:
    return plan.fixed("BUILD_SLICE", *map(plan.operand, (tree.start, tree.stop, tree.step)))


TREES: dict[type, Callable[[PlanBuilder, Any], Operand]] = {
    tuple: lambda plan, tree: plan.build("BUILD_TUPLE", [plan.operand(x) for x in tree]),
    list: lambda plan, tree: plan.build("BUILD_LIST", [plan.operand(x) for x in tree]),
    dict: _dict,
    slice: _slice,
    Number: PlanBuilder.number,
}
