"""The state of a capture: guards, inputs, nodes, effects, and the frames that are walked.

Machine (machine.py) is this with an interpreter. What stands here runs nothing: it records, and
says where the walk is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import CodeType, CoroutineType, GeneratorType
from typing import Any, NoReturn

from jitcore.config import Config
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakKind, BreakSignal, Place, place_of
from jitcore.fallback.exit import MISS, Do
from jitcore.guards.guard import Guard
from jitcore.guards.source import Source
from jitcore.ir.builder import Builder
from jitcore.ir.fp_effects import is_silent
from jitcore.ir.graph import Node, Value
from jitcore.ir.op import Op
from jitcore.ir.types import Type
from jitcore.opcodes.decode import Code, decode
from jitcore.symbolic.placeholders import Token
from jitcore.symbolic.state import (
    DeferredEffect,
    Division,
    Frame,
    LoopArrays,
    Met,
    Segment,
    Start,
    Window,
)
from jitcore.symbolic.value_parts import take_apart
from jitcore.symbolic.values import Cell, Exc, Lazy, Var


class CaptureState:
    def __init__(
        self,
        start: Start,
        config: Config,
        fenced: dict[int, Break],
        refused: Mapping[int, str],
        looked: list[Any],
        assumed: dict[Any, Any],
    ) -> None:
        self.start = start
        self.config = config
        self.fenced = fenced
        self.refused = refused  # loops that are CPython's: header → reason
        self.looked = looked  # what all walks of this capture told the program of extents
        self.assumed = assumed  # results that all walks take for constants, by call
        # extents
        self.lengths: dict[Value, tuple[Met, ...]] = {}  # numbers that depend on extents
        self.tests: dict[Value, tuple[Any, Var, Var]] = {}  # comparisons of numbers in `lengths`
        self.divided: dict[Division, None] = {}  # divisions that facts depend on
        self.freed: list[int] = []  # extents of computed arrays that are no facts
        # guards and inputs
        self.guards: dict[Guard, None] = {}
        self.uses: dict[Source, str] = {}  # a number that is a constant → what made it one
        self.builder = Builder()
        self.inputs: dict[Source, Value] = {}
        # objects
        self.realized: dict[Source, Var] = {}
        self.by_id: dict[int, Var] = {}
        self.cells_by_id: dict[int, Cell] = {}
        self.live: dict[Source, Any] = {}
        self.wanted: dict[Source, None] = {}
        self.names: dict[Source, Any] = {}  # modules and globals that are looked into by name
        self.mutable: dict[Source, Any] = {}
        self.mutated: set[Source] = set()
        self.blind: set[Source] = set()  # objects that were changed but not looked at
        self.spoiled: list[Var] = []  # iterators at an unknown position
        self.writes = 0  # changes of objects so far, new objects included
        self.written: list[Var] = []
        # effects
        self.effects: list[DeferredEffect] = []
        self.globals_set: dict[str, Var | None] = {}
        self.postponed: list[Node] = []  # prints of inlined calls that have not yet returned
        self.failing = False  # the exit that is being made is for a step that raises
        # the graph
        self.segments: list[Segment] = [Window(MISS)]
        self.fresh_window = False
        self.fresh: set[Value] = set()
        self.masks: dict[Hashable, Value] = {}  # how a mask was made → the first made so
        self.nodes = 0
        # where the region ends
        self.cut_next: Break | None = None
        self.cut_here = False  # the region ends: facts about lists no longer hold
        # loops: (depth, header) → its iterations, the nodes before it, the iterations left
        self.unrolling: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.rolled = set(start.rolled)  # headers of loops that are not unrolled
        self.in_loop = start.offset > start.code.start
        self.backward = 0
        self.routines = False  # the graph has native loops
        self.returns = False  # the last native loop gives what the function returns
        self.parts = LoopArrays()
        self.notes: list[Break] = []  # breaks on branches that native loops leave to CPython
        # the walk
        self.frames: list[Frame] = []
        self.walked: list[int] = []  # offsets that the outermost frame executed
        self.steps = 0
        self.codes: dict[int, Code] = {id(start.code.code): start.code}
        self.kept: list[object] = []
        self.handled: list[Exc] = []  # exceptions being handled, innermost last
        self.blamed: Exc | None = None  # a live exception: the break belongs where it came from
        self.opaque = 0  # models and iterations that have called what now runs
        self.errstate = start.errstate  # NumPy's error state at this place
        self.tokens: list[Token] = []  # one for each open block of np.errstate, outermost first

    def forget(self) -> None:
        """Generators know the machine, and it knows them and the user's objects."""
        take_apart(self.written)
        vars(self).clear()

    # -- breaks -----------------------------------------------------------------------------------

    def stop(self, kind: BreakKind, detail: str = "") -> NoReturn:
        raise BreakSignal(kind, detail)

    def place(self) -> Place:
        frame = self.frames[-1]
        assert frame.instr is not None
        return place_of(frame.code.code, frame.instr.position)

    def line(self) -> str:
        """In words; of an inlined function with its name."""
        frame, instr = next((f, f.instr) for f in reversed(self.frames) if f.instr is not None)
        within = f" of {frame.code.code.co_qualname}" if frame is not self.outer else ""
        return f"line {instr.position[0] or '?'}{within}"

    def chain(self) -> tuple[Place, ...]:
        """The calls that led here, outermost first, this frame left out."""
        return tuple(
            place_of(f.code.code, f.instr.position) for f in self.frames[:-1] if f.instr is not None
        )

    @property
    def outer(self) -> Frame:
        return self.frames[0]

    @property
    def inlined(self) -> bool:
        return len(self.frames) > 1

    # -- guards -----------------------------------------------------------------------------------

    def guard(self, guard: Guard) -> None:
        self.guards.setdefault(guard)

    def input(self, origin: Source, type: Type) -> Value:
        """The graph input that a guard load brings."""
        value = self.inputs.get(origin)
        if value is None:
            value = self.inputs[origin] = Value(type)
        return value

    def same_object(self, a: Source, b: Source) -> bool:
        return self.live[a] is self.live[b]

    def is_fresh(self, value: Value) -> bool:
        """An array made in the region of which there is no view, and which no exit so far hands
        out."""
        return value in self.fresh

    def let_go(self, var: Var | None) -> None:
        """The outermost frame drops what it held. Where its end runs code, CPython must do that:
        it comes after the effects that are held back."""
        origin = getattr(var, "origin", None)
        if origin is None or self.inlined:
            return
        obj = var.obj if isinstance(var, Lazy) else self.live.get(origin)
        cls = type(obj)  # what `isinstance` asks for may be the user's code
        if cls in (GeneratorType, CoroutineType) or hasattr(cls, "__del__"):
            self.stop(
                breaks.CALLBACK, f"dropping an object of class {cls.__name__} runs its own code"
            )

    # -- nodes ------------------------------------------------------------------------------------

    def window(self) -> Window:
        last = self.segments[-1]
        if isinstance(last, Window):
            return last
        self.stop(
            breaks.LOUD_INLINED, "a computation between an effect and the end of its statement"
        )

    def window_for(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Window:
        """For a pure node: what it warns of is settled by the state that it is made under."""
        last = self.window()
        if last.errstate == self.errstate or is_silent(op, args, kwargs):
            return last
        if last.errstate is not None:
            last = Window(last.start)
            self.segments.append(last)
        last.errstate = self.errstate
        return last

    def hold(self, do: Do, *parts: Var) -> None:
        """An effect on an object: performed at the exits."""
        self.effects.append(DeferredEffect(do, parts))

    def decode(self, code: CodeType) -> Code:
        found = self.codes.get(id(code))
        if found is None:
            found = self.codes[id(code)] = decode(code)
            self.kept.append(code)
        return found
