"""One call of a compiled function → what was captured, what broke, what it cost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from html import escape
from itertools import chain, starmap, zip_longest
from types import CodeType
from typing import Any

from jitcore import _C
from jitcore.cost.bandwidth import bandwidth, caches
from jitcore.fallback import breaks
from jitcore.fallback.breaks import Break, BreakKind, Place, place_of
from jitcore.guards.reason import summed
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.units import binary, counted, seconds
from jitcore.ir.graph import Node
from jitcore.ir.remark import lines
from jitcore.plan.work import Work
from jitcore.report.annotated import is_numpys
from jitcore.report.graphviz import Picture, picture
from jitcore.report.life import Life, lives_of, lives_without_graph
from jitcore.report.roofline import MachineLimits, Position, moves, positions, ran
from jitcore.report.run import Compiled, Function, Run, Step
from jitcore.report.session import accounted
from jitcore.runtime.notify import Found, collect
from jitcore.runtime.process import threads as thread_count
from jitcore.runtime.records import Recompile, Region, records
from jitcore.toolchain.cache_dir import said
from jitcore.user.cache_info import arrays_of


@dataclass(frozen=True)
class Explanation:
    """graphs   the compiled regions: `.graph`, `.kernels`, `.calls`, `.guards`, `.entry`,
    `.seconds`, `.footprint` (bytes of the arrays that it makes, alive at once: `.compiled`, and
    `.calls` as NumPy's calls one by one), `.remarks.found()` (which ways of lowering applied to
    its loops, kernels and calls, and why others did not)
    breaks   where the graph broke: `.code .filename .lineno .reason .hint`
    guards   what must hold for the graphs to be used, in words
    recompiles  why functions that the call met were compiled more than once: `.place`, `.changes`
    (`.source .before .after`), `.done`
    result   what the call returned
    times    seconds: "call" (the call explained), "compiling" (the part of it spent in jitcore)
    notes    what was said in the log: compilers that are not used, a cache that cannot be written

    states   of each of `graphs`, after the call: does it run, and why not: `.state .reason .again`
    unused   points of the function where nothing runs for a reason that no break tells, in words

    run      what took its time (jitcore/report/run.py); `.accounted` is how much of it is known

    `str()` is the report, `.annotated` the source with the time of each line, `picture(k)` draws a
    graph, `.roofline` says where graphs and kernels stand between memory and computing.
    """

    name: str
    graphs: tuple[Region, ...]
    breaks: tuple[Break, ...]
    guards: tuple[str, ...]
    result: Any = field(repr=False)
    times: dict[str, float]
    notes: tuple[str, ...] = ()
    run: Run | None = field(default=None, repr=False)
    recompiles: tuple[Recompile, ...] = ()
    states: tuple[Life, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def accounted(self) -> float:
        """How much of the call's time is that of something in `run`: 1.0 is all of it. Of the
        thread that spent most, where it ran on several."""
        threads = self.run.threads if self.run is not None else ()
        return min(max(threads, default=0.0) / self.times["call"], 1.0)

    @property
    def annotated(self) -> str:
        """The source of the functions that ran, each line with its time and what runs it."""
        return "\n".join(listing(self.run.functions if self.run is not None else ()))

    @property
    def measured(self) -> tuple[Compiled, ...]:
        """The graphs that ran in the call, or were tried."""
        return tuple(filter(ran, self.run.compiled)) if self.run is not None else ()

    @property
    def roofline(self) -> tuple[Position, ...]:
        """Of each graph that ran in the call and each of its kernels, loops and NumPy calls:
        `.intensity` (operations on elements per byte), `.bytes_per_second` and
        `.operations_per_second` in the call, `.machine.memory` (what memory gives:
        cost/bandwidth.py), `.verdict`. docs/debugging.md says what is counted."""
        machine = machine_for(self.measured)
        return tuple(one for graph in self.measured for one in positions(graph, machine))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}\n\n{escape(self.annotated)}</pre>"

    def source(self, number: int = 0) -> str:
        """The C text of a kernel, or of a graph's loops, counted over all graphs. IndexError if
        there is none."""
        kernels = [one for graph in self.graphs for one in (*graph.kernels, *graph.routines)]
        text: str = kernels[number].source
        return text

    def picture(self, number: int = 0) -> Picture:
        """One of the graphs as a picture: `.save("graph.svg")`, `.svg`, `.dot`. Graphviz draws it.
        IndexError if there is none."""
        return picture(self.graphs[number].graph)

    def __str__(self) -> str:
        notes = [f"  note: {text}" for text in self.notes]
        graphs = chain.from_iterable(starmap(graph_lines, zip_longest(self.graphs, self.states)))
        unused = (f"  {text}" for text in self.unused)
        again = map(again_line, self.recompiles)
        stops = break_lines(self.breaks)
        return "\n".join(
            [heading(self), *graphs, *unused, *memory_lines(self.measured), *again, *stops, *notes]
        )


def listing(functions: Iterable[Function]) -> Iterator[str]:
    """The source of those that ran, each line with its time and what runs it."""
    for one in functions:
        if not any(one.seconds):
            continue
        yield f"{one.name} {one.file}:{one.line}"
        for line in one.lines:
            spent = seconds(line.seconds) if line.seconds else ""
            text = f"{line.number:5} {spent:>9}  {line.text}"
            yield f"{text}    # {line.note}" if line.note else text.rstrip()


def explain(fn: Any) -> Callable[..., Explanation]:
    """Explain one call of `fn`, which has been compiled: `explain(fn)(*args, **kwargs)`."""

    def call(*args: Any, **kwargs: Any) -> Explanation:
        with collect() as found, accounted() as runs, untried():
            watched = watcher()
            start = time.perf_counter()
            result = fn(*args, **kwargs)
            seconds = time.perf_counter() - start
        if watched:
            found.append(whole(fn, breaks.TRACED, watched))
        again = tuple(recompiles(fn, runs[0]))
        return replace(explanation(fn, found, result, seconds), run=runs[0], recompiles=again)

    return call


@contextmanager
def untried() -> Iterator[None]:
    """What is compiled runs, also where it was the turn of NumPy's calls, to compare."""
    _C.hold_trials(True)
    try:
        yield
    finally:
        _C.hold_trials(False)


def recompiles(fn: Any, run: Run) -> Iterator[Recompile]:
    """Of the functions that the call met, so far."""
    met = {(call.file, call.line, call.name) for call in run.calls if call.times}
    own = code_of(fn)
    for record, code in records.with_codes():
        if code is own or (code.co_filename, code.co_firstlineno, code.co_qualname) in met:
            yield from record.recompiles


def machine_for(graphs: Iterable[Compiled]) -> MachineLimits:
    """Measured if there is anything to compare."""
    steps = (step for graph in graphs for step in graph.steps if not graph.for_sizes)
    moving = [step for step in steps if step.moved and step.times]
    out_of_memory = (step for step in moving if (step.moved or 0) > caches())
    reached = max(map(rate, out_of_memory), default=0.0)
    return MachineLimits(bandwidth(thread_count(), reached) if moving else None, caches())


def rate(step: Step) -> float:
    """Bytes per second."""
    return (step.moved or 0) * step.times / step.seconds if step.seconds else 0.0


def watcher() -> str:
    """What watches this thread: compiled code is not entered then."""
    if not _C.is_watched():
        return ""
    if sys.gettrace() is not None:
        return "sys.settrace"
    return "sys.setprofile" if sys.getprofile() is not None else "sys.monitoring"


def whole(fn: Any, kind: BreakKind, detail: str) -> Break:
    """A break of the whole call."""
    code = code_of(fn)
    name = getattr(fn, "__qualname__", repr(fn))
    place = place_of(code) if code is not None else Place("", None, None, None, None, name)
    return Break(kind, detail, place)


def explanation(fn: Any, found: list[Found], result: Any, seconds: float) -> Explanation:
    fresh = [item for item in found if isinstance(item, Region)]
    code = code_of(fn)
    record = records.find(code) if code is not None else None
    known = record.regions if record is not None else []
    earlier = [region for region in known if region not in fresh]
    regions = [*earlier, *fresh]
    graphs = tuple(region for region in regions if region.entry is not None)
    stops = [stop for region in regions for stop in region.breaks]
    stops += record.breaks if record is not None else []
    stops += [item for item in found if isinstance(item, Break)]
    if not stops and not any(graph.graph.body.nodes for graph in graphs):
        stops.append(nothing(fn))
    guards = dict.fromkeys(text for graph in graphs for text in graph.guards)
    times = {"call": seconds, "compiling": sum(region.seconds for region in fresh)}
    name = getattr(fn, "__qualname__", repr(fn))
    stops = [*dict.fromkeys(stops)]
    unused = tuple(lives_without_graph(code)) if code is not None else ()
    made = Explanation(name, graphs, tuple(stops), tuple(guards), result, times, said())
    return replace(made, states=lives_of(graphs), unused=unused)


def nothing(fn: Any) -> Break:
    """Why there is neither a graph nor a break."""
    if code_of(fn) is None:
        return whole(fn, breaks.NO_CODE, type(fn).__name__)
    inner = getattr(fn, "__func__", fn)
    off = "it is switched off (JITCORE=0)" if getattr(inner, "_off", False) else ""
    off = off or ("a jitcore.disable block" if _C.is_busy() else "")
    return whole(fn, breaks.DISABLED, off) if off else whole(fn, breaks.NO_ARRAYS, "")


def code_of(fn: Any) -> CodeType | None:
    """Of a compiled function, or of the function of a bound method; None: there is none."""
    inner = getattr(fn, "__func__", fn)
    code: CodeType | None = getattr(getattr(inner, "_function", None), "__code__", None)
    return code


def heading(e: Explanation) -> str:
    call, compiling = e.times["call"] * 1e3, e.times["compiling"] * 1e3
    return (
        f"{e.name}: {counted(len(e.graphs), 'graph')}, {counted(len(e.breaks), 'break')}; "
        f"the call took {call:.3f} ms, {compiling:.3f} ms of it compiling"
    )


RETIRED = "; runs in CPython since: NumPy's own calls were faster here"
WAITING = "; its kernels are being compiled, NumPy does their work meanwhile"


def graph_lines(region: Region, life: Life | None) -> Iterator[str]:
    yield graph_line(region)
    if life is not None:
        yield f"      {life}"
    yield from remark_lines(region)


def graph_line(region: Region) -> str:
    nodes = len(region.graph.body.nodes)
    kernels = ", ".join(kernel.name for kernel in region.kernels)
    return (
        f"  graph at {region.function.filename}, {region.function.function}, offset "
        f"{region.offset}, of {inputs_of(region) or 'constants'}: "
        f"{counted(nodes, 'node')}, {calls(region)}, "
        f"{counted(len(region.kernels), 'kernel')}{f' ({kernels})' if kernels else ''}, "
        f"{loops(region)}{counted(len(region.guards), 'guard')}, {memory(region)}; "
        f"ran {counted(region.entry.hits, 'time')}"
        f"{RETIRED if region.entry.retired else WAITING if region.entry.kernels_pending else ''}"
    )


def remark_lines(region: Region) -> Iterator[str]:
    """Of each loop in C what applied and what did not; of kernels and NumPy calls, where something
    did not."""
    found = [one for one in region.remarks.found() if one.verdict or one.declined]
    for text in lines(found, region.function.function):
        yield f"      {text}"


def calls(region: Region) -> str:
    """`1 NumPy call, 2 other calls`: of Python's functions, and of those that the program allows
    in graphs."""
    made = [work.name for work in region.works if is_call(work, region)]
    others = sum(not is_numpys(name) for name in made)
    more = f", {counted(others, 'other call')}" if others else ""
    return f"{counted(len(made) - others, 'NumPy call')}{more}"


def is_call(work: Work, region: Region) -> bool:
    return work.name != "backend" and work.target not in (*region.kernels, *region.routines)


def memory_lines(measured: Sequence[Compiled]) -> Iterator[str]:
    """What graphs moved against the least, and where that stands between memory and computing."""
    machine = machine_for(measured)
    for graph in measured:
        yield f"  memory moved at {graph.spot}: {moves(graph)}"
        yield from (f"      {one}" for one in positions(graph, machine))


def again_line(one: Recompile) -> str:
    """`x.shape[0] was 10, now 20: made dynamic`"""
    changed = summed(one.changes, lambda change: change.told)
    return f"  compiled again at {one.place}: {changed}: {one.done}"


def loops(region: Region) -> str:
    """Those that run in C, how long the C is, and how often they were left in mid-flight."""
    if not region.routines:
        return ""
    left = sum(one.exits for one in region.routines)
    count = counted(sum(map(loops_in, region.graph.body.nodes)), "loop")
    size = sum(len(one.source) for one in region.routines) / 1000
    ended = f", left {counted(left, 'time')} before the end" if left else ""
    return f"{count} ({size:.0f} kB of C{ended}), "


def loops_in(node: Node) -> int:
    inner = sum(loops_in(one) for body in node.bodies for one in body.nodes)
    return inner + (node.op.name in ("for", "loop"))


def memory(region: Region) -> str:
    """The most that the arrays it makes take up at one time."""
    peak = region.footprint
    found = f"peak memory {binary(peak.compiled)}"
    return found if peak.calls == peak.compiled else f"{found} instead of {binary(peak.calls)}"


def inputs_of(region: Region) -> str:
    """What tells versions of one graph apart: the types of its inputs."""
    types = ", ".join(str(value.type) for value in region.graph.inputs)
    return f"{types}, the largest of {arrays_of(region.sizes)}" if region.for_sizes else types


def break_lines(stops: tuple[Break, ...]) -> list[str]:
    lines = []
    for stop in stops:
        lines.append(f"  {stop.code} {stop.where}: {stop.reason}")
        lines.append(f"      hint: {stop.hint}")
    return lines
