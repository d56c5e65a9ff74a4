"""A kernel at a size → a Row: times beside eager NumPy, bits, graphs, time to compile."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import jitcore
from benchmarks.bits import difference
from benchmarks.limit import at_most
from benchmarks.operations import count
from benchmarks.registry import Args, Kernel
from benchmarks.timing import in_turns

WARM_UP = 12  # calls: the trial of an entry takes eight
PEER_WARM_UP = 2
PEER_SECONDS = 60  # to compile and to warm up: some unroll loops without end

Contender = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    """ratio  eager seconds over the peer's, or None where it cannot run the kernel, with the
    reason in `note`; `note` also says where the bits differ"""

    ratio: float | None
    note: str


@dataclass(frozen=True)
class Row:
    """eager, compiled  median seconds of a call
    ratio       median of eager / compiled over the rounds
    difference  the first difference in bits, or nothing
    bytes       of the arrays that must be read and written: arguments and results, once each
    operations  on elements, see operations.py; not counted where loops make them
    graphs, retired, breaks  of the compiled function, after the warm-up
    cold, warm  seconds of compiling: first, and again with the kernels loaded
    first       seconds of the first call as a whole: compiling, and what the call does
    """

    kernel: str
    theme: str
    size: str
    elements: int
    eager: float
    compiled: float
    ratio: float
    rounds: int
    difference: str
    bytes: int
    operations: int
    graphs: int
    retired: int
    breaks: list[str]
    cold: float
    warm: float
    peers: dict[str, Peer] = field(default_factory=dict)
    half: str = "lines"
    npbench: str = ""
    first: float = 0.0


def measure(kernel: Kernel, size: str, budget: float, peers: dict[str, Any]) -> Row:
    """`peers`: name → adapter, a function that makes a contender of a kernel and arguments."""
    args = kernel.arguments(size)
    function, cold, warm, first = compiled(kernel, args)
    found = check(kernel, function, args)
    contenders: dict[str, Contender] = {"eager": kernel.function, "jitcore": function}
    ready: dict[str, Contender] = {}
    notes: dict[str, str] = {}
    for name, adapter in peers.items():
        try:
            with at_most(PEER_SECONDS):
                ready[name] = adapter(kernel, args)
                notes[name] = check(kernel, of_numpy(ready[name]), args, PEER_WARM_UP)
        except Exception as error:  # a peer may fail in any way, and it is a result
            ready.pop(name, None)
            notes[name] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
    readings = in_turns(contenders | ready, args, kernel.writes, budget)
    about = jitcore.explain(function)(*fresh(kernel, args))
    return Row(
        kernel=kernel.name,
        theme=kernel.theme,
        size=size,
        elements=max((a.size for a in args if isinstance(a, np.ndarray)), default=0),
        eager=statistics.median(readings["eager"]),
        compiled=statistics.median(readings["jitcore"]),
        ratio=ratio(readings, "jitcore"),
        rounds=len(readings["eager"]),
        difference=found,
        bytes=traffic(kernel, args),
        operations=count(kernel.function, fresh(kernel, args)) if kernel.half == "lines" else 0,
        graphs=len(about.graphs),
        retired=sum(bool(graph.entry.retired) for graph in about.graphs),
        breaks=[f"{stop.code} {stop.reason}" for stop in about.breaks],
        cold=cold,
        warm=warm,
        peers={
            name: Peer(ratio(readings, name) if name in ready else None, notes[name])
            for name in peers
        },
        half=kernel.half,
        npbench=kernel.npbench,
        first=first,
    )


def compiled(kernel: Kernel, args: Args) -> tuple[Any, float, float, float]:
    """The function as jitcore compiles it; seconds of compiling, first and once more; seconds of
    the first call."""
    times = []
    for _ in range(2):
        jitcore.reset()
        function = jitcore.compile(kernel.function)
        times.append(jitcore.explain(function)(*fresh(kernel, args)).times)
    cold, warm = (one["compiling"] for one in times)
    return function, cold, warm, times[0]["call"]


def check(kernel: Kernel, function: Contender, args: Args, calls: int = WARM_UP) -> str:
    """Call it several times on fresh arguments: the first difference from eager."""
    wanted_args = fresh(kernel, args)
    wanted = kernel.function(*wanted_args)
    for _ in range(calls):
        got_args = fresh(kernel, args)
        got = function(*got_args)
        found = difference(wanted, got) or difference(wanted_args, got_args, "arguments")
        if found:
            return found
    return ""


def of_numpy(function: Contender) -> Contender:
    """A peer's arrays as NumPy's, so that bits can be compared."""

    def convert(x: Any) -> Any:
        if isinstance(x, (tuple, list)):
            return type(x)(map(convert, x))
        known = (np.ndarray, np.generic, bool, int, float, complex, str, type(None))
        return x if isinstance(x, known) else np.asarray(x)

    return lambda *args: convert(function(*args))


def fresh(kernel: Kernel, args: Args) -> Args:
    return tuple(a.copy() if k in kernel.writes else a for k, a in enumerate(args))


def ratio(readings: dict[str, list[float]], name: str) -> float:
    pairs = zip(readings["eager"], readings[name], strict=True)
    return statistics.median(eager / other for eager, other in pairs)


def traffic(kernel: Kernel, args: Args) -> int:
    """Bytes of arguments and of results that are not arguments; what is written counts twice."""
    args = fresh(kernel, args)
    result = kernel.function(*args)
    results = result if isinstance(result, (tuple, list)) else (result,)
    given = [a for a in args if isinstance(a, np.ndarray)]
    new = [r for r in results if isinstance(r, np.ndarray) and not shares(r, given)]
    return sum(a.nbytes for a in [*given, *new, *(args[k] for k in kernel.writes)])


def shares(array: Any, others: list[Any]) -> bool:
    return any(np.may_share_memory(array, other) for other in others)


@dataclass(frozen=True)
class Launch:
    """Seconds of one np.add, of a chain of seven operations in NumPy, and of the same compiled;
    on arrays of ten elements."""

    add: float
    eager: float
    compiled: float


def launch(chain: Kernel, budget: float) -> Launch:
    args = chain.arguments("small")
    compiled = jitcore.compile(chain.function)

    for _ in range(WARM_UP):
        compiled(*args)
    contenders = {"eager": chain.function, "compiled": compiled}
    chains = in_turns(contenders, args, (), budget / 2)
    adds = in_turns({"add": np.add}, args[:2], (), budget / 2)
    return Launch(**{name: statistics.median(r) for name, r in (chains | adds).items()})
