"""The records of a run: what was compiled, where CPython had to go on and why, what all of it cost.

    measured.py ─▶ Run ─▶ console.py, page.py, json_file.py

Strings and numbers only, so that a run is written to a file as it is. Times are seconds; they are
None where nobody measured: csrc/observe/meter.h.
"""

from __future__ import annotations

from typing import Literal, get_args

from jitcore.host.fast_dataclass import dataclass

# Of csrc/observe/meter.h, in order.
Kind = Literal["cpython", "kernel", "loop", "call", "entry", "compiling"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Spot:
    """A place in a source file. Lines count from 1, columns from 0, in characters."""

    file: str
    line: int
    end_line: int
    col: int | None
    end_col: int | None
    function: str
    text: str  # the line

    def __str__(self) -> str:
        return f"{self.file}:{self.line or '?'} in {self.function}" if self.file else self.function


@dataclass(frozen=True)
class Stop:
    """A break, once for each place: how often CPython went on there, and what it took from there
    to the next region, the statement itself included."""

    code: str
    reason: str
    hint: str
    spot: Spot
    via: tuple[Spot, ...]  # the inlined calls that led there, outermost first
    times: int
    seconds: float | None


@dataclass(frozen=True)
class Step:
    """What a region calls: a fused kernel, a loop, or a function of NumPy's. `moved`: bytes that it
    reads and writes in a run, `between` of them of arrays that live from step to step only;
    `operations`: on elements, in a run. None where they cannot be counted, and `why`."""

    kind: Kind
    name: str
    spots: tuple[Spot, ...]
    times: int
    seconds: float | None
    moved: int | None
    between: int
    operations: int | None
    why: str


@dataclass(frozen=True)
class AfterRegion:
    """CPython after a region, where no break says why: the region has ended, a loop was left, or
    what it had begun was dropped."""

    spot: Spot
    why: str
    times: int
    seconds: float | None


@dataclass(frozen=True)
class Compiled:
    """A graph. `entering`: guards, and the state for CPython. `trial`: NumPy's calls in its stead,
    to find out which is faster; `staying`: CPython, where it held and did not run. `moved`,
    `calls`, `least`: bytes of arrays in a run, as compiled, as NumPy's calls and at least; None
    where they cannot be counted, and `why`. `for_sizes`: it serves many sizes; counts are those of
    one."""

    function: str
    file: str
    spot: Spot
    inputs: str
    state: str
    nodes: int
    steps: tuple[Step, ...]
    lefts: tuple[AfterRegion, ...]
    hits: int
    failures: int
    stays: int
    compiling: float
    entering: float | None
    trial: float | None
    staying: float | None
    mean: float | None  # of its runs
    baseline: float | None  # of NumPy's calls in its stead, while they were tried
    runs: int  # of its own, that `mean` is of
    tried: int  # of those calls
    moved: int | None
    calls: int | None
    least: int | None
    operations: int | None
    why: str
    for_sizes: bool


@dataclass(frozen=True)
class Recompiled:
    """`sources`: the expressions that were others."""

    spot: Spot
    sources: tuple[str, ...]
    changes: str  # the first of them, in words
    done: str


@dataclass(frozen=True)
class Line:
    """A line of source. `kinds`: what runs it, the costliest first."""

    number: int
    text: str
    kinds: tuple[Kind, ...]
    note: str
    seconds: float | None


@dataclass(frozen=True)
class Compared:
    """What was measured both ways: `what`, how often, and the mean of a run in seconds, before (by
    CPython and NumPy) and after it was compiled."""

    what: str
    before_times: int
    before: float
    after_times: int
    after: float


@dataclass(frozen=True)
class Function:
    """`frames`: how often CPython ran a frame of it, whole or in part; `seconds`: its own, without
    compiled functions that it calls, for each of KINDS. `compared`: before and after; (): nothing
    ran both ways."""

    name: str
    file: str
    line: int
    graphs: int
    frames: int
    seconds: tuple[float, ...]
    lines: tuple[Line, ...]
    compared: tuple[Compared, ...]


@dataclass(frozen=True)
class Call:
    """A node of the tree of who called whom; the caller stands before it."""

    caller: int  # its index; -1: the program
    name: str
    file: str
    line: int
    times: int
    seconds: float
    own: tuple[float, ...]  # for each of KINDS, without the calls below it


@dataclass(frozen=True)
class Span:
    """One compiled call or frame, or compiling for it; `began`: seconds from the start."""

    name: str
    thread: int
    depth: int
    compiling: bool
    began: float
    seconds: float


@dataclass(frozen=True)
class Totals:
    """`seen`: frames that came by while something compiled was active; `frames`: of code with
    regions; `skipped`: functions that were looked at and have no graph."""

    seen: int
    frames: int
    functions: int
    compiled: int
    skipped: int
    graphs: int
    kernels: int
    nodes: int
    places: int
    hits: int
    misses: int
    recompiles: int
    retired: int
    seconds: tuple[float, ...]  # for each of KINDS
    breaks: float
    compiling: float  # of them; where nothing was measured, what the graphs took


@dataclass(frozen=True)
class Process:
    """`name`, `parent`: as multiprocessing has them, where it has started the process; "" and 0.
    `forked`: from which process, after time was measured there; 0: it was not."""

    pid: int
    name: str
    parent: int
    forked: int


@dataclass(frozen=True)
class Run:
    """`elapsed` is by the clock; `threads`: what each thread spent in compiled functions, waiting
    for the others included, the longest first. All other times are sums over threads."""

    process: Process
    command: str
    versions: str
    measured: bool
    elapsed: float
    threads: tuple[float, ...]
    totals: Totals
    stops: tuple[Stop, ...]  # the costliest first
    compiled: tuple[Compiled, ...]
    recompiled: tuple[Recompiled, ...]
    functions: tuple[Function, ...]  # the costliest first
    calls: tuple[Call, ...]
    spans: tuple[Span, ...]
    left_out: int  # spans that were shorter than those that are kept
    verified: tuple[str, ...]  # what verify mode has to say
    notes: tuple[str, ...]
