"""Compiled regions and breaks → what runs each line of a function's source, and how long.

kernel    its time stands at its last line; the lines before have its name
CPython   from where a region was left; its time stands at the first line, and lines up to the
          next one that is known have nothing of their own
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from jitcore.host.fast_dataclass import dataclass
from jitcore.report.meter_snapshot import Code, FrameTimes
from jitcore.report.run import (
    KINDS,
    Call,
    Compared,
    Compiled,
    Function,
    Kind,
    Line,
    Spot,
    Step,
    Stop,
)
from jitcore.report.user_source import function_at, lines_of

At = tuple[str, int]  # file, line
CPYTHON = "CPython"
WORDS: Mapping[str, str] = {
    "kernel": "kernel",
    "loop": "loop in C",
    "call": "NumPy",
    "cpython": "CPython",
    "entry": "guards",
    "compiling": "compiling",
}


@dataclass(slots=True)
class Found:
    """Of one line: the seconds of each kind; what is said of it."""

    kinds: dict[Kind, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, kind: Kind, seconds: float | None, note: str = "") -> None:
        self.kinds[kind] = self.kinds.get(kind, 0.0) + (seconds or 0.0)
        if note and note not in self.notes:
            self.notes.append(note)


class Lines:
    """What is known of lines, while it is gathered."""

    def __init__(self) -> None:
        self.found: dict[At, Found] = {}
        self.where: dict[At, str] = {}  # the function that it was said of

    def at(self, spot: Spot) -> Found:
        at = spot.file, spot.line
        self.where.setdefault(at, spot.function)
        return self.found.setdefault(at, Found())


def gathered(compiled: Iterable[Compiled], stops: Iterable[Stop]) -> Lines:
    lines = Lines()
    numbers: dict[tuple[str, str], int] = {}
    for region in compiled:
        own = region.file, region.function
        for step in region.steps:
            number = numbers.get(own, 0)
            numbers[own] = number + (step.kind in ("kernel", "loop"))
            for spot, seconds, note in told(step, number):
                lines.at(spot).add(step.kind, seconds, note)
        lines.at(region.spot).add("entry", region.entering)
        if region.trial:
            lines.at(region.spot).add("call", region.trial, "NumPy's calls, timed for comparison")
        if region.staying:
            lines.at(region.spot).add("cpython", region.staying, region.state)
        for left in region.lefts:
            lines.at(left.spot).add("cpython", left.seconds, CPYTHON)
    for stop in stops:
        lines.at(stop.spot).add("cpython", stop.seconds, f"{stop.code} {stop.reason}")
    return lines


def told(step: Step, number: int) -> Iterator[tuple[Spot, float | None, str]]:
    """The last line has the time."""
    spots = sorted({(s.file, s.line): s for s in step.spots}.values(), key=lambda s: s.line)
    named = step.kind in ("kernel", "loop")
    name = f"{WORDS[step.kind]} {number}" if named else whose(step.name)
    for spot in spots[:-1]:
        yield spot, None, name
    for spot in spots[-1:]:
        yield spot, step.seconds, name


def whose(name: str) -> str:
    """A function that a plan calls, by the name of its row."""
    kind, _, own = name.partition(".")
    return OWNERS[kind].format(own) if kind in OWNERS and own else f"NumPy's {name}"


# Of rows that are none of NumPy's, by what stands before the dot.
OWNERS: Mapping[str, str] = {
    **dict.fromkeys(("op", "py", "math"), "Python's {}"),
    "allowed": "{}(), allowed in the graph",
    "jitcore": "jitcore's {}",
}


def is_numpys(name: str) -> bool:
    return name.partition(".")[0] not in OWNERS


def functions(
    codes: Mapping[Code, FrameTimes],
    calls: Iterable[Call],
    compiled: Sequence[Compiled],
    stops: Sequence[Stop],
    arrived: Collection[Code],
) -> tuple[Function, ...]:
    """Those of which anything is known, the costliest first. `arrived`: code that ran plainly
    before JITCORE=1 found it."""
    lines = gathered(compiled, stops)
    for (file, line, name), known in codes.items():
        if known.compiling or known.begins:
            found = lines.at(Spot(file, line, line, None, None, name, ""))
            if known.compiling:
                found.add("compiling", known.compiling, "compiling")
            found.add("cpython", known.begins, CPYTHON)
    own = seconds_of(calls)
    frames = {(file, name): known.frames for (file, _, name), known in codes.items()}
    graphs: dict[tuple[str, str], int] = {}
    for region in compiled:
        key = region.file, region.function
        graphs[key] = graphs.get(key, 0) + 1
    made = []
    for place, marks in divided(lines).items():
        file, name, line = place
        key = file, name
        seconds = own.get(key, (0.0,) * len(KINDS))
        texts = tuple(annotated(file, name, line, marks))
        count = frames.get(key, 0)
        both = (*whole_frames({at: codes[at] for at in arrived}, key), *tried(compiled, key))
        made.append(Function(name, file, line, graphs.get(key, 0), count, seconds, texts, both))
    return tuple(sorted(made, key=lambda one: -sum(one.seconds)))


def whole_frames(codes: Mapping[Code, FrameTimes], key: tuple[str, str]) -> Iterator[Compared]:
    """Its calls, where some were made before it was compiled."""
    for (file, _, name), known in codes.items():
        if (file, name) == key and known.before and known.after:
            before, after = known.before_seconds / known.before, known.after_seconds / known.after
            yield Compared("a call", known.before, before, known.after, after)


def tried(compiled: Iterable[Compiled], key: tuple[str, str]) -> Iterator[Compared]:
    """Its graphs, that took turns with NumPy's calls."""
    for one in compiled:
        if (one.file, one.function) == key and one.baseline is not None and one.mean is not None:
            what = f"the graph at line {one.spot.line}, of {one.inputs or 'constants'}"
            yield Compared(what, one.tried, one.baseline, one.runs, one.mean)


def seconds_of(calls: Iterable[Call]) -> dict[tuple[str, str], tuple[float, ...]]:
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for call in calls:
        key = call.file, call.name
        before = found.get(key, (0.0,) * len(KINDS))
        found[key] = tuple(a + b for a, b in zip(before, call.own, strict=True))
    return found


def divided(lines: Lines) -> dict[tuple[str, str, int], dict[int, Found]]:
    """By the functions that the lines are in: file, name, first line."""
    made: dict[tuple[str, str, int], dict[int, Found]] = {}
    for (file, line), found in lines.found.items():
        one = function_at(file, lines.where[file, line], line)
        name, first = (one.name, one.line) if one else (lines.where[file, line], 0)
        key = file, name, first
        made.setdefault(key, {})[line] = found
    return made


def annotated(file: str, name: str, line: int, marks: Mapping[int, Found]) -> Iterator[Line]:
    one = function_at(file, name, line) if line else None
    if one is None:  # no source: what is known of its lines
        yield from (line_of(number, "", found) for number, found in sorted(marks.items()))
        return
    left = False  # CPython goes on from a line before
    for number, text in lines_of(file, one):
        found = marks.get(number)
        if found is not None:
            left = "cpython" in found.kinds and not found.kinds.keys() & {"kernel", "loop", "call"}
            yield line_of(number, text, found)
        elif left and number in one.statements:
            yield Line(number, text, ("cpython",), CPYTHON, None)
        else:
            yield Line(number, text, (), "", None)


def line_of(number: int, text: str, found: Found) -> Line:
    kinds = sorted(found.kinds, key=lambda kind: -found.kinds[kind])
    shown = [kind for kind in kinds if found.kinds[kind] or kind != "entry"]
    total = sum(found.kinds.values())
    notes = [note for note in found.notes if note != CPYTHON or len(found.notes) == 1]
    return Line(number, text, tuple(shown), "; ".join(notes), total or None)
