"""A bug report: one text file with all that a maintainer needs to see it happen again.

    [section]          in the first column
      | its lines      indented, so that nothing in them can begin a section

Nothing in it is executed when it is read: parse() gives sections, lines of text, and that is all.
`python -m jitcore replay` (jitcore/cli/replay.py) says what it trusts.
"""

from __future__ import annotations

import dis
import io
import os
import platform
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import ref

import numpy as np

from jitcore.config import Config, environment
from jitcore.fallback.breaks import Place
from jitcore.host.fast_dataclass import dataclass, replace
from jitcore.host.lazy_import import LazyModule
from jitcore.ir.graph import Body, Graph, Value, uses
from jitcore.opcodes.source_text import source_of
from jitcore.plan.liveness import recipe_values
from jitcore.runtime.regions import for_sizes
from jitcore.symbolic.state import Capture, EffectStep, LoopRegion
from jitcore.toolchain.compiler import cpu, find
from jitcore.verify.journal import Journal, OfArray
from jitcore.verify.stand_ins import within
from jitcore.verify.value_codec import input_line
from jitcore.version import __version__

tempfile = LazyModule("tempfile")

TITLE = "jitcore bug report, version 1"
READ_ME = "nothing in this file is executed by: python -m jitcore replay FILE"
BAR = "  | "
NUMBERS = (bool, int, float, complex)
MANY = "many"  # the graph's types are of others than the inputs
SOURCE_LINES = 200
CODE_LINES = 400


class NotAReport(ValueError):
    """The text is no bug report; says why."""


Sections = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Report:
    sections: Sections

    def __str__(self) -> str:
        lines = [TITLE, READ_ME]
        for name, body in self.sections.items():
            lines += ["", f"[{name}]", *(f"{BAR}{line}".rstrip() for line in body)]
        return "\n".join(lines) + "\n"

    def because(self, texts: Sequence[str]) -> Report:
        return self.having("found", texts)

    def having(self, name: str, lines: Iterable[str]) -> Report:
        split = [line for text in lines for line in text.splitlines() or [""]]
        return replace(self, sections={**self.sections, name: tuple(split)})

    def words(self, name: str) -> dict[str, str]:
        """Of a section with lines `word: text`."""
        pairs = (line.partition(": ") for line in self.sections.get(name, ()))
        return {word: text for word, _, text in pairs}


def parse(text: str) -> Report:
    lines = text.splitlines()
    if not lines or lines[0] != TITLE:
        raise NotAReport(f"the first line is not {TITLE!r}")
    sections: dict[str, list[str]] = {}
    body: list[str] | None = None
    for number, line in enumerate(lines[2:], 3):
        if line.startswith("[") and line.endswith("]"):
            body = sections.setdefault(line[1:-1], [])
        elif line.startswith(BAR.rstrip()) and body is not None:
            body.append(line[len(BAR) :])
        elif line.strip():
            raise NotAReport(f"line {number} is in no section")
    return Report({name: tuple(found) for name, found in sections.items()})


def write(report: Report, folder: Path | None) -> Path | None:
    """A new file, which only this user may read. None: there is no place for it."""
    place = folder or Path(tempfile.gettempdir())
    name = "".join(c if c.isalnum() else "-" for c in report.words("about").get("function", "run"))
    try:
        place.mkdir(parents=True, exist_ok=True)
        number, path = tempfile.mkstemp(".txt", f"jitcore-{name[:40]}-", place)
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(str(report))
    except OSError:
        return None
    return Path(path)


# ---- what is in it ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A region, as far as a report tells of it. Holds nothing of the user's."""

    place: Place
    offset: int
    graph: Graph  # its results are what the exits hand on
    segments: tuple[str, ...]
    guards: tuple[str, ...]
    inputs: tuple[tuple[Value, str], ...]  # in the order in which the probe loads them; the sources
    numbers: dict[Value, Any]  # that guards know, and nobody loads
    errstate: int
    config: Config
    code: ref[CodeType]
    promises: tuple[str, ...]  # calls whose results the graph takes for constants
    for_sizes: bool  # its types are those of the sizes that it was made with


def subject_of(
    place: Place, offset: int, capture: Capture, config: Config, code: CodeType
) -> Subject:
    wanted: dict[Value, None] = {}
    known = set(capture.graph.body.params)
    for node in capture.graph.body.nodes:
        known.update(node.outputs)
    for recipe in (capture.exit, capture.returns):
        found = recipe_values(recipe) if recipe is not None else set()
        wanted |= dict.fromkeys(found)
    order = [*capture.graph.body.params, *(v for n in capture.graph.body.nodes for v in n.outputs)]
    results = tuple(value for value in order if value in wanted and value in known)
    body = capture.graph.body
    read = {*results}.union(*map(uses, body.nodes))
    examples = {value: capture.examples.get(value) for value in read}
    return Subject(
        place,
        offset,
        Graph(capture.graph.name, Body(kept(body.params, read), body.nodes, results)),
        tuple(map(segment_line, capture.segments)),
        tuple(map(str, capture.guards)),
        tuple((value, str(source)) for source, value in capture.inputs.items() if value in read),
        {value: obj for value, obj in examples.items() if type(obj) in NUMBERS},
        capture.errstate,
        config,
        ref(code),
        capture.promises,
        for_sizes(capture),
    )


def kept(values: Iterable[Value], read: set[Value]) -> tuple[Value, ...]:
    return tuple(value for value in values if value in read)


def segment_line(segment: Any) -> str:
    """How many nodes of the graph it has, and under which state of np.errstate. A loop in C: also
    at which of its nodes, inner ones counted, it may be left."""
    if isinstance(segment, EffectStep):
        return f"loud 1 {segment.errstate}"
    if isinstance(segment, LoopRegion):
        inner = (node for top in segment.nodes for node in within(top))
        exits = ",".join(str(at) for at, node in enumerate(inner) if node in segment.exits)
        return f"routine {len(segment.nodes)} {segment.errstate} {exits}".rstrip()
    return f"window {len(segment.nodes)} {segment.errstate}"


def of_difference(subject: Subject, live: dict[Value, Any], journal: Journal) -> Report:
    """`live`: the inputs as they are now. Arrays are those that the journal keeps."""
    before: dict[int, Any] = {
        id(row.array if isinstance(row, OfArray) else row.items): row.before for row in journal.rows
    }
    values = subject.config.report_values
    inputs = [
        input_line(
            number, None if subject.for_sizes else value, source, before.get(id(obj), obj), values
        )
        for number, (value, source) in enumerate(subject.inputs)
        for obj in (live.get(value, subject.numbers.get(value)),)
    ]
    sections: Sections = {
        "about": (
            *about("difference", subject.place, subject.config, subject.errstate),
            f"sizes: {MANY if subject.for_sizes else 'these'}",
        ),
        "found": (),
        **surroundings(),
        **function(subject.code()),
        "guards": subject.guards,
        "segments": subject.segments,
        "graph": tuple(str(subject.graph).splitlines()),
        "inputs": tuple(inputs),
    }
    return Report(sections)


def of_error(
    code: CodeType | None, place: Place, error: BaseException, config: Config, state: Any = None
) -> Report:
    """An error of jitcore's own. `state`: the frame that it failed on."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    sections: Sections = {
        "about": about("error", place, config, 0),
        "found": (f"{type(error).__name__}: {error}".partition("\n")[0],),
        "traceback": tuple(lines),
        **surroundings(),
        **function(code),
        "inputs": tuple(of_frame(code, state, config.report_values)),
    }
    return Report(sections)


def of_frame(code: CodeType | None, state: Any, values: str) -> Iterator[str]:
    if code is None or state is None:
        return
    for number, (name, obj) in enumerate(zip(code.co_varnames, state.locals, strict=False)):
        yield input_line(number, None, name, obj, values)


def about(kind: str, place: Place, config: Config, errstate: int) -> tuple[str, ...]:
    return (
        f"kind: {kind}",
        f"function: {place.function}",
        f"place: {place}",
        f"backend: {config.backend}",
        f"numerics: {config.numerics}",
        f"dynamic: {config.dynamic}",
        f"errstate: {errstate}",
    )


def surroundings() -> dict[str, tuple[str, ...]]:
    compiler = find(environment().compiler)
    features = " ".join(sorted(name for name, has in cpu().items() if has))
    return {
        "versions": (
            f"jitcore: {__version__}",
            f"python: {platform.python_implementation()} {platform.python_version()}",
            f"numpy: {np.__version__}",
            f"system: {platform.system()} {platform.machine()} {' '.join(platform.libc_ver())}",
            f"compiler: {' '.join(compiler.command) if compiler else 'none'}",
            f"processor: {features}",
        ),
        "environment": tuple(
            f"{name}={value}"
            for name, value in sorted(os.environ.items())
            if name.startswith("JITCORE") or name in ("CC", "OMP_NUM_THREADS")
        ),
    }


def function(code: CodeType | None) -> dict[str, tuple[str, ...]]:
    if code is None:
        return {}
    text = io.StringIO()
    dis.dis(code, file=text, depth=0)
    source = source_of(code) or "# the source is not to be had"
    return {
        "source": tuple(source.splitlines()[:SOURCE_LINES]),
        "bytecode": tuple(text.getvalue().splitlines()[:CODE_LINES]),
    }
