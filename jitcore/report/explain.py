"""One call of a compiled function → what was captured, what broke, what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jitcore import pipeline
from jitcore.fallback.breaks import Break
from jitcore.runtime.records import Region


@dataclass(frozen=True)
class Explanation:
    """graphs   the compiled regions: `.graph`, `.kernels`, `.calls`, `.guards`, `.entry`,
    `.seconds`
    breaks   where the graph broke: `.code .filename .lineno .reason .hint`
    guards   what must hold for the graphs to be used, in words
    result   what the call returned
    times    seconds: "call" (the call explained), "compiling" (the part of it spent in jitcore)

    `str()` is the report.
    """

    name: str
    graphs: tuple[Region, ...]
    breaks: tuple[Break, ...]
    guards: tuple[str, ...]
    result: Any = field(repr=False)
    times: dict[str, float]

    def source(self, number: int = 0) -> str:
        """The C text of a kernel, counted over all graphs. IndexError if there is none."""
        kernels = [kernel for graph in self.graphs for kernel in graph.kernels]
        text: str = kernels[number].source
        return text

    def __str__(self) -> str:
        return "\n".join([heading(self), *map(graph_line, self.graphs), *break_lines(self.breaks)])


def explain(fn: Any) -> Callable[..., Explanation]:
    """Explain one call of `fn`, which has been compiled: `explain(fn)(*args, **kwargs)`."""

    def call(*args: Any, **kwargs: Any) -> Explanation:
        with pipeline.collect() as found:
            start = time.perf_counter()
            result = fn(*args, **kwargs)
            seconds = time.perf_counter() - start
        return explanation(fn, found, result, seconds)

    return call


def explanation(fn: Any, found: list[Region | Break], result: Any, seconds: float) -> Explanation:
    fresh = [item for item in found if isinstance(item, Region)]
    code = code_of(fn)
    record = pipeline.records.find(code) if code is not None else None
    known = record.regions if record is not None else []
    earlier = [region for region in known if region not in fresh]
    regions = [*earlier, *fresh]
    graphs = tuple(region for region in regions if region.entry is not None)
    breaks = [stop for region in regions for stop in region.breaks]
    breaks += record.breaks if record is not None else []
    breaks += [item for item in found if isinstance(item, Break)]
    guards = dict.fromkeys(text for graph in graphs for text in graph.guards)
    times = {"call": seconds, "compiling": sum(region.seconds for region in fresh)}
    name = getattr(fn, "__qualname__", repr(fn))
    return Explanation(name, graphs, tuple(dict.fromkeys(breaks)), tuple(guards), result, times)


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


RETIRED = "; left to CPython since: NumPy's own calls were faster here"


def graph_line(region: Region) -> str:
    nodes = len(region.graph.body.nodes)
    kernels = ", ".join(kernel.name for kernel in region.kernels)
    return (
        f"  graph at {region.function.filename}, {region.function.function}, offset "
        f"{region.offset}: {counted(nodes, 'node')}, {counted(region.calls, 'NumPy call')}, "
        f"{counted(len(region.kernels), 'kernel')}{f' ({kernels})' if kernels else ''}, "
        f"{counted(len(region.guards), 'guard')}; ran {counted(region.entry.hits, 'time')}"
        f"{RETIRED if region.entry.retired else ''}"
    )


def break_lines(breaks: tuple[Break, ...]) -> list[str]:
    lines = []
    for stop in breaks:
        lines.append(f"  {stop.code} {stop.place}: {stop.reason}")
        lines.append(f"      hint: {stop.hint}")
    return lines


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
