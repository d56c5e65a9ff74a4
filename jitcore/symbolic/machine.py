"""The symbolic interpreter: walks bytecode from a region point, with a symbolic frame, and builds
the graph.

    run ─▶ step(instruction) ─▶ handler ─▶ values, nodes, guards
     │
     └─ BreakSignal: the outermost frame's instruction is left to CPython; capture.py walks anew
     up to it

The machine is the one mutable thing of a capture. It may assume that nothing else runs: the live
objects that it looks at are as the region will find them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from types import CodeType, CoroutineType, GeneratorType
from typing import Any, NoReturn

from jitcore import limit
from jitcore.config import Config
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakKind, BreakSignal, Place, place_of
from jitcore.fallback.exit import MISS, Do, Exit
from jitcore.guards.guard import Equals, Guard
from jitcore.guards.source import Source
from jitcore.ir.builder import Builder
from jitcore.ir.graph import Node, Value
from jitcore.ir.infer_index import copies
from jitcore.ir.op import Effect as OpEffect
from jitcore.ir.op import Kind, Op, Unsupported
from jitcore.ir.ops_array import GETITEM
from jitcore.ir.ops_operator import specialise
from jitcore.ir.types import ArrayType, ObjectType, Type
from jitcore.ir.value import given as values_in
from jitcore.ir.value import has_list
from jitcore.ir.value import values as values_of
from jitcore.ir.warns import is_silent
from jitcore.opcodes.canon import Canon
from jitcore.opcodes.decode import Code, decode
from jitcore.opcodes.instr import Instr
from jitcore.symbolic.blame import row_of_refusal, row_of_values
from jitcore.symbolic.describe import describe, selected
from jitcore.symbolic.namespaces import about_to_write
from jitcore.symbolic.opcode import HANDLERS
from jitcore.symbolic.rests import is_extent, rest
from jitcore.symbolic.signals import Cut, Fenced
from jitcore.symbolic.state import Division, Frame, Held, Loud, Met, Parts, Segment, Start, Window
from jitcore.symbolic.unwind import Raising, unwind
from jitcore.symbolic.values import NOTHING, Cell, Exc, Known, Lazy, Run, Token, Tuple, Var
from jitcore.symbolic.working import Working
from jitcore.symbolic.written import take_apart

# A call of several instructions: CPython keeps state between them that an exit cannot rebuild.
UNIT_HEADS = frozenset(("KW_NAMES", "PRECALL"))
UNIT_TAILS = frozenset(("PRECALL", "CALL"))
MAX_STEPS = 20_000
MAX_NODES = 1_500
LOOK_EVERY = 16  # instructions: about a millisecond


class Machine:
    def __init__(
        self,
        start: Start,
        config: Config,
        fenced: dict[int, Break],
        refused: Mapping[int, str],
        exit_at: Callable[[Machine, int, list[Var], bool], Exit],
        looked: list[Any],
        assumed: dict[Any, Any],
    ) -> None:
        self.exit_at = exit_at
        self.refused = refused  # loops that are CPython's, by their headers, and why
        self.lengths: dict[Value, tuple[Met, ...]] = {}  # extents, and what is made of them
        self.tests: dict[Value, tuple[Any, Var, Var]] = {}  # comparisons of such numbers
        self.divided: dict[Division, None] = {}  # those that facts are made with
        self.freed: list[int] = []  # extents of computed arrays that are no facts
        self.looked = looked  # what was told of arrays' extents: in all walks of a capture
        self.assumed = assumed  # of callables whose results are constants, likewise
        self.start = start
        self.config = config
        self.fenced = fenced
        self.guards: dict[Guard, None] = {}
        self.uses: dict[Source, str] = {}  # of numbers that are constants, what made them so
        self.builder = Builder()
        self.inputs: dict[Source, Value] = {}
        self.realized: dict[Source, Var] = {}
        self.by_id: dict[int, Var] = {}
        self.cells_by_id: dict[int, Cell] = {}
        self.effects: list[Held] = []
        self.globals_set: dict[str, Var | None] = {}
        self.wanted: dict[Source, None] = {}
        self.mutable: dict[Source, Any] = {}
        self.names: dict[Source, Any] = {}  # modules and globals that are looked into by name
        self.mutated: set[Source] = set()
        self.segments: list[Segment] = [Window(MISS)]
        self.fresh_window = False
        self.postponed: list[Node] = []  # prints of inlined calls, until these have returned
        self.failing = False  # the exit that is being made is for a step that raises
        self.cut_next: Break | None = None
        self.cut_here = False  # what was known of lists is no longer so
        # where a loop is → its rounds, the nodes before it, the rounds that are left
        self.unrolling: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.rolled = set(start.rolled)  # loops that are not unrolled, by their headers
        self.in_loop = start.offset > start.code.start
        self.backward = 0
        self.walked: list[int] = []  # what the outermost frame executed
        self.fresh: set[Value] = set()
        self.masks: dict[Hashable, Value] = {}  # how a mask was made → the first made so
        self.live: dict[Source, Any] = {}
        self.blind: set[Source] = set()  # changed without having been looked at
        self.spoiled: list[Var] = []  # iterators that stopped nobody knows where
        self.writes = 0  # changes of objects so far, of those made here too
        self.written: list[Var] = []
        self.frames: list[Frame] = []
        self.steps = 0
        self.nodes = 0
        self.codes: dict[int, Code] = {id(start.code.code): start.code}
        self.kept: list[object] = []
        self.handled: list[Exc] = []  # innermost last
        self.blamed: Exc | None = None  # that must exist: the break belongs where it came from
        self.work: Working | None = None  # the routine that is being captured
        self.routines = False  # there are some
        self.returns = False  # the last one of them gives what the function returns
        self.parts = Parts()
        self.notes: list[Break] = []  # of ways that are CPython's in them
        self.opaque = 0  # models and iterations that have called what now runs
        self.errstate = start.errstate  # NumPy's, at this place
        self.tokens: list[Token] = []  # of open blocks of np.errstate, outermost first

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

    def concrete(self, var: Var, use: str = "reaches a shape") -> Any:
        """The Python int (bool, float) that a run-time scalar is now; the region then holds for
        that value only. `use`: what for, in words."""
        match var:
            case Known(obj):
                return obj
            case Run(hint=hint, origin=origin, deps=deps) if hint is not NOTHING:
                if self.start.sizes and any(map(is_extent, deps)):
                    return rest(self, var, use)
                for source in deps | ({origin} if origin is not None else frozenset()):
                    known = self.realized[source]
                    assert isinstance(known, Run)
                    self.guard(Equals(source, known.hint))
                    self.uses.setdefault(source, f"{use} at {self.line()}")
                return hint
        self.stop(breaks.RUNTIME_VALUE, describe(var))

    def wrote(self, var: Var) -> None:
        about_to_write(self, getattr(var, "origin", None))
        self.writes += 1
        self.written.append(var)

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
            self.stop(breaks.CALLBACK, f"letting go of a {cls.__name__} object")

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

    def working(self) -> Working:
        assert self.work is not None
        return self.work

    def emit(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
        """Append a node over argument trees; a result whose type is not known ends the region
        after this line."""
        if self.work is not None:
            return self.work.emit(self, op, args, kwargs) or Known(None)
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.stop(breaks.GRAPH_TOO_LARGE, f"more than {MAX_NODES} nodes")
        try:
            row, given = specialise(op, args, kwargs)
            pure = row.effect_of(given, kwargs) <= OpEffect.FLAGS
            self.builder.nodes = self.window_for(row, given, kwargs).nodes if pure else []
            out = self.builder.call(row, given, kwargs, self.place(), row is not op)
        except Unsupported as refusal:
            kind = row_of_values(self, values_in(args, kwargs), row_of_refusal(refusal))
            raise BreakSignal(kind, str(refusal)) from refusal
        given_values = set(values_in(args, kwargs))
        if row.kind not in (Kind.MAP, Kind.REDUCE) or (type(out) is Value and out in given_values):
            self.fresh -= given_values
        if not pure:
            self.loud(self.builder.nodes[0])
        elif row is GETITEM and is_array(out) and copies(given[1]):
            self.fresh.add(out)
            self.builder.temporary(out)
        if type(out) is Value and out in given_values:
            return Run(out)
        if isinstance(out, tuple) and len(out) == 1:  # a node cannot tell it from its only item
            self.stop(breaks.NUMPY_UNSUPPORTED, f"{row.name}: a tuple of one result")
        objects = any(isinstance(value.type, ObjectType) for value in values_of(out))
        if objects and has_list((*given, *kwargs.values())):
            text = f"the result of {row.name}, which is given a list"
            if row.rule is not None:
                text = f"{row.name} with a list, and a result of a type that is not foretold"
            self.stop(breaks.NUMPY_UNSUPPORTED, text)  # it may be that very list
        text = selected(given) if row is GETITEM else f"the result of {row.name}"
        if isinstance(out, tuple):
            return Tuple(tuple(self.made(value, row, pure, text) for value in out))
        return self.made(out, row, pure, text)

    def made(self, value: Any, row: Op, pure: bool, text: str) -> Var:
        if type(value) is not Value:
            return Known(value)
        if isinstance(value.type, ObjectType):
            if self.inlined:
                self.stop(breaks.RESULT_TYPE_UNKNOWN, text)
            self.cut_next = Break(breaks.RESULT_TYPE_UNKNOWN, text, self.place())
        elif pure and row.kind in (Kind.MAP, Kind.CREATE) and isinstance(value.type, ArrayType):
            self.fresh.add(value)
        return Run(value)

    def loud(self, node: Node) -> None:
        if self.inlined:
            stores = node.op.effect_of(node.args, node.kwargs) is OpEffect.STORE
            self.stop(breaks.STORE_INLINED if stores else breaks.LOUD_INLINED, node.op.name)
        self.window()
        outer = self.outer
        assert outer.unit is not None and outer.instr is not None
        self.failing = True
        exit = self.exit_before(outer.unit)
        self.failing = False
        self.segments.append(Loud(node, exit, outer.instr.offset, self.errstate))
        self.fresh_window = True

    def postpone(self, node: Node) -> None:
        """A loud step in an inlined call, of which nothing that comes after it there can tell
        whether it has been done: it is, when the outermost frame's instruction ends."""
        self.postponed.append(node)

    def catch_up(self) -> None:
        for number, node in enumerate(self.postponed):
            if number:
                last = self.segments[-1]
                assert isinstance(last, Loud)
                self.segments.append(Window(last.at))  # in which nothing is done
            self.loud(node)
        self.postponed.clear()

    def exit_before(self, instr: Instr) -> Exit:
        return self.exit_at(self, instr.offset, self.outer.saved, False)

    def hold(self, do: Do, *parts: Var) -> None:
        """An effect on an object: performed at the exits."""
        self.effects.append(Held(do, parts))

    # -- running ----------------------------------------------------------------------------------

    def decode(self, code: CodeType) -> Code:
        found = self.codes.get(id(code))
        if found is None:
            found = self.codes[id(code)] = decode(code)
            self.kept.append(code)
        return found

    def run(self, frame: Frame) -> Var:
        """Interpret until the frame returns."""
        self.frames.append(frame)
        opaque, self.opaque = self.opaque, 0
        try:
            if self.work is not None:
                frame.result = self.work.call(self, frame)
            while frame.result is None:
                self.step(frame)
        except Raising as raising:
            if opaque:
                self.stop(raising.exc.kind, raising.exc.detail)
            self.frames.pop()
            raise
        finally:
            self.opaque = opaque
        self.frames.pop()
        return frame.result

    def step(self, frame: Frame) -> None:
        index = frame.index
        instr = frame.code.instrs[index]
        frame.instr = instr
        if not (instr.op in UNIT_TAILS and frame.unit_continues):
            frame.unit = instr
            if frame is self.frames[0]:
                frame.saved = frame.stack.copy()
                self.walked.append(instr.offset)
                self.boundary(instr)
        frame.unit_continues = instr.op in UNIT_HEADS
        self.steps += 1
        if self.steps % LOOK_EVERY == 0:
            limit.look()
        if self.steps > MAX_STEPS:
            self.stop(breaks.GRAPH_TOO_LARGE, f"more than {MAX_STEPS} instructions")
        frame.index = index + 1
        try:
            for canon in frame.code.canonical(index):
                self.perform(frame, canon)
            if self.postponed and frame is self.frames[0]:
                self.catch_up()
        except Raising as raising:
            if self.postponed and frame is self.frames[0]:
                self.stop(raising.exc.kind, raising.exc.detail)
            if not unwind(self, frame, raising):
                raise

    def boundary(self, instr: Instr) -> None:
        """Between two instructions of the outermost frame: windows open and regions are cut
        here."""
        if instr.offset in self.fenced:
            raise Fenced(self.fenced[instr.offset])
        if self.work is not None:
            self.work.boundary(self, instr.offset)
            return
        if (self.cut_next is not None or self.cut_here) and instr.op != "RETURN_VALUE":
            raise Cut(self.cut_next)
        if self.fresh_window:
            self.segments.append(Window(self.exit_before(instr)))
            self.fresh_window = False

    def perform(self, frame: Frame, canon: Canon) -> None:
        handler = HANDLERS.get(canon.op)
        if handler is None:
            self.stop(breaks.UNSUPPORTED_OPCODE, canon.op)
        if handler.pops is None:
            handler.run(self, frame, canon)
            return
        cut = len(frame.stack) - handler.pops
        args = frame.stack[cut:]
        del frame.stack[cut:]
        out = handler.run(self, frame, canon, *args)
        if handler.pushes == 1:
            frame.stack.append(out)
        elif handler.pushes:
            frame.stack.extend(out)

    def jump(self, frame: Frame, offset: int) -> None:
        frame.index = frame.code.by_offset[offset]


def is_array(out: Any) -> bool:
    return type(out) is Value and isinstance(out.type, ArrayType)
