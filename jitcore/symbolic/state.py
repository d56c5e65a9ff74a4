"""The records of a capture: the frames being interpreted, the segments of the graph, and the
result.

segments:  Window(pure nodes) EffectStep Window(…) LoopRegion Window(…) …
           see docs/architecture.md, "Window"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import CodeType
from typing import Any

from jitcore.fallback.breaks import Break
from jitcore.fallback.exit import Do, Exit
from jitcore.guards.guard import Guard
from jitcore.guards.source import Source
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Graph, Node, Value
from jitcore.ir.types import ArrayType, StackType
from jitcore.opcodes.decode import Code
from jitcore.opcodes.instr import Instr
from jitcore.symbolic.values import Cell, Func, Traced, Var


@dataclass(frozen=True, slots=True)
class Sized:
    """An array as it might be. Its extents along these axes are numbers that run time knows."""

    type: ArrayType
    axes: frozenset[int]


Asked = tuple[Any, ...]  # where the program asks for an extent: in which calls, of which axis


@dataclass(frozen=True, slots=True)
class Start:
    """Where a capture begins: the live state of a frame at a region point."""

    code: Code
    offset: int
    locals: tuple[Any, ...]
    stack: tuple[Any, ...]
    globals: dict[str, Any]
    builtins: dict[str, Any]
    empty: Any  # what marks an empty slot in locals and stack
    errstate: int  # of NumPy, as it keeps it
    # loops that have been found too large to unroll, and ~offset of branches from which on there
    # is too much for a routine: there, and from later ones, it is no less
    rolled: frozenset[int] = frozenset()
    refused: Mapping[int, str] = field(default_factory=dict)  # by captures before, as in Capture
    sizes: Mapping[Source, Sized] = field(default_factory=dict)  # arrays as they might be
    free: frozenset[Asked] = frozenset()  # extents of computed arrays that are no facts then
    piles: Mapping[PileKey, StackType] = field(default_factory=dict)  # lists that begin empty
    varied: frozenset[str] = frozenset()  # numbers that were constants, and lists of such


@dataclass(frozen=True, slots=True)
class Division:
    """Of a sum of extents, or of what such divisions give, by a constant."""

    number: Value
    now: int
    divisor: int
    of: frozenset[Source]
    period: int  # what is left over is the same for extents that are so far apart


# On the way from extents to a number: divisions, other numbers, which of some was the least, and
# what else there is to know of it (symbolic/arrays/shape_facts.py).
Met = Division | Traced | tuple[int, ...] | str


PileKey = tuple[CodeType, int, int]  # its loop's first instruction, its variable


@dataclass(frozen=True, slots=True)
class DeferredEffect:
    """An effect that waits for the exits."""

    do: Do
    parts: tuple[Var, ...]


@dataclass(slots=True)
class Window:
    """Pure nodes. If one fails, CPython goes on at `start`. Those that may raise flags were made
    under one state of NumPy's: so one window of CPython's may be several here."""

    start: Exit
    nodes: list[Node] = field(default_factory=list)
    errstate: int | None = None  # as NumPy keeps it; None: no node may raise flags


@dataclass(slots=True)
class EffectStep:
    """A step with effects on arrays, or warnings. If it raises, it raises in the state of `at`, at
    the instruction that makes the call."""

    node: Node
    at: Exit
    offset: int
    errstate: int


@dataclass(slots=True)
class LoopRegion:
    """Scalar code with loops, compiled as one. A node that fails leaves by its exit, which is at
    the last place before it from which all can be repeated."""

    start: Exit
    at: int  # its outermost loop's header, or the branch before it; ~header: of a loop whose ways
    # out were walked, too
    errstate: int
    headers: set[int] = field(default_factory=set)  # of the outermost frame's loops in it
    nodes: list[Node] = field(default_factory=list)
    exits: dict[Node, Exit] = field(default_factory=dict)


@dataclass(slots=True)
class ResumePoint:
    """The outermost frame's state between two instructions, for exits to it."""

    offset: int
    stack: list[Var]
    locals: list[Var | None]
    exit: Exit | None = None


@dataclass(slots=True)
class LoopArrays:
    """What is known of the parts of arrays in routines."""

    views: dict[Value, tuple[Value, Any]] = field(default_factory=dict)  # the array, and its index
    in_c_order: set[Value] = field(default_factory=set)
    columns: dict[Value, tuple[Value, ...]] = field(default_factory=dict)  # of one array of NumPy's
    in_place: set[Value] = field(default_factory=set)  # views that `+=` and its like have written
    born: dict[Value, ResumePoint | None] = field(
        default_factory=dict
    )  # arrays made, and the mark then


Segment = Window | EffectStep | LoopRegion


@dataclass(slots=True)
class Frame:
    """One frame of the symbolic call stack. `initial` is what the outermost frame's locals were
    at the start."""

    code: Code
    index: int
    locals: list[Var | None]
    stack: list[Var]
    globals: dict[str, Any]
    builtins: dict[str, Any]
    func: Func | None = None
    initial: tuple[Var | None, ...] = ()
    cells: dict[int, Cell] = field(default_factory=dict)
    saved: list[Var] = field(default_factory=list)
    instr: Instr | None = None
    unit: Instr | None = None  # where CPython goes on if this instruction is left to it
    unit_continues: bool = False
    kw_names: tuple[str, ...] = ()
    yields: list[Var] | None = None
    raised: int = -1  # where an exception came from last, and the handler that it went to
    handler: int = -1
    result: Var | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """What one walk from a region point found."""

    graph: Graph
    inputs: dict[Source, Value]
    examples: dict[Value, Any]  # what the inputs are now
    wanted: tuple[Source, ...]  # objects that exits hand on as they are
    guards: tuple[Guard, ...]
    segments: tuple[Segment, ...]
    exit: Exit
    stop: Break | None  # why it ended, unless it returned
    resume: tuple[int, ...]  # where the next region points belong
    returns: Exit | None  # of a function's whole call: the exit that needs no frame
    errstate: int  # of NumPy, as it keeps it
    rolled: frozenset[int] = frozenset()  # loops that are not unrolled, by their headers
    refused: Mapping[int, str] = field(default_factory=dict)  # loops that are CPython's, and why
    notes: tuple[Break, ...] = ()  # ways through its loops that are CPython's
    looked: tuple[Any, ...] = ()  # what was told of arrays' extents while compiling
    uses: Mapping[Source, str] = field(default_factory=dict)  # what made numbers constants
    divided: tuple[Division, ...] = ()  # that shapes, or parts of arrays, are made with
    freed: tuple[int, ...] = ()  # extents of computed arrays that are no facts
    promises: tuple[str, ...] = ()  # calls whose results are constants because the program says so
