"""The state of a loop capture: where nodes go, and where CPython resumes if one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from jitcore.fallback.breaks import Break, BreakSignal
from jitcore.fallback.exit import Exit
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node, Value, values
from jitcore.ir.op import Effect, Op
from jitcore.ir.ops.array import GETITEM, SETITEM
from jitcore.ir.ops.dyn_array import EXTENT, MADE
from jitcore.ir.ops.loop import ITEMS_BEFORE, ITEMS_FROM
from jitcore.ir.ops.operator import specialise
from jitcore.ir.types import ArrayType, DynArrayType, ScalarType
from jitcore.opcodes.flow import Loop
from jitcore.symbolic.machine import Machine
from jitcore.symbolic.state import Frame, LoopRegion, PileKey, ResumePoint
from jitcore.symbolic.values import Enumerate, Filter, Generator, Iter, Map, Traced, Var, Zip

ELEMENTS = (GETITEM, SETITEM, ITEMS_FROM, ITEMS_BEFORE)
ADVANCING = (Iter, Enumerate, Zip, Map, Filter, Generator)
MAX_NODES = 3_000  # in one native loop: the C compiler takes seconds for more


class CannotCapture(Exception):
    """This loop is CPython's, with regions in its body."""


class TooMuch(CannotCapture):
    """The limit is on the whole capture: leaving a branch to CPython would not help."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a branch."""

    offset: int
    pops: int = 0  # values that it takes off the stack
    stack: Sequence[Var] | None = None  # its stack, if not that of the branch
    known: tuple[Var, Var] | None = None  # a value, and the one that stands for it on this arm
    then: Fork | None = None  # the branch that follows at once


class Fork(Exception):
    """A branch of this frame that only run time decides."""

    def __init__(self, frame: Frame, predicate: Any, yes: Arm, no: Arm) -> None:
        super().__init__()
        self.frame, self.predicate, self.yes, self.no = frame, predicate, yes, no


@dataclass(slots=True)
class LoopState:
    """The capture of one native loop, inner loops included. `takes`, `loop` and `call` are those of
    walk_loop.py, `computed` that of array_views.py."""

    routine: LoopRegion
    open: list[Node]  # the list that nodes go to
    takes: Callable[[Machine, Frame, Loop], bool]
    loop: Callable[[Machine, Frame, Loop], None]
    call: Callable[[Machine, Frame], Var]
    computed: Callable[[Machine, Op, tuple[Any, ...], dict[str, Any]], Var]
    mark: ResumePoint | None = None  # None: the outermost frame's next instruction sets a new one
    commits: int = 0  # effects that must not be repeated: stores, loops that have run
    level: int = 0  # the number of the branch or iteration that is being walked
    levels: int = 0  # how many branches and iterations have been walked
    own: dict[int, tuple[Var, int]] = field(default_factory=dict)  # iterators made here, and where
    splits: int = 0  # branches walked so far
    firsts: int = 0  # iterations peeled so far
    nodes: int = 0
    notes: list[Break] = field(default_factory=list)  # breaks on branches left to CPython
    moved: list[int] = field(default_factory=list)  # slots of array variables that are rebound
    guesses: dict[Value, PileKey] = field(default_factory=dict)  # stacks that begin empty
    constants: dict[tuple[Op, str], Value] = field(default_factory=dict)  # arrays made before it
    # which objects it changes
    hands_over: bool = False  # arrays or stacks made in the loop are used after it
    list_stores: bool = False  # items of lists are stored
    fixed_items: bool = False  # facts about items of lists, known before the loop, are used
    grown: dict[Value, Source | None] = field(default_factory=dict)  # lists appended to → origin
    read: set[Value] = field(default_factory=set)  # sequences that are read
    # size limits (size_limits.py)
    small_only: bool = False  # large arrays are rejected
    ways: int = 0  # branches that are being walked
    inner: int = 0  # inner loops that are being walked
    large: int = 0  # elements: the least limit that an array is above
    large_outside: bool = False  # large arrays are used outside of inner loops
    large_on_a_way: bool = False  # large arrays are used on a branch
    varies: bool = False  # something needs to know how many items a mask selects
    varies_outside: bool = False  # the same, outside of inner loops
    selected: dict[Value, Any] = field(default_factory=dict)  # an array that a mask selects → mask

    def boundary(self, vm: Machine, offset: int) -> None:
        """Between two instructions of the outermost frame."""
        if self.mark is not None:
            return
        frame = vm.outer
        self.mark = ResumePoint(offset, list(frame.saved), list(frame.locals))
        if any(isinstance(var, ADVANCING) for var in (*frame.saved, *frame.locals)):
            self.exit_of(vm, self.mark, False)  # their positions are not known later

    def deeper(self) -> None:
        """Another branch or iteration begins. It may not advance iterators that are older: other
        branches would find them moved on."""
        self.levels += 1
        self.level = self.levels

    def adopt(self, it: Var) -> None:
        self.own[id(it)] = it, self.level

    def advance(self, it: Var) -> None:
        """Only an iterator that was made on this branch may advance."""
        if self.own.get(id(it), (None, -1))[1] != self.level or isinstance(it, Generator):
            raise CannotCapture("this loop's body advances an iterator that was made before it")

    def commit(self) -> None:
        self.mark = None
        self.commits += 1

    def emit(
        self,
        vm: Machine,
        op: Op,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        through_point: bool = False,
    ) -> Var | None:
        """A node over numbers and elements of arrays; `computed` makes all others."""
        row, given = specialise(op, args, kwargs)
        inputs = values((args, kwargs))
        arrays = [one for one in inputs if not isinstance(one.type, ScalarType)]
        elements = op is EXTENT or (row in ELEMENTS and arrays == [args[0]])
        if (arrays and not elements) or row.name in MADE:
            return self.computed(vm, op, args, kwargs)
        stores = row is SETITEM
        quiet = stores or row.name in ("poll", "leave")
        if not quiet and row.effect_of(given, kwargs) > Effect.FLAGS:
            raise CannotCapture(f"this loop uses {row.words}, which may warn or change something")
        vm.builder.nodes = []
        out = vm.builder.emit(op, args, kwargs, vm.place())
        if type(out) is Value and not isinstance(out.type, ScalarType):
            return self.computed(vm, op, args, kwargs)
        if out is not None and type(out) is not Value:
            raise CannotCapture(f"this loop uses {row.words}, which returns several results")
        for node in vm.builder.nodes:
            self.append(vm, node, through_point)
        if stores:
            self.commit()
        return None if out is None else Traced(out)

    def append(self, vm: Machine, node: Node, through_point: bool) -> None:
        """Where it fails, CPython goes on at the mark."""
        if vm.errstate != self.routine.errstate:
            raise CannotCapture("this loop changes np.errstate")
        self.count_node()
        self.open.append(node)
        if self.mark is not None:
            self.routine.exits[node] = self.exit_of(vm, self.mark, through_point)

    def count_node(self) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooMuch(f"this loop's body has more than {MAX_NODES:,} operations")

    def exit_of(self, vm: Machine, mark: ResumePoint, through_point: bool) -> Exit:
        if mark.exit is None:
            outer = vm.outer
            now, outer.locals = outer.locals, mark.locals
            try:
                mark.exit = vm.exit_at(vm, mark.offset, mark.stack, through_point)
            finally:
                outer.locals = now
        return mark.exit

    def left_out(self, vm: Machine, error: Exception) -> None:
        """A branch is left to CPython: noted for the report."""
        if isinstance(error, BreakSignal):
            self.notes.append(error.at(vm.place(), vm.chain()))


def is_element(container: Any, key: Any) -> bool:
    """One int for each axis."""
    parts = key if type(key) is tuple else (key,)
    kind = container.type if type(container) is Value else None
    return (
        isinstance(kind, ArrayType | DynArrayType)
        and len(parts) == kind.ndim
        and all(
            type(part) is int
            or (
                type(part) is Value
                and isinstance(part.type, ScalarType)
                and part.type.dtype.kind in "iu"
            )
            for part in parts
        )
    )


def working(vm: Machine) -> LoopState:
    """The state of the loop that is being captured: there must be one."""
    assert isinstance(vm.work, LoopState)
    return vm.work


def scalar(vm: Machine, op: Op, *args: Any) -> Any:
    """A node → its number, or None if it has no result."""
    made = working(vm).emit(vm, op, args, {})
    return made.value if isinstance(made, Traced) else None


def emitted(vm: Machine, op: Op, args: tuple[Any, ...]) -> Traced:
    made = append(vm, op, args, {}, op.infer(args, {}))
    assert isinstance(made, Traced)
    return made


def append(
    vm: Machine, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], kind: Any
) -> Var | None:
    work = working(vm)
    outputs = () if kind is None else (Value(kind),)
    work.append(vm, Node(op, args, kwargs, outputs, (), vm.place()), False)
    return Traced(outputs[0]) if outputs else None
