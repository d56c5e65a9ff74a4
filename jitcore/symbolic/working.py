"""A routine that is being captured: where its nodes go, and where CPython goes on if one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from jitcore.dataclass import dataclass
from jitcore.fallback.breaks import Break, BreakSignal
from jitcore.fallback.exit import Exit
from jitcore.guards.source import Source
from jitcore.ir.graph import Node, Value, values
from jitcore.ir.op import Effect, Op
from jitcore.ir.ops_array import GETITEM, SETITEM
from jitcore.ir.ops_loop import ITEMS_BEFORE, ITEMS_FROM
from jitcore.ir.ops_operator import specialise
from jitcore.ir.ops_span import EXTENT, MADE
from jitcore.ir.types import ArrayType, ScalarType, SpanType
from jitcore.symbolic.state import Frame, Mark, PileKey, Routine
from jitcore.symbolic.values import Enumerate, Filter, Generator, Iter, Map, Run, Var, Zip

if TYPE_CHECKING:
    from jitcore.opcodes.flow import Loop
    from jitcore.symbolic.machine import Machine

ELEMENTS = (GETITEM, SETITEM, ITEMS_FROM, ITEMS_BEFORE)
ADVANCING = (Iter, Enumerate, Zip, Map, Filter, Generator)
MAX_NODES = 3_000  # of one routine: the C compiler takes seconds for more


class NotALoop(Exception):
    """This loop is CPython's, with regions in its body."""


class TooMuch(NotALoop):
    """Whatever is left out of it: what was walked so far has taken its time."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where one way begins, and how many values it takes off the stack, or what its stack is. What
    a variable is known to be there. `then`: it forks again at once."""

    offset: int
    pops: int = 0
    stack: Sequence[Var] | None = None
    known: tuple[Var, Var] | None = None
    then: Fork | None = None


class Fork(Exception):
    """A branch of this frame that only run time decides."""

    def __init__(self, frame: Frame, predicate: Any, yes: Way, no: Way) -> None:
        super().__init__()
        self.frame, self.predicate, self.yes, self.no = frame, predicate, yes, no


@dataclass(slots=True)
class Working:
    """`open`: the list that nodes go to. `takes`, `loop` and `call` are those of loops.py,
    `computed` that of spans.py."""

    routine: Routine
    open: list[Node]
    takes: Callable[[Machine, Frame, Loop], bool]
    loop: Callable[[Machine, Frame, Loop], None]
    call: Callable[[Machine, Frame], Var]
    computed: Callable[[Machine, Op, tuple[Any, ...], dict[str, Any]], Var]
    mark: Mark | None = None  # None: there is none until the outermost frame's next instruction
    commits: int = 0  # what is not to be repeated: stores, loops that have run
    level: int = 0  # which way, of which round, is being walked
    levels: int = 0
    own: dict[int, tuple[Var, int]] = field(default_factory=dict)  # iterators, and their levels
    splits: int = 0
    firsts: int = 0
    nodes: int = 0
    notes: list[Break] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)  # variables that other arrays become
    hands_over: bool = False  # arrays that were made in it
    list_stores: bool = False  # items of lists change,
    grown: dict[Value, Source | None] = field(default_factory=dict)  # lists, which came from there
    read: set[Value] = field(default_factory=set)  # sequences
    constants: dict[tuple[Op, str], Value] = field(default_factory=dict)  # made before it
    fixed_items: bool = False  # and what is known of items from before is used
    guesses: dict[Value, PileKey] = field(default_factory=dict)  # lists that begin empty
    small_only: bool = False  # the next ones: large.py
    ways: int = 0  # of branches, that are open
    inner: int = 0  # loops within, that are open
    large: bool = False
    large_outside: bool = False  # of them
    large_on_a_way: bool = False
    varies: bool = False
    varies_outside: bool = False
    selected: dict[Value, Any] = field(default_factory=dict)  # by which mask

    def boundary(self, vm: Machine, offset: int) -> None:
        """Between two instructions of the outermost frame."""
        if self.mark is not None:
            return
        frame = vm.outer
        self.mark = Mark(offset, list(frame.saved), list(frame.locals))
        if any(isinstance(var, ADVANCING) for var in (*frame.saved, *frame.locals)):
            self.exit_of(vm, self.mark, False)  # how far they are is not known later

    def deeper(self) -> None:
        """Another way, or round: what it takes from an iterator that was there before, another
        would not find."""
        self.levels += 1
        self.level = self.levels

    def adopt(self, it: Var) -> None:
        self.own[id(it)] = it, self.level

    def advance(self, it: Var) -> None:
        """An iterator that was made on this very way may be."""
        if self.own.get(id(it), (None, -1))[1] != self.level or isinstance(it, Generator):
            raise NotALoop("an iterator that was made before")

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
        """A node over numbers and elements of arrays; others are spans.py's."""
        row, given = specialise(op, args, kwargs)
        inputs = values((args, kwargs))
        arrays = [one for one in inputs if not isinstance(one.type, ScalarType)]
        elements = op is EXTENT or (row in ELEMENTS and arrays == [args[0]])
        if (arrays and not elements) or row.name in MADE:
            return self.computed(vm, op, args, kwargs)
        stores = row is SETITEM
        quiet = stores or row.name in ("poll", "leave")
        if not quiet and row.effect_of(given, kwargs) > Effect.FLAGS:
            raise NotALoop(f"{row.name} in a loop")
        vm.builder.nodes = []
        out = vm.builder.emit(op, args, kwargs, vm.place())
        if type(out) is Value and not isinstance(out.type, ScalarType):
            return self.computed(vm, op, args, kwargs)
        if out is not None and type(out) is not Value:
            raise NotALoop(f"{row.name} gives several results")
        for node in vm.builder.nodes:
            self.append(vm, node, through_point)
        if stores:
            self.commit()
        return None if out is None else Run(out)

    def append(self, vm: Machine, node: Node, through_point: bool) -> None:
        """Where it fails, CPython goes on at the mark."""
        if vm.errstate != self.routine.errstate:
            raise NotALoop("another error state in a loop")
        self.count_node()
        self.open.append(node)
        if self.mark is not None:
            self.routine.exits[node] = self.exit_of(vm, self.mark, through_point)

    def count_node(self) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooMuch("a body that is too long")

    def exit_of(self, vm: Machine, mark: Mark, through_point: bool) -> Exit:
        if mark.exit is None:
            outer = vm.outer
            now, outer.locals = outer.locals, mark.locals
            try:
                mark.exit = vm.exit_at(vm, mark.offset, mark.stack, through_point)
            finally:
                outer.locals = now
        return mark.exit

    def left_out(self, vm: Machine, error: Exception) -> None:
        """A way that is CPython's, for the report."""
        if isinstance(error, BreakSignal):
            self.notes.append(error.at(vm.place(), vm.chain()))


def is_element(container: Any, key: Any) -> bool:
    """One int for each axis."""
    parts = key if type(key) is tuple else (key,)
    kind = container.type if type(container) is Value else None
    return (
        isinstance(kind, ArrayType | SpanType)
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
