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

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from jitcore.config import Config
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakKind, BreakSignal
from jitcore.fallback.exit import Exit
from jitcore.guards.guard import Equals
from jitcore.guards.source import Extent, Source
from jitcore.host import deadline
from jitcore.host.fast_dataclass import dataclass
from jitcore.ir.graph import Node, Value
from jitcore.ir.infer.index import copies
from jitcore.ir.op import Effect, Kind, Op, Unsupported
from jitcore.ir.ops.array import GETITEM
from jitcore.ir.ops.operator import specialise
from jitcore.ir.types import ArrayType, ObjectType
from jitcore.ir.value import given, has_list, values
from jitcore.opcodes.canon import Canon
from jitcore.opcodes.instr import Instr
from jitcore.symbolic.capture_state import CaptureState
from jitcore.symbolic.describe import describe, selected
from jitcore.symbolic.opcode import HANDLERS
from jitcore.symbolic.signals import Fenced, Raising, RegionEnd
from jitcore.symbolic.state import EffectStep, Frame, Start, Window
from jitcore.symbolic.values import NOTHING, Known, Traced, Tuple, Var

# A call of several instructions: CPython keeps state between them that an exit cannot rebuild.
UNIT_HEADS = frozenset(("KW_NAMES", "PRECALL"))
UNIT_TAILS = frozenset(("PRECALL", "CALL"))
MAX_STEPS = 20_000
MAX_NODES = 1_500
LOOK_EVERY = 16  # instructions: about a millisecond


class LoopCapture(Protocol):
    """What is asked of the loop that is being captured: symbolic/loops/loop_state.py."""

    def boundary(self, vm: Machine, offset: int) -> None: ...
    def call(self, vm: Machine, frame: Frame) -> Var: ...
    def emit(
        self, vm: Machine, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Var | None: ...


@dataclass(frozen=True, slots=True)
class Asks:
    """Functions of modules that are built on the machine, and that it calls."""

    exit_at: Callable[[Machine, int, list[Var], bool], Exit]
    unwind: Callable[[Machine, Frame, Raising], bool]
    remainder: Callable[[Machine, Traced, str], int]
    about_to_write: Callable[[Machine, Source | None], None]
    reason: Callable[[Machine, Unsupported, Iterable[Value]], BreakKind]


class Machine(CaptureState):
    def __init__(
        self,
        start: Start,
        config: Config,
        fenced: dict[int, Break],
        refused: Mapping[int, str],
        asks: Asks,
        looked: list[Any],
        assumed: dict[Any, Any],
    ) -> None:
        super().__init__(start, config, fenced, refused, looked, assumed)
        self.asks, self.exit_at = asks, asks.exit_at
        self.work: LoopCapture | None = None  # the native loop that is being captured

    # -- guards -----------------------------------------------------------------------------------

    def concrete(self, var: Var, use: str = "reaches a shape") -> Any:
        """The Python int (bool, float) that a run-time scalar is now; the region then holds for
        that value only. `use`: what for, in words."""
        match var:
            case Known(obj):
                return obj
            case Traced(hint=hint, origin=origin, deps=deps) if hint is not NOTHING:
                if self.start.sizes and any(type(source) is Extent for source in deps):
                    return self.asks.remainder(self, var, use)
                for source in deps | ({origin} if origin is not None else frozenset()):
                    known = self.realized[source]
                    assert isinstance(known, Traced)
                    self.guard(Equals(source, known.hint))
                    self.uses.setdefault(source, f"{use} at {self.line()}")
                return hint
        self.stop(breaks.RUNTIME_VALUE, describe(var))

    def wrote(self, var: Var) -> None:
        self.asks.about_to_write(self, getattr(var, "origin", None))
        self.writes += 1
        self.written.append(var)

    # -- nodes ------------------------------------------------------------------------------------

    def emit(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Var:
        """Append a node over argument trees; a result whose type is not known ends the region
        after this line."""
        if self.work is not None:
            return self.work.emit(self, op, args, kwargs) or Known(None)
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.stop(breaks.GRAPH_TOO_LARGE, f"more than {MAX_NODES} operations")
        try:
            row, operands = specialise(op, args, kwargs)
            pure = row.effect_of(operands, kwargs) <= Effect.FLAGS
            self.builder.nodes = self.window_for(row, operands, kwargs).nodes if pure else []
            out = self.builder.call(row, operands, kwargs, self.place(), row is not op)
        except Unsupported as refusal:
            kind = self.asks.reason(self, refusal, given(args, kwargs))
            raise BreakSignal(kind, str(refusal)) from refusal
        inputs = set(given(args, kwargs))
        if row.kind not in (Kind.MAP, Kind.REDUCE) or (type(out) is Value and out in inputs):
            self.fresh -= inputs
        if not pure:
            self.loud(self.builder.nodes[0])
        elif row is GETITEM and is_array(out) and copies(operands[1]):
            self.fresh.add(out)
            self.builder.temporary(out)
        if type(out) is Value and out in inputs:
            return Traced(out)
        if isinstance(out, tuple) and len(out) == 1:  # a node cannot tell it from its only item
            self.stop(breaks.NUMPY_UNSUPPORTED, f"{row.words}: a tuple of one result")
        objects = any(isinstance(value.type, ObjectType) for value in values(out))
        if objects and has_list((*operands, *kwargs.values())):
            text = f"the result of {row.words} on a list"
            if row.rule is not None:
                text = f"{row.words} with a list, whose result type is not known beforehand"
            self.stop(breaks.NUMPY_UNSUPPORTED, text)  # it may be that very list
        text = selected(operands) if row is GETITEM else f"the result of {row.words}"
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
        return Traced(value)

    def loud(self, node: Node) -> None:
        if self.inlined:
            stores = node.op.effect_of(node.args, node.kwargs) is Effect.STORE
            self.stop(breaks.STORE_INLINED if stores else breaks.LOUD_INLINED, node.op.words)
        self.window()
        outer = self.outer
        assert outer.unit is not None and outer.instr is not None
        self.failing = True
        exit = self.exit_before(outer.unit)
        self.failing = False
        self.segments.append(EffectStep(node, exit, outer.instr.offset, self.errstate))
        self.fresh_window = True

    def postpone(self, node: Node) -> None:
        """A loud step in an inlined call, of which nothing that comes after it there can tell
        whether it has been done: it is, when the outermost frame's instruction ends."""
        self.postponed.append(node)

    def catch_up(self) -> None:
        for number, node in enumerate(self.postponed):
            if number:
                last = self.segments[-1]
                assert isinstance(last, EffectStep)
                self.segments.append(Window(last.at))  # in which nothing is done
            self.loud(node)
        self.postponed.clear()

    def exit_before(self, instr: Instr) -> Exit:
        return self.exit_at(self, instr.offset, self.outer.saved, False)

    # -- running ----------------------------------------------------------------------------------

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
            deadline.look()
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
            if not self.asks.unwind(self, frame, raising):
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
            raise RegionEnd(self.cut_next)
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
